//! Where programs come from: a seeded generator with several distributions of sizes.
use core::fmt;
use core::str::FromStr;

use crate::program::{Op, Program};
use crate::rng::Rng;

/// What the sizes and lifetimes look like.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Distribution {
    /// 0 to 1 KiB, most of it below 128 bytes.
    Small,
    /// One below, at, and one above the boundaries of size classes.
    Edges,
    /// Powers of two to 1 MiB, and one beside them.
    Powers,
    /// 16 KiB to 1 MiB.
    Large,
    /// 1 MiB to 48 MiB.
    Huge,
    /// Fill with one size, then drain: from the front, from the back, or keep one in n.
    Drain,
    Mixed,
}

impl Distribution {
    /// Every one, in the order of their names' table.
    pub const ALL: [Distribution; 7] = [
        Distribution::Small,
        Distribution::Edges,
        Distribution::Powers,
        Distribution::Large,
        Distribution::Huge,
        Distribution::Drain,
        Distribution::Mixed,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Distribution::Small => "small",
            Distribution::Edges => "edges",
            Distribution::Powers => "powers",
            Distribution::Large => "large",
            Distribution::Huge => "huge",
            Distribution::Drain => "drain",
            Distribution::Mixed => "mixed",
        }
    }

    pub fn size(self, rng: &mut Rng) -> usize {
        match self {
            Distribution::Small if rng.one_in(64) => 0,
            Distribution::Small if rng.one_in(4) => rng.between(1, 1024),
            Distribution::Small => rng.between(1, 128),
            Distribution::Edges => class_edge(rng) + rng.below(3) - 1,
            Distribution::Powers => (1usize << rng.between(1, 20)) + rng.below(3) - 1,
            Distribution::Large => rng.doubling(16 << 10, 1 << 20),
            Distribution::Huge => rng.doubling(1 << 20, 48 << 20),
            Distribution::Drain => rng.doubling(8, 64 << 10),
            Distribution::Mixed => match rng.below(64) {
                0 => Distribution::Huge.size(rng),
                1..4 => Distribution::Large.size(rng),
                4..12 => Distribution::Powers.size(rng),
                12..28 => Distribution::Edges.size(rng),
                _ => Distribution::Small.size(rng),
            },
        }
    }
}

impl fmt::Display for Distribution {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Distribution {
    type Err = String;

    fn from_str(text: &str) -> Result<Distribution, String> {
        let known = Distribution::ALL;
        known.into_iter().find(|distribution| distribution.name() == text).ok_or_else(|| {
            let names = known.map(Distribution::name).join(" ");
            format!("unknown distribution `{text}`; known: {names}")
        })
    }
}

/// A boundary that allocators like: 16-byte steps to 256, then eight steps a doubling, to 64 KiB.
fn class_edge(rng: &mut Rng) -> usize {
    if rng.one_in(3) {
        return 16 * rng.between(1, 16);
    }
    let doubling = 256usize << rng.below(8);
    doubling + doubling / 8 * rng.below(9)
}

#[derive(Debug, Clone, Copy)]
pub struct Generator {
    pub distribution: Distribution,
    pub ops: usize,
    pub slots: usize,
    /// The bytes that may be asked for at once; sizes are halved until they fit.
    pub budget: usize,
    /// How many threads the program spreads itself over, one at a time; 1 for none.
    pub threads: usize,
    pub exchange: bool,
    /// Whether sizes that cannot exist are asked for now and then.
    pub impossible: bool,
    pub forks: bool,
}

impl Default for Generator {
    fn default() -> Generator {
        Generator {
            distribution: Distribution::Mixed,
            ops: 1000,
            slots: 128,
            budget: 64 << 20,
            threads: 1,
            exchange: false,
            impossible: true,
            forks: false,
        }
    }
}

impl Generator {
    pub fn program(&self, seed: u64) -> Program {
        let mut draft = Draft {
            by: self,
            rng: Rng::new(seed),
            ops: Vec::with_capacity(self.ops + 8),
            sizes: vec![0; self.slots.max(1)],
            held: 0,
        };
        while draft.ops.len() < self.ops {
            if self.distribution == Distribution::Drain
                || self.distribution == Distribution::Mixed && draft.rng.one_in(200)
            {
                draft.fill_and_drain();
            } else {
                draft.any();
            }
        }
        draft.ops.truncate(self.ops);
        Program { ops: draft.ops }
    }
}

struct Draft<'a> {
    by: &'a Generator,
    rng: Rng,
    ops: Vec<Op>,
    /// What each slot holds, as far as the draft knows: hand-overs are not followed.
    sizes: Vec<usize>,
    held: usize,
}

