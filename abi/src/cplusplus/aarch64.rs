//! aarch64: the loops around new-handlers, jumps through the linker's stubs.
use super::{after_failure, allocate_aligned_for_new, new_handler};

/// As [`new_aligned_slow`] for what malloc aligns to anyway.
#[unsafe(naked)]
pub(super) extern "C" fn new_slow(size: usize) -> *mut u8 {
    core::arch::naked_asm!("mov x1, #16", "b {aligned}", aligned = sym new_aligned_slow);
}

/// Tries, calls the new-handler or throws, tries again.
#[unsafe(naked)]
pub(super) extern "C" fn new_aligned_slow(size: usize, alignment: usize) -> *mut u8 {
    core::arch::naked_asm!(
        ".cfi_startproc",
        "stp x29, x30, [sp, -32]!",
        ".cfi_def_cfa_offset 32",
        ".cfi_offset x29, -32",
        ".cfi_offset x30, -24",
        "stp x19, x20, [sp, 16]",
        ".cfi_offset x19, -16",
        ".cfi_offset x20, -8",
        "mov x19, x0",
        "mov x20, x1",
        "2:",
        "mov x0, x19",
        "mov x1, x20",
        "bl {allocate}",
        "cbnz x0, 3f",
        "mov x0, x19",
        "bl {after_failure}",
        "blr x0",
        "b 2b",
        "3:",
        "ldp x19, x20, [sp, 16]",
        "ldp x29, x30, [sp], 32",
        ".cfi_def_cfa_offset 0",
        "ret",
        ".cfi_endproc",
        allocate = sym allocate_aligned_for_new,
        after_failure = sym after_failure,
    );
}

/// Throws `std::bad_alloc` with the parts of it that a static program is linked with: the
/// C++ library's own function for it may not be among them.
#[unsafe(naked)]
pub(super) extern "C" fn throw_bad_alloc() {
    core::arch::naked_asm!(
        weak_thrower!(),
        ".cfi_startproc",
        "stp x29, x30, [sp, -16]!",
        ".cfi_def_cfa_offset 16",
        ".cfi_offset x29, -16",
        ".cfi_offset x30, -8",
        "mov x0, 8",
        "adrp x16, :got:__cxa_allocate_exception",
        "ldr x16, [x16, :got_lo12:__cxa_allocate_exception]",
        "blr x16",
        "adrp x1, :got:_ZTVSt9bad_alloc",
        "ldr x1, [x1, :got_lo12:_ZTVSt9bad_alloc]",
        "add x1, x1, 16",
        "str x1, [x0]",
        "adrp x1, :got:_ZTISt9bad_alloc",
        "ldr x1, [x1, :got_lo12:_ZTISt9bad_alloc]",
        "adrp x2, :got:_ZNSt9bad_allocD1Ev",
        "ldr x2, [x2, :got_lo12:_ZNSt9bad_allocD1Ev]",
        "adrp x16, :got:__cxa_throw",
        "ldr x16, [x16, :got_lo12:__cxa_throw]",
        "blr x16",
        "brk 1",
        ".cfi_endproc",
    );
}

/// As [`new_aligned_slow`] where nothing may be thrown and no C++ library can catch: null once there is
/// no new-handler left. What a handler throws is not caught.
#[unsafe(naked)]
pub(super) extern "C" fn new_or_null(size: usize, alignment: usize) -> *mut u8 {
    core::arch::naked_asm!(
        ".cfi_startproc",
        "stp x29, x30, [sp, -32]!",
        ".cfi_def_cfa_offset 32",
        ".cfi_offset x29, -32",
        ".cfi_offset x30, -24",
        "stp x19, x20, [sp, 16]",
        ".cfi_offset x19, -16",
        ".cfi_offset x20, -8",
        "mov x19, x0",
        "mov x20, x1",
        "2:",
        "mov x0, x19",
        "mov x1, x20",
        "bl {allocate}",
        "cbnz x0, 3f",
        "bl {new_handler}",
        "cbz x0, 3f",
        "blr x0",
        "b 2b",
        "3:",
        "ldp x19, x20, [sp, 16]",
        "ldp x29, x30, [sp], 32",
        ".cfi_def_cfa_offset 0",
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
                concat!("b ", $target),
            );
        }
    )*};
}
pub(super) use forward;

/// As [`forward`], through a word of [`sized`](super::sized) instead of a stub.
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
                "adrp x16, heapwright_sized",
                "add x16, x16, :lo12:heapwright_sized",
                concat!("ldr x16, [x16, 8 * ", $word, "]"),
                "br x16",
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
                "mov x2, #1",
                "movz x3, {mark}",
                "eor x3, x3, x0",
                "eor x3, x3, x1",
                "eor x3, x3, x2",
                concat!("b ", $target),
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
                "mov x3, x1",
                "mov x1, x2",
                "mov x2, x3",
                "movz x3, {mark}",
                "eor x3, x3, x0",
                "eor x3, x3, x1",
                "eor x3, x3, x2",
                concat!("b ", $target),
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
                "b {target}",
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
                concat!("adrp {0}, heapwright", $name),
                concat!("add {0}, {0}, :lo12:heapwright", $name),
                out(reg) address,
                options(pure, nomem, nostack, preserves_flags),
            );
        }
        address
    }};
}
pub(super) use ours;

/// The address that the program's calls of a function reach.
macro_rules! reached {
    ($name:literal) => {{
        let address: usize;
        // SAFETY: reads an entry of the global offset table.
        unsafe {
            core::arch::asm!(
                concat!("adrp {0}, :got:", $name),
                concat!("ldr {0}, [{0}, :got_lo12:", $name, "]"),
                out(reg) address,
                options(pure, readonly, nostack, preserves_flags),
            );
        }
        address
    }};
}
pub(crate) use reached;
