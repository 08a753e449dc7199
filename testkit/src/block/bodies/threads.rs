//! `multi_thread` and `multi_thread_c`: threads that free what others allocated.
//!
//! Each round a thread allocates a batch, leaves it for the next thread, and frees the batch that
//! was left for it, verified.
use std::sync::Mutex;
use std::thread;

use base::Malloc;

use super::{Part, mark, marked, not_null};
use crate::block::switch::{inside, outside};
use crate::rng::Rng;

const THREADS: usize = 10;
const ROUNDS: usize = 100;
const BLOCKS: usize = 1_000;

type Left<T> = [Mutex<Vec<Vec<T>>>; THREADS];

/// Runs `round` on each thread; what it makes is left for the next thread, what was left is freed
/// by `gone`.
fn run<T: Send>(
    part: Part,
    make: impl Fn(&mut Rng, usize) -> Result<T, String> + Sync,
    gone: impl Fn(T) -> Result<(), String> + Sync,
) -> Result<(), String> {
    let left: Left<T> = [const { Mutex::new(Vec::new()) }; THREADS];
    let blocks = part.of(BLOCKS);
    let worker = |me: usize| -> Result<(), String> {
        let mut rng = Rng::stream(4, me as u64);
        for _ in 0..ROUNDS {
            let mut batch = Vec::new();
            for i in 0..blocks {
                batch.push(make(&mut rng, i)?);
            }
            push(&left[(me + 1) % THREADS], batch);
            // No lock is held while the blocks are freed.
            let mine = pop(&left[me]);
            mine.into_iter().flatten().try_for_each(&gone)?;
        }
        Ok(())
    };
    // Threads leave things behind that outlive the body: they are started outside.
    let results: Vec<Result<(), String>> = outside(|| {
        thread::scope(|scope| {
            let start = |me| scope.spawn(move || inside(|| worker(me)));
            let threads: Vec<_> = (0..THREADS).map(start).collect();
            let joined = threads.into_iter().map(|thread| thread.join());
            joined
                .map(|result| result.unwrap_or_else(|_| Err("a thread panicked".into())))
                .collect()
        })
    });
    // Errors are freed where they came from: told by the address.
    results.into_iter().collect::<Result<(), String>>()?;
    for slot in &left {
        while let Some(batch) = pop(slot) {
            batch.into_iter().try_for_each(&gone)?;
        }
    }
    Ok(())
}

fn push<T>(slot: &Mutex<Vec<Vec<T>>>, batch: Vec<T>) {
    slot.lock().expect("nobody panics here").push(batch);
}

fn pop<T>(slot: &Mutex<Vec<Vec<T>>>) -> Option<Vec<T>> {
    slot.lock().expect("nobody panics here").pop()
}

fn size(rng: &mut Rng) -> usize {
    rng.doubling(1, 1_024)
}

pub(super) fn rust(part: Part) -> Result<(), String> {
    let make = |rng: &mut Rng, i: usize| Ok(vec![i.to_le_bytes()[0]; size(rng)]);
    let gone = |vector: Vec<u8>| match vector.iter().all(|&byte| byte == vector[0]) {
        true => Ok(()),
        false => Err("a vector changed on its way to another thread".to_owned()),
    };
    run(part, make, gone)
}

struct Block {
    at: *mut u8,
    size: usize,
    byte: u8,
}

// SAFETY: it is the only account of its bytes.
unsafe impl Send for Block {}

pub(super) fn c(malloc: &dyn Malloc, part: Part) -> Result<(), String> {
    let make = |rng: &mut Rng, i: usize| {
        let size = size(rng);
        let block =
            Block { at: not_null(malloc.malloc(size), size)?, size, byte: i.to_le_bytes()[0] };
        mark(block.at, size, block.byte);
        Ok(block)
    };
    let gone = |block: Block| {
        marked(block.at, block.size, block.byte)?;
        // SAFETY: live until now.
        unsafe { malloc.free(block.at) };
        Ok(())
    };
    run(part, make, gone)
}
