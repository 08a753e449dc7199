//! What is measured: ours first, then what each is compared with.
use base::{AddMemory, BlockAllocator};
use block::tlsf::{Canaries, Neighbours, Tlsf};
#[cfg(feature = "tables")]
use testkit::block::growing::growing;

use crate::arena;
use crate::list::{self, ListFit};
use crate::peers::{BuddySystem, Dlmalloc, LinkedList, Rlsf, Talc};
use crate::tlsf_c::TlsfC;

/// TLSF at the grain of one word, and its names.
pub type Tlsf8 = Tlsf<4, 8, 8>;

/// Something done with an allocator, whatever its type.
pub trait Visit {
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
pub const ARENA: &str = "tlsf, arena";
pub const TIERS: [&str; 2] = ["tlsf, neighbours", "tlsf, canaries"];
pub const RLSF: &str = "rlsf";
pub const TALC: &str = "talc";
pub const BUDDY_SYSTEM: &str = "buddy_system_allocator";
pub const LINKED_LIST: &str = "linked_list_allocator";
pub const BUDDY: &str = "buddy";
pub const SLAB: &str = "slab";
pub const SHARDED: &str = "sharded";
pub const FITS: [&str; 4] = ["first-fit", "next-fit", "best-fit", "worst-fit"];

macro_rules! subjects {
    ($({
        name: $name:literal, id: $id:ident, about: $about:literal, type: $type:ty, $($rest:tt)*
    })*) => {
        /// Every allocator's name, in the order of the tables.
        pub const NAMES: [&str; [$($name),*].len() + 6] =
            [$($name,)* TLSF_8, ARENA, RLSF, TALC, BUDDY_SYSTEM, LINKED_LIST];

        /// Visits the allocator of this name.
        /// Panics: there is none of this name.
        pub fn one(name: &str, visit: &mut impl Visit) {
            match name {
                $($name => visit.visit($name, <$type>::new as fn() -> $type),)*
                TLSF_8 => visit.visit(TLSF_8, Tlsf8::new as fn() -> Tlsf8),
                #[cfg(feature = "tables")]
                ARENA => visit.visit(ARENA, || growing(64 << 10)),
                "tlsf-arena" => visit.visit("tlsf-arena", arena::on_region),
                RLSF => visit.visit(RLSF, Rlsf::new),
                TALC => visit.visit(TALC, Talc::new),
                BUDDY_SYSTEM => visit.visit(BUDDY_SYSTEM, BuddySystem::new),
                LINKED_LIST => visit.visit(LINKED_LIST, LinkedList::new),
                "dlmalloc" => visit.visit("dlmalloc", Dlmalloc::new),
                registry::TLSF_C => visit.visit(registry::TLSF_C, TlsfC::new),
                "list-first-fit" => visit.visit("list-first-fit", ListFit::<{ list::FIRST }>::new),
                "list-best-fit" => visit.visit("list-best-fit", ListFit::<{ list::BEST }>::new),
                "list-worst-fit" => visit.visit("list-worst-fit", ListFit::<{ list::WORST }>::new),
                "tlsf, neighbours" => {
                    visit.visit(TIERS[0], Tlsf::<4, 8, 16, Neighbours>::new as fn() -> _);
                }
                "tlsf, canaries" => {
                    visit.visit(TIERS[1], Tlsf::<4, 8, 16, Canaries>::new as fn() -> _);
                }
                other => unreachable!("{other} is no subject"),
            }
        }
    };
}

registry::blocks!(subjects);

/// Visits every allocator that can be used for long, in another order each round.
pub fn each(round: usize, visit: &mut impl Visit) {
    let count = NAMES.len();
    // Steps of a length that does not divide the count reach every one; every other round runs backward.
    let step = [5, 7, 11].into_iter().find(|step| !count.is_multiple_of(*step)).unwrap_or(1);
    for i in 0..count {
        let at = (i * step + round * 3) % count;
        let name = NAMES[if round.is_multiple_of(2) { at } else { count - 1 - at }];
        if registry::reuses(name) {
            one(name, visit);
        }
    }
}
