//! x86-64: the loops around new-handlers, jumps through the global offset table.
use super::{after_failure, allocate_aligned_for_new, new_handler};

/// As [`new_aligned_slow`] for what malloc aligns to anyway.
#[unsafe(naked)]
pub(super) extern "C" fn new_slow(size: usize) -> *mut u8 {
    core::arch::naked_asm!("mov esi, 16", "jmp {aligned}", aligned = sym new_aligned_slow);
}

/// Tries, calls the new-handler or throws, tries again.
#[unsafe(naked)]
pub(super) extern "C" fn new_aligned_slow(size: usize, alignment: usize) -> *mut u8 {
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
        "mov rdi, rbx",
        "call {after_failure}",
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
        after_failure = sym after_failure,
    );
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

/// As [`new_aligned_slow`] where nothing may be thrown and no C++ library can catch: null once there is
/// no new-handler left. What a handler throws is not caught.
#[unsafe(naked)]
pub(super) extern "C" fn new_or_null(size: usize, alignment: usize) -> *mut u8 {
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
        "call {new_handler}",
        "test rax, rax",
        "je 3f",
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
        new_handler = sym new_handler,
    );
}

macro_rules! forward {
    ($($name:ident => $target:literal, $doc:literal;)*) => {$(
        #[doc = $doc]
        ///
        /// # Safety
        ///
        /// As the operator it jumps to.
        #[unsafe(no_mangle)]
        #[unsafe(naked)]
        pub unsafe extern "C" fn $name() {
            core::arch::naked_asm!(

                concat!(".globl heapwright", stringify!($name)),
                concat!(".hidden heapwright", stringify!($name)),
                concat!("heapwright", stringify!($name), ":"),
                concat!("jmp qword ptr [rip + ", $target, "@GOTPCREL]"),
            );
        }
    )*};
}
pub(super) use forward;

/// As [`forward`], through a word of [`sized`](super::sized) instead of the table.
macro_rules! forward_sized {
    ($($name:ident => $word:literal, $doc:literal;)*) => {$(
        #[doc = $doc]
        ///
        /// # Safety
        ///
        /// As the operator it jumps to.
        #[unsafe(no_mangle)]
        #[unsafe(naked)]
        pub unsafe extern "C" fn $name() {
            core::arch::naked_asm!(
                concat!("jmp qword ptr [rip + heapwright_sized + 8 * ", $word, "]"),
            );
        }
    )*};
}
pub(super) use forward_sized;

/// Adds an alignment and the mark to the arguments of `operator delete(void*, size_t)`, and goes on
/// to the plain form.
macro_rules! passing_size {
    ($($name:ident => $target:literal;)*) => {$(
        #[unsafe(naked)]
        pub(super) extern "C" fn $name() {
            core::arch::naked_asm!(
                "mov edx, 1",
                "mov ecx, {mark}",
                "xor rcx, rdi",
                "xor rcx, rsi",
                "xor rcx, rdx",
                concat!("jmp qword ptr [rip + ", $target, "@GOTPCREL]"),
                mark = const super::sized::MARK,
            );
        }
    )*};
}

/// As [`passing_size`] for the forms with an alignment, which comes second in the plain one.
macro_rules! passing_size_aligned {
    ($($name:ident => $target:literal;)*) => {$(
        #[unsafe(naked)]
        pub(super) extern "C" fn $name() {
            core::arch::naked_asm!(
                "xchg rsi, rdx",
                "mov ecx, {mark}",
                "xor rcx, rdi",
                "xor rcx, rsi",
                "xor rcx, rdx",
                concat!("jmp qword ptr [rip + ", $target, "@GOTPCREL]"),
                mark = const super::sized::MARK,
            );
        }
    )*};
}

passing_size! {
    pass => "_ZdlPv";
    pass_array => "_ZdaPv";
}

passing_size_aligned! {
    pass_aligned => "_ZdlPvSt11align_val_t";
    pass_aligned_array => "_ZdaPvSt11align_val_t";
}

/// An operator that also has a hidden name, by which it knows its own address.
macro_rules! named {
    ($($name:ident => $target:ident, $doc:literal;)*) => {$(
        #[doc = $doc]
        #[unsafe(no_mangle)]
        #[unsafe(naked)]
        pub extern "C" fn $name() {
            core::arch::naked_asm!(

                concat!(".globl heapwright", stringify!($name)),
                concat!(".hidden heapwright", stringify!($name)),
                concat!("heapwright", stringify!($name), ":"),
                "jmp {target}",
                target = sym $target,
            );
        }
    )*};
}
pub(super) use named;

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
