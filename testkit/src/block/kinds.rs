//! The block allocators of the project, each with what is expected of it: the registry's, and variants of them.
use base::{AddMemory, BlockAllocator};
use block::tlsf::{Canaries, Neighbours, Tlsf};

use super::growing::{Growing, growing};
use super::kind::{Grows, Kind};
use super::room;

/// Something done with each allocator, whatever its type.
pub trait Visit {
    fn visit<A: BlockAllocator + AddMemory + Send + 'static>(&mut self, kind: Kind<A>);
}

/// A kind with what is not to be expected of it.
macro_rules! that_keeps {
    ($kind:expr, apart) => {
        $kind.without_merging()
    };
    ($kind:expr, until_all) => {
        $kind
    };
}

macro_rules! kinds {
    ($({
        name: $name:literal, id: $id:ident, about: $about:literal,
        type: $type:ty, feature: $feature:tt, malloc: $malloc:tt,
        abilities: [$($ability:ident)*],
        serves: $serves:ident, enough: $enough:expr, grows: $grows:ident, keeps: [$($keeps:ident)*],
    })*) => {
        /// How many [`each`] visits at most.
        pub const COUNT: usize = [$($name),*].len();

        /// Visits every allocator of the registry once that a long program can run on.
        pub fn each(visit: &mut impl Visit) {
            $(if registry::reuses($name) {
                visit.visit($id());
            })*
        }

        $(
            #[doc = concat!("`", $name, "`: ", $about, ".")]
            pub fn $id() -> Kind<$type> {
                let kind = Kind::new($name, <$type>::new as fn() -> $type);
                $(let kind = kind.$ability();)*
                $(let kind = that_keeps!(kind, $keeps);)*
                kind.with_room(room::$serves).with_enough($enough).with_growth(Grows::$grows)
            }
        )*
    };
}

registry::blocks!(kinds);

/// TLSF whose bitmap is one word: blocks to 2 MiB.
pub fn tlsf_word() -> Kind<Tlsf<1, 4>> {
    let kind = Kind::new("tlsf of a word", Tlsf::new as fn() -> Tlsf<1, 4>).complete();
    kind.with_room(room::good).with_enough(8 << 10).with_growth(Grows::BothWays)
}

pub fn tlsf_8() -> Kind<Tlsf<4, 8, 8>> {
    let kind = Kind::new("tlsf at 8", Tlsf::new as fn() -> Tlsf<4, 8, 8>).complete();
    kind.with_room(room::good_at::<8>).with_enough(8 << 10).with_growth(Grows::BothWays)
}

pub fn tlsf_64() -> Kind<Tlsf<4, 8, 64>> {
    let kind = Kind::new("tlsf at 64", Tlsf::new as fn() -> Tlsf<4, 8, 64>).complete();
    kind.with_room(room::good_at::<64>).with_enough(16 << 10).with_growth(Grows::BothWays)
}

/// TLSF that looks at a block and its neighbours at each free.
pub fn tlsf_neighbours() -> Kind<Tlsf<4, 8, 16, Neighbours>> {
    let kind = Kind::new("tlsf, neighbours", Tlsf::new as fn() -> _).complete();
    kind.with_room(room::good).with_enough(8 << 10).with_growth(Grows::BothWays)
}

pub fn tlsf_canaries() -> Kind<Tlsf<4, 8, 16, Canaries>> {
    let kind = Kind::new("tlsf, canaries", Tlsf::new as fn() -> _).complete();
    kind.with_room(room::good).with_enough(8 << 10).with_growth(Grows::BothWays)
}

/// TLSF as an arena over the memory added: it takes it a page at a time, and gives the end back.
pub fn arena() -> Kind<Growing> {
    let kind = Kind::new("tlsf, arena", (|| growing(4096)) as fn() -> _).check().walk();
    let kind = kind.stats().usable().resize().free().without_recovery();
    kind.with_room(room::good).with_enough(16 << 10).with_growth(Grows::BothWays)
}
