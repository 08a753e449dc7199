use super::*;
use crate::component_os::v1::{BaseAllocator as _, IdAllocator as _};

fn ids() -> Ids<2> {
    let mut ids = Ids::new();
    // SAFETY: numbers.
    unsafe { ids.init(1, 100) }.unwrap();
    ids
}

#[test]
fn the_lowest_number_first() {
    let mut ids = ids();
    assert_eq!((ids.size(), ids.available()), (100, 100));
    assert_eq!(ids.alloc_id(1, 1), Ok(1));
    assert_eq!(ids.alloc_id(3, 1), Ok(2));
    assert_eq!(ids.alloc_id(1, 1), Ok(5));
    assert_eq!(ids.dealloc_id(2, 3), Ok(()));
    assert_eq!(ids.alloc_id(4, 1), Ok(6), "three are too few");
    assert_eq!(ids.alloc_id(2, 1), Ok(2));
    assert_eq!(ids.used(), 8);
    assert!(ids.is_allocated(3) && !ids.is_allocated(4) && !ids.is_allocated(0));
}

#[test]
fn aligned_and_fixed() {
    let mut ids = ids();
    assert_eq!(ids.alloc_fixed_id(64), Ok(()));
    assert_eq!(ids.alloc_fixed_id(64), Err(AllocError::NoMemory));
    assert_eq!(ids.alloc_fixed_id(101), Err(AllocError::InvalidParam));
    assert_eq!(ids.alloc_fixed_id(0), Err(AllocError::InvalidParam));
    assert_eq!(ids.alloc_id(8, 64), Err(AllocError::NoMemory));
    assert_eq!(ids.alloc_id(2, 32), Ok(32));
    assert_eq!(ids.alloc_id(30, 32), Err(AllocError::NoMemory), "97 is past the end, 33 taken");
}

#[test]
fn what_means_nothing() {
    let mut ids = ids();
    assert_eq!(ids.alloc_id(0, 1), Err(AllocError::InvalidParam));
    assert_eq!(ids.alloc_id(1, 3), Err(AllocError::InvalidParam));
    assert_eq!(ids.alloc_id(usize::MAX, 1), Err(AllocError::NoMemory));
    assert_eq!(ids.alloc_id(1, 1 << (usize::BITS - 1)), Err(AllocError::NoMemory));
    assert_eq!(ids.alloc_id(2, 1), Ok(1));
    assert_eq!(ids.dealloc_id(2, 2), Err(AllocError::NotAllocated));
    assert_eq!(ids.dealloc_id(0, 1), Err(AllocError::NotAllocated));
    assert_eq!(ids.dealloc_id(1, usize::MAX), Err(AllocError::NotAllocated));
    assert_eq!(ids.used(), 2, "nothing has changed");
    // SAFETY: numbers.
    assert_eq!(unsafe { ids.init(1, 1) }, Err(AllocError::InvalidParam), "twice");
    // SAFETY: numbers.
    assert_eq!(unsafe { Ids::<1>::new().init(0, 65) }, Err(AllocError::InvalidParam));
}

#[test]
fn more_numbers_follow() {
    let mut ids = ids();
    // SAFETY: numbers.
    assert_eq!(unsafe { ids.add_memory(50, 10) }, Err(AllocError::MemoryOverlap));
    // SAFETY: numbers.
    assert_eq!(unsafe { ids.add_memory(102, 1) }, Err(AllocError::InvalidParam));
    // SAFETY: numbers.
    assert_eq!(unsafe { ids.add_memory(101, 29) }, Err(AllocError::InvalidParam), "too many");
    // SAFETY: numbers.
    assert_eq!(unsafe { ids.add_memory(101, 28) }, Ok(()));
    assert_eq!(ids.alloc_id(128, 1), Ok(1));
    assert_eq!(ids.available(), 0);
}
