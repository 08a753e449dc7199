//! `kernel-pairs`: an object of 64 bytes allocated and freed, from a cache, sixteen at once from a cache, and from the process's
//! malloc: in turn, many times, so that all three have the same machine. For `cargo xtask kernel`, which asks for ratios.

use core::hint::black_box;
use core::ptr::NonNull;
use core::slice;

use blocks::kernel::{PageCost, Pages};
use kernel::kmem_cache::{KmemCache, Policy, Settings};

use super::chain::median;
use crate::arguments::{Arguments, fixed, scaled};
use crate::heap;
use crate::list::Workload;
use crate::results::{Results, wrong};
use timing::{ticks, ticks_per_second};

pub(crate) const WORKLOAD: Workload = Workload {
    name: "kernel-pairs",
    parameters: &[
        fixed("pairs", 8000, "pairs of each in a round"),
        scaled("rounds", 1000, "rounds"),
    ],
    run,
};

const SIZE: usize = 64;
const BULK: usize = 16;

fn run(arguments: &Arguments, results: &mut Results) {
    let pairs = arguments.get("pairs").max(BULK as u64);
    let Some(memory) = super::map(1 << 20) else { wrong("no memory for a cache") };
    // SAFETY: mapped just now, and never unmapped.
    let pages = unsafe { Pages::on(memory, PageCost::BARE) };
    let settings = Settings::new("pairs", SIZE).policy(Policy::Magazine(0));
    let cache = pages.and_then(|(pages, _)| KmemCache::new(settings, pages).ok());
    let Some(mut cache) = cache else { wrong("a cache of 64 bytes was refused") };
    let ns = 1e9 / ticks_per_second();
    let mut all: [Vec<f64>; 3] = Default::default();
    for round in 0..arguments.get("rounds").max(3) {
        for turn in 0..3 {
            let which = usize::try_from(round + turn).unwrap_or(0) % 3;
            let since = ticks();
            match which {
                0 => of_malloc(pairs),
                1 => of_cache(&mut cache, pairs),
                _ => in_bulk(&mut cache, pairs),
            }
            all[which].push((ticks() - since) as f64 * ns / pairs as f64);
        }
    }
    let [malloc, one, bulk] = all;
    let over = |above: &[f64], below: &[f64]| {
        median(above.iter().zip(below).map(|(above, below)| above / below).collect())
    };
    let figures = [
        ("cache_over_malloc", over(&one, &malloc), "times"),
        ("bulk_over_cache", over(&bulk, &one), "times"),
        ("malloc", median(malloc), "ns"),
        ("cache", median(one), "ns"),
        ("bulk", median(bulk), "ns"),
    ];
    for (name, figure, unit) in figures {
        results.value(name, format_args!("{figure:.4}"), unit);
    }
    results.peak_live(BULK * SIZE);
    results.refused(0);
}

#[inline(never)]
fn of_malloc(pairs: u64) {
    for _ in 0..pairs {
        let block = black_box(heap::malloc(SIZE));
        // SAFETY: allocated just now, or null.
        unsafe { heap::free(block, SIZE, heap::ALIGN) };
    }
}

#[inline(never)]
fn of_cache(cache: &mut KmemCache<Pages>, pairs: u64) {
    for _ in 0..pairs {
        if let Some(object) = black_box(cache.allocate()) {
            // SAFETY: allocated just now.
            unsafe { cache.free(object) };
        }
    }
}

#[inline(never)]
fn in_bulk(cache: &mut KmemCache<Pages>, pairs: u64) {
    let mut out = [None; BULK];
    for _ in 0..pairs / BULK as u64 {
        if !cache.allocate_bulk(&mut out) {
            wrong("no memory for a bulk");
        }
        let objects = black_box(&out).as_ptr().cast::<NonNull<u8>>();
        // SAFETY: all of `out` is filled, and what is there has the same bytes as what may be.
        let objects = unsafe { slice::from_raw_parts(objects, BULK) };
        // SAFETY: allocated just now.
        unsafe { cache.free_bulk(objects) };
    }
}
