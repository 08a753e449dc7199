//! Recordings that no real program has to be waited for: of as many events as are asked for, each hard on readers in one way.
//!
//! ```text
//! few       10,000 blocks live, one of them replaced again and again
//! many      20 million blocks live at once, then replaced one by one
//! lasting   blocks that live for a moment; every sixteenth of them lasts until the end
//! threads   1,000 threads, a million blocks live, each freed by some other thread
//! chains    buffers that realloc makes larger and larger, 20,000 at a time
//! kept      nothing is ever freed
//! ```
//!
//! Addresses are those of a simple allocator: the youngest free piece of the size's power of two, else the next that was never used.

#![expect(clippy::cast_possible_truncation, reason = "threads and places are few")]

use std::path::{Path, PathBuf};

use trace::testing::Raw;
use trace_format::Event;

/// The names of all shapes.
pub(crate) const SHAPES: [&str; 6] = ["few", "many", "lasting", "threads", "chains", "kept"];

/// Events between two looks at the memory.
const LOOK: u64 = 1 << 14;

/// A recording of this shape, with about so many events; none if there is no such shape.
pub(crate) fn made(shape: &str, events: u64, path: &Path) -> Option<PathBuf> {
    let mut made = Made {
        raw: Raw::create(path),
        heap: Heap::default(),
        random: 1,
        events: 0,
        live: Vec::new(),
    };
    match shape {
        "few" => made.replaced(events, 10_000, 1),
        "many" => made.replaced(events, 20_000_000, 4),
        "threads" => made.replaced(events, 1_000_000, 1000),
        "lasting" => made.lasting(events),
        "chains" => made.chains(events),
        "kept" => {
            while made.events < events {
                made.allocate(0);
            }
        }
        _ => return None,
    }
    Some(made.raw.finish())
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

    fn replaced(&mut self, events: u64, live: u64, threads: u64) {
        while self.events < events {
            let thread = self.draw(threads);
            if (self.live.len() as u64) < live {
                let block = self.allocate(thread);
                self.live.push(block);
                continue;
            }
            let place = self.draw(live) as usize;
            self.free(thread, self.live[place]);
            self.live[place] = self.allocate(thread);
        }
    }

    fn lasting(&mut self, events: u64) {
        for n in 0.. {
            if self.events >= events {
                return;
            }
            let block = self.allocate(0);
            if n % 16 > 0 {
                self.live.push(block);
            }
            if self.live.len() > 500 {
                let place = self.draw(500) as usize;
                let block = self.live.swap_remove(place);
                self.free(0, block);
            }
        }
    }

    fn chains(&mut self, events: u64) {
        while self.events < events {
            if self.live.len() < 20_000 {
                let block = self.allocate(0);
                self.live.push(block);
                continue;
            }
            let place = self.draw(20_000) as usize;
            let (at, size) = self.live[place];
            if size > 256 << 10 {
                self.free(0, (at, size));
                self.live[place] = self.allocate(0);
                continue;
            }
            self.event(0, Event::ReallocFrom { at });
            let larger = size * 3 / 2 + 8;
            let new = self.heap.take(larger);
            self.heap.give(at, size);
            self.event(0, Event::ReallocTo { at: new, size: larger });
            self.live[place] = (new, larger);
        }
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
