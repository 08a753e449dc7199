//! One stream of operations through many allocators, side by side.
//!
//! ```text
//! operation ─► model: what each slot's bytes are
//!          ├─► lane: tlsf       ┐
//!          ├─► lane: first fit  ├─ the same bytes in each, read back and compared with the model
//!          └─► lane: buddy …    ┘
//! ```
//!
//! - **D1** a lane that has a slot has the model's bytes in it.
//! - **D2** a lane refuses only where its walk shows no room.
use core::alloc::Layout;
use core::ptr::NonNull;

use base::{AddMemory, BlockAllocator, Piece};
use core::ops::ControlFlow;

use super::kind::Kind;
use super::memory::Memory;
use crate::program::{Op, Program};
use crate::rng::mix;
use crate::shadow::DEFAULT_ALIGN;

pub trait Lane {
    fn name(&self) -> &'static str;
    fn free(&mut self, slot: usize);
    /// Fills the slot, or leaves it empty.
    /// Errors: refused although there is room, or not zero.
    fn allocate(&mut self, slot: usize, layout: Layout, zeroed: bool) -> Result<(), String>;
    /// Changes the slot's size, or leaves it empty.
    /// Errors: refused although there is room.
    fn reallocate(&mut self, slot: usize, size: usize) -> Result<(), String>;
    /// The slot's bytes; `None` when it is empty.
    fn bytes(&mut self, slot: usize) -> Option<&mut [u8]>;
    fn check(&self) -> Result<(), String>;
    fn refused(&self) -> usize;
}

#[derive(Debug)]
struct On<A> {
    kind: Kind<A>,
    allocator: A,
    memory: Memory,
    slots: Vec<Option<(NonNull<u8>, Layout)>>,
    refused: usize,
}

/// A lane for a kind with `len` bytes of memory and `slots` slots.
pub fn lane<A: BlockAllocator + AddMemory + 'static>(
    kind: Kind<A>,
    len: usize,
    slots: usize,
) -> Result<Box<dyn Lane>, String> {
    let memory = Memory::new(len, 0);
    let mut allocator = (kind.make)();
    // SAFETY: the lane keeps the memory as long as the allocator.
    let added = unsafe { allocator.add_memory(memory.start(), len) };
    added.map_err(|error| format!("{}: {error}", kind.name))?;
    Ok(Box::new(On { kind, allocator, memory, slots: vec![None; slots], refused: 0 }))
}

impl<A: BlockAllocator + AddMemory> On<A> {
    fn room(&self, layout: Layout) -> Option<Piece> {
        let mut found = None;
        self.kind.walk?(&self.allocator, &mut |piece| {
            if !piece.used && (self.kind.room)(piece.len, layout) {
                found = Some(piece);
                return ControlFlow::Break(());
            }
            ControlFlow::Continue(())
        });
        found
    }

    fn refuse(&mut self, layout: Layout) -> Result<(), String> {
        self.refused += 1;
        match self.room(layout) {
            None => Ok(()),
            Some(Piece { at, len, .. }) => {
                let name = self.kind.name;
                Err(format!("{name} refused {layout:?}, though {len} bytes are free at {at:#x}"))
            }
        }
    }
}

impl<A: BlockAllocator + AddMemory> Lane for On<A> {
    fn name(&self) -> &'static str {
        self.kind.name
    }

    fn free(&mut self, slot: usize) {
        if let Some((block, layout)) = self.slots[slot].take() {
            // SAFETY: a slot's block is live and has this layout.
            unsafe { self.allocator.deallocate(block, layout) };
        }
    }

    fn allocate(&mut self, slot: usize, layout: Layout, zeroed: bool) -> Result<(), String> {
        self.free(slot);
        let block = match zeroed {
            false => self.allocator.allocate(layout),
            true => self.allocator.allocate_zeroed(layout),
        };
        let Some(block) = block else { return self.refuse(layout) };
        self.slots[slot] = Some((block, layout));
        let bytes = if zeroed { self.bytes(slot) } else { None };
        match bytes.and_then(|bytes| crate::pattern::first_nonzero(bytes)) {
            Some((at, byte)) => Err(format!("{}: byte {at} is {byte:#x}, not 0", self.kind.name)),
            None => Ok(()),
        }
    }

    fn reallocate(&mut self, slot: usize, size: usize) -> Result<(), String> {
        let Some((block, layout)) = self.slots[slot] else { return Ok(()) };
        let wanted = Layout::from_size_align(size, layout.align()).map_err(|e| e.to_string())?;
        // SAFETY: a slot's block is live and has this layout; the new size makes one.
        if let Some(new) = unsafe { self.allocator.reallocate(block, layout, size) } {
            self.slots[slot] = Some((new, wanted));
            return Ok(());
        }
        self.free(slot);
        self.refused += 1;
        Ok(())
    }

    fn bytes(&mut self, slot: usize) -> Option<&mut [u8]> {
        let (block, layout) = self.slots[slot]?;
        // SAFETY: a slot's block is live, has the bytes of its layout, and all were written: by the model
        // or as zeroes, and memory is filled before it is added.
        Some(unsafe { core::slice::from_raw_parts_mut(block.as_ptr(), layout.size()) })
    }

    fn check(&self) -> Result<(), String> {
        self.memory.check()?;
        let name = self.kind.name;
        let check = self.kind.check.map_or(Ok(()), |check| check(&self.allocator));
        check.map_err(|broken| format!("{name}: {broken}"))
    }

    fn refused(&self) -> usize {
        self.refused
    }
}

