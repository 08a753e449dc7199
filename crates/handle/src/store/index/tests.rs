use std::collections::BTreeMap;

use super::*;
use crate::shapes::{Memory, Random, Refusing};

#[test]
fn an_entry_has_24_bytes() {
    assert_eq!(size_of::<Entry<crate::zsmalloc::Handle>>(), 24);
    assert_eq!(size_of::<Entry<crate::xvmalloc::Handle>>(), 24);
}

fn word(index: &Index<u64>, key: u64) -> Option<u64> {
    match index.get(index.find(key)?)?.1 {
        Held::Packed(word) => Some(word),
        _ => None,
    }
}

#[test]
fn keys_of_any_kind_are_found_again() {
    let mut memory = Memory::new(200);
    let mut pages = memory.pages();
    for scale in [1, 4096, 1 << 32, 0x0123_4567_89ab_cdef] {
        let mut index = Index::<u64>::new();
        let mut model = BTreeMap::new();
        let mut random = Random(scale);
        for step in 0..6000u64 {
            let key = (random.below(3000) as u64).wrapping_mul(scale);
            match index.find(key) {
                Some(id) if step % 2 == 0 => {
                    assert!(index.remove(id).is_some());
                    model.remove(&key);
                }
                Some(id) => {
                    assert!(index.replace(id, Held::Packed(step)).is_some());
                    model.insert(key, step);
                }
                None => {
                    assert!(index.reserve(&mut pages));
                    index.insert(key, Held::Packed(step), &mut pages, usize::MAX);
                    model.insert(key, step);
                }
            }
            assert_eq!(index.live(), model.len());
        }
        index.check().unwrap();
        for (key, value) in &model {
            assert_eq!(word(&index, *key), Some(*value));
        }
        assert!(index.buckets.len() as usize >= model.len());
        index.give_back(&mut pages);
        assert_eq!(index.find(0), None);
    }
}

#[test]
fn what_was_used_has_a_second_chance() {
    let mut memory = Memory::new(20);
    let mut pages = memory.pages();
    let mut index = Index::<u64>::new();
    for key in 0..6 {
        assert!(index.reserve(&mut pages));
        index.insert(key, Held::Packed(key), &mut pages, usize::MAX);
    }
    let oldest = |index: &mut Index<u64>, not: u64| {
        let id = index.oldest(|key, _| key != not).unwrap();
        index.get(id).unwrap().0
    };
    // All are new, so the first round only takes note; 0 is the oldest.
    assert_eq!(oldest(&mut index, 99), 0);
    index.see(1);
    index.see(3);
    let order: Vec<u64> = (0..4).map(|_| oldest(&mut index, 4)).collect();
    assert_eq!(order, [2, 5, 0, 1], "1 and 3 were used, 4 may not");
    assert_eq!(index.oldest(|_, _| false), None);
}

#[test]
fn without_memory_for_buckets_chains_are_longer() {
    let mut memory = Memory::new(20);
    // One page of buckets, which have no more after 1,024, and entries until there are none.
    let mut pages = Refusing::new(memory.pages(), 12);
    let mut index = Index::<u64>::new();
    let mut count = 0;
    while index.reserve(&mut pages) {
        index.insert(count * 7, Held::Packed(count), &mut pages, usize::MAX);
        count += 1;
    }
    assert!(count > 1024, "{count}");
    index.check().unwrap();
    for key in 0..count {
        assert_eq!(word(&index, key * 7), Some(key));
    }
    let id = index.find(0).unwrap();
    index.remove(id);
    assert!(index.reserve(&mut pages), "an entry is free again");
}

#[test]
fn words_and_free_entries_are_passed_by_and_asked_about_by_nobody() {
    let mut memory = Memory::new(600);
    let mut pages = memory.pages();
    let mut index = Index::<u64>::new();
    for key in 0..20_000 {
        assert!(index.reserve(&mut pages));
        let held = if key % 10_000 == 77 { Held::Packed(key) } else { Held::Same(key) };
        index.insert(key, held, &mut pages, usize::MAX);
    }
    let looked_at = |index: &mut Index<u64>, not: u64| {
        let mut asked = Vec::new();
        let id = index.oldest(|key, _| {
            asked.push(key);
            key != not
        });
        (id.map(|id| index.get(id).unwrap().0), asked)
    };
    assert_eq!(looked_at(&mut index, 0), (Some(77), [77].to_vec()));
    assert_eq!(looked_at(&mut index, 10_077), (Some(77), [10_077, 77].to_vec()));
    index.check().unwrap();
    // What becomes a word is passed by, what was one is not.
    let ids = [77, 10_077, 500].map(|key| index.find(key).unwrap());
    index.replace(ids[0], Held::Same(1)).unwrap();
    index.remove(ids[1]).unwrap();
    assert_eq!(looked_at(&mut index, 0), (None, Vec::new()));
    index.replace(ids[2], Held::Packed(1)).unwrap();
    assert_eq!(looked_at(&mut index, 0), (Some(500), [500].to_vec()));
    index.check().unwrap();
    index.give_back(&mut pages);
}
