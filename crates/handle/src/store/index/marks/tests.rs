use std::collections::BTreeSet;

use super::*;
use crate::shapes::{Memory, Random, Refusing};

#[test]
fn marks_are_found_in_their_order() {
    let mut memory = Memory::new(20);
    let mut pages = memory.pages();
    let (mut marks, mut model, mut random) = (Marks::new(), BTreeSet::new(), Random(3));
    let count = 20_000;
    for id in 0..count {
        assert!(marks.reserve(id, &mut pages));
    }
    for step in 0..4000 {
        let id = random.below([count as usize, 300][step % 2]);
        let id = u32::try_from(id).unwrap();
        let to = random.below(3) == 0;
        marks.set(id, to);
        if to {
            model.insert(id)
        } else {
            model.remove(&id)
        };
        let from = u32::try_from(random.below(count as usize)).unwrap();
        assert_eq!(marks.next(from), model.range(from..).next().copied());
        assert_eq!((marks.count(), marks.has(id)), (model.len(), to));
    }
    marks.check().unwrap();
    assert_eq!(marks.next(count + 1000), None);
    marks.give_back(&mut pages);
    assert_eq!((marks.next(0), marks.bytes()), (None, 0));
}

#[test]
fn a_mark_without_memory_is_refused_and_had_later() {
    let mut memory = Memory::new(8);
    let mut pages = Refusing::new(memory.pages(), 1);
    let mut marks = Marks::new();
    assert!(!marks.reserve(0, &mut pages), "one of two pages");
    pages.left.set(1);
    assert!(marks.reserve(0, &mut pages));
    marks.set(0, true);
    assert_eq!(marks.next(0), Some(0));
    marks.check().unwrap();
}
