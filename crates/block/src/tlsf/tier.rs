//! Tiers of hardening: what is checked, and when, as a type parameter that costs nothing unused.
//!
//! | tier | at each free | at each header | at each call |
//! |---|---|---|---|
//! | [`Unchecked`] | | | |
//! | [`Neighbours`] | owned, used, its neighbours agree | | |
//! | [`Canaries`] | the same | a keyed sum in the spare high bits | |
//! | [`Walked`] | the same | the same | the whole structure, O(heap) |
//!
//! What is found ends in a panic whose one line names the misuse and the address: a kernel's
//! panic handler decides what that means. Before it nothing has been changed.

use core::fmt;

use super::block::FLAGS;

/// What a check found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Misuse {
    /// The pointer freed or resized lies in no memory of this allocator, or between blocks.
    Foreign,
    /// The block is free already.
    DoubleFree,
    /// The block was allocated with another size than it is freed with.
    WrongSize,
    /// A header does not carry its sum, or its neighbours contradict it: something wrote past
    /// the end of the block below.
    Overwritten,
    /// The walk found a broken invariant.
    Broken(&'static str),
}

impl fmt::Display for Misuse {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Misuse::Foreign => "not a block of this allocator",
            Misuse::DoubleFree => "the block is free already",
            Misuse::WrongSize => "the block was allocated with another size",
            Misuse::Overwritten => "the header was overwritten",
            Misuse::Broken(invariant) => invariant,
        })
    }
}

/// How much is checked. The tiers include each other in the order of the module's table.
pub trait Tier: sealed::Sealed + fmt::Debug + 'static {
    /// Each free looks at the block and its neighbours first. O(pools).
    const NEIGHBOURS: bool;
    /// Headers carry a sum.
    const CANARIES: bool;
    /// Each call walks the whole structure before it does anything. O(heap).
    const WALKED: bool;

    /// A header as it is stored at `address`.
    #[doc(hidden)]
    #[inline(always)]
    fn seal(address: usize, header: usize) -> usize {
        if Self::CANARIES { header | sum(address, header) } else { header }
    }

    /// The header of a stored word; ends in a panic when the sum is wrong.
    #[doc(hidden)]
    #[inline(always)]
    fn open(address: usize, word: usize) -> usize {
        if !Self::CANARIES {
            return word;
        }
        let header = word & SIZE_MASK;
        if word != header | sum(address, header) {
            misused(Misuse::Overwritten, address);
        }
        header
    }
}

/// Bits of a header that are size and flags where it carries a sum: a block may have 2^40 bytes
/// on a 64-bit machine, 2^24 on a 32-bit one.
pub(super) const SUMMED_BITS: u32 = if usize::BITS == 64 { 40 } else { 24 };
const SIZE_MASK: usize = (1 << SUMMED_BITS) - 1;

/// A sum over address and size, in the high bits. The flags are left out: a neighbour changes
/// them, and an overwritten header is seen by its size as well.
#[inline]
fn sum(address: usize, header: usize) -> usize {
    #[expect(clippy::cast_possible_truncation, reason = "the high half is the better mixed one")]
    const ODD: usize = (0x9e37_79b9_7f4a_7c15_u64 >> (64 - usize::BITS)) as usize | 1;
    let mixed = (address ^ (header & !FLAGS).rotate_left(SUMMED_BITS / 2)).wrapping_mul(ODD);
    // Never all zeroes, so that a cleared header is seen.
    (mixed | 1 << (usize::BITS - 1)) & !SIZE_MASK
}

/// Ends in a panic of one line.
#[cold]
#[inline(never)]
pub(super) fn misused(misuse: Misuse, address: usize) -> ! {
    panic!("heapwright tlsf: {address:#x}: {misuse}")
}

macro_rules! tiers {
    ($($(#[$doc:meta])* $name:ident: $neighbours:literal, $canaries:literal, $walked:literal;)*) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub struct $name;

        impl sealed::Sealed for $name {}

        impl Tier for $name {
            const NEIGHBOURS: bool = $neighbours;
            const CANARIES: bool = $canaries;
            const WALKED: bool = $walked;
        }
    )*};
}

tiers! {
    /// Nothing is checked: a wrong free is undefined behaviour.
    Unchecked: false, false, false;
    /// A free looks at the block and its neighbours.
    Neighbours: true, false, false;
    /// And headers carry a sum: what a write past the end did is seen at the next look.
    Canaries: true, true, false;
    /// And every call walks everything: for tests.
    Walked: true, true, true;
}

mod sealed {
    pub trait Sealed {}
}
