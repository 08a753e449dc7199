//! QEMU's riscv `virt`, 64 and 32 bit, in machine mode with no firmware.
//!
//! ```text
//! 0x0010_0000  finisher: a word ends QEMU      0x1000_0000  serial line (16550)      0x8000_0000  memory
//! ```

use core::arch::{asm, global_asm};
use core::ptr::with_exposed_provenance_mut;

/// The serial line's data register; the line status is 5 bytes on.
const SERIAL: usize = 0x1000_0000;
/// The register of QEMU's test device.
const FINISHER: usize = 0x10_0000;

global_asm!(
    ".section .text.entry, \"ax\"",
    ".globl _start",
    "_start:",
    ".option push",
    ".option norelax",
    "    la gp, __global_pointer",
    ".option pop",
    "    la sp, __stack_top",
    "    la t0, trap",
    "    csrw mtvec, t0",
    // mstatus.FS: the hard-float target's code may use floating-point registers
    "    li t0, 0x2000",
    "    csrs mstatus, t0",
    "    la t0, __bss_start",
    "    la t1, __bss_end",
    "1:  bgeu t0, t1, 2f",
    "    sb zero, 0(t0)",
    "    addi t0, t0, 1",
    "    j 1b",
    "2:  call kernel_main",
    ".balign 4",
    "trap:",
    // the stack may be what broke
    "    la sp, __stack_top",
    "    csrr a0, mcause",
    "    csrr a1, mepc",
    "    csrr a2, mtval",
    "    call machine_fault",
);

#[unsafe(no_mangle)]
extern "C" fn machine_fault(cause: usize, at: usize, address: usize) -> ! {
    crate::fault(cause, at, address)
}

pub(crate) fn put(byte: u8) {
    let data = with_exposed_provenance_mut::<u8>(SERIAL);
    let status = with_exposed_provenance_mut::<u8>(SERIAL + 5);
    // SAFETY: the device's status register; reading it changes nothing.
    while unsafe { status.read_volatile() } & 0x20 == 0 {}
    // SAFETY: the device's data register, which is ready.
    unsafe { data.write_volatile(byte) };
}

/// Ends QEMU with `status`.
pub fn exit(status: u8) -> ! {
    let word = if status == 0 { 0x5555 } else { u32::from(status) << 16 | 0x3333 };
    // SAFETY: the test device's register.
    unsafe { with_exposed_provenance_mut::<u32>(FINISHER).write_volatile(word) };
    loop {
        core::hint::spin_loop();
    }
}

/// Instructions executed since reset.
#[inline]
pub fn instructions() -> u64 {
    #[cfg(target_arch = "riscv64")]
    {
        let count: u64;
        // SAFETY: reads a counter.
        unsafe { asm!("csrr {}, minstret", out(reg) count, options(nomem, nostack)) };
        count
    }
    #[cfg(target_arch = "riscv32")]
    loop {
        let (high, low, again): (u32, u32, u32);
        // SAFETY: reads a counter's halves, the upper twice to see whether the lower wrapped.
        unsafe {
            asm!(
                "csrr {}, minstreth", "csrr {}, minstret", "csrr {}, minstreth",
                out(reg) high, out(reg) low, out(reg) again, options(nomem, nostack)
            )
        };
        if high == again {
            break u64::from(high) << 32 | u64::from(low);
        }
    }
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
    let (result, before, after): (usize, usize, usize);
    // SAFETY: a call by the C convention, between two reads of a counter; the registers that a call keeps hold the
    // first count.
    unsafe {
        asm!(
            "csrr s2, minstret",
            "jalr t1",
            "csrr t0, minstret",
            in("t1") code,
            lateout("t0") after,
            out("s2") before,
            inlateout("a0") a => result,
            in("a1") b,
            in("a2") c,
            clobber_abi("C"),
        );
    }
    #[expect(
        clippy::cast_possible_truncation,
        reason = "a call is short; the difference is right on 32 bit too"
    )]
    (result, after.wrapping_sub(before) as u32 - AROUND)
}
