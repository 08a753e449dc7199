//! One allocator, every test: on a new heap each time, which must be whole afterwards.

use crate::exhaustion;
use crate::switch::SWITCH;
use base::{AddMemory, BlockAllocator, Check};
use bodies::{BODIES, Block, Global, Outcome, Run, Scale};
use core::ptr::NonNull;
use machine::say;

/// Tries an allocator; says how each test went, and returns how many failed.
pub(crate) fn trial<A>(name: &str, memory: NonNull<[u8]>, new: fn() -> A) -> u32
where
    A: BlockAllocator + AddMemory + Check + 'static,
{
    let mut failed = 0;
    for (test, body) in BODIES.into_iter().chain([("exhaustion", exhaustion::run as Run)]) {
        // First its name: a test that breaks the machine has said which it is.
        machine::print!("{name} {test} ");
        let before = machine::instructions();
        let outcome = once(memory, new, body);
        let instructions = machine::instructions() - before;
        match outcome {
            Ok(()) => say!("ok {instructions} instructions"),
            Err(why) => {
                say!("FAILED {why}");
                failed += 1;
            }
        }
    }
    failed
}

fn once<A>(memory: NonNull<[u8]>, new: fn() -> A, body: Run) -> Outcome
where
    A: BlockAllocator + AddMemory + Check + 'static,
{
    let mut heap = new();
    // SAFETY: the memory is this heap's until the next one is made.
    let added = unsafe { heap.add_memory(memory.cast().as_ptr(), memory.len()) };
    if let Err(why) = added {
        machine::print!("({why}) ");
        return Err("it did not take the memory");
    }
    let before = SWITCH.with(&mut heap, largest);
    SWITCH.with(&mut heap, || body(&Global, Scale::machine(memory.len())))?;
    if let Err(broken) = heap.check() {
        machine::print!("({broken}) ");
        return Err("its structure is broken");
    }
    let left = SWITCH.with(&mut heap, largest);
    if left == before { Ok(()) } else { Err("its largest block is not there any more") }
}

/// The size of the largest block that can be had, which is freed again.
fn largest() -> usize {
    let (mut fits, mut too_large) = (0, isize::MAX as usize / 2);
    while too_large - fits > 1 {
        let size = fits + (too_large - fits) / 2;
        match Block::new(&Global, size, 1) {
            Some(block) => {
                fits = size;
                block.forget();
            }
            None => too_large = size,
        }
    }
    fits
}
