use std::collections::BTreeMap;

use base::bits::low8;
use base::{Check as _, Compact as _, Map as _, Pin as _};
use kernel::bitmap::BitmapPages;

use super::*;
use crate::shapes::{Memory, Refusing, refuses};

fn heap(memory: &mut Memory, most: usize) -> ZsMalloc<BitmapPages> {
    ZsMalloc::new(memory.pages(), Classes::new(Rule::LeastWaste, most))
}

/// Classes left after merging, by the longest chain: 4 to 16 pages.
fn counts(rule: Rule) -> [usize; 13] {
    core::array::from_fn(|at| Classes::new(rule, at + 4).iter().count())
}

#[test]
fn the_kernels_class_tables() {
    // Documentation/mm/zsmalloc.rst of Linux has the second list.
    let least = [69, 86, 94, 110, 119, 136, 141, 153, 159, 173, 179, 186, 192];
    let percent = [69, 86, 93, 112, 123, 140, 143, 159, 164, 180, 183, 188, 191];
    assert_eq!(counts(Rule::LeastWaste), least);
    assert_eq!(counts(Rule::MostPercent), percent);
    let huge: [usize; 13] =
        core::array::from_fn(|at| Classes::new(Rule::LeastWaste, at + 4).huge_from() + 7);
    let watermarks = [3264, 3408, 3504, 3584, 3632, 3680, 3712, 3744, 3776, 3792, 3808, 3840, 3840];
    assert_eq!(huge, watermarks, "with the 8 bytes in front, less one");
    assert_eq!(Classes::default().huge_from(), 3625);
    assert_eq!([1, 2].map(|most| Classes::new(Rule::LeastWaste, most).iter().count()), [30, 42]);
}

#[test]
fn the_documentations_example_of_1568_bytes() {
    for (rule, most, sizes) in
        [(Rule::MostPercent, 4, (1632, 2, 5)), (Rule::MostPercent, 5, (1568, 5, 13))]
    {
        let class = Classes::new(rule, most).class_of(1568 - 8).unwrap();
        assert_eq!((class.size(), class.pages(), class.objects()), sizes);
    }
}

#[test]
fn every_length_has_a_class_that_holds_it() {
    for most in 1..=16 {
        for rule in [Rule::LeastWaste, Rule::MostPercent] {
            let classes = Classes::new(rule, most);
            for len in 1..=PAGE {
                let class = classes.class_of(len).unwrap();
                assert!(class.size() >= len + class.head(), "{len} {class:?}");
                assert!(class.objects() * class.size() <= class.pages() * PAGE, "{class:?}");
            }
            assert_eq!(classes.class_of(0), Err(HandleError::Empty));
            assert_eq!(classes.class_of(PAGE + 1), Err(HandleError::TooLarge { most: PAGE }));
        }
    }
}

#[test]
fn fullness_is_the_kernels() {
    let groups = [0, 1, 12, 13, 64, 126, 127, 128].map(|used| lists::group(used, 128));
    // 12 of 128 are 9 percent, 13 are 10; 126 are 98, 127 are 99.
    assert_eq!(groups, [0, 1, 1, 2, 6, 10, 10, 11]);
}

#[test]
fn objects_go_to_the_fullest_zspage() {
    let mut memory = Memory::new(64);
    let mut heap = heap(&mut memory, 4);
    // Of 1,632 bytes: 5 in two pages.
    let objects: Vec<Handle> = (0..15).map(|_| heap.allocate(1620).unwrap()).collect();
    assert_eq!(heap.usage().pages, 6 * PAGE);
    for index in [0, 1, 2, 5] {
        heap.free(objects[index]).unwrap();
    }
    heap.check().unwrap();
    let slot =
        |heap: &ZsMalloc<BitmapPages>, handle| heap.slots.find(handle).unwrap().place().zspage;
    let new = heap.allocate(1620).unwrap();
    assert_eq!(slot(&heap, new), slot(&heap, objects[6]));
    heap.check().unwrap();
}

