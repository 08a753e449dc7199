# heapwright::heapwright  the shared library: malloc and free of the whole program
# heapwright::static      the same, linked in
# heapwright::kernel      the kernel's allocators of heapwright/kernel.h, linked in
get_filename_component(_heapwright_prefix "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
find_package(Threads REQUIRED)
if(NOT TARGET heapwright::heapwright)
  add_library(heapwright::heapwright SHARED IMPORTED)
  set_target_properties(heapwright::heapwright PROPERTIES
    IMPORTED_LOCATION "${_heapwright_prefix}/lib/libheapwright.so.@VERSION@"
    IMPORTED_SONAME "libheapwright.so.@MAJOR@"
    INTERFACE_INCLUDE_DIRECTORIES "${_heapwright_prefix}/include")
  add_library(heapwright::static STATIC IMPORTED)
  set_target_properties(heapwright::static PROPERTIES
    IMPORTED_LOCATION "${_heapwright_prefix}/lib/libheapwright.a"
    INTERFACE_INCLUDE_DIRECTORIES "${_heapwright_prefix}/include"
    INTERFACE_LINK_LIBRARIES Threads::Threads)
  add_library(heapwright::kernel STATIC IMPORTED)
  set_target_properties(heapwright::kernel PROPERTIES
    IMPORTED_LOCATION "${_heapwright_prefix}/lib/libheapwright_kernel.a"
    INTERFACE_INCLUDE_DIRECTORIES "${_heapwright_prefix}/include"
    INTERFACE_LINK_LIBRARIES Threads::Threads)
endif()
unset(_heapwright_prefix)
