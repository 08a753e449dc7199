//! A malloc from parts: `cargo run --example compose_malloc`.
//!
//! Best fit behind a lock, on memory of the system; and a buddy, which wants the size of a block
//! back, with a layer that keeps it. Each is one type, and a value that a `static` can be.
#![expect(clippy::disallowed_macros, reason = "here the allocator serves a program that prints")]

use heapwright::block::{Malloc, buddy, fit};
use heapwright::compose::{Affix, BlockMalloc, Growing};
use heapwright::source::os::Os;
use heapwright::sync::Lock;

type BestFit = BlockMalloc<Lock<Os>, Growing<fit::BestFit, Os>>;
type Buddy = BlockMalloc<Lock<Os>, Affix<Growing<buddy::Buddy, Os>>>;

static BEST_FIT: BestFit = BlockMalloc::new(Growing::new(fit::BestFit::new(), Os));
static BUDDY: Buddy = BlockMalloc::new(Affix::new(Growing::new(buddy::Buddy::new(), Os)));

fn main() {
    serve("best fit", &BEST_FIT);
    println!("best fit: {:?}", BEST_FIT.stats());
    serve("buddy", &BUDDY);
    println!("buddy: {:?}", BUDDY.stats());
}

/// Threads that share one heap and free each other's blocks, by C's functions.
fn serve(name: &str, heap: &impl Malloc) {
    let addresses: Vec<usize> = std::thread::scope(|scope| {
        let worker = |from: usize| {
            move || {
                let blocks = (from..from + 1000).map(|n| heap.calloc(1, n * 7 % 5000));
                blocks.map(<*mut u8>::expose_provenance).collect::<Vec<_>>()
            }
        };
        let workers: Vec<_> = (0..4).map(|n| scope.spawn(worker(n * 1000))).collect();
        workers.into_iter().flat_map(|worker| worker.join().expect("no panic")).collect()
    });
    assert!(addresses.iter().all(|at| *at != 0 && at.is_multiple_of(16)));
    // SAFETY: a live block of this heap, given up.
    addresses
        .into_iter()
        .for_each(|at| unsafe { heap.free(core::ptr::with_exposed_provenance_mut(at)) });
    let aligned = heap.aligned_alloc(4096, 100);
    assert!(aligned.addr().is_multiple_of(4096), "{name}");
    // SAFETY: as above.
    unsafe { heap.free(aligned) };
}
