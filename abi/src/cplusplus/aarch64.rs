//! aarch64: the loops around new-handlers, jumps through the linker's stubs.
use super::{after_failure, allocate_aligned_for_new, new_handler};

/// As [`new_aligned_slow`] for what malloc aligns to anyway.
#[unsafe(naked)]
pub(super) extern "C" fn new_slow(size: usize) -> *mut u8 {
    core::arch::naked_asm!("mov x1, #16", "b {aligned}", aligned = sym new_aligned_slow);
}

/// A loop that tries to allocate; `$failed` says what is done each time that fails, and leaves in `x0` what is called before
/// the next try.
macro_rules! tries {
    ($(#[$doc:meta])* $name:ident, $called:ident: $($failed:literal)*) => {
        $(#[$doc])*
        #[unsafe(naked)]
        pub(super) extern "C" fn $name(size: usize, alignment: usize) -> *mut u8 {
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
                $($failed,)*
                "blr x0",
                "b 2b",
                "3:",
                "ldp x19, x20, [sp, 16]",
                "ldp x29, x30, [sp], 32",
                ".cfi_def_cfa_offset 0",
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
        "mov x0, x19" "mov x1, x20" "ldr x2, [sp, 8]" "bl {called}"
        "cbz x1, 4f"
        "mov x9, x0" "mov x0, x19" "mov x1, x20" "blr x9" "b 3f"
        "4:"
}

tries! {
    /// As [`new_aligned_slow`] where nothing may be thrown and no C++ library can catch: null once there is
    /// no new-handler left. What a handler throws is not caught.
    new_or_null, new_handler: "bl {called}" "cbz x0, 3f"
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

/// A jump to what the program's calls of an operator reach.
macro_rules! jump {
    ($target:literal) => {
        concat!("b ", $target)
    };
}
pub(super) use jump;

/// A jump through a word of [`sized`](super::sized) instead of a stub.
macro_rules! jump_sized {
    ($word:literal) => {
        concat!(
            "adrp x16, heapwright_sized
            add x16, x16, :lo12:heapwright_sized
            ldr x16, [x16, 8 * ",
            $word,
            "]
            br x16"
        )
    };
}
pub(super) use jump_sized;

macro_rules! jump_to {
    () => {
        "b {target}"
    };
}
pub(super) use jump_to;

/// Adds an alignment and the mark to the arguments of a sized `operator delete`, and goes on to the plain form, in which the
/// alignment comes second.
macro_rules! passing_size {
    ($($name:ident => $target:literal: $($alignment:literal)*;)*) => {$(
        #[unsafe(naked)]
        pub(super) extern "C" fn $name() {
            core::arch::naked_asm!(
                $($alignment,)*
                "movz x3, {mark}",
                "eor x3, x3, x0",
                "eor x3, x3, x1",
                "eor x3, x3, x2",
                jump!($target),
                mark = const super::sized::MARK,
            );
        }
    )*};
}

passing_size! {
    pass => "_ZdlPv": "mov x2, #1";
    pass_array => "_ZdaPv": "mov x2, #1";
    pass_aligned => "_ZdlPvSt11align_val_t": "mov x3, x1" "mov x1, x2" "mov x2, x3";
    pass_aligned_array => "_ZdaPvSt11align_val_t": "mov x3, x1" "mov x1, x2" "mov x2, x3";
}

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
