//! Every program of a few operations on a tiny heap: all shapes that so few operations can make, and the largest
//! counts among them.
//!
//! An operation is a request of one of [`SIZES`], or the freeing of a live block. Programs of [`LENGTH`] operations
//! are run in order like a number counted up; the last operation of each is counted, as every shorter program is a
//! longer one's beginning.

use crate::heap::{Block, Heap};
use crate::tally::Tally;

/// The heap: with one block of each size there is not enough left for the largest again. An allocator that needs
/// whole pages does not take so little, and gets the second.
const TINY: [usize; 2] = [6 << 10, 64 << 10];
/// Bytes asked for: the smallest, a little more, a middle one and a large one.
const SIZES: [usize; 4] = [1, 40, 600, 2400];
const LENGTH: usize = 6;

pub(crate) fn run(heap: &mut Heap) {
    let (mut malloc, mut free) = (Tally::new(), Tally::new());
    let mut program = [0; LENGTH];
    let Some(&tiny) = TINY.iter().find(|&&len| heap.restart(len)) else { return };
    loop {
        heap.refused += u32::from(!heap.restart(tiny));
        // Choices that each position had: the sizes, then the blocks live at that point.
        let (mut live, mut len, mut choices) = ([Block::default(); LENGTH], 0, [0; LENGTH]);
        for (step, &operation) in program.iter().enumerate() {
            choices[step] = SIZES.len() + len;
            let last = step + 1 == LENGTH;
            if let Some(&size) = SIZES.get(operation) {
                let (block, count) = heap.malloc(size);
                if last {
                    malloc.add(count);
                }
                if let Some(block) = block {
                    live[len] = block;
                    len += 1;
                }
            } else {
                let chosen = operation - SIZES.len();
                let count = heap.free(live[chosen]);
                if last {
                    free.add(count);
                }
                len -= 1;
                live[chosen] = live[len];
            }
        }
        if !advance(&mut program, &choices) {
            break;
        }
    }
    malloc.say(heap.subject.name, "exhaustive", "malloc");
    free.say(heap.subject.name, "exhaustive", "free");
}

/// The next program, its last operation counted up first. Whether there is one.
fn advance(program: &mut [usize; LENGTH], choices: &[usize; LENGTH]) -> bool {
    for step in (0..LENGTH).rev() {
        program[step] += 1;
        if program[step] < choices[step] {
            return true;
        }
        program[step] = 0;
    }
    false
}
