//! x86-64: the loops around new-handlers, jumps through the global offset table.
use super::{after_failure, allocate_aligned_for_new, new_handler};

/// As [`new_aligned_slow`] for what malloc aligns to anyway.
#[unsafe(naked)]
pub(super) extern "C" fn new_slow(size: usize) -> *mut u8 {
    core::arch::naked_asm!("mov esi, 16", "jmp {aligned}", aligned = sym new_aligned_slow);
}

/// A loop that tries to allocate; `$failed` says what is done each time that fails, and leaves in `rax` what is called before
/// the next try.
macro_rules! tries {
    ($(#[$doc:meta])* $name:ident, $called:ident: $($failed:literal)*) => {
        $(#[$doc])*
        #[unsafe(naked)]
        pub(super) extern "C" fn $name(size: usize, alignment: usize) -> *mut u8 {
            core::arch::naked_asm!(
                ".cfi_startproc",
                "push rbx",
                ".cfi_def_cfa_offset 16",
                ".cfi_offset rbx, -16",
                "push rbp",
                ".cfi_def_cfa_offset 24",
                ".cfi_offset rbp, -24",
                "sub rsp, 8",
                ".cfi_def_cfa_offset 32",
                "mov rbx, rdi",
                "mov rbp, rsi",
                "2:",
                "mov rdi, rbx",
                "mov rsi, rbp",
                "call {allocate}",
                "test rax, rax",
                "jne 3f",
                $($failed,)*
                "call rax",
                "jmp 2b",
                "3:",
                "add rsp, 8",
                ".cfi_def_cfa_offset 24",
                "pop rbp",
                ".cfi_def_cfa_offset 16",
                "pop rbx",
                ".cfi_def_cfa_offset 8",
                "ret",
                ".cfi_endproc",
                allocate = sym allocate_aligned_for_new,
                called = sym $called,
            );
        }
    };
}

tries! {
    /// Tries, calls the new-handler or throws, tries again; or leaves it to the caller's own operator.
    new_aligned_slow, after_failure:
        "mov rdi, rbx" "mov rsi, rbp" "mov rdx, qword ptr [rsp + 24]" "call {called}"
        "test rdx, rdx" "je 4f"
        "mov rdi, rbx" "mov rsi, rbp" "call rax" "jmp 3f"
        "4:"
}

tries! {
    /// As [`new_aligned_slow`] where nothing may be thrown and no C++ library can catch: null once there is
    /// no new-handler left. What a handler throws is not caught.
    new_or_null, new_handler: "call {called}" "test rax, rax" "je 3f"
}

/// The address that the program's calls of a function reach.
macro_rules! reached {
    ($name:literal) => {{
        let address: usize;
        // SAFETY: reads an entry of the global offset table.
        unsafe {
            core::arch::asm!(
                concat!("mov {}, qword ptr [rip + ", $name, "@GOTPCREL]"),
                out(reg) address,
                options(pure, readonly, nostack, preserves_flags),
            );
        }
        address
    }};
}
pub(crate) use reached;

/// Throws `std::bad_alloc` with the parts of it that a static program is linked with: the
/// C++ library's own function for it may not be among them.
#[unsafe(naked)]
pub(super) extern "C" fn throw_bad_alloc() {
    core::arch::naked_asm!(
        weak_thrower!(),
        ".cfi_startproc",
        "sub rsp, 8",
        ".cfi_def_cfa_offset 16",
        "mov edi, 8",
        "call qword ptr [rip + __cxa_allocate_exception@GOTPCREL]",
        "mov rcx, qword ptr [rip + _ZTVSt9bad_alloc@GOTPCREL]",
        "add rcx, 16",
        "mov qword ptr [rax], rcx",
        "mov rdi, rax",
        "mov rsi, qword ptr [rip + _ZTISt9bad_alloc@GOTPCREL]",
        "mov rdx, qword ptr [rip + _ZNSt9bad_allocD1Ev@GOTPCREL]",
        "call qword ptr [rip + __cxa_throw@GOTPCREL]",
        "ud2",
        ".cfi_endproc",
    );
}

/// A jump to what the program's calls of an operator reach.
macro_rules! jump {
    ($target:literal) => {
        concat!("jmp qword ptr [rip + ", $target, "@GOTPCREL]")
    };
}
pub(super) use jump;

/// A jump through a word of [`sized`](super::sized) instead of the table.
macro_rules! jump_sized {
    ($word:literal) => {
        concat!("jmp qword ptr [rip + heapwright_sized + 8 * ", $word, "]")
    };
}
pub(super) use jump_sized;

macro_rules! jump_to {
    () => {
        "jmp {target}"
    };
}
pub(super) use jump_to;

/// Adds an alignment and the mark to the arguments of a sized `operator delete`, and goes on to the plain form, in which the
/// alignment comes second.
macro_rules! passing_size {
    ($($name:ident => $target:literal: $alignment:literal;)*) => {$(
        #[unsafe(naked)]
        pub(super) extern "C" fn $name() {
            core::arch::naked_asm!(
                $alignment,
                "mov ecx, {mark}",
                "xor rcx, rdi",
                "xor rcx, rsi",
                "xor rcx, rdx",
                jump!($target),
                mark = const super::sized::MARK,
            );
        }
    )*};
}

passing_size! {
    pass => "_ZdlPv": "mov edx, 1";
    pass_array => "_ZdaPv": "mov edx, 1";
    pass_aligned => "_ZdlPvSt11align_val_t": "xchg rsi, rdx";
    pass_aligned_array => "_ZdaPvSt11align_val_t": "xchg rsi, rdx";
}

/// The address behind a hidden name.
macro_rules! ours {
    ($name:literal) => {{
        let address: usize;
        // SAFETY: computes an address.
        unsafe {
            core::arch::asm!(
                concat!("lea {}, [rip + heapwright", $name, "]"),
                out(reg) address,
                options(pure, nomem, nostack, preserves_flags),
            );
        }
        address
    }};
}
pub(super) use ours;
