//! Reserves: of one cache, and of no other.
use super::*;
use core::panic::AssertUnwindSafe;
use std::panic::catch_unwind;

/// What ends in the misuse hook says so, and changes nothing.
fn refused<R>(cache: &mut KmemCache<Pages>, call: impl FnOnce(&mut KmemCache<Pages>) -> R) {
    let taken = (pages(cache).taken(), cache.info().active);
    let Err(said) = catch_unwind(AssertUnwindSafe(|| call(cache))) else { panic!("it went on") };
    let said = said.downcast::<String>().unwrap();
    assert!(said.ends_with("is a reserve of another cache"), "{said}");
    cache.check().unwrap();
    assert_eq!((pages(cache).taken(), cache.info().active), taken);
}

#[test]
fn a_reserve_is_of_no_use_to_another_cache() {
    for policy in ALL {
        let mut one = cache(Settings::new("one", 64).policy(policy));
        let mut other = cache(Settings::new("other", 64).policy(policy));
        let mut reserve = one.reserve(4).unwrap();
        for theirs in [0, 3] {
            refused(&mut other, |other| other.allocate_from(&mut reserve));
            refused(&mut other, |other| other.refill(&mut reserve));
            // Once it knows no reserve at all, then one of its own.
            let own = other.reserve(theirs).unwrap();
            other.give_back(own);
        }
        assert_eq!(reserve.len(), 4);
        let object = one.allocate_from(&mut reserve).unwrap();
        give(&mut one, object);
        assert!(one.refill(&mut reserve));
        one.give_back(reserve);
        close(one);
        close(other);
    }
}

#[test]
fn it_is_not_given_back_to_another_cache() {
    let mut one = cache(Settings::new("one", 64));
    let mut other = cache(Settings::new("other", 64));
    for count in [0, 4] {
        let reserve = one.reserve(count).unwrap();
        refused(&mut other, |other| other.give_back(reserve));
    }
    one.check().unwrap();
    assert_eq!(one.info().active, 4, "they are lost to it, and nobody else has them");
    close(other);
}

#[test]
fn a_cache_of_the_same_name_in_the_same_place_is_another() {
    let mut cache = cache(Settings::new("one", 64));
    let mut reserve = cache.reserve(4).unwrap();
    cache = super::cache(Settings::new("one", 64));
    refused(&mut cache, |cache| cache.allocate_from(&mut reserve));
    let own = cache.reserve(1).unwrap();
    refused(&mut cache, |cache| cache.allocate_from(&mut reserve));
    cache.give_back(own);
    close(cache);
}
