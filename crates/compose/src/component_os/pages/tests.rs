use super::*;
use crate::component_os::v1::{BaseAllocator as _, PageAllocator as _};
use crate::component_os::v2::{BitmapPageAllocator, PageAllocator as _};
use kernel::bitmap::BitmapPages;

const PAGE: usize = 4096;

#[test]
fn bitmap_pages_by_number_alignment_and_address() {
    serves(BitmapPageAllocator::new());
}

fn serves<P: AllocatePagesAt + AddMemory + Stats>(mut pages: Pages<P>) {
    let mut memory = vec![0u8; 36 * PAGE];
    let start = memory.as_mut_ptr().expose_provenance();
    // SAFETY: the memory outlives the allocator.
    unsafe { pages.init(start, memory.len()) }.unwrap();
    // SAFETY: refused.
    assert_eq!(unsafe { pages.init(start, memory.len()) }, Err(AllocError::InvalidParam));
    assert!(pages.total_pages() >= 32);
    assert_eq!(pages.alloc_pages(0, PAGE), Err(AllocError::InvalidParam));
    assert_eq!(pages.alloc_pages(1, PAGE / 2), Err(AllocError::InvalidParam));
    assert_eq!(pages.alloc_pages(1, 3 * PAGE), Err(AllocError::InvalidParam));
    let eight = pages.alloc_pages(8, 8 * PAGE).unwrap();
    assert!(eight.is_multiple_of(8 * PAGE));
    assert_eq!(pages.alloc_pages_at(eight, 1, PAGE), Err(AllocError::NoMemory));
    assert_eq!(pages.alloc_pages_at(eight + 1, 1, PAGE), Err(AllocError::InvalidParam));
    assert_eq!(pages.alloc_pages_at(0, 1, PAGE), Err(AllocError::NoMemory));
    assert_eq!(pages.used_pages(), 8);
    // SAFETY: live, allocated together.
    unsafe { pages.dealloc_pages(eight, 8) };
    assert_eq!(pages.alloc_pages_at(eight, 2, PAGE), Ok(eight));
    assert_eq!(pages.alloc_pages(1000, PAGE), Err(AllocError::NoMemory));
    assert_eq!(pages.available_pages(), pages.total_pages() - 2);
}

#[test]
fn another_page_size_is_noticed() {
    let mut memory = vec![0u8; 4 * PAGE];
    let mut pages: Pages<BitmapPages, 8192> = Pages::over(BitmapPages::new());
    let start = memory.as_mut_ptr().expose_provenance();
    // SAFETY: refused.
    assert_eq!(unsafe { pages.init(start, memory.len()) }, Err(AllocError::InvalidParam));
}
