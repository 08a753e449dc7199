//! The memory functions that compiled code calls and that libc would have.
//!
//! By the string instructions, so that the compiler cannot make a call of the same function out of the loop.

use core::arch::asm;

#[unsafe(no_mangle)]
unsafe extern "C" fn memcpy(to: *mut u8, from: *const u8, len: usize) -> *mut u8 {
    // SAFETY: the caller's promise: `len` bytes at both.
    unsafe {
        asm!("rep movsb", inout("rdi") to => _, inout("rsi") from => _, inout("rcx") len => _, options(nostack))
    };
    to
}

#[unsafe(no_mangle)]
unsafe extern "C" fn memmove(to: *mut u8, from: *const u8, len: usize) -> *mut u8 {
    if to.addr().wrapping_sub(from.addr()) >= len {
        // SAFETY: `to` does not begin inside `from`, so that copying upward reads each byte before it is written.
        return unsafe { memcpy(to, from, len) };
    }
    let (last_to, last_from) =
        (to.wrapping_add(len).wrapping_sub(1), from.wrapping_add(len).wrapping_sub(1));
    // SAFETY: as above, downward from the last bytes; the direction is restored.
    unsafe {
        asm!("std", "rep movsb", "cld", inout("rdi") last_to => _, inout("rsi") last_from => _, inout("rcx") len => _,
            options(nostack))
    };
    to
}

#[unsafe(no_mangle)]
unsafe extern "C" fn memset(to: *mut u8, byte: i32, len: usize) -> *mut u8 {
    // SAFETY: the caller's promise: `len` bytes there.
    unsafe {
        asm!("rep stosb", inout("rdi") to => _, in("eax") byte, inout("rcx") len => _, options(nostack))
    };
    to
}

#[unsafe(no_mangle)]
unsafe extern "C" fn memcmp(a: *const u8, b: *const u8, len: usize) -> i32 {
    for i in 0..len {
        // SAFETY: the caller's promise: `len` bytes there.
        let x = unsafe { a.wrapping_add(i).read_volatile() };
        // SAFETY: and there.
        let y = unsafe { b.wrapping_add(i).read_volatile() };
        if x != y {
            return i32::from(x) - i32::from(y);
        }
    }
    0
}

#[unsafe(no_mangle)]
unsafe extern "C" fn bcmp(a: *const u8, b: *const u8, len: usize) -> i32 {
    // SAFETY: the same promise.
    unsafe { memcmp(a, b, len) }
}
