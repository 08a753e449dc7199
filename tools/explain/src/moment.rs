//! The heap at one moment, from the live blocks in the order of their addresses.
//!
//! ```text
//! page      ▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓ ▓▓▓▓░░░░░░░░░░▓▓ ░░░░░░░░░░░░░░░░ ▓▓▓▓▓▓▓▓
//!           full             free in it: pinned  no block: scattered
//!           └─ 64 KiB ──────────────────────────────────────────────────
//! ```
//!
//! The blocks are placed and sorted some millions at a time, whose addresses follow each other: all of them would take more room than
//! the table they come from.

mod account;
mod pages;
mod rounding;
mod sparse;

use trace::{Block, NumberMap};

use crate::facts::{ByAge, BySize, Moment};
use crate::live::{Entry, Live};
use crate::outline::Look;
use crate::sizes;
use crate::units::{self, PAGE, Units};

use pages::Pages;
use rounding::Rounding;

pub(crate) use account::Outside;
pub(crate) use rounding::Rule;
pub(crate) use sparse::Lived;

/// What a moment is made from.
#[derive(Debug)]
pub(crate) struct Heap<'a> {
    pub(crate) live: &'a Live,
    pub(crate) units: &'a Units,
    pub(crate) lived: &'a Lived,
    pub(crate) rule: Rule,
    pub(crate) outside: Outside,
}

/// A live block with what malloc uses for it.
#[derive(Debug, Clone, Copy)]
struct Placed {
    block: Block,
    entry: Entry,
    taken: u64,
}

impl Placed {
    fn end(&self) -> u64 {
        self.entry.address.saturating_add(self.taken.max(1))
    }
}

/// Threads that are told of.
const THREADS: usize = 1024;
/// No more blocks are placed at one time, unless they all lie in one [`REACH`].
const WINDOW: u64 = 1 << 21;
/// Windows end at multiples of so many bytes, 2 to this.
const REACH: u32 = 24;

/// Hands over the live blocks in the order of their addresses.
fn windows(live: &Live, most: u64, mut each: impl FnMut(&mut [Placed])) {
    let reach = |entry: &Entry| entry.address >> REACH;
    let mut reaches: Vec<(u64, u64)> = Vec::new();
    if live.blocks() > most {
        let mut blocks = NumberMap::<u64, u64>::default();
        live.iter().for_each(|(_, entry)| *blocks.entry(reach(&entry)).or_default() += 1);
        reaches.extend(blocks);
        reaches.sort_unstable();
    }
    let mut rest = &reaches[..];
    let mut from = 0;
    loop {
        let mut sum = 0;
        let fit = rest.iter().take_while(|(_, blocks)| {
            sum += blocks;
            sum <= most
        });
        rest = &rest[fit.count().max(1).min(rest.len())..];
        let until = rest.first().map_or(u64::MAX, |(reach, _)| *reach);
        let within = live.iter().filter(|(_, entry)| (from..until).contains(&reach(entry)));
        let mut placed: Vec<Placed> =
            within.map(|(block, entry)| Placed { block, entry, taken: entry.size() }).collect();
        placed.sort_unstable_by_key(|placed| (placed.entry.address, placed.block));
        each(&mut placed);
        if rest.is_empty() {
            return;
        }
        from = until;
    }
}

/// What is summed up of the blocks, window by window.
#[derive(Debug)]
struct Sums {
    rounding: Rounding,
    /// Bytes beyond what was asked for.
    rounded: u64,
    /// What malloc uses for blocks that are followed by units.
    taken: u64,
    pages: Pages,
    sparse: sparse::Sums,
    by_size: Vec<BySize>,
    by_age: Vec<ByAge>,
}

impl Sums {
    fn new(rule: Rule) -> Self {
        Self {
            rounding: Rounding::new(rule),
            rounded: 0,
            taken: 0,
            pages: Pages::default(),
            sparse: sparse::Sums::new(),
            by_size: vec![BySize::default(); sizes::BINS],
            by_age: vec![ByAge::default(); 65],
        }
    }

    fn add(
        &mut self,
        placed: &mut [Placed],
        heap: &Heap<'_>,
        now: u64,
        held: &mut dyn FnMut(&Entry, u64),
    ) {
        self.rounding.fill(placed);
        self.pages.add(placed);
        self.sparse.add(placed, heap.units, now, held);
        for placed in placed {
            let (size, taken) = (placed.entry.size(), placed.taken);
            self.rounded += taken - size;
            self.taken += if size <= units::MOST { taken } else { 0 };
            let row = &mut self.by_size[sizes::bin(size)];
            row.from = if row.blocks == 0 { size } else { row.from.min(size) };
            row.to = row.to.max(size);
            row.blocks += 1;
            row.bytes += size;
            row.rounding += taken - size;
            let row = &mut self.by_age[sizes::octave(now.saturating_sub(placed.entry.born))];
            row.blocks += 1;
            row.bytes += size;
        }
    }
}

/// The heap as it is at `look`. `held` gets each block that holds free memory, and how much.
pub(crate) fn of(heap: &Heap<'_>, look: &Look, held: &mut dyn FnMut(&Entry, u64)) -> Moment {
    let mut sums = Sums::new(heap.rule);
    windows(heap.live, WINDOW, |placed| sums.add(placed, heap, look.time, held));
    let free_in_units = sums.free_in_units(heap.units);
    let (mut free_pages, mut by_thread) = (0, std::collections::BTreeMap::<u32, u64>::new());
    for unit in heap.units.iter().filter(|unit| unit.live == 0) {
        free_pages += unit.touched();
        *by_thread.entry(unit.thread).or_default() += unit.touched();
    }
    let mut free_by_thread: Vec<(u32, u64)> = by_thread.into_iter().collect();
    free_by_thread.sort_unstable_by_key(|&(thread, bytes)| (core::cmp::Reverse(bytes), thread));
    free_by_thread.truncate(THREADS);
    let mut moment = Moment {
        time: look.time,
        resident: look.resident(),
        anon: look.anon,
        live: heap.live.bytes(),
        blocks: heap.live.blocks(),
        rounding_from: sums.rounding.from(),
        pages: sums.pages.full,
        units: sums.pages.units,
        free_in_pages: sums.pages.free(),
        free_in_units,
        by_size: by_size(sums.by_size),
        by_age: by_age(sums.by_age),
        sparse: sums.sparse.finish(heap.lived, look.time),
        free_by_thread,
        free_pages,
        ..Moment::default()
    };
    moment.account = account::of(&moment, look, sums.rounded, &heap.outside);
    moment
}

impl Sums {
    /// Pages without a block, but on which one lay before, in 64 KiB with a block.
    fn free_in_units(&self, units: &Units) -> u64 {
        let in_use = units.iter().filter(|unit| unit.live > 0).map(|unit| unit.touched());
        let all = in_use.sum::<u64>().saturating_sub(self.taken);
        // What is free in the pages themselves is counted there.
        all.saturating_sub(self.pages.free()) / PAGE * PAGE
    }
}

fn by_size(mut rows: Vec<BySize>) -> Vec<BySize> {
    rows.retain(|row| row.blocks > 0);
    rows.sort_by_key(|row| core::cmp::Reverse(row.bytes));
    rows
}

fn by_age(mut rows: Vec<ByAge>) -> Vec<ByAge> {
    for (octave, row) in rows.iter_mut().enumerate() {
        row.below = 1_u64.checked_shl(u32::try_from(octave).unwrap_or(64)).unwrap_or(u64::MAX);
    }
    rows.retain(|row| row.blocks > 0);
    rows
}
