//! The pages under the kernel's allocators: a buddy system on one region, which counts them, and costs what is asked for.
//!
//! ```text
//! bare      buddy: some nanoseconds                       who is measured is the allocator alone
//! kernel    buddy + waiting + the page is set to 0        as in a Linux kernel: what it takes to need a page is seen
//! ```
//!
//! What a page takes in a kernel, [`PageCost::KERNEL_NS`], is published: 213 cycles, 53 ns at 4 GHz, for one that is taken and
//! given back (J. D. Brouer, `page_bench02` on Linux 4.10, in the message of commit 374ad05ab64d), of which taking is two
//! thirds (M. Gorman's table there). Linux 5.4 has the same path. Ubuntu's kernels since 5.3 set each page to 0 too
//! (`init_on_alloc`): that is done here and not waited for, because it costs what it does on this machine and brings the page
//! into its caches.

use core::cell::Cell;
use core::hint::spin_loop;
use core::ptr::NonNull;
use std::rc::Rc;

use base::{AddMemory, PageAllocator};
use kernel::buddy::BuddyPages;

pub(super) const PAGE: usize = 4096;

/// What a page costs beside the buddy system's own work: waiting, in what the processor's counter counts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct PageCost {
    take: u64,
    give: u64,
    zeroed: bool,
}

impl PageCost {
    /// Nothing.
    pub const BARE: Self = Self { take: 0, give: 0, zeroed: false };
    /// Nanoseconds for a page that is taken and given back in Linux 5.4.
    pub const KERNEL_NS: u64 = 53;

    /// So many nanoseconds for a page that is taken and given back, and whether it is set to 0 when it is taken. Cost: twenty
    /// milliseconds.
    pub fn of(ns: u64, zeroed: bool) -> Self {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "some nanoseconds"
        )]
        let both = (ns as f64 * timing::ticks_per_second() / 1e9) as u64;
        // Reading the counter is a part of the wait.
        let shorter = timing::overhead();
        let wait = |ticks: u64| ticks.saturating_sub(shorter);
        let take = both * 2 / 3;
        Self { take: wait(take), give: wait(both - take), zeroed }
    }
}

fn wait(ticks: u64) {
    if ticks > 0 {
        let since = timing::ticks();
        while timing::ticks().wrapping_sub(since) < ticks {
            spin_loop();
        }
    }
}

/// The first `len` bytes, a whole number of pages, and the others.
pub(super) fn split(memory: NonNull<[u8]>, len: usize) -> (NonNull<[u8]>, NonNull<[u8]>) {
    let len = len / PAGE * PAGE;
    let start = memory.cast::<u8>();
    // SAFETY: not more bytes than there are.
    let rest = unsafe { start.add(len) };
    let piece = NonNull::slice_from_raw_parts;
    (piece(start, len), piece(rest, memory.len() - len))
}

/// The pages under the kernel's allocators, which are counted.
#[derive(Debug)]
pub struct Pages {
    pages: BuddyPages<PAGE>,
    held: Rc<Cell<usize>>,
    cost: PageCost,
    /// Whether several at once cost as much as each by itself.
    singly: bool,
}

impl Pages {
    /// On this memory; and how many of its pages are in use, from now on. `None`: it is too small.
    ///
    /// # Safety
    ///
    /// The memory is valid, and nobody else's as long as there are pages of it.
    pub unsafe fn on(memory: NonNull<[u8]>, cost: PageCost) -> Option<(Self, Rc<Cell<usize>>)> {
        let mut pages = BuddyPages::new();
        // SAFETY: the caller's promise.
        unsafe { pages.add_memory(memory.cast().as_ptr(), memory.len()) }.ok()?;
        let held = Rc::new(Cell::new(0));
        Some((Self { pages, held: Rc::clone(&held), cost, singly: false }, held))
    }

    /// The same where several at once cost as much as each by itself: a kernel's chains are single pages, here they lie in a row.
    pub fn singly(self) -> Self {
        Self { singly: true, ..self }
    }

    fn requests(&self, pages: usize) -> u64 {
        if self.singly { pages as u64 } else { 1 }
    }
}

// SAFETY: the pages are the buddy system's.
unsafe impl PageAllocator for Pages {
    fn page_size(&self) -> usize {
        PAGE
    }

    fn allocate_pages(&mut self, pages: usize, align: usize) -> Option<NonNull<u8>> {
        let start = self.pages.allocate_pages(pages, align)?;
        self.held.set(self.held.get() + pages);
        wait(self.cost.take * self.requests(pages));
        if self.cost.zeroed {
            // SAFETY: `pages` pages, taken just now.
            unsafe { start.write_bytes(0, pages * PAGE) };
        }
        Some(start)
    }

    unsafe fn deallocate_pages(&mut self, start: NonNull<u8>, pages: usize) {
        self.held.set(self.held.get() - pages);
        wait(self.cost.give * self.requests(pages));
        // SAFETY: the caller's promise.
        unsafe { self.pages.deallocate_pages(start, pages) };
    }
}

#[cfg(test)]
mod tests {
    use core::alloc::Layout;
    use std::alloc::alloc;

    use super::*;

    #[test]
    fn pages_are_counted_and_zero_where_that_is_asked_for() {
        let layout = Layout::from_size_align(1 << 20, PAGE).unwrap();
        for cost in [PageCost::BARE, PageCost::of(1000, true)] {
            // SAFETY: the layout has a size.
            let memory = NonNull::new(unsafe { alloc(layout) }).unwrap();
            // SAFETY: allocated just now, with that size.
            unsafe { memory.write_bytes(7, layout.size()) };
            let memory = NonNull::slice_from_raw_parts(memory, layout.size());
            // SAFETY: it is nobody else's, and never freed.
            let (mut pages, held) = unsafe { Pages::on(memory, cost) }.unwrap();
            let two = pages.allocate_pages(2, PAGE).unwrap();
            assert_eq!(held.get(), 2);
            // SAFETY: two live pages.
            let last = unsafe { two.add(2 * PAGE - 1) };
            // SAFETY: all of them were written to.
            assert_eq!(unsafe { last.read() } == 0, cost.zeroed);
            // SAFETY: allocated just now.
            unsafe { pages.deallocate_pages(two, 2) };
            assert_eq!(held.get(), 0);
        }
    }
}
