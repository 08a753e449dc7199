//! What happens when a check fails: the handler that the program named, then a trap.
//!
//! Without the features `neighbours` and `canaries` nothing here can be reached but by a bug of
//! ours, so no message is formatted, and a linker that drops unused sections drops this too.

use core::cell::UnsafeCell;
use core::ffi::{CStr, c_char};
use core::panic::PanicInfo;

type Handler = unsafe extern "C" fn(*const c_char);

/// Set once, before there is a heap.
struct Named(UnsafeCell<Option<Handler>>);

// SAFETY: the header says that it is set before heaps are used, and only read afterwards.
unsafe impl Sync for Named {}

static HANDLER: Named = Named(UnsafeCell::new(None));

#[unsafe(no_mangle)]
extern "C" fn heapwright_block_on_misuse(handler: Option<Handler>) {
    // SAFETY: nobody else uses it now, says the header.
    unsafe { *HANDLER.0.get() = handler };
}

fn call_handler(message: &CStr) {
    // SAFETY: it is only read once heaps are used.
    if let Some(handler) = unsafe { *HANDLER.0.get() } {
        // SAFETY: the program says that this function may be called so.
        unsafe { handler(message.as_ptr()) };
    }
}

/// The standard library's, where a build is asked to unwind, as the workspace's is without `--release`.
#[cfg(panic = "unwind")]
extern crate std;

#[cfg_attr(panic = "abort", panic_handler)]
#[cfg_attr(panic = "unwind", expect(dead_code, reason = "the standard library has the handler"))]
fn panic(info: &PanicInfo<'_>) -> ! {
    report(info);
    stop()
}

#[cfg(not(any(feature = "neighbours", feature = "canaries")))]
fn report(_: &PanicInfo<'_>) {
    call_handler(c"heapwright: internal error");
}

#[cfg(any(feature = "neighbours", feature = "canaries"))]
fn report(info: &PanicInfo<'_>) {
    use core::fmt::Write as _;

    /// A line of text that is cut off where it is full, and ends in a NUL.
    struct Line {
        bytes: [u8; 120],
        len: usize,
    }

    impl core::fmt::Write for Line {
        fn write_str(&mut self, text: &str) -> core::fmt::Result {
            let room = self.bytes.len() - 1 - self.len;
            let text = text.as_bytes();
            let part = text.get(..room).unwrap_or(text);
            if let Some(rest) = self.bytes.get_mut(self.len..self.len + part.len()) {
                rest.copy_from_slice(part);
                self.len += part.len();
            }
            Ok(())
        }
    }

    let mut line = Line { bytes: [0; 120], len: 0 };
    // A line does not fail.
    let _ = write!(line, "{}", info.message());
    call_handler(CStr::from_bytes_until_nul(&line.bytes).unwrap_or(c"heapwright: misuse"));
}

/// Ends by the instruction that the machine traps on.
fn stop() -> ! {
    loop {
        #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
        // SAFETY: it does nothing but trap.
        unsafe {
            core::arch::asm!("ud2", options(nomem, nostack));
        }
        #[cfg(target_arch = "arm")]
        // SAFETY: as above.
        unsafe {
            core::arch::asm!("udf #0", options(nomem, nostack));
        }
        #[cfg(target_arch = "aarch64")]
        // SAFETY: as above.
        unsafe {
            core::arch::asm!("udf #0", options(nomem, nostack));
        }
        #[cfg(any(target_arch = "riscv32", target_arch = "riscv64"))]
        // SAFETY: as above.
        unsafe {
            core::arch::asm!("unimp", options(nomem, nostack));
        }
        core::hint::spin_loop();
    }
}

// The core library of a hosted target is made to unwind and asks for a personality routine. No
// frame of ours is ever unwound. Hidden: nobody else sees it; weak: a Rust program has its own.
#[cfg(all(panic = "abort", target_arch = "x86_64"))]
core::arch::global_asm!(
    ".weak rust_eh_personality",
    ".hidden rust_eh_personality",
    "rust_eh_personality:",
    "ud2",
);
