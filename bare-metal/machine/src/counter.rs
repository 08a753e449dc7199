//! Whether the counter counts instructions: it does only when QEMU runs with `-icount`.

use core::arch::global_asm;

global_asm!(
    ".text",
    ".balign 4",
    ".globl machine_one_instruction, machine_three_instructions",
    "machine_three_instructions:",
    "nop",
    "nop",
    "machine_one_instruction:",
    #[cfg(not(target_arch = "arm"))]
    "ret",
    #[cfg(target_arch = "arm")]
    "bx lr",
);

/// Whether [`call`](crate::call) counts a function of one instruction as one and one of three as three, each time.
pub fn counts_exactly() -> bool {
    unsafe extern "C" {
        safe static machine_one_instruction: [u8; 0];
        safe static machine_three_instructions: [u8; 0];
    }
    let functions =
        [(&raw const machine_one_instruction, 1), (&raw const machine_three_instructions, 3)];
    functions.iter().all(|&(code, instructions)| {
        // Thumb code is called at its address plus one.
        let code = code.cast::<()>().map_addr(|at| at + usize::from(cfg!(target_arch = "arm")));
        // SAFETY: code that returns at once.
        (0..10).all(|_| unsafe { crate::call(code, [0; 3]) }.1 == instructions)
    })
}
