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

/// Two functions of which the second is called by two others, a block a microsecond; each third is freed at once.
pub(crate) fn with_stacks() -> Pictures {
    use symbols::Symbol;
    let trace = trace::testing::packed(&trace::testing::about(), |packer| {
        let name = |function, line| [Symbol { function, file: "/src/app.cpp", line }];
        let mut frames = Vec::new();
        for (n, function) in ["load", "parse", "answer"].into_iter().enumerate() {
            packer.name(0x100 + n as u64, "/bin/app", name(function, 10 + n as u32));
            frames.push(packer.frame(0, 0x100 + n as u64).unwrap());
        }
        packer.name(0x200, "/bin/app", name("copy", 5));
        let copies = [1, 2].map(|caller| packer.frame(frames[caller], 0x200).unwrap());
        let mut time = 0;
        let mut push = |op| {
            time += 1000;
            packer.push(&Step { time, thread: 0, op }).unwrap();
        };
        for block in 0..300u64 {
            let frame = [frames[0], copies[0], copies[1]][(block % 3) as usize];
            let size = [4000, 1000, 1000][(block % 3) as usize];
            let address = block << 12;
            push(Op::Allocate { block, how: How::Malloc, size, align: 0, address, frame });
            if block % 3 == 2 {
                push(Op::Free { block, touched: None });
            }
        }
    });
    super::gather(&trace, crate::Moment::End, &mut |_| {})
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
