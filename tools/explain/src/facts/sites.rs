//! Where the program allocates what: facts by site, where call stacks were recorded.

use serde::Serialize;
use symbols::Trouble;

/// Where memory is allocated. Empty where no stacks were recorded.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Sites {
    /// Of so many bytes one allocation has its stack, on average; 0: each has.
    pub interval: u64,
    /// Blocks that have a stack.
    pub blocks: u64,
    pub count: u64,
    pub all: Uses,
    /// Those that are most of something.
    pub list: Vec<Site>,
    /// Why some have no names, and what would help.
    pub troubles: Vec<Trouble>,
}

/// The innermost function of a call stack that is neither an allocator's nor a standard library's. What is not known is empty.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Site {
    /// What to call it, with the callers that tell its uses apart: `insert (cache.cpp:88)`, `sdsnew < createObject (object.c:12)`.
    pub name: String,
    pub function: String,
    pub file: String,
    /// The line of the call, or 0.
    pub line: u32,
    /// The program or library that it is in.
    pub module: String,
    /// Where in that, if it has no name.
    pub place: u64,
    /// The site of the list that this is a part of: the same without its outermost caller.
    pub within: Option<usize>,
    pub uses: Uses,
}

/// What is allocated at a site, and what becomes of it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct Uses {
    pub allocated: Amount,
    /// Of that, freed before 16 more blocks were allocated.
    pub temporary: Amount,
    /// Of that, freed by another thread.
    pub elsewhere: Amount,
    /// Live at the peak.
    pub peak: Amount,
    /// Free memory that its blocks hold, when most was free and kept; the blocks are those that hold it.
    pub held: Amount,
    /// Live when half of the work was done and still live at its end.
    pub old: Amount,
    /// Live at half of the work, and gone at its end.
    pub gone: Amount,
    /// Allocated in the second half of the work and live at its end.
    pub young: Amount,
    /// Never freed.
    pub left: Amount,
}

impl Uses {
    /// Bytes by which it grew in the second half of the work.
    pub fn growth(&self) -> f64 {
        self.young.bytes - self.gone.bytes
    }

    pub fn growth_margin(&self) -> f64 {
        self.young.margin.hypot(self.gone.margin)
    }
}

/// Blocks and bytes; estimates, where stacks were sampled.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct Amount {
    pub blocks: f64,
    pub bytes: f64,
    /// The true number of bytes is no further off, in 95 of 100 cases; 0: it is this one.
    pub margin: f64,
    /// The same of the number of blocks.
    pub blocks_margin: f64,
}
