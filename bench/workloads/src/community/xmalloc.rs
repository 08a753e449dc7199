//! `xmalloc`: half of the threads only allocate, the others only free (after Lever & Boreham, "malloc() performance in a
//! multithreaded Linux environment", 2000).
//!
//! ```text
//!  producer ─► full batches ─► consumer        as many batches as there are: a producer waits for an empty one
//!           ◄─ empty batches ◄─
//! ```
//!
//! The queue is locked once a batch, and threads that have nothing to do sleep: the work ends on one CPU as well.

use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use crate::arguments::{Arguments, fixed, scaled};
use crate::block::{Block, free_all};
use crate::list::Workload;
use crate::results::Results;
use crate::rng::Rng;
use crate::threads;

pub(crate) const WORKLOAD: Workload = Workload {
    name: "xmalloc",
    parameters: &[
        fixed("threads", 4, "threads; at least one producer and one consumer").least(2),
        fixed("batch", 1024, "blocks of a batch"),
        fixed("waiting", 16, "batches between producers and consumers"),
        scaled("batches", 20_000, "batches of all producers together"),
    ],
    run,
};

/// Two sizes to a doubling, as many of each.
const SIZES: [usize; 16] =
    [8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1024, 1536];

struct Queue {
    state: Mutex<State>,
    is_full: Condvar,
    is_empty: Condvar,
}

struct State {
    full: VecDeque<Vec<Block>>,
    empty: Vec<Vec<Block>>,
    /// Batches that no producer has begun.
    to_do: u64,
    /// Batches that no consumer has taken.
    to_come: u64,
}

fn run(arguments: &Arguments, results: &mut Results) {
    let (batch, batches) = (arguments.size("batch"), arguments.get("batches"));
    let waiting = arguments.size("waiting").max(1);
    let half = (arguments.size("threads") / 2).max(1);
    let queue = Queue {
        state: Mutex::new(State {
            full: VecDeque::with_capacity(waiting),
            empty: (0..waiting).map(|_| Vec::with_capacity(batch)).collect(),
            to_do: batches,
            to_come: batches,
        }),
        is_full: Condvar::new(),
        is_empty: Condvar::new(),
    };
    let (_, ns) = threads::together(2 * half, |i| {
        if i < half {
            produce(&queue, batch, Rng::new(arguments.seed * 1000 + i as u64));
        } else {
            consume(&queue);
        }
    });
    results.work(2 * batches * batch as u64, ns);
    results.peak_live(waiting * batch * SIZES.iter().sum::<usize>() / SIZES.len());
}

fn produce(queue: &Queue, batch: usize, mut rng: Rng) {
    while let Some(mut blocks) = queue.empty_batch() {
        while blocks.len() + 8 <= batch {
            // Eight sizes of one random number.
            let mut word = rng.next();
            blocks.extend((0..8).map(|_| {
                let block = Block::new(SIZES[(word % 16) as usize], word);
                word >>= 4;
                block
            }));
        }
        while blocks.len() < batch {
            blocks.push(Block::new(SIZES[rng.below(SIZES.len())], 1));
        }
        queue.lock().full.push_back(blocks);
        queue.is_full.notify_one();
    }
}

fn consume(queue: &Queue) {
    while let Some(mut blocks) = queue.full_batch() {
        free_all(&mut blocks);
        queue.lock().empty.push(blocks);
        queue.is_empty.notify_one();
    }
}

impl Queue {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// One to fill; none when all are begun.
    fn empty_batch(&self) -> Option<Vec<Block>> {
        let mut state = self.lock();
        state.to_do = state.to_do.checked_sub(1)?;
        loop {
            match state.empty.pop() {
                Some(batch) => return Some(batch),
                None => state = self.is_empty.wait(state).unwrap_or_else(PoisonError::into_inner),
            }
        }
    }

    /// One to free; none when all are taken.
    fn full_batch(&self) -> Option<Vec<Block>> {
        let mut state = self.lock();
        state.to_come = state.to_come.checked_sub(1)?;
        loop {
            match state.full.pop_front() {
                Some(batch) => return Some(batch),
                None => state = self.is_full.wait(state).unwrap_or_else(PoisonError::into_inner),
            }
        }
    }
}
