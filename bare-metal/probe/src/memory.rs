//! Linux's core library leaves the memory functions to libc, which is not linked here. Never run, but loops as in
//! any libc: a path that reaches one of them has a loop.

#[unsafe(no_mangle)]
unsafe extern "C" fn memcpy(to: *mut u8, from: *const u8, len: usize) -> *mut u8 {
    // SAFETY: the caller's promise.
    unsafe { memmove(to, from, len) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn memmove(to: *mut u8, from: *const u8, len: usize) -> *mut u8 {
    for n in 0..len {
        let i = if to.cast_const() < from { n } else { len - 1 - n };
        // SAFETY: the caller's promise: valid for `len` bytes, read here before they are overwritten.
        let byte = unsafe { from.wrapping_add(i).read_volatile() };
        // SAFETY: as above.
        unsafe { to.wrapping_add(i).write_volatile(byte) };
    }
    to
}

#[unsafe(no_mangle)]
unsafe extern "C" fn memset(to: *mut u8, byte: i32, len: usize) -> *mut u8 {
    for i in 0..len {
        // SAFETY: the caller's promise: valid for `len` bytes.
        unsafe { to.wrapping_add(i).write_volatile(byte as u8) };
    }
    to
}

#[unsafe(no_mangle)]
unsafe extern "C" fn memcmp(a: *const u8, b: *const u8, len: usize) -> i32 {
    for i in 0..len {
        // SAFETY: the caller's promise: valid for `len` bytes.
        let x = unsafe { a.wrapping_add(i).read_volatile() };
        // SAFETY: as above.
        let y = unsafe { b.wrapping_add(i).read_volatile() };
        if x != y {
            return i32::from(x) - i32::from(y);
        }
    }
    0
}
