//! `align`: blocks of every power of two in size, at every alignment to 128.
use core::alloc::Layout;
use std::alloc::{alloc, dealloc};

use super::{Part, mark, marked};
use crate::rng::Rng;

/// Blocks live at once.
const SLOTS: usize = 512;

pub(super) fn run(part: Part) -> Result<(), String> {
    let mut rng = Rng::new(2);
    let mut slots: Vec<Option<(*mut u8, Layout, u8)>> = vec![None; SLOTS];
    for i in 0..part.of(50_000) {
        let slot = rng.below(SLOTS);
        release(slots[slot].take())?;
        let (size, align) = (1 << rng.below(17), 1 << rng.below(8));
        let layout = Layout::from_size_align(size, align).expect("both are powers of two");
        // SAFETY: the layout has bytes.
        let block = unsafe { alloc(layout) };
        if block.is_null() || !block.addr().is_multiple_of(align) {
            return Err(format!("{size} bytes at a multiple of {align} are {block:p}"));
        }
        let byte = i.to_le_bytes()[0];
        mark(block, size, byte);
        slots[slot] = Some((block, layout, byte));
    }
    slots.into_iter().try_for_each(release)
}

fn release(block: Option<(*mut u8, Layout, u8)>) -> Result<(), String> {
    let Some((block, layout, byte)) = block else { return Ok(()) };
    marked(block, layout.size(), byte)?;
    // SAFETY: allocated with this layout, and live until now.
    unsafe { dealloc(block, layout) };
    Ok(())
}
