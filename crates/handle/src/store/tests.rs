use std::collections::BTreeMap;

use base::bits::low8;
use base::{Check, HandleError};
use kernel::bitmap::BitmapPages;

use super::*;
use crate::shapes::{Memory, Random, Refusing};
use crate::zsmalloc::Classes;
use crate::{XvMalloc, Zbud, ZsMalloc};

/// Keeps what stands before the zeros at the end.
#[derive(Debug, Default)]
struct Trim {
    is_broken: bool,
}

impl Compressor for Trim {
    fn compress(&mut self, page: &Page, out: &mut [u8]) -> Option<usize> {
        let len = page.iter().rposition(|byte| *byte != 0).map_or(1, |last| last + 1);
        out.get_mut(..len)?.copy_from_slice(&page[..len]);
        Some(len)
    }

    fn decompress(&mut self, bytes: &[u8], page: &mut Page) -> Option<()> {
        page.fill(0);
        page.get_mut(..bytes.len())?.copy_from_slice(bytes);
        (!self.is_broken).then_some(())
    }
}

fn page(len: usize, seed: usize) -> Page {
    core::array::from_fn(|at| if at < len { low8(1 + (at + seed) % 255) } else { 0 })
}

type Store<A> = CompressedStore<BitmapPages, A, Trim>;

/// Runs `test` on a store over each heap, with pages of memory for each of the two.
macro_rules! each_heap {
    ($pages:expr, $test:ident) => {
        let mut memory = [(); 6].map(|()| Memory::new($pages));
        let mut pages = memory.iter_mut().map(Memory::pages);
        let mut next = || pages.next().unwrap();
        let classes = Classes::default();
        let huge = classes.huge_from();
        let heap = ZsMalloc::new(next(), classes);
        $test(Store::new(next(), heap, Trim::default()).raw_from(huge).compacting());
        $test(Store::new(next(), XvMalloc::new(next()), Trim::default()));
        $test(Store::new(next(), Zbud::new(next()), Trim::default()));
    };
}

#[test]
fn pages_of_every_kind_come_back() {
    fn test<A: HandleAllocator + Check>(mut store: Store<A>) {
        let pages =
            [page(0, 0), page(PAGE, 1), page(100, 2), [7; PAGE], page(3000, 4), page(4090, 5)];
        for (key, page) in pages.iter().enumerate() {
            store.put(key as u64, page).unwrap();
            store.check().unwrap();
        }
        let mut room = [1; PAGE];
        for (key, page) in pages.iter().enumerate() {
            store.get(key as u64, &mut room).unwrap();
            assert_eq!(&room, page);
        }
        assert_eq!(store.get(6, &mut room), Err(StoreError::Missing));
        assert_eq!(store.remove(6), Err(StoreError::Missing));
        let report = store.report();
        assert_eq!((report.original, report.same), (6 * PAGE, 2));
        assert!((1..=2).contains(&report.huge), "{report:?}");
        assert!((2 * PAGE + 3100 - 6..=2 * PAGE + 3100).contains(&report.compressed), "{report:?}");
        for key in 0..6 {
            store.remove(key).unwrap();
            store.check().unwrap();
        }
        let report = store.report();
        assert_eq!((report.original, report.compressed, report.used), (0, 0, 0));
        assert!(report.used_max > 0 && store.is_empty());
    }
    each_heap!(40, test);
}

#[test]
fn a_page_takes_the_place_of_the_one_before() {
    fn test<A: HandleAllocator + Check>(mut store: Store<A>) {
        let mut room = [1; PAGE];
        for (step, len) in [10, 0, 4096, 2000, 4096, 0, 5].into_iter().enumerate() {
            let new = page(len, step);
            store.put(u64::MAX, &new).unwrap();
            store.check().unwrap();
            store.get(u64::MAX, &mut room).unwrap();
            assert_eq!((room == new, store.len()), (true, 1));
        }
        let report = store.report();
        assert_eq!((report.huge, report.huge_since, report.same, report.compressed), (0, 2, 0, 5));
    }
    each_heap!(40, test);
}

#[test]
fn random_programs_keep_every_page() {
    fn test<A: HandleAllocator + Check>(mut store: Store<A>) {
        let mut random = Random(5);
        let mut model: BTreeMap<u64, (usize, usize)> = BTreeMap::new();
        let mut room = [0; PAGE];
        for step in 0..6000 {
            let key = (random.below(300) as u64) << 20;
            match random.below(3) {
                0 => {
                    let known = model.remove(&key).map(|_| ()).ok_or(StoreError::Missing);
                    assert_eq!(store.remove(key), known);
                }
                _ => {
                    let most = [0, 300, 2500, PAGE][random.below(4)];
                    let (len, seed) = (random.below(most + 1), random.below(250));
                    store.put(key, &page(len, seed)).unwrap();
                    model.insert(key, (len, seed));
                }
            }
            if step % 500 == 0 {
                store.check().unwrap();
                for (key, (len, seed)) in &model {
                    store.get(*key, &mut room).unwrap();
                    assert!(room == page(*len, *seed));
                }
            }
        }
        let mut keys: Vec<u64> = store.keys().collect();
        keys.sort_unstable();
        assert_eq!(keys, model.into_keys().collect::<Vec<_>>());
        let (_, heap, _) = store.into_parts();
        assert_eq!((heap.usage().objects, heap.usage().pages), (0, 0));
    }
    each_heap!(1500, test);
}

