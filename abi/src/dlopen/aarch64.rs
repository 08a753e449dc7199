//! aarch64: the jump to the real `dlopen`.
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
        "hint #34", // bti c
        "stp x29, x30, [sp, -32]!",
        ".cfi_def_cfa_offset 32",
        ".cfi_offset x29, -32",
        ".cfi_offset x30, -24",
        "str x0, [sp, 16]",
        "mov w0, w1",
        "bl {route}",
        "mov x16, x0", // a register by which `bti c` lets a jump in
        "ldr x0, [sp, 16]",
        "ldp x29, x30, [sp], 32",
        ".cfi_restore x29",
        ".cfi_restore x30",
        ".cfi_def_cfa_offset 0",
        "br x16",
        ".cfi_endproc",
        route = sym route,
    );
}
