//! TLSF as an arena on a region, as the report on TLSF measures it: the end of its memory is moved with what is asked for.
//!
//! ```text
//! region   │ blocks … │ free │ ░ not asked for yet, or given back ░ │
//!                            └ the end: a page further when a block does not fit, back when more than two pages are free
//! ```
//!
//! Given back means what it does in that report's program: the system takes the pages, and a later block touches new ones. A
//! pool that has all of its memory from the beginning, `tlsf`, does neither.

use core::ptr;

use base::{AddError, AddMemory};
use block::tlsf::{Arena, Tail, Tlsf};
use source::PageSource as _;
use source::os::Os;

/// Bytes that the end is moved by.
const STEP: usize = 4096;

/// A region of which some bytes are the arena's.
#[derive(Debug)]
pub(crate) struct Region {
    start: *mut u8,
    len: usize,
    used: usize,
}

// SAFETY: the bytes up to the region's end are the arena's for as long as it lives; those beyond its own hold nothing.
unsafe impl Tail for Region {
    fn base(&self) -> *mut u8 {
        self.start
    }

    fn step(&self) -> usize {
        STEP
    }

    fn resize(&mut self, len: usize) -> bool {
        if len > self.len {
            return false;
        }
        if len < self.used {
            // SAFETY: whole pages of the region, of which nothing is used any more.
            unsafe { Os.purge(self.start.addr() + len, self.used - len) };
        }
        self.used = len;
        true
    }
}

impl AddMemory for Region {
    /// Takes one region, whole pages of it.
    unsafe fn add_memory(&mut self, start: *mut u8, len: usize) -> Result<(), AddError> {
        if self.len > 0 {
            return Err(AddError::Full);
        }
        let skipped = start.addr().next_multiple_of(STEP) - start.addr();
        self.len = len.saturating_sub(skipped) / STEP * STEP;
        self.start = start.wrapping_add(skipped);
        Ok(())
    }
}

/// TLSF as an arena on the region that it is given.
pub(crate) fn on_region() -> Arena<Tlsf, Region> {
    Arena::new(Tlsf::new(), Region { start: ptr::null_mut(), len: 0, used: 0 })
}

#[cfg(test)]
mod tests {
    use core::alloc::Layout;
    use std::alloc::alloc;

    use base::BlockAllocator as _;

    use super::*;

    #[test]
    fn what_is_given_back_is_new_memory_and_the_region_is_the_limit() {
        let layout = Layout::from_size_align(64 * STEP, STEP).unwrap();
        // SAFETY: the layout has a size.
        let memory = unsafe { alloc(layout) };
        let mut arena = on_region();
        // SAFETY: it is nobody else's, and never freed.
        unsafe { arena.add_memory(memory, layout.size()) }.unwrap();
        // SAFETY: as above.
        assert!(unsafe { arena.add_memory(memory, layout.size()) }.is_err());
        let large = Layout::from_size_align(40 * STEP, 16).unwrap();
        let block = arena.allocate(large).unwrap();
        // SAFETY: a block of that size.
        unsafe { block.write_bytes(7, large.size()) };
        assert!(arena.allocate(large).is_none(), "two do not fit");
        // SAFETY: allocated just now.
        unsafe { arena.deallocate(block, large) };
        assert!(arena.len() <= 3 * STEP, "{}", arena.len());
        let again = arena.allocate(large).unwrap();
        // SAFETY: less than its size.
        let last = unsafe { again.add(large.size() - 1) };
        // SAFETY: the system gave the page anew, set to 0.
        assert_eq!(unsafe { last.read() }, 0);
    }
}
