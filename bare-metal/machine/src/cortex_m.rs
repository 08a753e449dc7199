//! Arm's MPS2 board with a Cortex-M3 (AN385), as QEMU has it.
//!
//! ```text
//! 0x0000_0000  vectors, code    0x2000_0000  memory    0x4000_0000  timer    0x4000_4000  serial line (CMSDK)
//! ```
//!
//! The core's own counter of cycles is not there in QEMU, and SysTick has 24 bits; the board's timer has 32. It ticks at
//! 25 MHz. With `-icount shift=7` an instruction takes 128 ns, which is 3.2 ticks: far enough apart to be told exactly.

use core::arch::{asm, global_asm};
use core::ptr::with_exposed_provenance_mut;

/// Timer 0: control, value, reload.
const TIMER: usize = 0x4000_0000;
/// Serial line 0: data, state, control, and 16 bytes on the divider.
const SERIAL: usize = 0x4000_4000;

global_asm!(
    ".section .vectors, \"a\"",
    // after the stack's top: reset, then every fault
    ".word reset",
    ".rept 14",
    ".word fault",
    ".endr",
    ".text",
    ".thumb",
    ".globl reset",
    ".type reset, %function",
    "reset:",
    "    ldr r0, =__bss_start",
    "    ldr r1, =__bss_end",
    "    movs r2, #0",
    "1:  cmp r0, r1",
    "    bhs 2f",
    "    str r2, [r0]",
    "    adds r0, #4",
    "    b 1b",
    "2:  bl machine_start",
    ".type fault, %function",
    "fault:",
    "    mov r0, sp",
    "    bl machine_fault",
);

/// The exception pushed r0 to r3, r12, lr, the instruction's address and the status; its number is in the status
/// register's lowest bits. Faults of memory leave their address in a register of the core.
#[unsafe(no_mangle)]
extern "C" fn machine_fault(pushed: &[usize; 8]) -> ! {
    let cause = peek(0xe000_ed04) & 0x1ff;
    crate::fault(cause as usize, pushed[6], peek(0xe000_ed38) as usize)
}

/// After the statics: the serial line and the timer.
#[unsafe(no_mangle)]
extern "C" fn machine_start() -> ! {
    unsafe extern "C" {
        safe fn kernel_main() -> !;
    }
    poke(SERIAL + 16, 16);
    poke(SERIAL + 8, 1);
    poke(TIMER + 8, u32::MAX);
    poke(TIMER + 4, u32::MAX);
    poke(TIMER, 1);
    kernel_main()
}

fn poke(register: usize, value: u32) {
    // SAFETY: a register of one of the board's devices, at a multiple of 4.
    unsafe { with_exposed_provenance_mut::<u32>(register).write_volatile(value) };
}

fn peek(register: usize) -> u32 {
    // SAFETY: a register of one of the board's devices, at a multiple of 4.
    unsafe { with_exposed_provenance_mut::<u32>(register).read_volatile() }
}

pub(crate) fn put(byte: u8) {
    while peek(SERIAL + 4) & 1 != 0 {}
    poke(SERIAL, byte.into());
}

/// Ends QEMU with `status`.
pub fn exit(status: u8) -> ! {
    // Semihosting's SYS_EXIT_EXTENDED with "application exit".
    let block = [0x2_0026, u32::from(status)];
    // SAFETY: QEMU takes the breakpoint as a call; it reads the two words and ends.
    unsafe { asm!("bkpt 0xab", in("r0") 0x20, in("r1") &block) };
    loop {
        core::hint::spin_loop();
    }
}

/// Ticks since reset, as the timer counts down.
fn ticks() -> u32 {
    u32::MAX - peek(TIMER + 4)
}

/// Instructions executed since reset; wraps after 1.3 thousand million.
#[inline]
pub fn instructions() -> u64 {
    u64::from(ticks()) * 10 / 32
}

/// What [`call`] counts besides the function: the call and the second read.
const AROUND: u32 = 2;

/// Calls the C function at `code` with these arguments: what it returned, and the instructions that the
/// function executed, its return included.
/// # Safety
/// `code` is a function that takes at most so many words and may be called with these.
#[inline]
pub unsafe fn call(code: *const (), arguments: [usize; 3]) -> (usize, u32) {
    let [a, b, c] = arguments;
    let (result, before, after): (usize, u32, u32);
    // SAFETY: a call by the C convention, between two reads of the timer; the registers that a call keeps hold its
    // address and the first count.
    unsafe {
        asm!(
            "ldr r5, [r4, #4]",
            "blx r3",
            "ldr r3, [r4, #4]",
            inlateout("r3") code => after,
            in("r4") TIMER,
            out("r5") before,
            inlateout("r0") a => result,
            in("r1") b,
            in("r2") c,
            clobber_abi("C"),
        );
    }
    // Counting down; 3.2 ticks an instruction, to the nearest.
    (result, (before.wrapping_sub(after) * 10 + 16) / 32 - AROUND)
}
