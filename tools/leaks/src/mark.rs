//! Which blocks can be reached, and of those that cannot, which are lost by themselves and which only with another.
//!
//! ```text
//! root ─► A ─► B         reachable
//!         C ─► D ─► E    C is lost; D and E are behind it
//!         F ⇄ G          one of a ring is lost, the other behind it
//! ```

use crate::blocks::{Block, Blocks};
use crate::memory::Memory;
use crate::roots::Root;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fate {
    Reachable,
    /// Nothing points to it, or only blocks behind it.
    Lost,
    /// Only this lost block, or one behind it, points to it.
    Behind(usize),
}

const UNSEEN: u32 = u32::MAX;
const REACHED: u32 = u32::MAX - 1;

/// `is_kept`: blocks that are roots themselves.
pub(crate) fn mark(
    blocks: &Blocks,
    roots: &[Root],
    is_kept: impl Fn(&Block) -> bool,
    memory: &mut Memory,
) -> Vec<Fate> {
    // REACHED, UNSEEN, or the block that it is behind; itself: it is lost.
    let mut state = vec![UNSEEN; blocks.all().len()];
    let mut open = Vec::new();
    for (place, block) in blocks.all().iter().enumerate() {
        if is_kept(block) {
            state[place] = REACHED;
            open.push(place);
        }
    }
    for root in roots {
        memory.each_word(root.range.clone(), root.is_anonymous, |word| {
            let found = if root.only_begins { blocks.beginning_at(word) } else { blocks.at(word) };
            if let Some(block) = found.filter(|&block| state[block] == UNSEEN) {
                state[block] = REACHED;
                open.push(block);
            }
        });
    }
    spread(blocks, memory, &mut open, |block| {
        let is_new = state[block] == UNSEEN;
        state[block] = REACHED;
        is_new
    });
    for block in 0..state.len() {
        if state[block] != UNSEEN {
            continue;
        }
        let leader = u32::try_from(block).unwrap_or_default();
        state[block] = leader;
        open.push(block);
        spread(blocks, memory, &mut open, |found| {
            let before = state[found];
            // One that was lost so far, with what is behind it, is behind this one.
            if before == UNSEEN || (before as usize == found && before != leader) {
                state[found] = leader;
            }
            before == UNSEEN
        });
    }
    let fate = |block: usize| match state[block] {
        REACHED => Fate::Reachable,
        leader if leader as usize == block => Fate::Lost,
        mut leader => {
            while state[leader as usize] != leader {
                leader = state[leader as usize];
            }
            Fate::Behind(leader as usize)
        }
    };
    (0..state.len()).map(fate).collect()
}

/// Goes through the blocks of `open`, and those that they point to where `is_new` says so.
fn spread(
    blocks: &Blocks,
    memory: &mut Memory,
    open: &mut Vec<usize>,
    mut is_new: impl FnMut(usize) -> bool,
) {
    let mut found = Vec::new();
    while let Some(block) = open.pop() {
        let block = blocks.all()[block];
        let range = block.address..block.address.saturating_add(block.size);
        memory.each_word(range, true, |word| found.extend(blocks.at(word)));
        open.extend(found.drain(..).filter(|&block| is_new(block)));
    }
}
