//! What pkg-config and CMake read. Both find everything from where their own file is, so that the folder can be moved.

use std::path::Path;

use crate::files;

const PKG_CONFIG: &str = include_str!("files/heapwright.pc");

const KERNEL_PKG_CONFIG: &str = include_str!("files/heapwright-kernel.pc");

const CMAKE: &str = include_str!("files/heapwright-config.cmake");

/// Until 1.0 a minor version may break, so that another one does not fit.
const CMAKE_VERSION: &str = include_str!("files/heapwright-config-version.cmake");

pub(super) fn install(stage: &Path, version: &str) -> Result<(), String> {
    for (file, template) in [
        ("lib/pkgconfig/heapwright.pc", PKG_CONFIG),
        ("lib/pkgconfig/heapwright-kernel.pc", KERNEL_PKG_CONFIG),
        ("lib/cmake/heapwright/heapwright-config.cmake", CMAKE),
        ("lib/cmake/heapwright/heapwright-config-version.cmake", CMAKE_VERSION),
    ] {
        files::write(&stage.join(file), filled(template, version))?;
    }
    Ok(())
}

fn filled(template: &str, version: &str) -> String {
    let mut parts = version.split('.');
    let (major, minor) = (parts.next().unwrap_or("0"), parts.next().unwrap_or("0"));
    template.replace("@VERSION@", version).replace("@MAJOR@", major).replace("@MINOR@", minor)
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
