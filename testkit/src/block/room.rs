//! Which free memory surely serves a layout: what the registry's rows call `serves`.
use core::alloc::Layout;

/// Bytes of a block at a grain, one word of it the header, four words at the least.
fn grains(size: usize, grain: usize) -> usize {
    size.saturating_add(8).checked_next_multiple_of(grain).unwrap_or(usize::MAX).max(32.max(grain))
}

/// A quarter of the free memory, by any design that rounds to powers of two.
pub fn generous(free: usize, layout: Layout) -> bool {
    let block = layout.size().saturating_add(64 + 2 * layout.align());
    block.checked_next_power_of_two().is_some_and(|block| free / 4 >= block)
}

/// Nothing: what is freed is not free again.
pub fn none(_free: usize, _layout: Layout) -> bool {
    false
}

/// By a search that takes what fits: at more than the grain, some may be lost in front.
pub fn exact(free: usize, layout: Layout) -> bool {
    let lost = if layout.align() > 16 { layout.align() + 32 } else { 0 };
    free >= grains(layout.size(), 16).saturating_add(lost)
}

/// By one that looks in bins of an eighth of a doubling.
pub fn good(free: usize, layout: Layout) -> bool {
    good_at::<16>(free, layout)
}

/// The same at another grain.
pub fn good_at<const GRAIN: usize>(free: usize, layout: Layout) -> bool {
    let lost = if layout.align() > GRAIN { layout.align() + 64 } else { 0 };
    let block = grains(layout.size(), GRAIN).saturating_add(lost);
    free >= block.saturating_add(block / 8).saturating_add(GRAIN)
}

/// By one in bins of a doubling, for powers of two.
pub fn half(free: usize, layout: Layout) -> bool {
    let block = layout.size().saturating_add(8).checked_next_power_of_two().unwrap_or(usize::MAX);
    let block = block.max(32);
    if layout.align() <= 16 {
        return free >= block;
    }
    free / 2 >= block.saturating_add(layout.align() + 32)
}

/// By one that takes powers of two, as large as they are aligned.
pub fn powers(free: usize, layout: Layout) -> bool {
    let size = layout.size().checked_next_power_of_two().unwrap_or(usize::MAX);
    free >= size.max(layout.align()).max(16)
}
