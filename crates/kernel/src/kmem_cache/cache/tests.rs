use super::super::toy::Pages;
use super::super::{Finding, Policy};
use super::*;

#[test]
fn the_size_of_a_live_object_and_of_nothing_else() {
    let cache = |name| {
        let settings = Settings::new(name, 40).policy(Policy::SlabLifo);
        KmemCache::new(settings, Pages::new(64)).unwrap()
    };
    let (mut cache, mut other) = (cache("cache"), cache("other"));
    let (object, theirs) = (cache.allocate().unwrap(), other.allocate().unwrap());
    let found = |cache: &KmemCache<Pages>, pointer| {
        cache.try_size(pointer).map_err(|misuse| misuse.finding)
    };
    assert_eq!(found(&cache, object), Ok(40));
    assert_eq!(found(&cache, theirs), Err(Finding::Foreign));
    assert_eq!(found(&cache, NonNull::from(&object).cast()), Err(Finding::Foreign));
    // SAFETY: within the object.
    let inside = unsafe { object.add(8) };
    assert_eq!(found(&cache, inside), Err(Finding::Inside));
    // SAFETY: live, and used no more.
    unsafe { cache.free(object) };
    assert_eq!(found(&cache, object), Err(Finding::Free));
    // SAFETY: as above.
    unsafe { other.free(theirs) };
    let _ = (cache.destroy().unwrap(), other.destroy().unwrap());
}
