use base::Map as _;

use super::*;
use crate::shapes::{Memory, pins, refuses};

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
fn a_source_that_refuses_loses_nothing() {
    refuses(Zbud::new, |_| (), Zbud::into_pages);
}

#[test]
fn a_pin_keeps_an_object_as_it_is_and_the_65th_is_one_too_many() {
    pins(Zbud::new);
}

#[test]
fn a_handle_is_made_of_its_bits() {
    let mut memory = Memory::new(8);
    let mut heap = Zbud::new(memory.pages());
    let object = heap.allocate(4).unwrap();
    assert_eq!(Handle::from_bits(object.to_bits()), Some(object));
    let made_up = Handle::from_bits(object.to_bits() | 1 << 60).unwrap();
    assert_eq!(heap.free(made_up), Err(HandleError::Unknown));
}