#[test]
fn the_last_class_is_a_whole_page() {
    let mut memory = Memory::new(64);
    let mut heap = heap(&mut memory, 8);
    let bytes: Vec<u8> = (0..PAGE).map(|at| low8(at % 255)).collect();
    let page = heap.store(&bytes).unwrap();
    assert_eq!((heap.usage().pages, heap.bytes(page)), (PAGE, Ok(&bytes[..])));
    heap.check().unwrap();
    assert_eq!((heap.freeable(), heap.compact()), (0, 0));
    heap.free(page).unwrap();
    assert_eq!(heap.usage().pages, 0);
    heap.check().unwrap();
}

#[test]
fn handles_are_refused_when_they_name_nothing() {
    let mut memory = Memory::new(64);
    let mut heap = heap(&mut memory, 8);
    assert_eq!(heap.allocate(0), Err(HandleError::Empty));
    assert_eq!(heap.allocate(PAGE + 1), Err(HandleError::TooLarge { most: PAGE }));
    let object = heap.store(b"first").unwrap();
    heap.free(object).unwrap();
    assert_eq!(heap.free(object), Err(HandleError::Stale));
    let other = heap.store(b"second").unwrap();
    assert_eq!(heap.bytes(object), Err(HandleError::Stale), "the slot is another's");
    for bits in [1, 2, 1000, u64::MAX, other.to_bits() + (1 << 32), u64::from(u32::MAX)] {
        let made_up = Handle::from_bits(bits).unwrap();
        if made_up != other {
            assert!(heap.free(made_up).is_err(), "{bits:x}");
        }
    }
    assert_eq!(Handle::from_bits(0), None);
    assert_eq!(heap.write(other, 3, b"1234"), Err(HandleError::OutOfBounds));
    assert_eq!(heap.write(other, usize::MAX, b"1"), Err(HandleError::OutOfBounds));
    heap.write(other, 3, b"123").unwrap();
    assert_eq!(heap.bytes(other), Ok(&b"sec123"[..]));
    heap.check().unwrap();
}

#[test]
fn a_pin_keeps_an_object_where_it_is() {
    let mut memory = Memory::new(64);
    let mut heap = heap(&mut memory, 1);
    // 4 objects of 1,024 in a page: three pages with one each.
    let objects: Vec<Handle> = (0..12).map(|_| heap.store(&[7; 1000]).unwrap()).collect();
    for (index, object) in objects.iter().enumerate() {
        if index % 4 != 0 {
            heap.free(*object).unwrap();
        }
    }
    let pinned = objects[4];
    let bytes = heap.pin(pinned).unwrap();
    assert_eq!(heap.free(pinned), Err(HandleError::Pinned));
    assert_eq!(heap.write(pinned, 0, b"x"), Err(HandleError::Pinned));
    assert_eq!(heap.bytes_mut(pinned).err(), Some(HandleError::Pinned));
    assert_eq!((heap.freeable(), heap.compact()), (2 * PAGE, 2 * PAGE));
    heap.check().unwrap();
    assert_eq!(heap.bytes(pinned).unwrap().as_ptr(), bytes.cast::<u8>().as_ptr());
    // SAFETY: pinned once.
    unsafe { heap.unpin(pinned) };
    heap.free(pinned).unwrap();
    heap.check().unwrap();
}

#[test]
fn everything_pinned_is_not_compacted() {
    let mut memory = Memory::new(64);
    let mut heap = heap(&mut memory, 1);
    let objects: Vec<Handle> = (0..8).map(|_| heap.store(&[7; 1000]).unwrap()).collect();
    for index in [0, 1, 2, 4, 5, 6] {
        heap.free(objects[index]).unwrap();
    }
    for index in [3, 7] {
        heap.pin(objects[index]).unwrap();
    }
    assert_eq!((heap.freeable(), heap.compact()), (PAGE, 0));
    heap.check().unwrap();
}

