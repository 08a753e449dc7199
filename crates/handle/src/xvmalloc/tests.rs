use base::{Check as _, Map as _};
use kernel::bitmap::BitmapPages;

use super::*;
use crate::shapes::{Memory, Random, pins, refuses};

fn heap(memory: &mut Memory) -> XvMalloc<BitmapPages> {
    XvMalloc::new(memory.pages())
}

fn shape(heap: &XvMalloc<BitmapPages>, id: u32) -> Vec<(bool, usize)> {
    let (page, mut offset, mut found) = (heap.pages.get(id).unwrap(), 0, Vec::new());
    while offset < PAGE {
        let head = page.head(offset);
        found.push((head.is_free(), head.size()));
        offset += HEAD + head.size().next_multiple_of(HEAD);
    }
    found
}

#[test]
fn a_head_keeps_the_exact_length() {
    let mut memory = Memory::new(8);
    let mut heap = heap(&mut memory);
    let a = heap.store(&[1; 33]).unwrap();
    let b = heap.store(&[2; 1]).unwrap();
    assert_eq!((heap.len_of(a), heap.len_of(b)), (Ok(33), Ok(1)));
    assert_eq!((a.offset(), b.offset()), (4, 4 + 36 + 4));
    // 4,096 less heads of 4 bytes and objects of 36 and 4.
    assert_eq!(shape(&heap, 0), [(false, 33), (false, 1), (true, 4096 - 3 * 4 - 40)]);
    heap.check().unwrap();
    heap.free(a).unwrap();
    assert_eq!(shape(&heap, 0), [(true, 36), (false, 1), (true, 4044)]);
    heap.check().unwrap();
    heap.free(b).unwrap();
    assert_eq!(heap.usage().pages, 0, "an empty page goes back at once");
    heap.check().unwrap();
}

#[test]
fn neighbours_are_joined_on_both_sides() {
    let mut memory = Memory::new(8);
    let mut heap = heap(&mut memory);
    let objects = [(); 5].map(|()| heap.allocate(100).unwrap());
    for index in [0, 2, 1] {
        heap.free(objects[index]).unwrap();
        heap.check().unwrap();
    }
    assert_eq!(shape(&heap, 0)[0], (true, 3 * 104 - 4));
    // Freed last, taken first, and within 8 bytes of the best fit.
    let again = heap.allocate(300).unwrap();
    assert_eq!(again.offset(), 4);
    heap.check().unwrap();
}

#[test]
fn two_of_2044_share_a_page_and_two_of_2048_do_not() {
    for (len, pages) in [(2044, 1), (2048, 2)] {
        let mut memory = Memory::new(8);
        let mut heap = heap(&mut memory);
        for _ in 0..2 {
            heap.allocate(len).unwrap();
        }
        assert_eq!(heap.usage().pages, pages * PAGE, "{len}");
    }
}

#[test]
fn what_only_a_whole_page_holds_has_one() {
    let mut memory = Memory::new(16);
    let mut heap = heap(&mut memory);
    for len in 4085..=4092 {
        let object = heap.allocate(len).unwrap();
        assert_eq!(heap.len_of(object), Ok(len));
        heap.check().unwrap();
    }
    assert_eq!(heap.allocate(4093), Err(HandleError::TooLarge { most: 4092 }));
    assert_eq!(heap.allocate(0), Err(HandleError::Empty));
}

#[test]
fn handles_that_name_nothing_are_refused_and_do_no_harm() {
    let mut memory = Memory::new(8);
    let mut heap = heap(&mut memory);
    // Its bytes look like heads.
    let bytes = [Head::live(8, 1); 64].map(|_| 8);
    let object = heap.store(&bytes).unwrap();
    let other = heap.allocate(50).unwrap();
    heap.free(other).unwrap();
    assert_eq!(heap.free(other), Err(HandleError::Stale));
    for offset in 0..u16::MAX {
        for generation in [object.generation, object.generation.wrapping_add(1)] {
            let made_up = Handle { page: 0, offset, generation };
            if made_up != object {
                assert!(heap.free(made_up).is_err(), "{made_up:?}");
            }
        }
    }
    assert_eq!(heap.free(Handle { page: 77, ..object }), Err(HandleError::Unknown));
    heap.check().unwrap();
    assert_eq!(heap.bytes(object), Ok(&bytes[..]));
    heap.free(object).unwrap();
    assert_eq!(heap.free(object), Err(HandleError::Stale), "its page is gone");
    assert_eq!(Handle::from_bits(object.to_bits()), object);
}

#[test]
fn writing_beyond_the_end_is_refused() {
    let mut memory = Memory::new(8);
    let mut heap = heap(&mut memory);
    let object = heap.allocate(10).unwrap();
    heap.write(object, 6, b"abcd").unwrap();
    assert_eq!(heap.write(object, 7, b"abcd"), Err(HandleError::OutOfBounds));
    assert_eq!(heap.write(object, usize::MAX, b"abcd"), Err(HandleError::OutOfBounds));
    assert_eq!(heap.bytes(object), Ok(&b"\0\0\0\0\0\0abcd"[..]));
}

#[test]
fn a_source_that_refuses_loses_nothing() {
    refuses(XvMalloc::new, |_| (), XvMalloc::into_pages);
}

#[test]
fn a_pin_keeps_an_object_as_it_is_and_the_65th_is_one_too_many() {
    pins(XvMalloc::new);
}

fn most_steps(heap: &XvMalloc<BitmapPages>) -> usize {
    let pages = (0..heap.pages.numbers()).filter(|id| heap.pages.get(*id).is_ok());
    let places = pages.flat_map(|id| (0..PAGE).step_by(HEAD).map(move |offset| (id, offset)));
    places.filter_map(|(id, at)| heap.pages.walk_to(id, at)).map(|(_, n)| n).max().unwrap()
}

#[test]
fn a_handle_is_checked_in_32_steps_at_most() {
    let mut memory = Memory::new(100);
    let mut heap = heap(&mut memory);
    for _ in 0..512 {
        heap.store(&[1]).unwrap();
    }
    assert_eq!(most_steps(&heap), 32, "8 bytes from head to head");
    // Small blocks that are free, too.
    let mut random = Random(3);
    let mut live = Vec::new();
    for step in 0..4000 {
        if random.below(5) < 3 {
            live.push(heap.allocate(1 + random.below([4, 12, 40][step % 3])).unwrap());
        } else if !live.is_empty() {
            heap.free(live.swap_remove(random.below(live.len()))).unwrap();
        }
        if step % 200 == 0 {
            assert!(most_steps(&heap) <= 32);
        }
    }
}
