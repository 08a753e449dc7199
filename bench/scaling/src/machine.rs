//! A machine's processors and the cache lines they share: what each access to memory costs.
//!
//! ```text
//! node 0                                     node 1
//! [ L3: 0 … 7 │ L3: 8 … 15 │ … ]             [ L3: 64 … 71 │ … ]        a line moves between two processors in the
//!   └ same_l3 ┘└─ same_node ─┘└───────── other_node ──────────┘         time of the least that holds both
//! ```
//!
//! - **M1** a line is held by one processor that may write to it, or by any number that only read.
//! - **M2** a line moves to one writer at a time: who comes meanwhile waits until it has arrived.
//! - **M3** caches are as large as one likes: a line leaves one only when another processor writes to it.
//!
//! Times are picoseconds.

use core::hash::{BuildHasherDefault, Hasher};
use std::collections::HashMap;

/// The most processors.
pub(crate) const MOST: usize = 128;
/// Bytes of a cache line.
const LINE: usize = 64;

/// Picoseconds.
pub(crate) type Time = u64;
/// A nanosecond.
pub(crate) const NS: Time = 1000;

/// What is done to a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Access {
    /// Read; the processor waits for it.
    Load,
    /// Written; the processor goes on, the line follows.
    Store,
    /// Read and written at once, by a locked instruction.
    Update,
    /// It will be written soon.
    Prefetch,
}

/// Who is near whom, and what moving a line takes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Layout {
    /// Processors of an L3 cache.
    pub l3: usize,
    /// Processors of a NUMA node.
    pub(crate) node: usize,
    /// Between processors of one L3.
    pub same_l3: Time,
    /// Between L3 caches of one node.
    pub(crate) same_node: Time,
    /// Between nodes.
    pub(crate) other_node: Time,
}

/// AMD EPYC 7R13: eight cores an L3, two sockets.
pub(crate) const CHIPLETS: Layout =
    Layout { l3: 8, node: 64, same_l3: 23 * NS, same_node: 107 * NS, other_node: 197 * NS };
/// Intel Xeon 8375C: one L3 a socket.
pub(crate) const MESH: Layout =
    Layout { l3: 32, node: 32, same_l3: 51 * NS, same_node: 51 * NS, other_node: 108 * NS };

/// An access that the processor's own cache serves, with the instructions around it.
pub(crate) const HIT: Time = NS;
/// What a locked instruction takes more.
pub(crate) const LOCKED: Time = 5 * NS;
/// From memory, where nobody has the line.
pub(crate) const MEMORY: Time = 90 * NS;

impl Layout {
    /// The node of a processor.
    pub(crate) fn node_of(&self, core: usize) -> usize {
        core / self.node
    }

    fn between(&self, one: usize, other: usize) -> Time {
        if one / self.l3 == other / self.l3 {
            self.same_l3
        } else if one / self.node == other / self.node {
            self.same_node
        } else {
            self.other_node
        }
    }
}

/// A line in the caches.
#[derive(Debug, Clone, Copy)]
struct Line {
    /// The processors that hold it, a bit each.
    holders: u128,
    /// Whether the only holder may write to it.
    is_exclusive: bool,
    /// When it arrives, or has arrived, at its last writer.
    arrives: Time,
    /// Whether it is on its way because of a prefetch, so that its reader waits for it too.
    is_prefetched: bool,
}

/// Lines by number; the numbers are spread well enough by a multiplication.
#[derive(Debug, Default)]
pub(crate) struct Spread(u64);

impl Hasher for Spread {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.write_u64(u64::from(byte));
        }
    }

    fn write_u64(&mut self, number: u64) {
        self.0 = (self.0 ^ number).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(26);
    }

    fn write_usize(&mut self, number: usize) {
        self.write_u64(number as u64);
    }
}

/// All lines.
#[derive(Debug)]
pub(crate) struct Lines {
    layout: Layout,
    lines: HashMap<usize, Line, BuildHasherDefault<Spread>>,
}

impl Lines {
    /// Nobody holds a line.
    pub(crate) fn new(layout: Layout) -> Self {
        Self { layout, lines: HashMap::default() }
    }

