use base::{HandleAllocator as _, Pin as _};

use super::*;
use crate::shapes::{Memory, Singles};

#[test]
fn an_object_is_found_by_its_place_while_it_is_live() {
    let mut memory = Memory::new(8);
    let mut heap = XvMalloc::new(memory.pages());
    let (first, second) = (heap.store(&[1; 100]).unwrap(), heap.store(&[2; 2000]).unwrap());
    assert_eq!(heap.handle_at(first.page(), first.offset()), Ok(first));
    assert_eq!(heap.handle_at(second.page(), second.offset()), Ok(second));
    heap.free(first).unwrap();
    assert_eq!(heap.handle_at(first.page(), first.offset()), Err(HandleError::Stale));
    // Another one at the same place has another handle.
    let third = heap.store(&[3; 100]).unwrap();
    assert_eq!((third.page(), third.offset()), (first.page(), first.offset()));
    assert_ne!(third, first);
    assert_eq!(heap.handle_at(first.page(), first.offset()), Ok(third));
}

#[test]
fn what_is_no_place_is_refused() {
    let mut memory = Memory::new(8);
    let mut heap = XvMalloc::new(memory.pages());
    assert_eq!(heap.handle_at(0, 4), Err(HandleError::Unknown));
    let object = heap.store(&[1; 100]).unwrap();
    for offset in (0..PAGE + 8).filter(|offset| *offset != object.offset()) {
        let wanted = match offset {
            4.. if offset < PAGE + 4 && offset % 4 == 0 => HandleError::Stale,
            _ => HandleError::Unknown,
        };
        assert_eq!(heap.handle_at(object.page(), offset), Err(wanted), "{offset}");
    }
    assert_eq!(heap.handle_at(object.page() + 1, 4), Err(HandleError::Unknown));
    heap.free(object).unwrap();
    assert_eq!(heap.handle_at(object.page(), object.offset()), Err(HandleError::Stale));
}

#[test]
fn the_exact_length_stands_in_front_of_an_object() {
    let mut memory = Memory::new(8);
    let mut heap = XvMalloc::new(memory.pages());
    for len in [1, 2, 99, 100, 2044, 4092] {
        let handle = heap.allocate(len).unwrap();
        let object = heap.pin(handle).unwrap().cast::<u8>();
        // SAFETY: a live object of this heap.
        assert_eq!(unsafe { len_at(object) }, len);
        // SAFETY: pinned once.
        unsafe { heap.unpin(handle) };
        heap.free(handle).unwrap();
    }
}

/// Miri sees what was never written.
#[test]
fn what_was_never_written_is_not_looked_at() {
    let mut heap = XvMalloc::new(Singles::default());
    // SAFETY: nobody reads its bytes.
    let object = unsafe { heap.allocate_unwritten(2000) }.unwrap();
    for offset in (0..PAGE + 8).filter(|offset| *offset != object.offset()) {
        assert!(heap.handle_at(object.page(), offset).is_err(), "{offset}");
    }
    drop(heap.into_pages());
}
