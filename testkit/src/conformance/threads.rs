//! Rules about threads that end.
use super::{Lend, program};
use crate::program::Op;

/// A thread allocates and ends; others use, resize and free its blocks, and end too.
pub(super) fn exit(lend: &Lend<'_>) -> Result<(), String> {
    let mut ops = Vec::new();
    let sizes = [8, 100, 1000, 9000, 40_000, 400_000];
    for thread in 1..8 {
        let blocks = || (0..60u32).zip(sizes.into_iter().cycle());
        ops.push(Op::On { thread });
        ops.extend(blocks().map(|(slot, size)| Op::Malloc { slot, size }));
        ops.push(Op::Exit { thread });
        ops.push(Op::Verify);
        ops.push(Op::On { thread: thread + 8 });
        ops.extend((0..60).step_by(3).map(|slot| Op::Free { slot }));
        ops.extend(
            blocks().skip(1).step_by(3).map(|(slot, size)| Op::Realloc { slot, size: size * 3 }),
        );
        ops.push(Op::Exit { thread: thread + 8 });
        ops.extend(blocks().step_by(3).map(|(slot, size)| Op::Calloc { slot, count: 1, size }));
    }
    program(lend, ops, 1)
}
