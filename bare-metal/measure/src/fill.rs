//! How much of a pool becomes payload before the first refusal.

use crate::heap::Heap;
use crate::live::Numbers;
use machine::say;

pub(crate) fn run(heap: &mut Heap) {
    for (name, low, high) in [("1-256", 1, 256), ("16-4096", 16, 4096)] {
        heap.restart(heap.pool());
        let (mut numbers, mut payload) = (Numbers::new(6), 0);
        loop {
            let size = numbers.range(low, high);
            if heap.malloc(size).0.is_none() {
                break;
            }
            payload += size;
        }
        say!("fill {} {name} {}", heap.subject.name, payload * 1000 / heap.pool());
    }
}
