//! A program that is compiled for each target and never run: `cargo xtask wcet` disassembles it.
#![no_std]
#![no_main]

#[cfg(target_os = "linux")]
mod memory;
#[cfg(feature = "peers")]
mod refuses;

/// Where the linker begins; everything that is kept hangs on it.
#[unsafe(no_mangle)]
extern "C" fn _start() -> ! {
    probe::ours::keep();
    #[cfg(feature = "peers")]
    probe::peers::keep();
    halt()
}

#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    halt()
}

fn halt() -> ! {
    loop {
        core::hint::spin_loop();
    }
}
