//! `malloc_large`: ten buffers of 2 to 5 MiB, one of them replaced at a time.
use base::Malloc;

use super::{Part, mark, marked, not_null};
use crate::rng::Rng;

const BUFFERS: usize = 10;

pub(super) fn run(malloc: &dyn Malloc, part: Part) -> Result<(), String> {
    let mut rng = Rng::new(3);
    let mut buffers: [Option<(*mut u8, usize, u8)>; BUFFERS] = [None; BUFFERS];
    for i in 0..part.of(100_000) {
        let which = rng.below(BUFFERS);
        release(malloc, buffers[which].take())?;
        let size = rng.between(2 << 20, 5 << 20);
        let block = not_null(malloc.malloc(size), size)?;
        let byte = i.to_le_bytes()[0];
        mark(block, size, byte);
        buffers[which] = Some((block, size, byte));
    }
    buffers.into_iter().try_for_each(|buffer| release(malloc, buffer))
}

fn release(malloc: &dyn Malloc, buffer: Option<(*mut u8, usize, u8)>) -> Result<(), String> {
    let Some((block, size, byte)) = buffer else { return Ok(()) };
    marked(block, size, byte)?;
    // SAFETY: live until now.
    unsafe { malloc.free(block) };
    Ok(())
}
