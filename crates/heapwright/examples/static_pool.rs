//! A program whose whole memory is a pool in a `static`: `cargo run --example static_pool`.
//!
//! The same lines, with `Critical` (feature `critical-section`) in place of `Spinning`, are a
//! firmware's global allocator: nothing to call before the first allocation. Which allocator it is,
//! the features choose: `--no-default-features --features alloc-buddy`.
#![expect(clippy::disallowed_macros, reason = "here the allocator serves a program that prints")]

use core::sync::atomic::{AtomicBool, Ordering};
use heapwright::DefaultBlock;
use heapwright::block::{Check, Stats};
use heapwright::compose::mutex::{ConstNew, Mutex};
use heapwright::compose::pooled::Pool;
use heapwright::compose::{Locked, Pooled};
use std::collections::BTreeMap;

/// A mutex of one's own is two functions.
struct Spinning(AtomicBool);

// SAFETY: whoever has set the flag is alone until it is cleared.
unsafe impl Mutex for Spinning {
    fn with<R>(&self, work: impl FnOnce() -> R) -> R {
        while self.0.swap(true, Ordering::Acquire) {
            core::hint::spin_loop();
        }
        let result = work();
        self.0.store(false, Ordering::Release);
        result
    }
}

impl ConstNew for Spinning {
    const NEW: Self = Self(AtomicBool::new(false));
}

static POOL: Pool<{ 1 << 20 }> = Pool::new();

#[global_allocator]
static HEAP: Locked<Spinning, Pooled<DefaultBlock>> =
    // SAFETY: the pool is this heap's alone.
    Locked::new(unsafe { Pooled::new(DefaultBlock::new(), &POOL) });

fn main() {
    let mut words = BTreeMap::new();
    for n in 0..2000 {
        *words.entry((n * 7 % 500).to_string()).or_insert(0) += n;
    }
    assert_eq!(words.len(), 500);
    let stats = HEAP.with(|heap| heap.stats());
    println!("{} of {} bytes in use, {} at most", stats.used, stats.total, stats.peak);
    drop(words);
    let after = HEAP.with(|heap| heap.stats());
    assert!(after.used < stats.used && after.total <= 1 << 20);
    HEAP.check().expect("every invariant holds");

    // A pool that is used up refuses; what is freed can be had again.
    let mut hoard: Vec<Vec<u8>> = Vec::with_capacity(64);
    loop {
        let mut piece = Vec::new();
        if piece.try_reserve_exact(30_000).is_err() {
            break;
        }
        hoard.push(piece);
    }
    println!("{} pieces of 30,000 bytes, then none", hoard.len());
    hoard.pop();
    assert!(Vec::<u8>::new().try_reserve_exact(30_000).is_ok());
}
