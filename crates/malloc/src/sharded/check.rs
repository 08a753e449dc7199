//! Whether the calling thread's heaps are whole.
use base::check::ensure;
use base::{Broken, Check};
use page::System;

use super::heap::{MAX_DIRECT, Thread};
use super::pages::State;
use super::{Sharded, size_of_class};
use crate::links;

impl<S: System> Check for Sharded<S> {
    /// Of the calling thread's heaps: others' change meanwhile.
    fn check(&self) -> Result<(), Broken> {
        if let Some(thread) = self.thread() {
            check_thread(thread)?;
        }
        self.segments.check_mappings()
    }
}

fn check_thread(thread: &Thread) -> Result<(), Broken> {
    // But for the block that was moving when a signal handler interrupted it and asked for this.
    let mut may_be_off = 1;
    for heap in thread.all_heaps() {
        for (class, bin) in heap.bins.iter().enumerate() {
            for page in bin.iter() {
                let at = page.start();
                ensure(
                    page.class() == class && page.is(State::Queued),
                    "sharded-H1: a page is in its queue",
                    at,
                )?;
                ensure(page.heap() == heap.address(), "sharded-H1: a page is its heap's", at)?;
                let off = page.blocks_off();
                ensure(off <= may_be_off, "pages-A1: a page's blocks add up", at)?;
                may_be_off -= off;
            }
            let size = size_of_class(class);
            if class > 0 && size <= MAX_DIRECT {
                let direct = heap.direct(size).map_or(0, links::address);
                let first = bin.first().map_or(0, links::address);
                ensure(direct == first, "sharded-H1: direct is the first of its queue", size)?;
            }
        }
        for page in heap.full.iter() {
            ensure(page.is(State::Full), "sharded-H1: a full page is on the list", page.start())?;
        }
    }
    thread.segments.check(thread.address())
}
