//! What pkg-config and CMake read. Both find everything from where their own file is, so that the folder can be moved.

use std::fs;
use std::path::Path;

const PKG_CONFIG: &str = "\
prefix=${pcfiledir}/../..
libdir=${prefix}/lib
includedir=${prefix}/include

Name: heapwright
Description: Memory allocator: malloc and free for C and C++, and heapwright.h
URL: https://github.com/heapwright/heapwright
Version: @VERSION@
Libs: -L${libdir} -lheapwright
Libs.private: -lpthread
Cflags: -I${includedir}
";

const KERNEL_PKG_CONFIG: &str = "\
prefix=${pcfiledir}/../..
libdir=${prefix}/lib
includedir=${prefix}/include

Name: heapwright-kernel
Description: The kernel's allocators in user space: heapwright/kernel.h
URL: https://github.com/heapwright/heapwright
Version: @VERSION@
Libs: -L${libdir} -lheapwright_kernel
Libs.private: -lpthread
Cflags: -I${includedir}
";

const CMAKE: &str = "\
# heapwright::heapwright  the shared library: malloc and free of the whole program
# heapwright::static      the same, linked in
# heapwright::kernel      the kernel's allocators of heapwright/kernel.h, linked in
get_filename_component(_heapwright_prefix \"${CMAKE_CURRENT_LIST_DIR}/../../..\" ABSOLUTE)
find_package(Threads REQUIRED)
if(NOT TARGET heapwright::heapwright)
  add_library(heapwright::heapwright SHARED IMPORTED)
  set_target_properties(heapwright::heapwright PROPERTIES
    IMPORTED_LOCATION \"${_heapwright_prefix}/lib/libheapwright.so.@VERSION@\"
    IMPORTED_SONAME \"libheapwright.so.@MAJOR@\"
    INTERFACE_INCLUDE_DIRECTORIES \"${_heapwright_prefix}/include\")
  add_library(heapwright::static STATIC IMPORTED)
  set_target_properties(heapwright::static PROPERTIES
    IMPORTED_LOCATION \"${_heapwright_prefix}/lib/libheapwright.a\"
    INTERFACE_INCLUDE_DIRECTORIES \"${_heapwright_prefix}/include\"
    INTERFACE_LINK_LIBRARIES Threads::Threads)
  add_library(heapwright::kernel STATIC IMPORTED)
  set_target_properties(heapwright::kernel PROPERTIES
    IMPORTED_LOCATION \"${_heapwright_prefix}/lib/libheapwright_kernel.a\"
    INTERFACE_INCLUDE_DIRECTORIES \"${_heapwright_prefix}/include\"
    INTERFACE_LINK_LIBRARIES Threads::Threads)
endif()
unset(_heapwright_prefix)
";

/// Until 1.0 a minor version may break, so that another one does not fit.
const CMAKE_VERSION: &str = "\
set(PACKAGE_VERSION \"@VERSION@\")
if(PACKAGE_FIND_VERSION VERSION_GREATER PACKAGE_VERSION
    OR NOT \"${PACKAGE_FIND_VERSION_MAJOR}.${PACKAGE_FIND_VERSION_MINOR}\" STREQUAL \"@MAJOR@.@MINOR@\")
  set(PACKAGE_VERSION_COMPATIBLE FALSE)
else()
  set(PACKAGE_VERSION_COMPATIBLE TRUE)
  if(PACKAGE_FIND_VERSION VERSION_EQUAL PACKAGE_VERSION)
    set(PACKAGE_VERSION_EXACT TRUE)
  endif()
endif()
";

pub(super) fn install(stage: &Path, version: &str) -> Result<(), String> {
    for (file, template) in [
        ("lib/pkgconfig/heapwright.pc", PKG_CONFIG),
        ("lib/pkgconfig/heapwright-kernel.pc", KERNEL_PKG_CONFIG),
        ("lib/cmake/heapwright/heapwright-config.cmake", CMAKE),
        ("lib/cmake/heapwright/heapwright-config-version.cmake", CMAKE_VERSION),
    ] {
        write(&stage.join(file), &filled(template, version))?;
    }
    Ok(())
}

fn filled(template: &str, version: &str) -> String {
    let mut parts = version.split('.');
    let (major, minor) = (parts.next().unwrap_or("0"), parts.next().unwrap_or("0"));
    template.replace("@VERSION@", version).replace("@MAJOR@", major).replace("@MINOR@", minor)
}

pub(super) fn write(path: &Path, text: &str) -> Result<(), String> {
    let said = |why: std::io::Error| format!("{}: {why}", path.display());
    fs::create_dir_all(path.parent().unwrap_or(path)).map_err(said)?;
    fs::write(path, text).map_err(said)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_left_to_be_filled_in() {
        for template in [PKG_CONFIG, KERNEL_PKG_CONFIG, CMAKE, CMAKE_VERSION] {
            let text = filled(template, "12.34.56-rc.1");
            assert!(!text.contains('@') && text.contains("12.34"), "{text}");
        }
    }
}
