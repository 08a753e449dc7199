//! Ten large blocks are live; one after another is replaced by one of another size.

use crate::numbers::Numbers;
use crate::{Block, Memory, Outcome, Scale};

pub(crate) fn run(memory: &dyn Memory, scale: Scale) -> Outcome {
    let (low, high) = (scale.size(2 << 20), scale.size(5 << 20));
    let mut numbers = Numbers::new(3);
    let mut live = [const { None::<Block<'_>> }; 10];
    for _ in 0..scale.count(100_000).max(1_000) {
        let slot = &mut live[numbers.below(10)];
        if let Some(block) = slot.take() {
            block.free_marked()?;
        }
        let size = low + numbers.below(high - low);
        *slot = Some(Block::marked(memory, size, 8).ok_or("a large block was refused")?);
    }
    live.into_iter().flatten().try_for_each(Block::free_marked)
}