/// Runs a program through all lanes; how many requests each refused.
/// Errors: the operation, the lane, and which of D1 and D2 does not hold.
pub fn differential(lanes: &mut [Box<dyn Lane>], program: &Program) -> Result<Vec<usize>, String> {
    let mut model: Vec<Option<Vec<u8>>> = vec![None; program.slots()];
    for (i, &op) in program.ops.iter().enumerate() {
        let failed = |said: String| format!("operation {i} ({op}): {said}");
        step(lanes, &mut model, i, op).map_err(failed)?;
        if i % 64 == 0 {
            lanes.iter().try_for_each(|lane| lane.check()).map_err(failed)?;
        }
    }
    for slot in 0..model.len() {
        compare(lanes, &model, slot)?;
        lanes.iter_mut().for_each(|lane| lane.free(slot));
    }
    lanes.iter().try_for_each(|lane| lane.check())?;
    Ok(lanes.iter().map(|lane| lane.refused()).collect())
}

fn byte(i: usize, at: usize) -> u8 {
    mix((i as u64) << 32 | at as u64).to_le_bytes()[0]
}

fn step(
    lanes: &mut [Box<dyn Lane>],
    model: &mut [Option<Vec<u8>>],
    i: usize,
    op: Op,
) -> Result<(), String> {
    let Some(slot) = op.slot().map(|slot| slot as usize) else { return Ok(()) };
    compare(lanes, model, slot)?;
    let (layout, zeroed) = match op {
        Op::Malloc { size, .. } => (Layout::from_size_align(size, DEFAULT_ALIGN), false),
        Op::Calloc { count, size, .. } => {
            (Layout::from_size_align(count.saturating_mul(size), DEFAULT_ALIGN), true)
        }
        Op::Aligned { align, size, .. } => (Layout::from_size_align(size, align), false),
        Op::Realloc { size, .. } => {
            let Ok(wanted) = Layout::from_size_align(size, DEFAULT_ALIGN) else { return Ok(()) };
            let Some(bytes) = &mut model[slot] else {
                return fill(lanes, model, slot, i, wanted, false);
            };
            lanes.iter_mut().try_for_each(|lane| lane.reallocate(slot, size))?;
            let old = bytes.len();
            bytes.truncate(size);
            bytes.extend((old..size).map(|at| byte(i, at)));
            return write(lanes, model, slot, old.min(size));
        }
        Op::Free { .. } | Op::FreeSized { .. } => {
            model[slot] = None;
            lanes.iter_mut().for_each(|lane| lane.free(slot));
            return Ok(());
        }
        _ => return Ok(()),
    };
    let Ok(layout) = layout else { return Ok(()) };
    fill(lanes, model, slot, i, layout, zeroed)
}

/// More than this no lane has, and no model.
const MOST: usize = 64 << 20;

fn fill(
    lanes: &mut [Box<dyn Lane>],
    model: &mut [Option<Vec<u8>>],
    slot: usize,
    i: usize,
    layout: Layout,
    zeroed: bool,
) -> Result<(), String> {
    lanes.iter_mut().try_for_each(|lane| lane.allocate(slot, layout, zeroed))?;
    if layout.size() > MOST {
        model[slot] = None;
        let had = lanes.iter_mut().find_map(|lane| lane.bytes(slot).is_some().then(|| lane.name()));
        return had.map_or(Ok(()), |name| Err(format!("{name} has {layout:?}")));
    }
    model[slot] = Some((0..layout.size()).map(|at| byte(i, at)).collect());
    write(lanes, model, slot, 0)
}

/// Writes the model's bytes from `from` on into every lane.
fn write(
    lanes: &mut [Box<dyn Lane>],
    model: &[Option<Vec<u8>>],
    slot: usize,
    from: usize,
) -> Result<(), String> {
    let Some(model) = &model[slot] else { return Ok(()) };
    for lane in lanes {
        let Some(bytes) = lane.bytes(slot) else { continue };
        bytes[from..].copy_from_slice(&model[from..]);
    }
    Ok(())
}

/// D1.
fn compare(
    lanes: &mut [Box<dyn Lane>],
    model: &[Option<Vec<u8>>],
    slot: usize,
) -> Result<(), String> {
    for lane in lanes {
        let name = lane.name();
        let (Some(bytes), Some(model)) = (lane.bytes(slot), &model[slot]) else { continue };
        if let Some(at) = bytes.iter().zip(model).position(|(a, b)| a != b) {
            let (found, wanted) = (bytes[at], model[at]);
            return Err(format!(
                "D1: {name}: byte {at} of slot {slot} is {found:#04x}, not {wanted:#04x}"
            ));
        }
    }
    Ok(())
}
