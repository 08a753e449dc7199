//! A panic in here is a broken invariant of ours: say so and end.
use source::Report;
use source::os::Os;

#[panic_handler]
fn panic(info: &core::panic::PanicInfo<'_>) -> ! {
    Os::fatal(format_args!("internal error: {info}"))
}

// Test builds of the layers below are made to unwind and ask for a personality routine. No
// frame of ours is ever unwound; who calls it ends here. Hidden: the library exports no such
// name; weak: a Rust program that links the static library has its own.
#[cfg(target_arch = "x86_64")]
core::arch::global_asm!(
    ".weak rust_eh_personality",
    ".hidden rust_eh_personality",
    "rust_eh_personality:",
    "ud2",
);
