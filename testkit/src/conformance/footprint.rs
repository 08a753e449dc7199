//! Rules about memory that is used again, counted in distinct pages of the blocks handed out.
//!
//! Counting addresses needs nothing from the system. What else the process frees meanwhile counts,
//! for its addresses may be handed out here: an allocator that all share is tried in a process of
//! its own. Contents are the other rules' business; here each end gets one byte.
use std::collections::{HashSet, VecDeque};
use std::sync::mpsc::sync_channel;

use base::Malloc;

use super::{Lend, fresh};
use crate::rng::Rng;

const PAGE: usize = 4096;
const MIB: usize = 1 << 20;

/// A block on its way from one thread to another.
struct Parcel(*mut u8, usize);

// SAFETY: the parcel is the only account of its block.
unsafe impl Send for Parcel {}

#[derive(Default)]
struct Pages {
    seen: HashSet<usize>,
}

impl Pages {
    /// A block of `size` bytes, its pages counted, its ends written to.
    fn allocate(&mut self, malloc: &dyn Malloc, size: usize) -> Result<Parcel, String> {
        let block = malloc.malloc(size);
        if block.is_null() {
            return Err(format!("malloc({size}) is null"));
        }
        for offset in [0, size - 1] {
            let byte = block.wrapping_add(offset);
            // SAFETY: the offset is within the block.
            unsafe { byte.write(1) };
        }
        let first = block.addr() / PAGE;
        self.seen.extend(first..=(block.addr() + size.max(1) - 1) / PAGE);
        Ok(Parcel(block, size))
    }

    fn within(&self, limit: usize, what: &str) -> Result<(), String> {
        let used = self.seen.len() * PAGE;
        if used <= limit {
            return Ok(());
        }
        Err(format!("{what}: {} MiB of addresses, {} at most", used / MIB, limit / MIB))
    }
}

fn free(malloc: &dyn Malloc, Parcel(block, _): Parcel) {
    // SAFETY: a parcel's block is live.
    unsafe { malloc.free(block) };
}

/// 1 GiB goes through a window of 64 MiB; sizes to 64 KiB, then to 4 MiB.
pub(super) fn reuse(lend: &Lend<'_>) -> Result<(), String> {
    for (low, high, limit) in [(16, 64 << 10, 160 * MIB), (64 << 10, 4 * MIB, 256 * MIB)] {
        fresh(lend, |subject| {
            let mut rng = Rng::new(1);
            let mut pages = Pages::default();
            let mut live = VecDeque::new();
            let (mut held, mut total) = (0, 0);
            while total < 1024 * MIB {
                let parcel = pages.allocate(subject.malloc, rng.doubling(low, high))?;
                total += parcel.1;
                held += parcel.1;
                // The oldest goes, or any other now and then.
                live.push_back(parcel);
                while held > 64 * MIB {
                    let any = if rng.one_in(4) { rng.below(live.len()) } else { 0 };
                    let parcel = live.swap_remove_front(any).expect("there are live blocks");
                    held -= parcel.1;
                    free(subject.malloc, parcel);
                }
            }
            live.drain(..).for_each(|parcel| free(subject.malloc, parcel));
            pages.within(limit, &format!("64 MiB live, blocks of {low} to {high} bytes"))
        })?;
    }
    Ok(())
}

/// One thread allocates 256 MiB, the other frees it; at most 2 MiB are on the way.
pub(super) fn producer(lend: &Lend<'_>) -> Result<(), String> {
    fresh(lend, |subject| {
        let malloc = subject.malloc;
        let (send, receive) = sync_channel(1024);
        std::thread::scope(|scope| {
            scope.spawn(move || receive.into_iter().for_each(|parcel| free(malloc, parcel)));
            let mut rng = Rng::new(2);
            let mut pages = Pages::default();
            let mut total = 0;
            while total < 256 * MIB {
                let parcel = pages.allocate(malloc, rng.doubling(16, 4096))?;
                total += parcel.1;
                send.send(parcel).expect("the consumer lives as long as the channel");
            }
            drop(send);
            pages.within(48 * MIB, "2 MiB on the way from a producer to a consumer")
        })
    })
}

/// 400 threads each fill 1 MiB and end: most of it freed by themselves, the rest by the first.
pub(super) fn short_lived(lend: &Lend<'_>) -> Result<(), String> {
    fresh(lend, |subject| {
        let malloc = subject.malloc;
        let mut pages = Pages::default();
        for seed in 0..400 {
            let one = |pages: &mut Pages| {
                let mut rng = Rng::new(seed);
                let mut live = Vec::new();
                let mut held = 0;
                while held < MIB {
                    let parcel = pages.allocate(malloc, rng.doubling(16, 16 << 10))?;
                    held += parcel.1;
                    live.push(parcel);
                }
                let left = live.split_off(live.len() - live.len() / 16);
                live.into_iter().for_each(|parcel| free(malloc, parcel));
                Ok::<_, String>(left)
            };
            let left = std::thread::scope(|scope| {
                let thread = scope.spawn(|| one(&mut pages));
                thread.join().expect("it does not panic")
            })?;
            left.into_iter().for_each(|parcel| free(malloc, parcel));
        }
        pages.within(64 * MIB, "400 threads of 1 MiB, one after the other")
    })
}
