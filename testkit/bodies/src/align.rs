//! Sizes and alignments of every power of two.

use crate::numbers::Numbers;
use crate::{Block, Memory, Outcome, Scale};

const LIVE: usize = 128;

pub(crate) fn run(memory: &dyn Memory, scale: Scale) -> Outcome {
    let mut numbers = Numbers::new(2);
    let mut live = [const { None::<Block<'_>> }; LIVE];
    // Sizes to 2^16; smaller where there is less memory, but always to 2^9.
    let largest = scale.size(1 << 16).max(1 << 9).ilog2() as usize;
    for _ in 0..scale.count(50_000).max(2_000) {
        let slot = &mut live[numbers.below(LIVE)];
        if let Some(block) = slot.take() {
            block.free()?;
        } else {
            let (size, align) = (1 << numbers.below(largest + 1), 1 << numbers.below(8));
            *slot = Some(Block::filled(memory, size, align).ok_or("an aligned block was refused")?);
        }
    }
    live.into_iter().flatten().try_for_each(Block::free)
}
