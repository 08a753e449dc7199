extern crate std;

use std::vec::Vec;

use super::*;
use crate::shapes::{Memory, Random, refuses};

#[test]
fn two_objects_share_a_page_where_they_fit() {
    let mut memory = Memory::new(16);
    let mut heap = Zbud::new(memory.pages());
    let a = heap.store(&[1; 2000]).unwrap();
    let b = heap.store(&[2; 1984]).unwrap();
    assert_eq!(heap.usage().pages, PAGE);
    let c = heap.store(&[3; 10]).unwrap();
    assert_eq!(heap.usage().pages, 2 * PAGE, "no third one, whatever is free");
    heap.check().unwrap();
    heap.free(a).unwrap();
    let d = heap.store(&[4; 1000]).unwrap();
    assert_eq!(heap.usage().pages, 2 * PAGE, "to the page with the least room");
    assert_eq!(heap.find(d).unwrap().page, heap.find(b).unwrap().page);
    assert_eq!(heap.bytes(b), Ok(&[2; 1984][..]));
    for handle in [b, c, d] {
        heap.free(handle).unwrap();
        heap.check().unwrap();
        assert_eq!(heap.free(handle), Err(HandleError::Stale));
    }
    assert_eq!(heap.usage().pages, 0);
}

#[test]
fn lengths_beyond_its_pages_are_refused() {
    let mut memory = Memory::new(16);
    let mut heap = Zbud::new(memory.pages());
    assert_eq!(heap.allocate(0), Err(HandleError::Empty));
    assert_eq!(heap.allocate(3969), Err(HandleError::TooLarge { most: 3968 }));
    let handle = heap.allocate(3968).unwrap();
    assert_eq!(heap.write(handle, 3960, &[1; 9]), Err(HandleError::OutOfBounds));
    let unknown = Handle(NonZeroU64::new(99).unwrap());
    assert_eq!(heap.free(unknown), Err(HandleError::Unknown));
    assert_eq!(heap.free(Handle(NonZeroU64::MAX)), Err(HandleError::Unknown));
}

#[test]
fn random_programs_keep_every_byte() {
    let mut memory = Memory::new(500);
    let mut heap = Zbud::new(memory.pages());
    let mut random = Random(77);
    let mut live: Vec<(Handle, u8, usize)> = Vec::new();
    for step in 0..20_000u32 {
        if live.len() < 300 && random.below(5) < 3 {
            let (seed, len) = (step.to_le_bytes()[0], 1 + random.below(MOST));
            live.push((heap.store(&std::vec![seed; len]).unwrap(), seed, len));
        } else if !live.is_empty() {
            let (handle, seed, len) = live.swap_remove(random.below(live.len()));
            assert_eq!(heap.bytes(handle), Ok(&std::vec![seed; len][..]));
            heap.free(handle).unwrap();
        }
        if step % 64 == 0 {
            heap.check().unwrap();
        }
    }
}

#[test]
fn without_memory_nothing_is_lost() {
    let mut memory = Memory::new(5);
    let mut heap = Zbud::new(memory.pages());
    let mut live = Vec::new();
    let error = loop {
        match heap.allocate(1800) {
            Ok(handle) => live.push(handle),
            Err(error) => break error,
        }
    };
    assert_eq!(error, HandleError::NoMemory);
    heap.check().unwrap();
    for handle in live {
        heap.free(handle).unwrap();
    }
    heap.check().unwrap();
    assert_eq!(heap.usage().pages, 0);
    heap.allocate(1800).unwrap();
}

#[test]
fn a_source_that_refuses_loses_nothing() {
    refuses(Zbud::new, |_| (), Zbud::into_pages);
}

#[test]
fn a_pin_keeps_an_object_as_it_is() {
    let mut memory = Memory::new(8);
    let mut heap = Zbud::new(memory.pages());
    let object = heap.store(b"kept").unwrap();
    let bytes = heap.pin(object).unwrap();
    assert_eq!(heap.free(object), Err(HandleError::Pinned));
    assert_eq!(heap.write(object, 0, b"x"), Err(HandleError::Pinned));
    // SAFETY: pinned, so it is where it was.
    assert_eq!(unsafe { bytes.as_ref() }, b"kept");
    // SAFETY: pinned once.
    unsafe { heap.unpin(object) };
    heap.free(object).unwrap();
    assert_eq!(heap.pin(object), Err(HandleError::Stale));
    assert_eq!(Handle::from_bits(object.to_bits()), Some(object));
    let made_up = Handle::from_bits(object.to_bits() | 1 << 60).unwrap();
    assert_eq!(heap.free(made_up), Err(HandleError::Unknown));
}

#[test]
fn the_65th_pinned_object_is_one_too_many_and_not_called_pinned() {
    let mut memory = Memory::new(80);
    let mut heap = Zbud::new(memory.pages());
    let objects = [(); 65].map(|()| heap.store(&[7; 40]).unwrap());
    for object in &objects[..64] {
        heap.pin(*object).unwrap();
    }
    assert_eq!(heap.pin(objects[64]), Err(HandleError::TooManyPins));
    heap.write(objects[64], 0, b"x").unwrap();
    heap.free(objects[64]).unwrap();
    assert_eq!(heap.free(objects[0]), Err(HandleError::Pinned));
    heap.pin(objects[0]).unwrap();
}
