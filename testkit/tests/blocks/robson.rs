//! The adversaries against the bounds of `docs/blocks.md`.
use base::{AddMemory, BlockAllocator};
use block::buddy::Buddy;
use block::tlsf::{Bound, HalfFit, Tlsf, required_heap};
use heapwright_testkit::block::Memory;
use heapwright_testkit::block::robson::{Adversary, Budget, buddy_bound, least_memory, play};

/// Bytes that a block of TLSF has beyond its payload.
const HEADER: usize = 8;

fn adversaries() -> impl Iterator<Item = Adversary> {
    core::iter::once(Adversary::Robson).chain((0..12).map(Adversary::Random))
}

fn budgets() -> impl Iterator<Item = Budget> {
    let live = 16 << 10;
    [(24, 24), (24, 120), (24, 1016), (24, 4088), (1, 4000), (100, 3000), (500, 501)]
        .into_iter()
        .map(move |(smallest, largest)| Budget { live, largest, smallest })
}

/// In the memory that `bound` says, nobody is refused.
fn holds<A: BlockAllocator + AddMemory>(
    make: fn() -> A,
    header: usize,
    bound: fn(Budget) -> usize,
) {
    for budget in budgets() {
        let len = bound(budget);
        let memory = Memory::untouched(len, 0);
        for adversary in adversaries() {
            let mut heap = make();
            // SAFETY: the memory outlives the heap, which is the only one on it.
            let added = unsafe { heap.add_memory(memory.start(), len) };
            added.unwrap_or_else(|error| panic!("{len} bytes: {error}"));
            let played = play(&mut heap, adversary, budget, header);
            assert_eq!(played, Ok(()), "{adversary:?} with {budget:?} in {len} bytes");
        }
    }
}

#[test]
fn tlsf_keeps_its_bound() {
    let bound = |b: Budget| required_heap(Bound::Tlsf, b.live, b.largest, b.smallest);
    holds(Tlsf::new as fn() -> Tlsf, HEADER, bound);
}

#[test]
fn half_fit_keeps_its_bound() {
    let bound = |b: Budget| required_heap(Bound::HalfFit, b.live, b.largest, b.smallest);
    holds(HalfFit::new as fn() -> HalfFit, HEADER, bound);
}

/// Theorem 2: M' (1 + N), at both ends up to one of the largest blocks lost, and the buddy's own
/// two bits for every 16 bytes.
#[test]
fn buddy_keeps_its_bound() {
    holds(Buddy::new as fn() -> Buddy, 0, |budget| buddy_bound(budget, 16));
}

/// The adversary is one: what Robson proved that it wrings out of anybody, less a quarter for the
/// headers that it cannot foresee.
#[test]
fn the_adversary_costs_a_logarithm() {
    for largest in [120, 1016, 8184] {
        let budget = Budget { live: 64 << 10, largest, smallest: 24 };
        let least =
            least_memory(Tlsf::new as fn() -> Tlsf, Adversary::Robson, budget, HEADER, 16 << 20);
        let least = least.expect("16 MiB are enough") as f64 / budget.live as f64;
        let orders = f64::from(((largest + HEADER) / 32).ilog2());
        assert!(least > 0.75 * (1.0 + orders / 2.0), "{largest}: {least}");
    }
}