#[test]
fn a_full_store_offers_what_was_used_longest_ago_and_loses_nothing() {
    fn test<A: HandleAllocator + Check>(mut store: Store<A>) {
        let mut random = Random(9);
        let mut elsewhere: BTreeMap<u64, Page> = BTreeMap::new();
        let mut model: BTreeMap<u64, (usize, usize)> = BTreeMap::new();
        let limit = 80 * PAGE;
        store.set_limit(Some(limit));
        let mut room = [0; PAGE];
        for step in 0..3000 {
            let key = random.below(400) as u64;
            let (len, seed) = (1 + [random.below(300), random.below(PAGE)][step % 2], step % 251);
            store
                .put_evicting(key, &page(len, seed), |key, page| {
                    elsewhere.insert(key, *page);
                    true
                })
                .unwrap();
            // A later page than the one that went.
            elsewhere.remove(&key);
            model.insert(key, (len, seed));
            let report = store.report();
            assert!(report.used + report.tables <= limit, "{report:?}");
            assert_eq!(report.limit, limit);
        }
        store.check().unwrap();
        assert!(!elsewhere.is_empty());
        for (key, (len, seed)) in model {
            match elsewhere.get(&key) {
                Some(gone) => assert!(*gone == page(len, seed) && !store.contains(key)),
                None => {
                    store.get(key, &mut room).unwrap();
                    assert!(room == page(len, seed));
                }
            }
        }
    }
    each_heap!(1000, test);
}

#[test]
fn a_full_store_that_may_let_nothing_go_stays_as_it_is() {
    fn test<A: HandleAllocator + Check>(mut store: Store<A>) {
        store.set_limit(Some(20 * PAGE));
        let mut count = 0;
        let error = loop {
            if let Err(error) = store.put(count, &page(1500, 1)) {
                break error;
            }
            count += 1;
        };
        assert_eq!(error, StoreError::Full);
        let report = store.report();
        store.set_limit(Some(report.used + report.tables));
        let before = store.report();
        let mut offered = 0;
        let refused = store.put_evicting(0, &page(4096, 3), |key, offer| {
            offered += 1;
            assert_ne!(key, 0, "the page whose place it takes is not offered");
            assert!(*offer == page(1500, 1));
            false
        });
        assert_eq!((refused, offered), (Err(StoreError::Full), 16));
        store.check().unwrap();
        assert_eq!(store.report(), before);
        let mut room = [0; PAGE];
        store.get(0, &mut room).unwrap();
        assert!(room == page(1500, 1), "the old page");
        store.set_limit(None);
        store.put(0, &page(4096, 3)).unwrap();
    }
    each_heap!(200, test);
}

#[test]
fn a_store_compacts_before_it_lets_pages_go() {
    let (mut memory, mut more) = (Memory::new(400), Memory::new(40));
    let heap = ZsMalloc::new(memory.pages(), Classes::default());
    let mut store = Store::new(more.pages(), heap, Trim::default()).compacting();
    for key in 0..200 {
        store.put(key, &page(1500, 1)).unwrap();
    }
    for key in (0..200).filter(|key| key % 3 > 0) {
        store.remove(key).unwrap();
    }
    store.set_limit(Some(store.report().used + store.report().tables));
    let freeable = store.heap().freeable();
    assert!(freeable > 10 * PAGE, "{freeable}");
    // As many as compacting makes room for, of another class.
    for key in 0..10 {
        store.put(1000 + key, &page(2900, 1)).unwrap();
    }
    store.check().unwrap();
    assert!(store.report().compacted > 0);
    let before = store.report();
    let gone = store.compact();
    assert_eq!(store.report().used, before.used - gone);
    assert_eq!(store.report().compacted, before.compacted + gone / PAGE);
}

