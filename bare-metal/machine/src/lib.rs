//! What a kernel needs of its machine, and no more: one file for each machine, chosen here and nowhere else.
//!
//! ```text
//! reset ─► entry (assembly) ─► stack, zeroed statics ─► the kernel's main ─► its status ─► power off
//! ```
//!
//! Each machine is one that QEMU has: [`console`] is its serial line, [`exit`] ends QEMU with a status, [`instructions`]
//! counts exactly when QEMU runs with `-icount`. A kernel is a function `fn() -> u8` that [`kernel!`] names.
#![no_std]

mod console;
mod counter;

#[cfg(target_arch = "arm")]
mod cortex_m;
#[cfg(any(target_arch = "riscv64", target_arch = "riscv32"))]
mod riscv;
#[cfg(target_arch = "x86_64")]
mod x86_64;

#[cfg(target_arch = "arm")]
use cortex_m as imp;
#[cfg(any(target_arch = "riscv64", target_arch = "riscv32"))]
use riscv as imp;
#[cfg(target_arch = "x86_64")]
use x86_64 as imp;

use core::panic::PanicInfo;
use core::ptr::NonNull;

pub use console::Console;
pub use counter::counts_exactly;
pub use imp::{call, exit, instructions};

/// Makes a `fn() -> u8` the kernel's main: 0 means that all went well.
#[macro_export]
macro_rules! kernel {
    ($main:path) => {
        #[unsafe(no_mangle)]
        extern "C" fn kernel_main() -> ! {
            let main: fn() -> u8 = $main;
            $crate::exit(main())
        }
    };
}

/// Prints a line.
#[macro_export]
macro_rules! say {
    ($($arg:tt)*) => {{
        use core::fmt::Write;
        // A console does not fail.
        let _ = writeln!($crate::Console, $($arg)*);
    }};
}

/// Prints without ending the line.
#[macro_export]
macro_rules! print {
    ($($arg:tt)*) => {{
        use core::fmt::Write;
        // A console does not fail.
        let _ = write!($crate::Console, $($arg)*);
    }};
}

/// The memory behind the kernel that nothing uses: the whole of it, uninitialised. The same each time.
pub fn memory() -> NonNull<[u8]> {
    unsafe extern "C" {
        static mut __heap_start: u8;
        static mut __heap_end: u8;
    }
    let Some(start) = NonNull::new(&raw mut __heap_start) else { exit(102) };
    let len = (&raw mut __heap_end).addr() - start.addr().get();
    NonNull::slice_from_raw_parts(start, len)
}

/// The status of a kernel whose code went where it may not.
#[cfg(not(target_arch = "x86_64"))]
const FAULT: u8 = 103;

/// Says what a machine calls the fault, and where it came from.
#[cfg(not(target_arch = "x86_64"))]
fn fault(cause: usize, at: usize, address: usize) -> ! {
    say!("fault {cause:#x} of the instruction at {at:#x}, address {address:#x}");
    exit(FAULT)
}

#[panic_handler]
fn panic(info: &PanicInfo<'_>) -> ! {
    say!("panic: {info}");
    exit(101)
}
