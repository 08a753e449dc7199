//! How much memory is always enough: the proved bounds, as constants a program can be built with.
//!
//! The theorems, their proofs and what is only cited: `docs/blocks.md`. For the
//! default grain and eight steps; one pool; alignments up to the grain; memory used by nobody else.

use base::bits::align_up;

use super::GRAIN;
use super::block::{WORD, smallest_listed};
use super::map::by_bit;

/// Which allocator's bound.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Bound {
    /// [`Tlsf`](super::Tlsf), of 8 steps.
    Tlsf,
    /// [`HalfFit`](super::HalfFit).
    HalfFit,
}

/// What a pool spends on its record, the sentinel and being aligned, at most.
const POOL: usize = 8 * WORD + 4 * GRAIN;

/// Bytes of memory that surely suffice for a program that never has more than `max_live` bytes
/// of payload in use, in requests of `min_request` to `max_request` bytes, in any order. 0 when
/// the three contradict each other; saturates. `usize::MAX` when `min_request` is 0: of blocks
/// without payload any number can be live, so no memory is enough.
///
/// While `realloc` moves a block both are in use. With the feature `compact` or a tier that has
/// canaries a block can cost a grain more: add one for each of `max_live / min_request` blocks.
///
/// ```
/// use heapwright_block::tlsf::{Bound, required_heap};
///
/// const HEAP: usize = required_heap(Bound::HalfFit, 4096, 256, 16);
/// static MEMORY: [u8; HEAP] = [0; HEAP];
/// assert!(MEMORY.len() > 4096);
/// ```
#[must_use]
pub const fn required_heap(
    bound: Bound,
    max_live: usize,
    max_request: usize,
    min_request: usize,
) -> usize {
    if min_request > max_request || max_request > max_live || max_live > usize::MAX / 8 {
        return if max_live > usize::MAX / 8 { usize::MAX } else { 0 };
    }
    if min_request == 0 {
        // Any number of blocks without a byte of payload may be live, and each costs its header.
        return usize::MAX;
    }
    let request = min_request;
    let blocks = max_live / request;
    let blocks = if blocks == 0 { 1 } else { blocks };
    let bytes = match bound {
        Bound::Tlsf => any_fit(tlsf_live(max_live, request, blocks), blocks, tlsf_run(max_request)),
        Bound::HalfFit => {
            let live = half_fit_live(max_live, request, blocks);
            let largest = power_of_two(max_request);
            let any = any_fit(live, blocks, largest);
            let half = half_fit(live, largest, power_of_two(request));
            if half < any { half } else { any }
        }
    };
    bytes.saturating_add(POOL)
}

/// Theorem 1: every gap between live blocks is shorter than the `run` that is surely found.
const fn any_fit(live: usize, blocks: usize, run: usize) -> usize {
    live.saturating_add(blocks.saturating_mul(run - GRAIN)).saturating_add(GRAIN)
}

/// Theorem 3, in units of the smallest block.
const fn half_fit(live: usize, largest: usize, smallest: usize) -> usize {
    let live = live.div_ceil(smallest);
    let mut order = (largest / smallest).ilog2();
    let mut needed: usize = 0;
    while order > 0 {
        let sum = needed.saturating_add(live).saturating_add(1 << order);
        needed = sum.saturating_add(sum.div_ceil(2));
        order -= 1;
    }
    needed.saturating_add(live).saturating_add(1).saturating_mul(smallest)
}

const fn tlsf_live(max_live: usize, request: usize, blocks: usize) -> usize {
    let rounding = WORD + GRAIN - 1;
    let least = smallest_listed(GRAIN).saturating_sub(request);
    let each = if rounding > least { rounding } else { least };
    max_live.saturating_add(blocks.saturating_mul(each))
}

/// The same in half-fit, whose blocks are rounded to powers of two.
const fn half_fit_live(max_live: usize, request: usize, blocks: usize) -> usize {
    let least = smallest_listed(GRAIN).saturating_sub(2 * request);
    let each = if 2 * WORD > least { 2 * WORD } else { least };
    (2 * max_live).saturating_add(blocks.saturating_mul(each))
}

/// A free run that TLSF finds for a request of this size: the lower edge of the bin above it.
const fn tlsf_run(request: usize) -> usize {
    const STEPS: usize = 8;
    let mut block = align_up(request + WORD, GRAIN);
    if block < smallest_listed(GRAIN) {
        block = smallest_listed(GRAIN);
    }
    let bin = by_bit(STEPS, block / GRAIN - 1) + 1;
    let doublings = (bin / STEPS).saturating_sub(1);
    ((bin - doublings * STEPS) << doublings) * GRAIN
}

/// The block of a request in half-fit.
const fn power_of_two(request: usize) -> usize {
    let block = (request + WORD).next_power_of_two();
    if block < GRAIN { GRAIN } else { block }
}

#[cfg(test)]
mod tests;
