//! Words of the calling thread in the ELF TLS segment, by the symbol of their block: in initial-exec form, so that an access
//! is two instructions and never allocates.
//!
//! The block itself is an object of assembly, beside the use: its size, alignment and first contents are there.

/// The functions for a block: `load` and `store` of a word. `fixed`: the words are always named by constants, so that an access needs
/// no register for the number.
#[cfg(target_arch = "x86_64")]
#[macro_export]
macro_rules! tls_block {
    ($symbol:literal) => {
        $crate::tls_block! {
            @ $symbol, "qword ptr fs:[{at} + 8*{word}]", word, offset(), [word = in(reg) word,]
        }
    };
    ($symbol:literal, fixed) => {
        $crate::tls_block! {
            @ $symbol, "qword ptr fs:[{at}]", word, offset().wrapping_add(8 * word), []
        }
    };
    (@ $symbol:literal, $place:literal, $word:ident, $at:expr, [$($more:tt)*]) => {
        /// The block's offset from the thread pointer: a load from the GOT, or a constant when the linker knows it.
        #[inline(always)]
        fn offset() -> usize {
            let offset;
            // SAFETY: reads a constant that the loader has filled in.
            unsafe {
                core::arch::asm!(
                    concat!("mov {}, qword ptr [rip + ", $symbol, "@GOTTPOFF]"),
                    out(reg) offset,
                    options(pure, nomem, nostack, preserves_flags),
                );
            }
            offset
        }

        #[inline(always)]
        pub(crate) fn load($word: usize) -> usize {
            let value;
            // SAFETY: the word is inside the thread's block.
            unsafe {
                core::arch::asm!(
                    concat!("mov {value}, ", $place),
                    value = lateout(reg) value,
                    at = in(reg) $at,
                    $($more)*
                    options(readonly, nostack, preserves_flags),
                );
            }
            value
        }

        #[inline(always)]
        pub(crate) fn store($word: usize, value: usize) {
            // SAFETY: as for `load`; the word is only ever reached through these two.
            unsafe {
                core::arch::asm!(
                    concat!("mov ", $place, ", {value}"),
                    value = in(reg) value,
                    at = in(reg) $at,
                    $($more)*
                    options(nostack, preserves_flags),
                );
            }
        }
    };
}

/// The functions for a block: `load` and `store` of a word, and its `address`.
#[cfg(target_arch = "aarch64")]
#[macro_export]
macro_rules! tls_block {
    ($symbol:literal $(, fixed)?) => {
        /// The block's address: `tpidr_el0` and an offset from the GOT.
        #[inline(always)]
        pub(crate) fn address() -> usize {
            let address;
            // SAFETY: reads the thread register and a constant that the loader has filled in.
            unsafe {
                core::arch::asm!(
                    "mrs {0}, tpidr_el0",
                    concat!("adrp {1}, :gottprel:", $symbol),
                    concat!("ldr {1}, [{1}, :gottprel_lo12:", $symbol, "]"),
                    "add {0}, {0}, {1}",
                    out(reg) address,
                    out(reg) _,
                    options(pure, readonly, nostack, preserves_flags),
                );
            }
            address
        }

        fn word(word: usize) -> *mut usize {
            core::ptr::with_exposed_provenance_mut(address() + word * size_of::<usize>())
        }

        /// The value of a word of the block.
        #[inline(always)]
        pub(crate) fn load(at: usize) -> usize {
            // SAFETY: the word is inside the thread's block.
            unsafe { word(at).read_volatile() }
        }

        #[inline(always)]
        pub(crate) fn store(at: usize, value: usize) {
            // SAFETY: as for `load`.
            unsafe { word(at).write_volatile(value) }
        }
    };
}
