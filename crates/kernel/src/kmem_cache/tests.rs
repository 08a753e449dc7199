//! Tests of the caches: one file for each promise.
use core::ptr::NonNull;

use base::Check;

use super::toy::Pages;
use super::*;

mod checks;
mod constructed;
mod lifo;
mod misuse;
mod panics;
mod parts;
mod reserve;
mod shadow;
mod short;

fn cache(settings: Settings) -> KmemCache<Pages> {
    KmemCache::new(settings, Pages::new(2048)).unwrap()
}

fn pages(cache: &mut KmemCache<Pages>) -> &mut Pages {
    // SAFETY: the tests only have them refuse.
    unsafe { cache.pages_mut() }
}

fn take(cache: &mut KmemCache<Pages>) -> NonNull<u8> {
    let object = cache.allocate().expect("there is memory");
    cache.check().unwrap();
    object
}

fn take_many(cache: &mut KmemCache<Pages>, count: usize) -> Vec<NonNull<u8>> {
    (0..count).map(|_| take(cache)).collect()
}

fn give(cache: &mut KmemCache<Pages>, object: NonNull<u8>) {
    // SAFETY: the tests free what they have.
    unsafe { cache.free(object) };
    cache.check().unwrap();
}

fn give_many(cache: &mut KmemCache<Pages>, objects: impl IntoIterator<Item = NonNull<u8>>) {
    objects.into_iter().for_each(|object| give(cache, object));
}

fn close(cache: KmemCache<Pages>) {
    assert_eq!(cache.destroy().unwrap().taken(), 0);
}

const ALL: [Policy; 4] =
    [Policy::SlabLifo, Policy::Magazine(0), Policy::Magazine(1), Policy::Random(7)];
