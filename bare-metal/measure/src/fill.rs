//! How much of a pool becomes payload before the first refusal.

use crate::POOL;
use crate::heap::Heap;
use crate::live::Numbers;
use machine::say;

/// Sizes in one hand: few hands fill the pool, so that its sizes are as mixed as the range.
const HAND: usize = 256;

pub(crate) fn run(heap: &mut Heap) {
    for (name, low, high) in [("1-256", 1, 256), ("16-4096", 16, 4096)] {
        let payload = until_refused(heap, low, high);
        say!("fill {} {name} {}", heap.subject.name, payload * 1000 / POOL);
    }
}

/// Requests of `low..=high`, until one is refused: the bytes that were had.
///
/// Drawn like cards: [`HAND`] sizes that divide the range evenly, in any order, and then the same again. Sizes drawn
/// freely would have a mean that is a per mille off, which is what is measured.
fn until_refused(heap: &mut Heap, low: usize, high: usize) -> usize {
    heap.anew();
    let (mut numbers, mut payload) = (Numbers::new(6), 0);
    let mut hand: [usize; HAND] = core::array::from_fn(|i| low + i * (high - low) / (HAND - 1));
    loop {
        numbers.shuffle(&mut hand);
        for size in hand {
            if heap.malloc(size).0.is_none() {
                return payload;
            }
            payload += size;
        }
    }
}
