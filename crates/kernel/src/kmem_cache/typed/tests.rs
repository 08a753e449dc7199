use super::*;
use crate::kmem_cache::Finding;
use crate::kmem_cache::toy::Pages;
use core::cell::Cell;

std::thread_local!(static DROPPED: Cell<usize> = const { Cell::new(0) });

#[repr(align(32))]
struct Item {
    words: Vec<u64>,
    uses: u32,
}

fn make(item: &mut MaybeUninit<Item>) {
    item.write(Item { words: Vec::with_capacity(4), uses: 0 });
}

fn items(pages: Pages) -> Cache<Item, Pages> {
    let builder = Cache::<Item, Pages>::builder("item").ctor(make);
    // SAFETY: `make` makes an item, and the tests leave one.
    let builder = unsafe {
        builder.dtor(|item| {
            item.words = Vec::new();
            DROPPED.set(DROPPED.get() + 1);
        })
    };
    builder.policy(Policy::Magazine(0)).build(pages).unwrap()
}

#[test]
fn a_constructed_value_is_kept() {
    DROPPED.set(0);
    let mut items = items(Pages::new(64));
    let mut item = items.allocate().unwrap();
    assert!(item.is_aligned());
    // SAFETY: the constructor made it.
    let here = unsafe { item.as_mut() };
    here.words.push(7);
    here.uses += 1;
    let room = here.words.as_ptr();
    here.words.clear();
    // SAFETY: it is live, and an item.
    unsafe { items.free(item) };
    let again = items.allocate().unwrap();
    assert_eq!(again, item);
    // SAFETY: it is an item.
    let here = unsafe { again.as_ref() };
    assert_eq!((here.words.as_ptr(), here.words.capacity(), here.uses), (room, 4, 1));
    // SAFETY: it is live, and an item.
    unsafe { items.free(again) };
    items.check().unwrap();
    let made = items.untyped().info().objects;
    assert_eq!(items.destroy().unwrap().taken(), 0);
    assert_eq!(DROPPED.get(), made, "no words are lost");
}

#[test]
fn bulks_and_reserves_have_the_type() {
    let mut cache = Cache::<[u16; 5], Pages>::builder("five").build(Pages::new(64)).unwrap();
    assert_eq!(cache.untyped().info().stride, 16);
    let mut bulk = [None; 10];
    assert!(cache.allocate_bulk(&mut bulk));
    let objects: Vec<NonNull<[u16; 5]>> = bulk.into_iter().flatten().collect();
    // SAFETY: all are live.
    unsafe { cache.free_bulk(&objects) };
    let mut reserve = cache.reserve(2).unwrap();
    let one = cache.allocate_from(&mut reserve).unwrap();
    cache.give_back(reserve);
    let near = cache.alloc_near(one).unwrap();
    let zero = cache.allocate_zeroed().unwrap();
    // SAFETY: it is live, and was written.
    assert_eq!(unsafe { zero.read() }, [0; 5]);
    for object in [one, near, zero] {
        // SAFETY: it is live.
        unsafe { cache.try_free(object) }.unwrap();
    }
    // SAFETY: it is refused.
    assert_eq!(unsafe { cache.try_free(one) }.unwrap_err().finding, Finding::DoubleFree);
    cache.check().unwrap();
}

#[test]
fn what_is_in_use_comes_back() {
    let mut items = items(Pages::new(64));
    let item = items.allocate().unwrap();
    let Err(InUse { mut cache, live, .. }) = items.destroy() else { panic!("it went") };
    assert_eq!(live, 1);
    // SAFETY: it is live, and an item.
    unsafe { cache.free(item) };
    assert_eq!(cache.destroy().unwrap().taken(), 0);
}

#[test]
fn the_builder_passes_on() {
    let builder = Cache::<Item, Pages>::builder("all").align(8).colour().processors(16);
    let cache = builder.debug(DebugFlags::SANITY).build(Pages::new(64)).unwrap();
    assert_eq!(cache.untyped().info().align, 32, "the type's at least");
    let refused = Cache::<Item, Pages>::builder("odd").align(24).build(Pages::new(1));
    assert_eq!(refused.unwrap_err(), Refused::Alignment);
    let lines = Cache::<[u64; 5], Pages>::builder("lines").align_to_lines();
    assert_eq!(lines.build(Pages::new(1)).unwrap().untyped().info().stride, 64);
}

#[test]
fn a_reserve_and_shrinking_need_no_untyped_cache() {
    let mut cache = Cache::<[u64; 8], Pages>::builder("eight").build(Pages::new(64)).unwrap();
    let mut reserve = cache.reserve(3).unwrap();
    let one: NonNull<[u64; 8]> = cache.allocate_from(&mut reserve).unwrap();
    assert!(cache.refill(&mut reserve));
    assert_eq!(reserve.len(), 3);
    cache.give_back(reserve);
    // SAFETY: it is live; what comes after the first is refused.
    let found = unsafe { cache.try_free_bulk(&[one, one]) };
    assert_eq!(found.unwrap_err().finding, Finding::DoubleFree);
    cache.set_min_partial(0);
    assert_eq!((cache.reclaim(), cache.shrink()), (1, 0));
    assert_eq!(cache.destroy().unwrap().taken(), 0);
}

#[test]
fn a_constructor_s_memory_is_aligned_whoever_makes_the_cache() {
    use crate::kmem_cache::KmemCache;

    fn make(item: &mut MaybeUninit<Item>) {
        assert!(core::ptr::from_mut(item).is_aligned());
        item.write(Item { words: Vec::new(), uses: 0 });
    }
    let settings = Builder::<Item>::new("item").ctor(make).settings();
    for align in [1, 8, 16] {
        let mut cache = KmemCache::new(settings.align(align), Pages::new(64)).unwrap();
        assert_eq!(cache.info().align, 32);
        let object = cache.allocate().unwrap();
        // SAFETY: it is live.
        unsafe { cache.free(object) };
        assert_eq!(cache.destroy().unwrap().taken(), 0);
    }
    assert_eq!(KmemCache::new(settings.align(64), Pages::new(64)).unwrap().info().align, 64);
    for odd in [0, 24] {
        let refused = KmemCache::new(settings.align(odd).align(8), Pages::new(1));
        assert_eq!(refused.unwrap_err(), Refused::Alignment);
    }
}
