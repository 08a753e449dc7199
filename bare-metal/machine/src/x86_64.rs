//! A 64-bit PC, as QEMU has it (`q35`), started directly (PVH): 32-bit code finds its way into 64-bit mode.
//!
//! ```text
//! port 0x3f8  serial line        port 0xf4  ends QEMU        0x10_0000  code, stack, memory, mapped as it lies
//! ```
//!
//! Linux's core library is linked, so what it expects of libc is here too ([`memory`]), and SSE is switched on.

mod memory;

use core::arch::{asm, global_asm};

global_asm!(
    // Xen's note 18: the 32-bit physical address to start at.
    ".section .note.pvh, \"a\"",
    ".long 4, 4, 18",
    ".asciz \"Xen\"",
    ".long _start",
    ".section .text.entry, \"ax\"",
    ".code32",
    ".globl _start",
    "_start:",
    "    cld",
    "    mov esp, offset __stack_top",
    "    mov edi, offset __bss_start",
    "    mov ecx, offset __bss_end",
    "    sub ecx, edi",
    "    xor eax, eax",
    "    rep stosb",
    // 1 GiB mapped as it lies: one table each of the upper levels, 512 pages of 2 MiB
    "    mov eax, offset page_tables",
    "    lea ebx, [eax + 4096 + 3]",
    "    mov [eax], ebx",
    "    lea ebx, [eax + 8192 + 3]",
    "    mov [eax + 4096], ebx",
    "    lea edi, [eax + 8192]",
    "    mov ebx, 0x83",
    "    mov ecx, 512",
    "1:  mov [edi], ebx",
    "    add ebx, 0x200000",
    "    add edi, 8",
    "    dec ecx",
    "    jnz 1b",
    "    mov cr3, eax",
    // PAE, OSFXSR, OSXMMEXCPT
    "    mov eax, cr4",
    "    or eax, 0x620",
    "    mov cr4, eax",
    // long mode
    "    mov ecx, 0xc0000080",
    "    rdmsr",
    "    or eax, 0x100",
    "    wrmsr",
    // paging, monitor coprocessor, no emulation
    "    mov eax, cr0",
    "    and eax, 0xfffffffb",
    "    or eax, 0x80000003",
    "    mov cr0, eax",
    "    lgdt [descriptors]",
    "    push 8",
    "    mov eax, offset long_mode",
    "    push eax",
    "    retf",
    ".code64",
    "long_mode:",
    "    mov ax, 16",
    "    mov ds, ax",
    "    mov es, ax",
    "    mov ss, ax",
    "    call kernel_main",
    ".balign 8",
    // null, 64-bit code, data
    "table: .quad 0, 0x00af9a000000ffff, 0x00cf92000000ffff",
    "descriptors: .short 23",
    ".long table",
    ".bss",
    ".balign 4096",
    "page_tables: .zero 12288",
);

fn out(port: u16, byte: u8) {
    // SAFETY: a port of one of the two devices above.
    unsafe { asm!("out dx, al", in("dx") port, in("al") byte, options(nomem, nostack)) };
}

pub(crate) fn put(byte: u8) {
    out(0x3f8, byte);
}

/// Ends QEMU; it gives `status * 2 + 1` to who started it.
pub fn exit(status: u8) -> ! {
    out(0xf4, status);
    loop {
        core::hint::spin_loop();
    }
}

/// Instructions executed since reset: with `-icount shift=0` the time-stamp counter is that.
#[inline]
pub fn instructions() -> u64 {
    let (high, low): (u32, u32);
    // SAFETY: reads a counter.
    unsafe { asm!("rdtsc", out("edx") high, out("eax") low, options(nomem, nostack)) };
    u64::from(high) << 32 | u64::from(low)
}

/// What [`call`] counts besides the function: three moves, the call and the second read.
const AROUND: u32 = 5;

/// Calls the C function at `code` with these arguments: what it returned, and the instructions that the
/// function executed, its return included.
/// # Safety
/// `code` is a function that takes at most so many words and may be called with these.
#[inline]
pub unsafe fn call(code: *const (), arguments: [usize; 3]) -> (usize, u32) {
    let [a, b, c] = arguments;
    let (result, before, after): (usize, u32, u32);
    // SAFETY: a call by the C convention, between two reads of a counter; the registers that a call keeps hold the
    // first count and the result.
    unsafe {
        asm!(
            "rdtsc",
            "mov r12d, eax",
            "mov rdx, r10",
            "call r11",
            "mov r13, rax",
            "rdtsc",
            in("r11") code,
            out("r12") before,
            out("r13") result,
            in("rdi") a,
            in("rsi") b,
            in("r10") c,
            out("rax") after,
            clobber_abi("C"),
        );
    }
    (result, after.wrapping_sub(before) - AROUND)
}
