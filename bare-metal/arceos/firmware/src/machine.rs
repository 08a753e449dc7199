//! The board and the machine-mode registers: entry and trap in assembler, UART, timer, power.

use core::arch::{asm, global_asm};

const UART: *mut u8 = 0x1000_0000 as *mut u8;
const LINE_STATUS: *mut u8 = 0x1000_0005 as *mut u8;
const FINISHER: *mut u32 = 0x0010_0000 as *mut u32;
const TIME_COMPARE: *mut u64 = 0x0200_4000 as *mut u64;

const MIE_TIMER: usize = 1 << 7;
const MIP_SUPERVISOR_TIMER: usize = 1 << 5;

// Entry: open all memory to the kernel, hand it its own exceptions and interrupts, let it read the counters, and
// enter it in supervisor mode with the hart's number and the device tree in a0 and a1, as they came.
// Trap: swap to our stack, save what a Rust function may change, and go back.
global_asm!(
    ".section .text.entry, \"ax\"",
    ".globl _start",
    "_start:",
    "csrr t0, mhartid",
    "bnez t0, 3f",
    "la t0, _stack_top",
    "csrw mscratch, t0",
    "la t0, 2f",
    "csrw mtvec, t0",
    "li t0, -1",
    "csrw pmpaddr0, t0",
    "csrw mcounteren, t0",
    "li t0, 0x1f",
    "csrw pmpcfg0, t0",
    "li t0, 0xb1ff", // all exceptions but the call from supervisor mode
    "csrw medeleg, t0",
    "li t0, 0x222",
    "csrw mideleg, t0",
    "li t0, 0x1800",
    "csrc mstatus, t0",
    "li t0, 0x0800",
    "csrs mstatus, t0",
    "li t0, 0x80200000",
    "csrw mepc, t0",
    "mret",
    "3: wfi",
    "j 3b",
    ".align 2",
    "2:",
    "csrrw sp, mscratch, sp",
    "addi sp, sp, -128",
    "sd a0, 0(sp)",
    "sd a1, 8(sp)",
    "sd a2, 16(sp)",
    "sd a3, 24(sp)",
    "sd a4, 32(sp)",
    "sd a5, 40(sp)",
    "sd a6, 48(sp)",
    "sd a7, 56(sp)",
    "sd ra, 64(sp)",
    "sd t0, 72(sp)",
    "sd t1, 80(sp)",
    "sd t2, 88(sp)",
    "sd t3, 96(sp)",
    "sd t4, 104(sp)",
    "sd t5, 112(sp)",
    "sd t6, 120(sp)",
    "mv a0, sp",
    "call trap",
    "ld a0, 0(sp)",
    "ld a1, 8(sp)",
    "ld a2, 16(sp)",
    "ld a3, 24(sp)",
    "ld a4, 32(sp)",
    "ld a5, 40(sp)",
    "ld a6, 48(sp)",
    "ld a7, 56(sp)",
    "ld ra, 64(sp)",
    "ld t0, 72(sp)",
    "ld t1, 80(sp)",
    "ld t2, 88(sp)",
    "ld t3, 96(sp)",
    "ld t4, 104(sp)",
    "ld t5, 112(sp)",
    "ld t6, 120(sp)",
    "addi sp, sp, 128",
    "csrrw sp, mscratch, sp",
    "mret",
);

pub(crate) enum Cause {
    Timer,
    Call,
    Other(usize),
}

pub(crate) fn cause() -> Cause {
    let cause: usize;
    // SAFETY: reads a register.
    unsafe { asm!("csrr {}, mcause", out(reg) cause) };
    match cause {
        9 => Cause::Call,
        c if c == (1 << 63) | 7 => Cause::Timer,
        other => Cause::Other(other),
    }
}

/// Returns to the instruction after the `ecall`, which has four bytes.
pub(crate) fn skip_call() {
    // SAFETY: only moves where `mret` goes.
    unsafe { asm!("csrr {0}, mepc", "addi {0}, {0}, 4", "csrw mepc, {0}", out(reg) _) };
}

/// The machine's timer has fired: the kernel sees its own, and ours is quiet until it is set again.
pub(crate) fn pass_timer_on() {
    // SAFETY: changes interrupt bits only.
    unsafe {
        asm!("csrc mie, {0}", "csrs mip, {1}", in(reg) MIE_TIMER, in(reg) MIP_SUPERVISOR_TIMER)
    };
}

pub(crate) fn set_timer(at: u64) {
    // SAFETY: the board's timer register.
    unsafe { TIME_COMPARE.write_volatile(at) };
    // SAFETY: changes interrupt bits only.
    unsafe {
        asm!("csrc mip, {1}", "csrs mie, {0}", in(reg) MIE_TIMER, in(reg) MIP_SUPERVISOR_TIMER)
    };
}

pub(crate) fn put(byte: u8) {
    loop {
        // SAFETY: the board's serial port.
        let status = unsafe { LINE_STATUS.read_volatile() };
        if status & 0x20 != 0 {
            break;
        }
    }
    // SAFETY: the board's serial port.
    unsafe { UART.write_volatile(byte) };
}

pub(crate) fn print_bytes(at: usize, len: usize) {
    for i in 0..len {
        // SAFETY: the kernel asks for these bytes to be read, and machine mode may read all memory.
        let byte = unsafe { (at as *const u8).wrapping_add(i).read_volatile() };
        put(byte);
    }
}

pub(crate) fn print(text: &str) {
    text.bytes().for_each(put);
}

pub(crate) fn print_number(n: usize) {
    for shift in (0..16).rev() {
        let digit = (n >> (4 * shift)) as u8 & 0xF;
        put(if digit < 10 { b'0' + digit } else { b'a' - 10 + digit });
    }
}

pub(crate) fn power_off(status: u16) -> ! {
    let word = if status == 0 { 0x5555 } else { (u32::from(status) << 16) | 0x3333 };
    // SAFETY: the board's test device.
    unsafe { FINISHER.write_volatile(word) };
    loop {
        core::hint::spin_loop();
    }
}
