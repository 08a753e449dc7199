//! Machine-mode firmware just large enough for an SBI kernel on QEMU's `virt` board.
//!
//! ```text
//! 0x8000_0000  firmware, 16 KiB of stack      machine mode: answers `ecall` and the timer
//! 0x8020_0000  kernel                         supervisor mode: everything else is delegated to it
//! ```
//!
//! It speaks what a kernel of the component OS asks for: Base, Time, Debug Console, System Reset of SBI 2.0, and
//! the legacy console and shutdown. Debian's OpenSBI 1.1 lacks the debug console, on which such a kernel waits for
//! ever. One call more is ours: [`VERDICT`], by which a test says that it passed. A machine that shuts down without
//! it, a kernel that panicked included, leaves QEMU with status 1.
//!
//! Source: RISC-V Supervisor Binary Interface Specification 2.0.
#![no_std]
#![no_main]

mod machine;

use core::sync::atomic::{AtomicBool, Ordering};

/// What the kernel had in its registers at the trap: a0 to a7, then the temporaries and ra.
#[repr(C)]
pub struct Frame {
    a: [usize; 8],
    rest: [usize; 8],
}

const LEGACY_PUT: usize = 1;
const LEGACY_SHUTDOWN: usize = 8;
const BASE: usize = 0x10;
const TIME: usize = 0x5449_4D45;
const RESET: usize = 0x5352_5354;
const CONSOLE: usize = 0x4442_434E;
/// In the space that SBI leaves to firmware: the test in this kernel has passed.
const VERDICT: usize = 0x0A00_0001;

const SUPPORTED: usize = 0;
const NOT_SUPPORTED: usize = -2_isize as usize;
const VERSION: usize = 2 << 24;

static PASSED: AtomicBool = AtomicBool::new(false);

/// Where the assembler entry brings a trap: cause and address from the machine's registers.
#[unsafe(no_mangle)]
extern "C" fn trap(frame: &mut Frame) {
    match machine::cause() {
        machine::Cause::Timer => machine::pass_timer_on(),
        machine::Cause::Call => {
            let (error, value) = answer(frame.a);
            frame.a[0] = error;
            if frame.a[7] > 0xF {
                frame.a[1] = value; // the legacy calls return one word only
            }
            machine::skip_call();
        }
        machine::Cause::Other(code) => {
            machine::print("firmware: a trap that is nobody's, cause ");
            machine::print_number(code);
            machine::print("\n");
            machine::power_off(2);
        }
    }
}

/// An SBI call: its error and its value.
fn answer(a: [usize; 8]) -> (usize, usize) {
    let [a0, a1, a2, _, _, _, function, extension] = a;
    match (extension, function) {
        (BASE, 0) => (SUPPORTED, VERSION),
        (BASE, 3) => (SUPPORTED, usize::from([BASE, TIME, RESET, CONSOLE, VERDICT].contains(&a0))),
        (BASE, 1 | 2 | 4..=6) => (SUPPORTED, 0),
        (TIME, 0) => {
            machine::set_timer(a0 as u64);
            (SUPPORTED, 0)
        }
        (CONSOLE, 0) if a2 == 0 => {
            // The kernel passes a physical address, which is ours too.
            machine::print_bytes(a1, a0);
            (SUPPORTED, a0)
        }
        (CONSOLE, 2) | (LEGACY_PUT, _) => {
            machine::put(a0 as u8);
            (SUPPORTED, 0)
        }
        (VERDICT, _) => {
            PASSED.store(true, Ordering::Relaxed);
            (SUPPORTED, 0)
        }
        (RESET, 0) | (LEGACY_SHUTDOWN, _) => {
            machine::power_off(u16::from(!PASSED.load(Ordering::Relaxed)))
        }
        _ => (NOT_SUPPORTED, 0),
    }
}

#[panic_handler]
fn panic(_: &core::panic::PanicInfo) -> ! {
    machine::print("firmware: panicked\n");
    machine::power_off(3)
}
