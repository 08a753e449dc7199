//! What becomes of blocks by where they are allocated: a few sums for each path of callers, whatever number of stacks there is.
//!
//! ```text
//! frame ─► its stack ─► path ─► allocated, temporary, freed by others │ at the peak │ held │ old, gone, young │ never freed
//!          looked up once       while steps come                        by walking the live blocks, at four moments
//! ```
//!
//! Where stacks are sampled the sums are estimates.

use trace::{Block, Estimate, Frame, Paths, Stacks};

use crate::facts::{Amount, Sites, Uses};
use crate::live::Live;

mod tree;

/// A block is temporary that is freed before as many others were allocated.
const SOON: u64 = 16;

fn amount(sum: Estimate) -> Amount {
    let (margin, blocks_margin) = (sum.margin(), sum.blocks_margin());
    Amount { blocks: sum.blocks, bytes: sum.bytes, margin, blocks_margin }
}

/// What is summed up of a path's blocks: as in [`Uses`], and `Before`: live at half of the work.
#[derive(Debug, Clone, Copy)]
enum Of {
    Allocated,
    Temporary,
    Elsewhere,
    Peak,
    Held,
    Before,
    Old,
    Young,
    Left,
}

/// By [`Of`].
#[derive(Debug, Clone, Copy, Default)]
struct Sums([Estimate; Of::Left as usize + 1]);

impl Sums {
    fn uses(&self) -> Uses {
        let [allocated, temporary, elsewhere, peak, held, before, old, young, left] = self.0;
        // What is left of those from before is a part of them, and so is its variance.
        let gone = Estimate {
            blocks: before.blocks - old.blocks,
            bytes: before.bytes - old.bytes,
            variance: (before.variance - old.variance).max(0.0),
            blocks_variance: (before.blocks_variance - old.blocks_variance).max(0.0),
        };
        let [allocated, temporary, elsewhere] = [allocated, temporary, elsewhere].map(amount);
        let [peak, held, old, gone, young, left] = [peak, held, old, gone, young, left].map(amount);
        Uses { allocated, temporary, elsewhere, peak, held, old, gone, young, left }
    }

    fn add(&mut self, other: &Self) {
        self.0.iter_mut().zip(&other.0).for_each(|(sum, more)| sum.join(more));
    }
}

/// Follows sites through the second pass.
#[derive(Debug)]
pub(crate) struct Follow<'a> {
    stacks: &'a Stacks,
    paths: Paths,
    /// By the numbers of the paths.
    sums: Vec<Sums>,
    blocks: u64,
    newest: Block,
    /// The newest block when half of the work was done.
    half: Option<Block>,
}

impl<'a> Follow<'a> {
    pub(crate) fn new(stacks: &'a Stacks) -> Self {
        Self { stacks, paths: Paths::default(), sums: Vec::new(), blocks: 0, newest: 0, half: None }
    }

    /// The sums of a frame's path, and how likely it was that a block of this size had a stack.
    fn sums(&mut self, frame: Frame, size: u64) -> Option<(&mut Sums, f64)> {
        if frame == 0 || self.stacks.is_empty() {
            return None;
        }
        let number = self.paths.number(self.stacks, frame);
        self.sums.resize(self.paths.all.len(), Sums::default());
        Some((&mut self.sums[number], self.stacks.likely(size)))
    }

    pub(crate) fn allocated(&mut self, block: Block, frame: Frame, size: u64) {
        self.newest = block;
        if let Some((sums, p)) = self.sums(frame, size) {
            sums.0[Of::Allocated as usize].add(size, p);
            self.blocks += 1;
        }
    }

    pub(crate) fn freed(&mut self, block: Block, frame: Frame, size: u64, is_elsewhere: bool) {
        let is_soon = self.newest.saturating_sub(block) < SOON;
        if let Some((sums, p)) = self.sums(frame, size) {
            if is_soon {
                sums.0[Of::Temporary as usize].add(size, p);
            }
            if is_elsewhere {
                sums.0[Of::Elsewhere as usize].add(size, p);
            }
        }
    }

    /// A block that holds free memory around it.
    pub(crate) fn holds(&mut self, frame: Frame, size: u64, holds: u64) {
        if let Some((sums, p)) = self.sums(frame, size) {
            sums.0[Of::Held as usize].add(holds, p);
        }
    }

    pub(crate) fn at_peak(&mut self, live: &Live) {
        self.each(live, |_| Of::Peak);
    }

    pub(crate) fn at_half(&mut self, live: &Live) {
        self.half = Some(self.newest);
        self.each(live, |_| Of::Before);
    }

    pub(crate) fn done(&mut self, live: &Live) {
        let half = self.half.unwrap_or(Block::MAX);
        self.each(live, |block| if block <= half { Of::Old } else { Of::Young });
    }

    fn each(&mut self, live: &Live, of: impl Fn(Block) -> Of) {
        if self.stacks.is_empty() {
            return;
        }
        for (block, entry) in live.iter() {
            if let Some((sums, p)) = self.sums(entry.frame, entry.size()) {
                sums.0[of(block) as usize].add(entry.size(), p);
            }
        }
    }

    /// `live`: what was never freed.
    pub(crate) fn finish(mut self, live: &Live) -> Sites {
        self.each(live, |_| Of::Left);
        let mut all = Sums::default();
        for sums in &self.sums {
            all.add(sums);
        }
        let (count, list) = tree::told(&self.stacks.names, &self.paths.all, &self.sums);
        Sites {
            interval: self.stacks.interval,
            blocks: self.blocks,
            count,
            all: all.uses(),
            list,
            troubles: self.stacks.names.troubles.clone(),
        }
    }
}
