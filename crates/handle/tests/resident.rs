//! Memory goes back to the system as the statistics say: a test by itself, as it measures its process.

#[path = "../examples/store/random.rs"]
mod random;
#[path = "../examples/store/resident.rs"]
mod resident;

use base::{Compact as _, HandleAllocator as _};
use heapwright_handle::ZsMalloc;
use heapwright_handle::zsmalloc::Classes;
use kernel::SourcePages;
use random::Random;
use resident::resident;
use source::os::Os;

#[test]
fn memory_is_what_the_statistics_say_before_and_after_compacting() {
    let mut random = Random::new(7);
    let mut live = Vec::with_capacity(40_000);
    let before = resident().unwrap();
    let mut heap = ZsMalloc::new(SourcePages::new(Os, 1 << 30), Classes::default());
    let bytes = vec![7; 4096];
    while live.len() < 40_000 {
        live.push(heap.store(&bytes[..random.between(1, 3600)]).unwrap());
    }
    let close = |measured: usize, said: usize| {
        let ratio = measured as f64 / said as f64;
        assert!((0.95..=1.05).contains(&ratio), "{measured} bytes, {said} were said");
    };
    let said = |heap: &ZsMalloc<_>| heap.usage().pages + heap.usage().tables;
    close(resident().unwrap() - before, said(&heap));
    random.shuffle(&mut live);
    for handle in live.split_off(20_000) {
        heap.free(handle).unwrap();
    }
    let half = resident().unwrap();
    close(half - before, said(&heap));
    let promised = heap.freeable();
    assert!(promised > 20 << 20, "{promised}");
    assert_eq!(heap.compact(), promised);
    close(half - resident().unwrap(), promised);
    close(resident().unwrap() - before, said(&heap));
}
