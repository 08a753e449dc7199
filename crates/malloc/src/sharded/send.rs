//! Blocks of another thread's: they wait in the outbox, and go to their pages.
//!
//! ```text
//! free ─► outbox ─ a chain of the page is there? ─► it                    no atomics
//!            └─► wait_slowly ─ one begins; one is due ─► send ─► thread_free of the page
//!                                                          └─ the page is full: its heap's delayed list
//! ```
use base::lock::Busy;
use base::sync::{Ordering, fence};
use page::System;

use super::heap::{Heap, Thread};
use super::outbox::{Grid, Waiting};
use super::pages::{Page, Segment};
use super::thread_free::Pushed;
use super::{Sharded, size_of_class};
use crate::links::Chain;
use crate::misuse::{self, Misuse};

impl<S: System> Sharded<S> {
    /// A block of a segment that is `owner`'s and not this thread's is freed: it waits in the outbox. `false`: it may not, or looks wrong.
    #[inline(never)]
    pub(super) fn wait_in_outbox(&self, segment: &Segment, block: usize, owner: usize) -> bool {
        let Some(thread) = self.thread().filter(|_| !S::is_busy()) else { return false };
        let busy = Busy::<S>::new();
        match thread.outbox.push(block, owner) {
            Waiting::Yes => true,
            more => self.wait_slowly(thread, (segment, owner), block, more, busy),
        }
    }

    /// The thread is `busy` until it ends, so that nothing is left to do behind it.
    #[cold]
    #[inline(never)]
    fn wait_slowly(
        &self,
        thread: &Thread,
        (segment, owner): (&Segment, usize),
        block: usize,
        more: Waiting,
        _busy: Busy<S>,
    ) -> bool {
        let send = |chain| self.send(Some(thread), chain);
        if more == Waiting::Due {
            thread.outbox.take_of(block).into_iter().for_each(send);
            return true;
        }
        let class = segment.waiting_class(block);
        // An abandoned segment is adopted by who frees a block of it: then, and not later.
        if class == 0 || owner == 0 || owner == thread.address() {
            return false;
        }
        let size = size_of_class(class);
        let grid = Grid::of(block, size);
        let is_block = grid.has(block);
        if is_block && more == Waiting::Wrong {
            misuse::end::<S>("free()", block, Misuse::Free);
        }
        if is_block {
            thread.outbox.begin(block, owner, (grid, size), send);
        }
        is_block
    }

    /// All that waits in a thread's outbox goes.
    pub(super) fn send_all(&self, thread: &Thread) {
        thread.outbox.send_all(|chain| self.send(Some(thread), chain));
    }

    /// A block of another thread's is freed.
    #[cold]
    #[inline(never)]
    pub(super) fn free_theirs(&self, page: &Page, block: usize) {
        if page.class() != 0 && !page.is_block(block, size_of_class(page.class())) {
            misuse::end::<S>("free()", block, Misuse::Inside);
        }
        self.send(None, Chain::of(block));
    }

    /// Blocks of another thread's page, which are in use, go to it. `thread`: the calling one's record.
    fn send(&self, thread: Option<&Thread>, chain: Chain) {
        let first = chain.first;
        let Some(segment) = self.segments.of(first) else { self.end_for("free()", first) };
        let busy = Busy::<S>::new();
        let page = segment.page_of(first);
        match page.thread_free.push(chain) {
            Pushed::Waits => {}
            Pushed::Tell => {
                if let Some(heap) = Heap::at(page.heap()) {
                    heap.push_delayed(first);
                }
                page.thread_free.told();
            }
            Pushed::Twice => misuse::end::<S>("free()", first, Misuse::Free),
        }
        drop(busy);
        // Pairs with the fence of who abandons it.
        fence(Ordering::SeqCst);
        if self.segments.is_marked(first) {
            match thread.or_else(|| self.thread_to_free()) {
                Some(thread) => self.adopt(thread, segment),
                None => self.look_through(segment),
            }
        }
    }
}
