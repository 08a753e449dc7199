//! A walk through the blocks that are live, while other threads go on.
//!
//! ```text
//! what threads keep ─► slabs, runs, mappings ─► what threads keep
//!  shown as kept         shown as live           shown as kept       an object that a thread keeps is a taken one of its slab
//! ```
//!
//! - **walk-B1** a block that is live all the time is shown as live, once, and not as kept.
//! - **walk-B2** one that is free all the time is not shown as live, or as kept too. What is left of doubt: an object that came to a
//!   thread after the first look at it and went back to its slab before the last, and those of a thread that stands inside its slow
//!   path (kept-Z1).
//!
//! Of what comes and goes meanwhile nothing is said: who walks has to hear of it otherwise. Blocks of heaps of their own are none of
//! malloc's, and those of signal handlers that interrupted malloc are not found.
//!
//! Nothing is locked, but the list of threads and the table of mappings. O(granules + objects), no memory but a kilobyte of stack.
use base::sync::{Ordering, fence};
use object::Slab;
use object::size_class::info;
use page::geometry::GRANULES_PER_BLOCK;
use page::{GRANULE, Span, System};
use thread::Tls;
use thread::cache::SlotSnapshot;
use thread::kept::Look;

use super::Flagship;

/// What a block is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Block {
    /// The program's, unless it is shown as kept too.
    Live,
    /// Kept by a thread for its next allocations.
    Kept,
}

impl<S: System, T: Tls> Flagship<S, T> {
    /// Shows each block with its size to `visit`, which must not allocate. `false`: in a signal handler that interrupted malloc, or
    /// where the system does not let a thread look at others'.
    pub fn walk(&self, mut visit: impl FnMut(usize, usize, Block)) -> bool {
        if S::is_busy() || !self.walk_kept(&mut visit) {
            return false;
        }
        if self.pages.region.granules() != 0 {
            self.walk_region(&mut visit);
        }
        self.huge.each(|at, len| visit(at, len, Block::Live));
        self.walk_kept(&mut visit)
    }

    fn walk_kept(&self, visit: &mut impl FnMut(usize, usize, Block)) -> bool {
        let region = &self.pages.region;
        let mut is_hidden = false;
        self.threads.retain(
            |cache| {
                let look = cache.each_kept::<S, T>(&self.tls, |object| {
                    let class = region.class_at(object).unwrap_or(0);
                    visit(object, info(class).size as usize, Block::Kept);
                });
                is_hidden |= look == Look::Hidden;
                look != Look::Gone
            },
            |gone| self.reclaim_dead(gone, &SlotSnapshot::Gone),
        );
        !is_hidden
    }

    fn walk_region(&self, visit: &mut impl FnMut(usize, usize, Block)) {
        let region = &self.pages.region;
        for block in self.pages.committed() {
            let used = region.block(block).owned() & !region.block(block).free();
            for number in (0..GRANULES_PER_BLOCK).filter(|number| used >> number & 1 != 0) {
                let granule = block as usize * GRANULES_PER_BLOCK + number;
                match region.span(granule) {
                    Span::Run(count) => {
                        visit(region.address_of(granule), count * GRANULE, Block::Live);
                    }
                    // SAFETY: the span map names descriptors only.
                    Span::Slab(at) => self.walk_slab(unsafe { Slab::at(at) }, granule, visit),
                    // Within a run, or on its way to a slab or run, or back.
                    Span::Kept(_) | Span::None => {}
                }
            }
        }
    }

    /// The taken objects of a slab, at the first of its granules.
    fn walk_slab(&self, slab: &Slab, granule: usize, visit: &mut impl FnMut(usize, usize, Block)) {
        let region = &self.pages.region;
        let class = usize::from(region.class(granule));
        // It may end meanwhile, and its descriptor serve another one. That of a heap of its own has no class here.
        let is_here = || class != 0 && slab.granule() == granule && slab.tag().class() == class;
        let class_info = info(class);
        for (index, word) in slab.words(class_info).enumerate() {
            if !is_here() {
                return;
            }
            let mut taken = !word.load(Ordering::Relaxed) & class_info.word_mask(index);
            // What is checked again was read before.
            fence(Ordering::Acquire);
            if !is_here() {
                return;
            }
            while taken != 0 {
                let object = index * 64 + taken.trailing_zeros() as usize;
                let size = class_info.size as usize;
                visit(region.address_of(granule) + object * size, size, Block::Live);
                taken &= taken - 1;
            }
        }
    }
}
