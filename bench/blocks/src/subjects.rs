//! What is measured: ours first, then what each is compared with.
use base::{AddMemory, BlockAllocator};
use block::buddy::Buddy;
use block::fit::{BestFit, FirstFit, NextFit, WorstFit};
use block::tlsf::{Canaries, HalfFit, Neighbours, Tlsf};

use object::size_slabs::SizeSlabs;
#[cfg(feature = "tables")]
use testkit::block::growing::Growing;

use crate::peers::{BuddySystem, Dlmalloc, LinkedList, Rlsf, Talc};

/// TLSF at the grain of one word, and its names.
pub type Tlsf8 = Tlsf<4, 8, 8>;

/// Something done with an allocator, whatever its type.
pub trait Visit {
    /// Does it.
    fn visit<A: BlockAllocator + AddMemory + 'static>(
        &mut self,
        name: &'static str,
        make: fn() -> A,
    );
}

/// Names of ours that bounds speak of.
pub const TLSF: &str = "tlsf";
/// At the grain of one word.
pub const TLSF_8: &str = "tlsf, grain 8";
/// The arena form.
pub const ARENA: &str = "tlsf, arena";
/// With its tiers of hardening.
pub const TIERS: [&str; 2] = ["tlsf, neighbours", "tlsf, canaries"];
/// The peers of constant time.
pub const RLSF: &str = "rlsf";
/// The other.
pub const TALC: &str = "talc";
/// Doug Lea's malloc in Rust, on one region.
pub const DLMALLOC: &str = "dlmalloc";
/// The peer of the buddies.
pub const BUDDY_SYSTEM: &str = "buddy_system_allocator";
/// The peer of the fits.
pub const LINKED_LIST: &str = "linked_list_allocator";
/// The buddy.
pub const BUDDY: &str = "buddy";
/// The slabs.
pub const SLAB: &str = "slab";
/// The fits.
pub const FITS: [&str; 4] = ["first fit", "next fit", "best fit", "worst fit"];

/// Every allocator's name, in the order of the tables.
pub const NAMES: [&str; 14] = [
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

/// Those that a whole program can be put on, by the names that a command line takes, and their names here.
pub const REGION: [(&str, &str); 13] = [
    ("tlsf", TLSF),
    ("half-fit", "half-fit"),
    ("first-fit", FITS[0]),
    ("next-fit", FITS[1]),
    ("best-fit", FITS[2]),
    ("worst-fit", FITS[3]),
    ("buddy", BUDDY),
    ("slab", SLAB),
    (RLSF, RLSF),
    (TALC, TALC),
    (BUDDY_SYSTEM, BUDDY_SYSTEM),
    (LINKED_LIST, LINKED_LIST),
    (DLMALLOC, DLMALLOC),
];

/// Visits the allocator of this name.
///
/// # Panics
///
/// There is none of this name.
pub fn one(name: &str, visit: &mut impl Visit) {
    match name {
        "tlsf" => visit.visit(TLSF, Tlsf::<4, 8>::new as fn() -> Tlsf),
        "tlsf, grain 8" => visit.visit(TLSF_8, Tlsf8::new as fn() -> Tlsf8),
        #[cfg(feature = "tables")]
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
        "dlmalloc" => visit.visit(DLMALLOC, Dlmalloc::new),
        "tlsf, neighbours" => {
            visit.visit(TIERS[0], Tlsf::<4, 8, 16, Neighbours>::new as fn() -> _);
        }
        "tlsf, canaries" => visit.visit(TIERS[1], Tlsf::<4, 8, 16, Canaries>::new as fn() -> _),
        other => unreachable!("{other} is no subject"),
    }
}

/// Visits every allocator, in another order each round.
pub fn each(round: usize, visit: &mut impl Visit) {
    for i in 0..NAMES.len() {
        // Five and fourteen have no common divisor; every other round runs backward.
        let at = (i * 5 + round * 3) % NAMES.len();
        one(NAMES[if round.is_multiple_of(2) { at } else { NAMES.len() - 1 - at }], visit);
    }
}
