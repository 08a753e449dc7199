//! The block allocators of the project, each with what is expected of it.
use core::alloc::Layout;

use base::{AddMemory, BlockAllocator};

use object::size_slabs::SizeSlabs;

use super::growing::Growing;
use super::kind::{Grows, Kind};
use ::block::buddy::Buddy;
use ::block::fit::{BestFit, FirstFit, NextFit, WorstFit};
use ::block::tlsf::{Canaries, HalfFit, Neighbours, Tlsf};

/// Something done with each allocator, whatever its type.
pub trait Visit {
    /// Does it.
    fn visit<A: BlockAllocator + AddMemory + Send + 'static>(&mut self, kind: Kind<A>);
}

/// How many [`each`] visits.
pub const COUNT: u8 = 8;

/// Visits every allocator of the project once.
pub fn each(visit: &mut impl Visit) {
    visit.visit(tlsf());
    visit.visit(half_fit());
    visit.visit(first_fit());
    visit.visit(next_fit());
    visit.visit(best_fit());
    visit.visit(worst_fit());
    visit.visit(buddy());
    visit.visit(slab());
}

/// Bytes of a block at a grain, one word of it the header, four words at the least.
fn grains(size: usize, grain: usize) -> usize {
    size.saturating_add(8).checked_next_multiple_of(grain).unwrap_or(usize::MAX).max(32.max(grain))
}

/// A free piece this long is found by a search that takes what fits: at more than the grain,
/// some may be lost in front.
fn exact<const GRAIN: usize>(free: usize, layout: Layout) -> bool {
    let lost = if layout.align() > GRAIN { layout.align() + 32 } else { 0 };
    free >= grains(layout.size(), GRAIN).saturating_add(lost)
}

/// And by one that looks in bins of an eighth of a doubling.
fn good<const GRAIN: usize>(free: usize, layout: Layout) -> bool {
    let lost = if layout.align() > GRAIN { layout.align() + 64 } else { 0 };
    let block = grains(layout.size(), GRAIN).saturating_add(lost);
    free >= block.saturating_add(block / 8).saturating_add(GRAIN)
}

/// And by one in bins of a doubling, for powers of two.
fn half(free: usize, layout: Layout) -> bool {
    let block = layout.size().saturating_add(8).checked_next_power_of_two().unwrap_or(usize::MAX);
    let block = block.max(32);
    if layout.align() <= 16 {
        return free >= block;
    }
    free / 2 >= block.saturating_add(layout.align() + 32)
}

/// The buddy system. A block in use has no header, so the walk does not part two of them; free
/// neighbours stay apart unless they are buddies.
#[must_use]
pub fn buddy() -> Kind<Buddy> {
    let kind = Kind::new("buddy", Buddy::new as fn() -> Buddy).checked().walked().counted();
    let kind = kind.removing().owning().resetting().without_merging();
    kind.with_room(powers).with_enough(16 << 10)
}

/// Size slabs over pages of a buddy. It cannot be walked: nothing is known of what is in use.
#[must_use]
pub fn slab() -> Kind<SizeSlabs> {
    let kind = Kind::new("slab", SizeSlabs::new as fn() -> SizeSlabs).checked().counted();
    kind.removing().owning().resetting().without_merging().with_enough(256 << 10)
}

/// And by one that takes powers of two, as large as they are aligned.
fn powers(free: usize, layout: Layout) -> bool {
    let size = layout.size().checked_next_power_of_two().unwrap_or(usize::MAX);
    free >= size.max(layout.align()).max(16)
}

/// TLSF, at two words.
#[must_use]
pub fn tlsf() -> Kind<Tlsf> {
    let kind = Kind::new("tlsf", Tlsf::new as fn() -> Tlsf).complete();
    kind.with_room(good::<16>).with_enough(8 << 10).with_growth(Grows::BothWays)
}

/// TLSF, at one word.
#[must_use]
pub fn tlsf_8() -> Kind<Tlsf<4, 8, 8>> {
    let kind = Kind::new("tlsf at 8", Tlsf::new as fn() -> Tlsf<4, 8, 8>).complete();
    kind.with_room(good::<8>).with_enough(8 << 10).with_growth(Grows::BothWays)
}

/// TLSF, at a cache line.
#[must_use]
pub fn tlsf_64() -> Kind<Tlsf<4, 8, 64>> {
    let kind = Kind::new("tlsf at 64", Tlsf::new as fn() -> Tlsf<4, 8, 64>).complete();
    kind.with_room(good::<64>).with_enough(16 << 10).with_growth(Grows::BothWays)
}

/// TLSF that looks at a block and its neighbours at each free.
#[must_use]
pub fn tlsf_neighbours() -> Kind<Tlsf<4, 8, 16, Neighbours>> {
    let kind = Kind::new("tlsf, neighbours", Tlsf::new as fn() -> _).complete();
    kind.with_room(good::<16>).with_enough(8 << 10).with_growth(Grows::BothWays)
}

/// TLSF with a sum in each header.
#[must_use]
pub fn tlsf_canaries() -> Kind<Tlsf<4, 8, 16, Canaries>> {
    let kind = Kind::new("tlsf, canaries", Tlsf::new as fn() -> _).complete();
    kind.with_room(good::<16>).with_enough(8 << 10).with_growth(Grows::BothWays)
}

/// TLSF as an arena over the memory added: it takes it a page at a time, and gives the end back.
#[must_use]
pub fn arena() -> Kind<Growing> {
    let kind = Kind::new("tlsf, arena", Growing::default as fn() -> _).checked().walked();
    let kind = kind.counted().usable().resizing().freeing().without_recovery();
    kind.with_room(good::<16>).with_enough(16 << 10).with_growth(Grows::BothWays)
}

/// Half-fit.
#[must_use]
pub fn half_fit() -> Kind<HalfFit> {
    let kind = Kind::new("half-fit", HalfFit::new as fn() -> HalfFit).complete();
    kind.with_room(half).with_enough(16 << 10)
}

/// First fit.
#[must_use]
pub fn first_fit() -> Kind<FirstFit> {
    fit("first fit", FirstFit::new)
}

/// Next fit.
#[must_use]
pub fn next_fit() -> Kind<NextFit> {
    fit("next fit", NextFit::new)
}

/// Best fit.
#[must_use]
pub fn best_fit() -> Kind<BestFit> {
    fit("best fit", BestFit::new)
}

/// Worst fit.
#[must_use]
pub fn worst_fit() -> Kind<WorstFit> {
    fit("worst fit", WorstFit::new)
}

fn fit<P: ::block::fit::Policy>(
    name: &'static str,
    make: fn() -> ::block::fit::Fit<P>,
) -> Kind<::block::fit::Fit<P>> {
    let kind = Kind::new(name, make).complete();
    kind.with_room(exact::<16>).with_enough(8 << 10).with_growth(Grows::Forward)
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Count(u8);

    impl Visit for Count {
        fn visit<A: BlockAllocator + AddMemory + Send + 'static>(&mut self, _: Kind<A>) {
            self.0 += 1;
        }
    }

    #[test]
    fn count_is_how_many_are_visited() {
        let mut count = Count(0);
        each(&mut count);
        assert_eq!(count.0, COUNT);
    }
}