impl Draft<'_> {
    fn any(&mut self) {
        let slot = self.rng.below(self.sizes.len());
        let occupied = self.sizes[slot] > 0;
        match self.rng.below(100) {
            0 if self.by.impossible => self.impossible(slot),
            1 => self.ops.push(self.rng.pick(&[Op::Purge, Op::Check, Op::Verify])),
            2..6 if self.by.threads > 1 => self.switch(),
            6 if self.by.forks && self.rng.one_in(20) => self.ops.push(Op::Fork),
            6..14 if self.by.exchange => self.hand_over(slot),
            14..34 if occupied => self.realloc(slot),
            34..60 if occupied => self.free(slot),
            60..64 => self.free(slot),
            _ => {
                let size = self.by.distribution.size(&mut self.rng);
                self.allocate(slot, size);
            }
        }
    }

    /// A block of `size` bytes, or of what fits into the budget, in any of the three ways.
    fn allocate(&mut self, slot: usize, size: usize) {
        let size = self.fitting(slot, size);
        let number = number(slot);
        let op = match self.rng.below(10) {
            0..2 => {
                let count = self.rng.pick(&[1, 1, 2, 3, 8]);
                Op::Calloc { slot: number, count, size: size.div_ceil(count) }
            }
            2 => {
                let shift = if self.rng.one_in(8) { 16 } else { 12 };
                Op::Aligned { slot: number, align: 1 << self.rng.between(0, shift), size }
            }
            _ => Op::Malloc { slot: number, size },
        };
        self.ops.push(op);
        self.hold(slot, size);
    }

    fn realloc(&mut self, slot: usize) {
        let old = self.sizes[slot];
        let size = match self.rng.below(6) {
            0 => self.by.distribution.size(&mut self.rng),
            1 => old / 2,
            2 => old * 2,
            3 => old + old / 2,
            4 => old + 1,
            _ => self.rng.below(old + 1),
        };
        let size = self.fitting(slot, size);
        self.ops.push(Op::Realloc { slot: number(slot), size });
        self.hold(slot, size);
    }

    fn free(&mut self, slot: usize) {
        let sized = self.rng.one_in(3);
        let slot_number = number(slot);
        self.ops.push(if sized {
            Op::FreeSized { slot: slot_number }
        } else {
            Op::Free { slot: slot_number }
        });
        self.hold(slot, 0);
    }

    fn hand_over(&mut self, slot: usize) {
        let slot = number(slot);
        self.ops.push(if self.rng.one_in(2) { Op::Send { slot } } else { Op::Receive { slot } });
    }

    fn switch(&mut self) {
        let thread = number(self.rng.below(self.by.threads));
        let ends = thread > 0 && self.rng.one_in(4);
        self.ops.push(if ends { Op::Exit { thread } } else { Op::On { thread } });
    }

    fn impossible(&mut self, slot: usize) {
        let slot = number(slot);
        let size = self.rng.pick(&[usize::MAX, usize::MAX - 4096, usize::MAX / 2 + 1]);
        let half = usize::MAX / 2 + 2;
        self.ops.push(match self.rng.below(4) {
            0 => Op::Malloc { slot, size },
            1 => Op::Calloc { slot, count: 2, size: half },
            2 => Op::Aligned { slot, align: 4096, size },
            _ => Op::Realloc { slot, size },
        });
    }

    /// Every slot (or some of them) with nearly one size, then out again.
    fn fill_and_drain(&mut self) {
        let size = self.by.distribution.size(&mut self.rng);
        let slots = self.sizes.len();
        let from = if self.rng.one_in(2) { 0 } else { self.rng.below(slots / 2 + 1) };
        for slot in from..slots {
            let size = if self.rng.one_in(16) { size + self.rng.below(64) } else { size };
            self.allocate(slot, size);
        }
        let keep = self.rng.pick(&[0, 0, 2, 3, 8, 16]);
        let backwards = self.rng.one_in(2);
        for i in from..slots {
            let slot = if backwards { slots - 1 - (i - from) } else { i };
            if keep == 0 || slot % keep != 0 {
                self.free(slot);
            }
        }
        if self.rng.one_in(4) {
            self.ops.push(Op::Purge);
        }
    }

    fn fitting(&self, slot: usize, mut size: usize) -> usize {
        let others = self.held - self.sizes[slot];
        while size > 16 && others + size > self.by.budget {
            size /= 2;
        }
        size
    }

    fn hold(&mut self, slot: usize, size: usize) {
        self.held = self.held - self.sizes[slot] + size;
        self.sizes[slot] = size;
    }
}

fn number(slot: usize) -> u32 {
    u32::try_from(slot).expect("slots and threads are few")
}

#[cfg(test)]
mod tests;
