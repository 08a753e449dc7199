//! What a program without an operating system has to bring: an entry, an end, and memory functions where the
//! core library does not carry them.

/// Makes the linker believe that somebody calls `entry`.
pub(crate) fn keep(entry: *const ()) {
    core::hint::black_box(entry);
}

#[unsafe(no_mangle)]
extern "C" fn _start() -> ! {
    crate::ours::keep();
    #[cfg(feature = "peers")]
    crate::peers::keep();
    loop {
        core::hint::spin_loop();
    }
}

#[panic_handler]
fn panic(_: &core::panic::PanicInfo) -> ! {
    loop {
        core::hint::spin_loop();
    }
}

/// Linux's core library leaves the memory functions to libc, which is not linked here.
#[cfg(target_os = "linux")]
mod memory {
    #[unsafe(no_mangle)]
    unsafe extern "C" fn memcpy(to: *mut u8, from: *const u8, len: usize) -> *mut u8 {
        for i in 0..len {
            // SAFETY: the caller's promise: both are valid for `len` bytes.
            let byte = unsafe { from.add(i).read_volatile() };
            // SAFETY: as above.
            unsafe { to.add(i).write_volatile(byte) };
        }
        to
    }

    #[unsafe(no_mangle)]
    unsafe extern "C" fn memset(to: *mut u8, byte: i32, len: usize) -> *mut u8 {
        for i in 0..len {
            // SAFETY: the caller's promise: valid for `len` bytes.
            unsafe { to.add(i).write_volatile(byte as u8) };
        }
        to
    }

    #[unsafe(no_mangle)]
    unsafe extern "C" fn memmove(to: *mut u8, from: *const u8, len: usize) -> *mut u8 {
        for n in 0..len {
            let i = if to.cast_const() < from { n } else { len - 1 - n };
            // SAFETY: the caller's promise, and this order reads before it overwrites.
            let byte = unsafe { from.add(i).read_volatile() };
            // SAFETY: as above.
            unsafe { to.add(i).write_volatile(byte) };
        }
        to
    }

    #[unsafe(no_mangle)]
    unsafe extern "C" fn memcmp(a: *const u8, b: *const u8, len: usize) -> i32 {
        for i in 0..len {
            // SAFETY: the caller's promise: both are valid for `len` bytes.
            let (x, y) = unsafe { (a.add(i).read_volatile(), b.add(i).read_volatile()) };
            if x != y {
                return i32::from(x) - i32::from(y);
            }
        }
        0
    }
}
