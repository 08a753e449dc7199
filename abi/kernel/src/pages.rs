//! The pages under everything: one range of addresses for all pools, behind a lock.
//!
//! Addresses for twice the machine's memory are reserved with the first request; memory comes and goes with use.
use core::ptr::NonNull;

use base::lock::Lock;
use base::{Broken, Check, PageAllocator};
use kernel::SourcePages;
use source::PageSource;
use source::os::Os;

use crate::guarded::Guarded;

/// Bytes of a page, whatever the machine's is.
pub(crate) const PAGE: usize = 4096;
/// Addresses where the machine does not say how much memory it has.
const UNKNOWN: usize = 64 << 30;
/// Bytes that are simply tried to be had.
const FEW: usize = 64 << 20;

static PAGES: Guarded<Option<SourcePages<Os>>> = Guarded::new(None);

/// The pages of the process, for whoever takes a [`PageAllocator`].
#[derive(Debug, Clone, Copy)]
pub(crate) struct Pages;

/// Calls `visit` with the locks, in the order in which they nest, while it says to go on.
pub(crate) fn each_lock(visit: &mut dyn FnMut(&Lock<Os>) -> bool) -> bool {
    visit(PAGES.bare())
}

pub(crate) fn check() -> Result<(), Broken> {
    PAGES.lock().as_ref().map_or(Ok(()), SourcePages::check)
}

/// How many bytes of addresses to reserve: some that are never used cost nothing, but for who has few of them.
fn addresses() -> usize {
    let memory = match Os.physical_memory() {
        0 => UNKNOWN,
        memory => memory.saturating_mul(2),
    };
    Os.address_limit().map_or(memory, |limit| memory.min(limit / 4))
}

/// Whether there can be as many bytes at all: in the range, and in the machine. A few are, without asking.
pub(crate) fn may_have(bytes: usize) -> bool {
    let memory = || match Os.physical_memory() {
        0 => UNKNOWN,
        memory => memory,
    };
    bytes <= FEW || bytes <= addresses().min(memory())
}

/// How many of the machine's pages `count` of ours are.
fn pages_of(count: usize) -> Option<usize> {
    Some(count.checked_mul(PAGE)?.div_ceil(Os.page_size()))
}

// SAFETY: what one allocator hands out, under its lock.
unsafe impl PageAllocator for Pages {
    fn page_size(&self) -> usize {
        PAGE
    }

    fn allocate_pages(&mut self, pages: usize, align: usize) -> Option<NonNull<u8>> {
        let mut range = PAGES.lock();
        let range = range.get_or_insert_with(|| SourcePages::new(Os, addresses()));
        range.allocate_pages(pages_of(pages)?, align)
    }

    unsafe fn deallocate_pages(&mut self, start: NonNull<u8>, pages: usize) {
        if let (Some(range), Some(pages)) = (PAGES.lock().as_mut(), pages_of(pages)) {
            // SAFETY: the caller's promise.
            unsafe { range.deallocate_pages(start, pages) };
        }
    }
}

pub(crate) fn room<T>() -> Option<NonNull<T>> {
    Some(Pages.allocate_pages(size_of::<T>().div_ceil(PAGE), PAGE)?.cast())
}

/// Gives it back.
/// The caller promises: [`room`] returned it, and nobody uses it any more.
pub(crate) unsafe fn give_back<T>(room: NonNull<T>) {
    // SAFETY: the caller's promise.
    unsafe { Pages.deallocate_pages(room.cast(), size_of::<T>().div_ceil(PAGE)) };
}
