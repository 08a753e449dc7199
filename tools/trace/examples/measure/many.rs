//! A recording that no real program has to be waited for: 20 million blocks live at once, then replaced one by one, by four threads.
//!
//! Addresses are those of a simple allocator: the youngest free piece of the size's power of two, else the next that was never used.

#![expect(clippy::cast_possible_truncation, reason = "threads and places are few")]

use std::path::{Path, PathBuf};

use trace::testing::Raw;
use trace_format::Event;

/// Events between two looks at the memory.
const LOOK: u64 = 1 << 14;

const LIVE: u64 = 20_000_000;
const THREADS: u64 = 4;

/// A recording of about so many events.
pub(crate) fn made(events: u64, path: &Path) -> PathBuf {
    let mut made = Made {
        raw: Raw::create(path),
        heap: Heap::default(),
        random: 1,
        events: 0,
        live: Vec::new(),
    };
    while made.events < events {
        made.replace();
    }
    made.raw.finish()
}

struct Made {
    raw: Raw,
    heap: Heap,
    random: u64,
    events: u64,
    live: Vec<(u64, u64)>,
}

impl Made {
    fn draw(&mut self, below: u64) -> u64 {
        self.random = self.random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (self.random >> 33) % below
    }

    fn event(&mut self, thread: u64, event: Event<'_>) {
        // Ten units of 10 ns from one event to the next.
        self.raw.event(thread as u32, 10 * self.events, event);
        self.events += 1;
        if self.events.is_multiple_of(LOOK) {
            let anon = (1 << 20) + self.heap.end;
            self.raw.event(
                thread as u32,
                10 * self.events,
                Event::Memory { anon, file: 0, shmem: 0 },
            );
        }
    }

    /// Small ones mostly, as programs have them.
    fn allocate(&mut self, thread: u64) -> (u64, u64) {
        let size = match self.draw(64) {
            0 => 256 + self.draw(1792),
            1..8 => 64 + self.draw(192),
            _ => 1 + self.draw(64),
        };
        let at = self.heap.take(size);
        self.event(thread, Event::Malloc { at, size });
        (at, size)
    }

    fn free(&mut self, thread: u64, (at, size): (u64, u64)) {
        self.event(thread, Event::Free { at });
        self.heap.give(at, size);
    }

    fn replace(&mut self) {
        let thread = self.draw(THREADS);
        if (self.live.len() as u64) < LIVE {
            let block = self.allocate(thread);
            return self.live.push(block);
        }
        let place = self.draw(LIVE) as usize;
        self.free(thread, self.live[place]);
        self.live[place] = self.allocate(thread);
    }
}

/// The simple allocator.
#[derive(Default)]
struct Heap {
    free: [Vec<u64>; 32],
    end: u64,
}

const BEGIN: u64 = 0x7000_0000_0000;

fn order(size: u64) -> usize {
    size.next_power_of_two().max(16).ilog2() as usize
}

impl Heap {
    fn take(&mut self, size: u64) -> u64 {
        let order = order(size);
        self.free[order].pop().unwrap_or_else(|| {
            let at = self.end.next_multiple_of(1 << order);
            self.end = at + (1 << order);
            BEGIN + at
        })
    }

    fn give(&mut self, at: u64, size: u64) {
        self.free[order(size)].push(at);
    }
}
