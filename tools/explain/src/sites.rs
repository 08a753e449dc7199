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

fn amount(sum: &Estimate) -> Amount {
    let (margin, blocks_margin) = (sum.margin(), sum.blocks_margin());
    Amount { blocks: sum.blocks, bytes: sum.bytes, margin, blocks_margin }
}

#[derive(Debug, Clone, Copy, Default)]
struct Sums {
    allocated: Estimate,
    temporary: Estimate,
    elsewhere: Estimate,
    peak: Estimate,
    held: Estimate,
    before: Estimate,
    old: Estimate,
    young: Estimate,
    left: Estimate,
}

impl Sums {
    fn uses(&self) -> Uses {
        // What is left of those from before is a part of them, and so is its variance.
        let gone = Estimate {
            blocks: self.before.blocks - self.old.blocks,
            bytes: self.before.bytes - self.old.bytes,
            variance: (self.before.variance - self.old.variance).max(0.0),
            blocks_variance: (self.before.blocks_variance - self.old.blocks_variance).max(0.0),
        };
        Uses {
            allocated: amount(&self.allocated),
            temporary: amount(&self.temporary),
            elsewhere: amount(&self.elsewhere),
            peak: amount(&self.peak),
            held: amount(&self.held),
            old: amount(&self.old),
            gone: amount(&gone),
            young: amount(&self.young),
            left: amount(&self.left),
        }
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
            sums.allocated.add(size, p);
            self.blocks += 1;
        }
    }

    pub(crate) fn freed(&mut self, block: Block, frame: Frame, size: u64, is_elsewhere: bool) {
        let is_soon = self.newest.saturating_sub(block) < SOON;
        if let Some((sums, p)) = self.sums(frame, size) {
            if is_soon {
                sums.temporary.add(size, p);
            }
            if is_elsewhere {
                sums.elsewhere.add(size, p);
            }
        }
    }

    /// A block that holds free memory around it.
    pub(crate) fn holds(&mut self, frame: Frame, size: u64, holds: u64) {
        if let Some((sums, p)) = self.sums(frame, size) {
            sums.held.add(holds, p);
        }
    }

    pub(crate) fn at_peak(&mut self, live: &Live) {
        self.each(live, |_, sums| &mut sums.peak);
    }

    pub(crate) fn at_half(&mut self, live: &Live) {
        self.half = Some(self.newest);
        self.each(live, |_, sums| &mut sums.before);
    }

    pub(crate) fn done(&mut self, live: &Live) {
        let half = self.half.unwrap_or(Block::MAX);
        self.each(live, |block, sums| if block <= half { &mut sums.old } else { &mut sums.young });
    }

    fn each(&mut self, live: &Live, sum: impl Fn(Block, &mut Sums) -> &mut Estimate) {
        if self.stacks.is_empty() {
            return;
        }
        for (block, entry) in live.iter() {
            if let Some((sums, p)) = self.sums(entry.frame, entry.size()) {
                sum(block, sums).add(entry.size(), p);
            }
        }
    }

    /// `live`: what was never freed.
    pub(crate) fn finish(mut self, live: &Live) -> Sites {
        self.each(live, |_, sums| &mut sums.left);
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

impl Sums {
    fn add(&mut self, other: &Self) {
        let pairs = [
            (&mut self.allocated, &other.allocated),
            (&mut self.temporary, &other.temporary),
            (&mut self.elsewhere, &other.elsewhere),
            (&mut self.peak, &other.peak),
            (&mut self.held, &other.held),
            (&mut self.before, &other.before),
            (&mut self.old, &other.old),
            (&mut self.young, &other.young),
            (&mut self.left, &other.left),
        ];
        for (sum, more) in pairs {
            sum.join(more);
        }
    }
}
