//! A trace's calls as a board's allocator would get them: slots instead of blocks, each with the layout it has.

use core::alloc::Layout;
use std::collections::HashMap;

use trace::{Block, Op, Steps, Trace, TraceError};

use super::Demand;

/// What C promises of every block on a 64-bit machine.
const ALIGN: usize = 16;

/// A call on the block in a slot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Call {
    Allocate { slot: usize, layout: Layout },
    Resize { slot: usize, old: Layout, size: usize },
    Free { slot: usize, layout: Layout },
}

/// All calls of a trace, in the recorded order; and what they ask for, as far as they were read.
pub(super) struct Calls<'a> {
    steps: Steps<'a>,
    slots: HashMap<Block, usize>,
    /// By slot.
    layouts: Vec<Layout>,
    free: Vec<usize>,
    live: usize,
    pub(super) demand: Demand,
    pub(super) cut: Option<TraceError>,
}

impl<'a> Calls<'a> {
    pub(super) fn of(trace: &'a Trace) -> Self {
        Self {
            steps: trace.steps(),
            slots: HashMap::new(),
            layouts: Vec::new(),
            free: Vec::new(),
            live: 0,
            demand: Demand { sizes: (usize::MAX, 0), ..Demand::default() },
            cut: None,
        }
    }

    fn call(&mut self, op: &Op) -> Option<Call> {
        match *op {
            Op::Allocate { block, size, align, .. } => self.allocate(block, layout(size, align)?),
            Op::Reallocate { old, block, size, .. } => match self.slots.remove(&old) {
                Some(slot) => self.resize(slot, block, layout(size, 0)?.size()),
                // Of a block that was never seen: what it becomes is there all the same.
                None => self.allocate(block, layout(size, 0)?),
            },
            Op::Free { block, .. } => {
                let slot = self.slots.remove(&block)?;
                self.free.push(slot);
                let layout = self.layouts[slot];
                self.live -= layout.size();
                Some(Call::Free { slot, layout })
            }
            _ => None,
        }
    }

    fn allocate(&mut self, block: Block, layout: Layout) -> Option<Call> {
        let slot = self.free.pop().unwrap_or(self.layouts.len());
        if slot == self.layouts.len() {
            self.layouts.push(layout);
        }
        self.layouts[slot] = layout;
        self.slots.insert(block, slot);
        self.live += layout.size();
        self.asked(layout.size());
        Some(Call::Allocate { slot, layout })
    }

    fn resize(&mut self, slot: usize, block: Block, size: usize) -> Option<Call> {
        let old = self.layouts[slot];
        self.layouts[slot] = Layout::from_size_align(size, old.align()).ok()?;
        self.slots.insert(block, slot);
        self.live = self.live - old.size() + size;
        self.asked(size);
        Some(Call::Resize { slot, old, size })
    }

    fn asked(&mut self, size: usize) {
        let demand = &mut self.demand;
        demand.bytes = demand.bytes.max(self.live);
        demand.blocks = demand.blocks.max(self.slots.len());
        demand.sizes = (demand.sizes.0.min(size), demand.sizes.1.max(size));
    }
}

impl Iterator for Calls<'_> {
    type Item = Call;

    fn next(&mut self) -> Option<Call> {
        while self.cut.is_none() {
            match self.steps.next()? {
                Ok(step) => {
                    if let Some(call) = self.call(&step.op) {
                        self.demand.calls += 1;
                        return Some(call);
                    }
                }
                Err(error) => self.cut = Some(error),
            }
        }
        None
    }
}

fn layout(size: u64, align: u64) -> Option<Layout> {
    let align = usize::try_from(align).ok()?.max(ALIGN);
    Layout::from_size_align(usize::try_from(size).ok()?, align).ok()
}