#[test]
fn a_source_that_refuses_leaves_every_page_as_it_was() {
    for n in 0..40 {
        let (mut memory, mut more) = (Memory::new(600), Memory::new(200));
        let (heap_pages, own) =
            (Refusing::new(memory.pages(), n), Refusing::new(more.pages(), n / 2));
        let left = [heap_pages.left.clone(), own.left.clone()];
        let taken = [heap_pages.taken.clone(), own.taken.clone()];
        let heap = XvMalloc::new(heap_pages);
        let mut store = CompressedStore::new(own, heap, Trim::default());
        let mut model = BTreeMap::new();
        let mut room = [0; PAGE];
        let mut refused = 0;
        for step in 0..300 {
            if step == 200 {
                left.iter().for_each(|left| left.set(usize::MAX));
            }
            let (key, len) = (step as u64 % 50, [4096, 300, 2600, 1200][step % 4]);
            match store.put(key, &page(len, step)) {
                Ok(()) => _ = model.insert(key, (len, step)),
                Err(error) => {
                    assert_eq!((error, step < 200), (StoreError::NoMemory, true));
                    refused += 1;
                }
            }
            if step % 20 == 0 {
                store.check().unwrap();
                for (key, (len, seed)) in &model {
                    store.get(*key, &mut room).unwrap();
                    assert!(room == page(*len, *seed), "{n}: {key}");
                }
            }
        }
        assert!(refused > 0);
        assert_eq!(store.len(), model.len());
        let (own, heap, _) = store.into_parts();
        drop((own, heap.into_pages()));
        assert_eq!(taken.map(|taken| taken.get()), [0, 0], "{n}");
    }
}

#[test]
fn without_memory_pages_are_offered_too() {
    let (mut memory, mut more) = (Memory::new(12), Memory::new(12));
    let mut store = Store::new(more.pages(), XvMalloc::new(memory.pages()), Trim::default());
    let mut gone = Vec::new();
    for key in 0..100 {
        store
            .put_evicting(key, &page(2000, 1), |key, _| {
                gone.push(key);
                true
            })
            .unwrap();
    }
    store.check().unwrap();
    assert_eq!(gone.len() + store.len(), 100);
    assert_eq!(store.put(1000, &page(2000, 1)), Err(StoreError::NoMemory));
    store.check().unwrap();
}

#[test]
fn what_cannot_be_decompressed_is_said_and_kept() {
    let (mut memory, mut more) = (Memory::new(12), Memory::new(12));
    let mut store = Store::new(more.pages(), XvMalloc::new(memory.pages()), Trim::default());
    store.put(1, &page(2000, 1)).unwrap();
    store.compressor.is_broken = true;
    let mut room = [0; PAGE];
    assert_eq!(store.get(1, &mut room), Err(StoreError::Damaged));
    store.set_limit(Some(1));
    let refused = store.put_evicting(2, &page(3000, 1), |_, _| unreachable!("no page to offer"));
    assert_eq!(refused, Err(StoreError::Full));
    store.compressor.is_broken = false;
    store.get(1, &mut room).unwrap();
    store.check().unwrap();
}

#[test]
fn the_report_is_the_kernels_line() {
    let (mut memory, mut more) = (Memory::new(40), Memory::new(12));
    let heap = ZsMalloc::new(memory.pages(), Classes::default());
    let mut store = Store::new(more.pages(), heap, Trim::default());
    store.set_limit(Some(1 << 20));
    for (key, len) in [(0, 0), (1, 100), (2, 4096)] {
        store.put(key, &page(len, 1)).unwrap();
    }
    let line = store.report().to_string();
    // A chain of 100 + 8 bytes' class, 112 bytes, has 7 pages of which the least is wasted; and a page.
    assert_eq!(
        line,
        "   12288     4196    32768  1048576    32768        1        0        1        1"
    );
    let usage = store.heap().usage();
    assert_eq!((usage.pages, usage.payload), (8 * PAGE, 4196));
    assert!((store.report().overhead() - 32768.0 / 4196.0).abs() < 1e-9);
    let _: Result<&[u8], HandleError> =
        store.heap().bytes(crate::zsmalloc::Handle::from_bits(9).unwrap());
}

#[test]
fn a_store_can_be_sent_to_another_thread() {
    fn is_send<T: Send>() {}
    is_send::<Store<ZsMalloc<BitmapPages>>>();
    is_send::<Store<Zbud<BitmapPages>>>();
}

