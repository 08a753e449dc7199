//! A panic in here is a broken invariant of ours: say so and end.
//!
//! Where a build is asked to unwind, as the workspace's is without `--release`, the standard library has the handler: tests build
//! what they try with `panic = "abort"`.
#[cfg(panic = "unwind")]
extern crate std;

#[cfg(panic = "abort")]
use source::{Report, os::Os};

#[cfg(panic = "abort")]
#[panic_handler]
fn panic(info: &core::panic::PanicInfo<'_>) -> ! {
    Os::fatal(format_args!("internal error: {info}"))
}

// Test builds of the layers below are made to unwind and ask for a personality routine. No
// frame of ours is ever unwound; who calls it ends here. Hidden: the library exports no such
// name; weak: a Rust program that links the static library has its own.
#[cfg(all(panic = "abort", target_arch = "x86_64"))]
core::arch::global_asm!(
    ".weak rust_eh_personality",
    ".hidden rust_eh_personality",
    "rust_eh_personality:",
    "ud2",
);
