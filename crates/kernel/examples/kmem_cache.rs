//! Caches of objects as a kernel has them: what order objects go out in, what is seen.
//!
//! `cargo run -p heapwright-kernel-allocators --example kmem_cache`
#![expect(clippy::disallowed_macros, reason = "an example: the caches shown are not the program's")]

use base::AddMemory;
use core::ptr::NonNull;
use heapwright_kernel_allocators::bitmap::BitmapPages;
use heapwright_kernel_allocators::kmem_cache::{
    DebugFlags, KmemCache, Policy, SLABINFO_HEADER, Settings,
};

type Pages = BitmapPages<4096>;

/// Where each of ten objects lies behind the lowest, in objects.
fn ten(policy: Policy, pages: Pages) -> Pages {
    let mut cache = KmemCache::new(Settings::new("stack", 40).policy(policy), pages)
        .expect("40 bytes make a cache");
    let mut take = || -> Vec<NonNull<u8>> {
        (0..10).map(|_| cache.allocate().expect("there is memory")).collect()
    };
    let first = take();
    let base = first.iter().map(|object| object.addr().get()).min().unwrap_or_default();
    let places = |objects: &[NonNull<u8>]| -> Vec<usize> {
        objects.iter().map(|object| object.addr().get().abs_diff(base) / 40).collect()
    };
    println!("{policy:?}\n  out             {:?}", places(&first));
    // SAFETY: it is live and used no more.
    first.iter().for_each(|&object| unsafe { cache.free(object) });
    let again: Vec<_> = (0..10).filter_map(|_| cache.allocate()).collect();
    println!("  back, out again {:?}", places(&again));
    // SAFETY: all are live and used no more.
    unsafe { cache.free_bulk(&again) };
    cache.destroy().expect("no object is in use")
}

fn main() {
    let mut memory = vec![0u8; 4 << 20];
    let mut pages = Pages::new();
    // SAFETY: the vector is not touched until the pages are done with it.
    unsafe { pages.add_memory(memory.as_mut_ptr(), memory.len()) }.expect("4 MiB are enough");

    for policy in [Policy::SlabLifo, Policy::Magazine(0), Policy::Random(7)] {
        pages = ten(policy, pages);
    }

    println!("{SLABINFO_HEADER}");
    let mut cache = KmemCache::new(Settings::new("item", 40), pages).expect("a cache");
    let items: Vec<_> = (0..200).filter_map(|_| cache.allocate()).collect();
    println!("{}", cache.info());
    // SAFETY: all are live and used no more.
    unsafe { cache.free_bulk(&items) };
    pages = cache.destroy().expect("no object is in use");

    // What is freed twice.
    let mut words =
        KmemCache::new(Settings::new("words", 32).debug(DebugFlags::ALL), pages).expect("a cache");
    let object = words.allocate().expect("there is memory");
    // SAFETY: it is live and used no more; then it is refused.
    let twice = [0, 1].map(|_| unsafe { words.try_free(object) });
    if let [Ok(()), Err(misuse)] = twice {
        println!("{}", misuse.to_string().replace(&format!("{:#x}", object.addr()), "0x…"));
    }
}
