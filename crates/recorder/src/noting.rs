//! Where a function was called from, noted before it begins: that is where a walk starts.

/// Notes where the calling function is, in the thread's block, and goes on in another function. Not inside a call that the thread has
/// begun: then it is that one's caller that counts.
#[cfg(target_arch = "x86_64")]
#[macro_export]
macro_rules! note_caller {
    ($busy:expr, $sp:expr, $fp:expr, $function:path) => {
        core::arch::naked_asm!(
            "mov r11, qword ptr fs:[0]",
            "add r11, qword ptr [rip + heapwright_recorder@GOTTPOFF]",
            "cmp qword ptr [r11 + {busy}], 0",
            "jne 2f",
            "mov qword ptr [r11 + {sp}], rsp",
            "mov qword ptr [r11 + {fp}], rbp",
            "2:",
            "jmp {function}",
            busy = const $busy,
            sp = const $sp,
            fp = const $fp,
            function = sym $function,
        )
    };
}

/// Jumps to a function. Its caller is not noted: the walk knows the registers of x86-64 only, and no stack is recorded here.
#[cfg(target_arch = "aarch64")]
#[macro_export]
macro_rules! note_caller {
    ($busy:expr, $sp:expr, $fp:expr, $function:path) => {
        core::arch::naked_asm!(
            "b {function} // not at {busy}, {sp}, {fp}",
            busy = const $busy,
            sp = const $sp,
            fp = const $fp,
            function = sym $function,
        )
    };
}
