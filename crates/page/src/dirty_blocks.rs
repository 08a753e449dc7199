//! Blocks with free granules that cost memory, in the order in which they came to have some.
//!
//! ```text
//! oldest ─► block ─► block ─► block ◄─ newest          purged from the oldest on
//! ```
//!
//! - **dirty-blocks-B3** a block with free granules that cost memory is in the queue. So giving memory back walks what can
//!   go back, not every block there is. A block that has none any more stays until it is met.
//!
//! Layer *page*, inside the page heap's lock. O(1); a block enters once and is met once for that.
use base::Broken;
use base::check::ensure;
use base::sync::Ordering;

use crate::bins::NIL;
use crate::region::Region;

/// The queue. Its links are in the blocks' descriptors.
#[derive(Debug)]
pub(crate) struct DirtyBlocks {
    oldest: u32,
    newest: u32,
}

impl DirtyBlocks {
    pub(crate) const fn new() -> Self {
        Self { oldest: NIL, newest: NIL }
    }

    /// The block that entered first; `NIL`: there is none.
    pub(crate) const fn oldest(&self) -> u32 {
        self.oldest
    }

    /// The block that entered last; `NIL`: there is none.
    pub(crate) const fn newest(&self) -> u32 {
        self.newest
    }

    /// A block enters, if it is not there.
    #[inline]
    pub(crate) fn enter(&mut self, region: &Region, block: u32) {
        let info = region.block(block);
        if info.queued.load(Ordering::Relaxed) != 0 {
            return;
        }
        info.queued.store(1, Ordering::Relaxed);
        info.younger.store(NIL, Ordering::Relaxed);
        let before = core::mem::replace(&mut self.newest, block);
        if before == NIL {
            self.oldest = block;
        } else {
            region.block(before).younger.store(block, Ordering::Relaxed);
        }
    }

    pub(crate) fn leave(&mut self, region: &Region) {
        let info = region.block(self.oldest);
        info.queued.store(0, Ordering::Relaxed);
        self.oldest = info.younger.load(Ordering::Relaxed);
        if self.oldest == NIL {
            self.newest = NIL;
        }
    }

    /// dirty-blocks-B3, of `blocks` blocks, `queued` of which say that they are in it.
    pub(crate) fn check(
        &self,
        region: &Region,
        blocks: usize,
        queued: usize,
    ) -> Result<(), Broken> {
        let (mut block, mut last, mut count) = (self.oldest, NIL, 0);
        while block != NIL {
            count += 1;
            ensure(count <= blocks, "dirty-blocks-B3: the queue ends", count)?;
            last = block;
            block = region.block(block).younger.load(Ordering::Relaxed);
        }
        ensure(last == self.newest, "dirty-blocks-B3: the newest is the last", last as usize)?;
        // Blocks behind a frontier that has sunk may be there too.
        ensure(count >= queued, "dirty-blocks-B3: who says so is in the queue", count)
    }
}