#[test]
fn the_table_of_classes_adds_up() {
    let mut memory = Memory::new(1500);
    let mut heap = heap(&mut memory, 8);
    let objects: Vec<Handle> = (1..400).map(|at| heap.allocate(at * 9).unwrap()).collect();
    for object in objects.iter().step_by(2) {
        heap.free(*object).unwrap();
    }
    let lines: Vec<ClassLine> = heap.class_lines().collect();
    assert_eq!(lines.iter().map(ClassLine::pages).sum::<usize>() * PAGE, heap.usage().pages);
    assert_eq!(lines.iter().map(|line| line.used).sum::<usize>(), heap.usage().objects);
    assert_eq!(lines.iter().map(|line| line.freeable).sum::<usize>() * PAGE, heap.freeable());
    let mut text = String::new();
    heap.write_classes(&mut text).unwrap();
    let columns: BTreeMap<usize, usize> =
        text.lines().filter(|line| !line.is_empty()).fold(BTreeMap::new(), |mut counts, line| {
            *counts.entry(line.split_whitespace().count()).or_default() += 1;
            counts
        });
    // The heading and the classes have 18 columns, the total has no size and no chain.
    assert_eq!(columns, BTreeMap::from([(18, lines.len() + 1), (16, 1)]), "{text}");
}

#[test]
fn a_source_that_refuses_loses_nothing_also_between_compactions() {
    let compact = |heap: &mut ZsMalloc<Refusing>| assert_eq!(heap.freeable(), heap.compact());
    refuses(|pages| ZsMalloc::new(pages, Classes::default()), compact, ZsMalloc::into_pages);
}

#[test]
fn one_class_is_compacted_by_itself() {
    let mut memory = Memory::new(200);
    let mut heap = heap(&mut memory, 8);
    let objects: Vec<Handle> =
        (0..60).map(|at| heap.allocate([100, 1600][at % 2]).unwrap()).collect();
    for object in objects.iter().enumerate().filter(|(at, _)| at % 10 > 1).map(|(_, object)| object)
    {
        heap.free(*object).unwrap();
    }
    let promised = heap.freeable();
    let gone: usize = (0..Classes::COUNT).map(|class| heap.compact_class(class)).sum();
    assert_eq!((gone, heap.freeable()), (promised, 0));
    assert!(gone > 0);
    assert_eq!(heap.compact_class(Classes::COUNT), 0, "there is no such class");
    heap.check().unwrap();
}

#[test]
fn thirteen_of_1568_bytes_lie_in_five_pages() {
    let mut memory = Memory::new(64);
    let mut heap = heap(&mut memory, 8);
    let objects: Vec<Handle> = (0..13).map(|_| heap.allocate(1568 - 8).unwrap()).collect();
    assert_eq!(heap.usage().pages, 5 * PAGE);
    heap.allocate(1568 - 8).unwrap();
    assert_eq!(heap.usage().pages, 10 * PAGE);
    let line = heap.class_lines().find(|line| line.used > 0).unwrap();
    assert_eq!((line.index, line.objects, line.zspages[11]), (96, 26, 1));
    drop(objects);
    let mut memory = Memory::new(64);
    // With chains of 4: 1,632 bytes, 5 in two pages.
    let mut heap = ZsMalloc::new(memory.pages(), Classes::new(Rule::LeastWaste, 4));
    for _ in 0..13 {
        heap.allocate(1568 - 8).unwrap();
    }
    assert_eq!(
        (heap.usage().pages, heap.class_lines().find(|line| line.used > 0).unwrap().index),
        (6 * PAGE, 100)
    );
}

#[test]
fn writing_no_bytes_at_the_end_is_no_harm() {
    for len in [1, 100, 2040, PAGE] {
        let mut memory = Memory::new(200);
        let mut heap = ZsMalloc::new(memory.pages(), Classes::default());
        for _ in 0..40 {
            let object = heap.store(&vec![3; len]).unwrap();
            assert_eq!(heap.write(object, len, &[]), Ok(()));
            assert_eq!(heap.write(object, len + 1, &[]), Err(HandleError::OutOfBounds));
            assert_eq!(heap.bytes(object), Ok(&vec![3; len][..]));
        }
    }
}
