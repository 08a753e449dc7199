//! One allocator, every test: on a new heap each time, which must be whole afterwards.

use crate::bodies::{self, BODIES};
use crate::scale::Scale;
use crate::switch::SWITCH;
use base::{AddMemory, BlockAllocator, Check};
use core::ptr::NonNull;
use machine::say;

/// Tries an allocator; says how each test went, and returns how many failed.
pub(crate) fn trial<A>(name: &str, memory: NonNull<[u8]>, new: fn() -> A) -> u32
where
    A: BlockAllocator + AddMemory + Check + 'static,
{
    let mut failed = 0;
    for (test, body) in BODIES {
        // First its name: a test that breaks the machine has said which it is.
        machine::print!("{name} {test} ");
        let before = machine::instructions();
        let outcome = once(memory, new, *body);
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

fn once<A>(memory: NonNull<[u8]>, new: fn() -> A, body: bodies::Body) -> Result<(), &'static str>
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
    let largest = SWITCH.with(&mut heap, bodies::largest);
    SWITCH.with(&mut heap, || body(Scale::new(memory.len())))?;
    if let Err(broken) = heap.check() {
        machine::print!("({broken}) ");
        return Err("its structure is broken");
    }
    let left = SWITCH.with(&mut heap, bodies::largest);
    if left == largest { Ok(()) } else { Err("its largest block is not there any more") }
}