#[test]
fn no_page_is_let_go_when_that_cannot_help() {
    fn test<A: HandleAllocator + Check>(mut store: Store<A>) {
        for key in 0..300 {
            store.put(key, &page(100, 1)).unwrap();
        }
        store.put(1000, &page(PAGE, 1)).unwrap();
        let (tables, alone) = (store.report().tables, store.heap().pages_for(100));
        // One byte less than a page needs that is there alone, and has no place yet; of a page in place of another, than
        // both.
        let (is_own, long) = (store.heap().max_len() < PAGE, store.heap().pages_for(3000));
        let both = if is_own { 2 * PAGE } else { PAGE };
        for (key, len, bytes) in [(2000, 3000, long), (1000, PAGE, both)] {
            store.set_limit(Some(tables + bytes - 1));
            let before = Report { limit: 0, ..store.report() };
            let refused =
                store.put_evicting(key, &page(len, 2), |_, _| unreachable!("offered in vain"));
            assert_eq!(refused, Err(StoreError::Full));
            assert_eq!(Report { limit: 0, ..store.report() }, before);
            store.check().unwrap();
        }
        store.set_limit(Some(tables - 1));
        let word = store.put_evicting(2000, &page(0, 2), |_, _| unreachable!("offered in vain"));
        assert_eq!(word, Ok(()), "it costs nothing");
        store.remove(2000).unwrap();
        store.set_limit(Some(tables + alone));
        let mut gone = 0;
        let offer = |_: u64, _: &Page| {
            gone += 1;
            true
        };
        store.put_evicting(2000, &page(100, 3), offer).unwrap();
        assert_eq!(gone + store.len(), 302);
        assert!(gone > 250 && store.contains(2000));
        store.check().unwrap();
    }
    each_heap!(600, test);
}

#[test]
fn a_page_of_the_store_s_own_is_made_room_for_by_such_pages_only() {
    fn test<A: HandleAllocator + Check>(heap: A) {
        // The index has four of these.
        let mut more = Memory::new(10);
        let mut store = Store::new(more.pages(), heap, Trim::default());
        for key in 0..50 {
            store.put(key, &page(1000, 1)).unwrap();
        }
        let mut own = 0;
        while store.put(100 + own, &page(PAGE, 2)).is_ok() {
            own += 1;
        }
        assert!((1..10).contains(&own), "{own}");
        let mut offered = Vec::new();
        let refused = store.put_evicting(200, &page(PAGE, 3), |key, _| {
            offered.push(key);
            false
        });
        assert_eq!((refused, offered.len()), (Err(StoreError::NoMemory), 16));
        store
            .put_evicting(200, &page(PAGE, 3), |key, _| {
                offered.push(key);
                true
            })
            .unwrap();
        assert!(offered.len() == 17 && offered.iter().all(|&key| key >= 100), "{offered:?}");
        assert_eq!(store.len() as u64, 50 + own);
        store.check().unwrap();
    }
    let mut memory = [(); 2].map(|()| Memory::new(60));
    let [one, two] = &mut memory;
    test(XvMalloc::new(one.pages()));
    test(Zbud::new(two.pages()));
}

#[test]
fn no_page_is_let_go_for_one_of_the_store_s_own_where_there_is_none() {
    fn test<A: HandleAllocator + Check>(heap: A) {
        let mut more = Memory::new(40);
        let own = Refusing::new(more.pages(), usize::MAX);
        let left = own.left.clone();
        let mut store = CompressedStore::new(own, heap, Trim::default());
        for key in 0..50 {
            store.put(key, &page(1000, 1)).unwrap();
        }
        // Its pages are the index's, and there is no other.
        left.set(0);
        let refused = store.put_evicting(100, &page(PAGE, 2), |_, _| {
            unreachable!("it has nothing that is lacking")
        });
        assert_eq!((refused, store.len()), (Err(StoreError::NoMemory), 50));
        store.check().unwrap();
    }
    let mut memory = [(); 2].map(|()| Memory::new(60));
    let [one, two] = &mut memory;
    test(XvMalloc::new(one.pages()));
    test(Zbud::new(two.pages()));
}

#[test]
fn tables_stay_below_the_limit_and_beyond_it_goes_what_costs_nothing() {
    let (mut memory, mut more) = (Memory::new(40), Memory::new(40));
    let heap = ZsMalloc::new(memory.pages(), Classes::default());
    let mut store = Store::new(more.pages(), heap, Trim::default());
    // As many as a page has buckets; of entries there are 170 a page.
    for key in 0..1024 {
        store.put(key, &[7; PAGE]).unwrap();
    }
    let tables = store.report().tables;
    store.set_limit(Some(tables));
    for key in 1024..7 * 170 {
        store.put(key, &[7; PAGE]).unwrap();
        assert_eq!(store.report().tables, tables, "{key}");
    }
    store.check().unwrap();
    assert_eq!(store.put(1190, &[7; PAGE]), Err(StoreError::Full), "an entry more is a page more");
    store.set_limit(Some(1));
    let mut room = [0; PAGE];
    store.put(0, &[9; PAGE]).unwrap();
    store.get(0, &mut room).unwrap();
    assert!(room == [9; PAGE]);
    assert_eq!(store.put(0, &page(100, 1)), Err(StoreError::Full), "it costs pages");
    store.get(0, &mut room).unwrap();
    assert!(room == [9; PAGE]);
    store.check().unwrap();
}
