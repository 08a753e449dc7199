//! Recordings for tests.

use trace::{How, Op, Step};

use super::{Gather, Plan};
use crate::pictures::Pictures;

pub(crate) fn allocate(time: u64, block: u64, address: u64, size: u64) -> Step {
    let op = Op::Allocate { block, how: How::Malloc, size, align: 0, address, frame: 0 };
    Step { time, thread: 0, op }
}

pub(crate) fn free(time: u64, thread: u32, block: u64) -> Step {
    Step { time, thread, op: Op::Free { block, touched: None } }
}

/// The same beside others, of which the last has a long name and many rows.
pub(crate) fn beside(blocks: &[(u64, u64)], sides: u64) -> Pictures {
    let side = |number: u64| {
        let moved = blocks.iter().map(|(address, size)| (address * (number + 2), *size));
        let mut side = gathered(&moved.collect::<Vec<_>>());
        side.name = "a name that is far too long for its column ".repeat(number as usize + 1);
        side.frames.iter_mut().for_each(|frame| frame.resident = Some(frame.live * 2));
        side.curve.iter_mut().for_each(|point| point.held = Some(point.live * 2));
        side
    };
    gathered(blocks).with((0..sides).map(side).collect())
}

/// Blocks at these addresses and of these sizes, one each microsecond, none freed.
pub(crate) fn gathered(blocks: &[(u64, u64)]) -> Pictures {
    let duration = blocks.len() as u64 * 1000;
    let mut gather = Gather::new(Plan { duration, ..Plan::default() });
    for (block, (address, size)) in blocks.iter().enumerate() {
        gather.push(&allocate(block as u64 * 1000, block as u64, *address, *size));
    }
    gather.finish()
}
