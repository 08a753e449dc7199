//! x86-64: the jump to the real `dlopen`.
use core::ffi::{c_char, c_int, c_void};

use super::route;

/// POSIX `dlopen`; RTLD_DEEPBIND is cleared unless `HEAPWRIGHT=deepbind=1`.
/// The caller promises: as the C library's: `name` is null or a C string, and what is opened runs its constructors.
#[unsafe(no_mangle)]
#[unsafe(naked)]
unsafe extern "C" fn dlopen(name: *const c_char, mode: c_int) -> *mut c_void {
    core::arch::naked_asm!(
        ".globl heapwright_dlopen",
        ".hidden heapwright_dlopen",
        "heapwright_dlopen:",
        ".cfi_startproc",
        "endbr64",
        "push rdi",
        ".cfi_def_cfa_offset 16",
        "mov edi, esi",
        "call {route}",
        "mov esi, edx",
        "pop rdi",
        ".cfi_def_cfa_offset 8",
        "jmp rax",
        ".cfi_endproc",
        route = sym route,
    );
}
