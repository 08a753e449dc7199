//! Rules of random programs; a failing one is shrunk before it is reported.
use core::alloc::Layout;

use base::{AddMemory, BlockAllocator};

use crate::block::any::AnyKind;
use crate::block::heap::Heap;
use crate::block::kind::Kind;
use crate::generate::{Distribution, Generator};
use crate::program::{Op, Program};
use crate::shadow::DEFAULT_ALIGN;
use crate::shrink::shrink;

/// Of each distribution and size of memory.
const PROGRAMS: u64 = 3;

pub(super) fn random(kind: AnyKind<'_>) -> Result<(), String> {
    for len in [kind.enough, 3 * kind.enough, 512 << 10] {
        for distribution in Distribution::ALL {
            if distribution == Distribution::Huge {
                continue;
            }
            for seed in 0..PROGRAMS {
                let by = Generator {
                    distribution,
                    ops: 400,
                    slots: 40,
                    // More than there is, so that some is refused.
                    budget: len + len / 4,
                    ..Generator::default()
                };
                one(kind, len, &by.program(seed))?;
            }
        }
    }
    Ok(())
}

pub(super) fn kept(kind: AnyKind<'_>) -> Result<(), String> {
    crate::kept::kept().try_for_each(|(name, program)| {
        one(kind, 8 * kind.enough, &program).map_err(|said| format!("programs/{name}.ops: {said}"))
    })
}

fn one(kind: AnyKind<'_>, len: usize, program: &Program) -> Result<(), String> {
    let Err(first) = run_any(kind, len, program) else { return Ok(()) };
    let sort =
        |said: &str| said.split_once(": ").map_or(String::new(), |(_, what)| what[..4].into());
    let alike = sort(&first);
    let small = shrink(program, 2000, |program| {
        run_any(kind, len, program).is_err_and(|said| sort(&said) == alike)
    });
    let said = run_any(kind, len, &small).err().unwrap_or(first);
    Err(format!("with {len} bytes, {said}; the smallest program found:\n{small}"))
}

/// Runs `program` on a fresh heap with `len` bytes and frees what it left. What C aligns to 16
/// bytes is aligned so here; `realloc` of odd slots tries to grow in place first; `free` has no
/// layout, `free_sized` has. How many requests were refused, where the kind counts them.
pub fn run<A: BlockAllocator + AddMemory>(
    kind: &Kind<A>,
    len: usize,
    program: &Program,
) -> Result<usize, String> {
    run_any(kind.any(), len, program)
}

fn run_any(kind: AnyKind<'_>, len: usize, program: &Program) -> Result<usize, String> {
    let mut heap = Heap::with_memory(kind, len)?;
    let mut slots: Vec<Option<usize>> = vec![None; program.slots()];
    for (i, &op) in program.ops.iter().enumerate() {
        step(&mut heap, &mut slots, op).map_err(|said| format!("operation {i} ({op}): {said}"))?;
    }
    heap.drain().map_err(|said| format!("at the end: {said}"))?;
    Ok(heap.stats().map_or(0, |stats| stats.failures))
}

pub fn step(heap: &mut Heap<'_>, slots: &mut [Option<usize>], op: Op) -> Result<(), String> {
    match op {
        Op::Malloc { slot, size } => fill(heap, slots, slot, DEFAULT_ALIGN, size, false),
        Op::Calloc { slot, count, size } => {
            fill(heap, slots, slot, DEFAULT_ALIGN, count.saturating_mul(size), true)
        }
        Op::Aligned { slot, align, size } => fill(heap, slots, slot, align, size, false),
        Op::Realloc { slot, size } => {
            let Some(block) = slots[slot as usize] else {
                return fill(heap, slots, slot, DEFAULT_ALIGN, size, false);
            };
            if size > isize::MAX as usize - (1 << 20) {
                return Ok(());
            }
            if slot % 2 == 1 && heap.resize(block, size)? == Some(true) {
                return Ok(());
            }
            if let Some(new) = heap.reallocate(block, size)? {
                slots[slot as usize] = Some(new);
            }
            Ok(())
        }
        Op::Free { slot } => slots[slot as usize].take().map_or(Ok(()), |b| heap.free(b, true)),
        Op::FreeSized { slot } => {
            slots[slot as usize].take().map_or(Ok(()), |block| heap.free(block, false))
        }
        Op::Check => heap.look(),
        Op::Verify => heap.shadow().verify().map_err(|wrong| wrong.to_string()),
        Op::Send { .. } | Op::Receive { .. } | Op::On { .. } | Op::Exit { .. } => Ok(()),
        Op::Purge | Op::Fork => Ok(()),
    }
}

/// Empties the slot and fills it with a new block, if there is room for one.
fn fill(
    heap: &mut Heap<'_>,
    slots: &mut [Option<usize>],
    slot: u32,
    align: usize,
    size: usize,
    zeroed: bool,
) -> Result<(), String> {
    let slot = slot as usize;
    if let Some(block) = slots[slot].take() {
        heap.free(block, true)?;
    }
    if let Ok(layout) = Layout::from_size_align(size, align) {
        slots[slot] = heap.allocate(layout, zeroed)?;
    }
    Ok(())
}
