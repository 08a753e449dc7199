//! What is measured: ours first, then what each is compared with.
use base::{AddMemory, BlockAllocator};
use block::buddy::Buddy;
use block::fit::{BestFit, FirstFit, NextFit, WorstFit};
use block::tlsf::{Canaries, HalfFit, Neighbours, Tlsf};

use object::size_slabs::SizeSlabs;
use testkit::block::growing::Growing;

use crate::peers::{BuddySystem, LinkedList, Rlsf, Talc};

/// TLSF at the grain of one word, and its names.
pub(crate) type Tlsf8 = Tlsf<4, 8, 8>;

/// Something done with an allocator, whatever its type.
pub(crate) trait Visit {
    /// Does it.
    fn visit<A: BlockAllocator + AddMemory + 'static>(
        &mut self,
        name: &'static str,
        make: fn() -> A,
    );
}

/// Names of ours that bounds speak of.
pub(crate) const TLSF: &str = "tlsf";
/// At the grain of one word.
pub(crate) const TLSF_8: &str = "tlsf, grain 8";
/// The arena form.
pub(crate) const ARENA: &str = "tlsf, arena";
/// With its tiers of hardening.
pub(crate) const TIERS: [&str; 2] = ["tlsf, neighbours", "tlsf, canaries"];
/// The peers of constant time.
pub(crate) const RLSF: &str = "rlsf";
/// The other.
pub(crate) const TALC: &str = "talc";
/// The peer of the buddies.
pub(crate) const BUDDY_SYSTEM: &str = "buddy_system_allocator";
/// The peer of the fits.
pub(crate) const LINKED_LIST: &str = "linked_list_allocator";
/// The buddy.
pub(crate) const BUDDY: &str = "buddy";
/// The slabs.
pub(crate) const SLAB: &str = "slab";
/// The fits.
pub(crate) const FITS: [&str; 4] = ["first fit", "next fit", "best fit", "worst fit"];

/// Every allocator's name, in the order of the tables.
pub(crate) const NAMES: [&str; 14] = [
    TLSF,
    TLSF_8,
    ARENA,
    "half-fit",
    FITS[0],
    FITS[1],
    FITS[2],
    FITS[3],
    BUDDY,
    SLAB,
    RLSF,
    TALC,
    BUDDY_SYSTEM,
    LINKED_LIST,
];

/// Visits the allocator of this name.
pub(crate) fn one(name: &str, visit: &mut impl Visit) {
    match name {
        "tlsf" => visit.visit(TLSF, Tlsf::<4, 8>::new as fn() -> Tlsf),
        "tlsf, grain 8" => visit.visit(TLSF_8, Tlsf8::new as fn() -> Tlsf8),
        "tlsf, arena" => visit.visit(ARENA, || Growing::new(64 << 10)),
        "half-fit" => visit.visit("half-fit", HalfFit::new as fn() -> HalfFit),
        "first fit" => visit.visit(FITS[0], FirstFit::new),
        "next fit" => visit.visit(FITS[1], NextFit::new),
        "best fit" => visit.visit(FITS[2], BestFit::new),
        "worst fit" => visit.visit(FITS[3], WorstFit::new),
        "buddy" => visit.visit(BUDDY, Buddy::new as fn() -> Buddy),
        "slab" => visit.visit(SLAB, SizeSlabs::new as fn() -> SizeSlabs),
        "rlsf" => visit.visit(RLSF, Rlsf::new),
        "talc" => visit.visit(TALC, Talc::new),
        "buddy_system_allocator" => visit.visit(BUDDY_SYSTEM, BuddySystem::new),
        "linked_list_allocator" => visit.visit(LINKED_LIST, LinkedList::new),
        "tlsf, neighbours" => {
            visit.visit(TIERS[0], Tlsf::<4, 8, 16, Neighbours>::new as fn() -> _);
        }
        "tlsf, canaries" => visit.visit(TIERS[1], Tlsf::<4, 8, 16, Canaries>::new as fn() -> _),
        other => unreachable!("{other} is no subject"),
    }
}

/// Visits every allocator, in another order each round.
pub(crate) fn each(round: usize, visit: &mut impl Visit) {
    for i in 0..NAMES.len() {
        // Five and fourteen have no common divisor; every other round runs backward.
        let at = (i * 5 + round * 3) % NAMES.len();
        one(NAMES[if round.is_multiple_of(2) { at } else { NAMES.len() - 1 - at }], visit);
    }
}