    /// A processor's access at a moment to the line of an address: when the processor goes on.
    pub(crate) fn access(
        &mut self,
        core: usize,
        address: usize,
        access: Access,
        now: Time,
    ) -> Time {
        let me = 1u128 << core;
        let Some(line) = self.lines.get_mut(&(address / LINE)) else {
            let arrives = now + MEMORY;
            let is_prefetched = access == Access::Prefetch;
            let line = Line { holders: me, is_exclusive: true, arrives, is_prefetched };
            self.lines.insert(address / LINE, line);
            return match access {
                Access::Load => arrives + HIT,
                Access::Update => arrives + HIT + LOCKED,
                Access::Store | Access::Prefetch => now + HIT,
            };
        };
        let is_mine = line.holders & me != 0;
        if access == Access::Load {
            if is_mine {
                let waits = line.is_exclusive && line.is_prefetched;
                return if waits { now.max(line.arrives) } else { now } + HIT;
            }
            let far = distance(&self.layout, core, line.holders, Time::min);
            line.holders |= me;
            line.is_exclusive = false;
            return now.max(line.arrives) + far + HIT;
        }
        if !(is_mine && line.is_exclusive) {
            let far = distance(&self.layout, core, line.holders & !me, Time::max);
            line.arrives = now.max(line.arrives) + far;
            line.holders = me;
            line.is_exclusive = true;
            line.is_prefetched = access == Access::Prefetch;
        }
        match access {
            Access::Update => now.max(line.arrives) + HIT + LOCKED,
            _ => now + HIT,
        }
    }
}

/// The least or the most that is between a processor and those of a set.
fn distance(
    layout: &Layout,
    core: usize,
    mut others: u128,
    choose: fn(Time, Time) -> Time,
) -> Time {
    let mut chosen = None;
    while others != 0 {
        let between = layout.between(core, others.trailing_zeros() as usize);
        chosen = Some(chosen.map_or(between, |before| choose(before, between)));
        others &= others - 1;
    }
    chosen.unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use Access::{Load, Prefetch, Store, Update};

    /// A machine whose line at 0 was last written by processor 0, long ago.
    fn written() -> Lines {
        let mut lines = Lines::new(CHIPLETS);
        assert_eq!(lines.access(0, 0, Update, 0), MEMORY + HIT + LOCKED);
        lines
    }

    const LONG: Time = 1000 * NS;

    #[test]
    fn a_line_costs_what_lies_between_its_writer_and_who_comes() {
        for (core, far) in [(0, 0), (7, 23 * NS), (8, 107 * NS), (64, 197 * NS)] {
            assert_eq!(written().access(core, 63, Load, LONG), LONG + far + HIT, "{core}");
            let updated = LONG + far + HIT + LOCKED;
            assert_eq!(written().access(core, 63, Update, LONG), updated, "{core}");
            assert_eq!(written().access(core, 63, Store, LONG), LONG + HIT, "{core}");
        }
    }

    #[test]
    fn readers_hold_it_together_and_a_writer_has_to_reach_them_all() {
        let mut lines = written();
        for core in [64, 1] {
            lines.access(core, 0, Load, LONG);
            assert_eq!(lines.access(core, 8, Load, LONG), LONG + HIT, "has it now");
        }
        // From processor 1 the farthest reader is the one in the other node.
        assert_eq!(lines.access(1, 0, Update, LONG), LONG + 197 * NS + HIT + LOCKED);
        assert_eq!(lines.access(1, 0, Update, 2 * LONG), 2 * LONG + HIT + LOCKED, "alone now");
    }

    #[test]
    fn writers_that_come_at_once_wait_for_each_other() {
        let mut lines = written();
        let ends = [1, 2, 3].map(|core| lines.access(core, 0, Update, LONG));
        assert_eq!(ends, [1, 2, 3].map(|nth| LONG + nth * 23 * NS + HIT + LOCKED));
    }

    #[test]
    fn a_prefetched_line_arrives_meanwhile() {
        let mut lines = written();
        assert_eq!(lines.access(1, 0, Prefetch, LONG), LONG + HIT);
        assert_eq!(lines.access(1, 0, Load, LONG + NS), LONG + 23 * NS + HIT);
        assert_eq!(lines.access(1, 0, Update, LONG + 30 * NS), LONG + 30 * NS + HIT + LOCKED);
    }

    #[test]
    fn what_a_processor_stored_it_reads_at_once() {
        let mut lines = written();
        lines.access(1, 0, Store, LONG);
        assert_eq!(lines.access(1, 0, Load, LONG), LONG + HIT);
        assert_eq!(lines.access(1, 0, Update, LONG), LONG + 23 * NS + HIT + LOCKED);
    }
}
