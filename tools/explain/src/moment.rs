//! The heap at one moment, from the live blocks in the order of their addresses.
//!
//! ```text
//! page      ▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓ ▓▓▓▓░░░░░░░░░░▓▓ ░░░░░░░░░░░░░░░░ ▓▓▓▓▓▓▓▓
//!           full             free in it: pinned  no block: scattered
//!           └─ 64 KiB ──────────────────────────────────────────────────
//! ```
//!
//! Cost: the live blocks once more, sorted.

mod account;
mod pages;
mod rounding;
mod sparse;

use trace::Block;

use crate::facts::{ByAge, BySize, Moment};
use crate::live::{Entry, Live};
use crate::outline::Look;
use crate::sizes;
use crate::units::{PAGE, Units};

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

/// The heap as it is at `look`. `held` gets each block that holds free memory, and how much.
pub(crate) fn of(heap: &Heap<'_>, look: &Look, held: &mut dyn FnMut(&Entry, u64)) -> Moment {
    let mut placed: Vec<Placed> = heap
        .live
        .iter()
        .map(|(block, &entry)| Placed { block, entry, taken: entry.size() })
        .collect();
    placed.sort_unstable_by_key(|placed| (placed.entry.address, placed.block));
    let rounding_from = rounding::fill(&mut placed, heap.rule);
    let rounding = placed.iter().map(|placed| placed.taken - placed.entry.size()).sum();
    let pages = pages::of(&placed);
    let sparse = sparse::of(&placed, heap, look.time, held);
    let (mut free_pages, mut by_thread) = (0, std::collections::BTreeMap::<u32, u64>::new());
    for unit in heap.units.iter().filter(|unit| unit.live == 0) {
        free_pages += unit.touched();
        *by_thread.entry(unit.thread).or_default() += unit.touched();
    }
    let mut free_by_thread: Vec<(u32, u64)> = by_thread.into_iter().collect();
    free_by_thread.sort_unstable_by_key(|&(thread, bytes)| (core::cmp::Reverse(bytes), thread));
    free_by_thread.truncate(64);
    let mut moment = Moment {
        time: look.time,
        resident: look.resident(),
        anon: look.anon,
        live: heap.live.bytes,
        blocks: heap.live.blocks,
        rounding_from,
        pages: pages.full,
        units: pages.units,
        free_in_pages: pages.free,
        free_in_units: free_in_units(&placed, heap.units, pages.free),
        by_size: by_size(&placed),
        by_age: by_age(&placed, look.time),
        sparse,
        free_by_thread,
        free_pages,
        ..Moment::default()
    };
    moment.account = account::of(&moment, look, rounding, &heap.outside);
    moment
}

/// Pages without a block, but on which one lay before, in 64 KiB with a block.
fn free_in_units(placed: &[Placed], units: &Units, free_in_pages: u64) -> u64 {
    let in_use: u64 = units.iter().filter(|unit| unit.live > 0).map(|unit| unit.touched()).sum();
    let followed = placed.iter().filter(|placed| placed.entry.size() <= crate::units::MOST);
    let taken: u64 = followed.map(|placed| placed.taken).sum();
    let all = in_use.saturating_sub(taken);
    // What is free in the pages themselves is counted there.
    all.saturating_sub(free_in_pages) / PAGE * PAGE
}

fn by_size(placed: &[Placed]) -> Vec<BySize> {
    let mut rows = vec![BySize::default(); sizes::BINS];
    for placed in placed {
        let (size, row) = (placed.entry.size(), &mut rows[sizes::bin(placed.entry.size())]);
        row.from = if row.blocks == 0 { size } else { row.from.min(size) };
        row.to = row.to.max(size);
        row.blocks += 1;
        row.bytes += size;
        row.rounding += placed.taken - size;
    }
    rows.retain(|row| row.blocks > 0);
    rows.sort_by_key(|row| core::cmp::Reverse(row.bytes));
    rows
}

fn by_age(placed: &[Placed], now: u64) -> Vec<ByAge> {
    let mut rows = vec![ByAge::default(); 65];
    for placed in placed {
        let row = &mut rows[sizes::octave(now.saturating_sub(placed.entry.born))];
        row.blocks += 1;
        row.bytes += placed.entry.size();
    }
    for (octave, row) in rows.iter_mut().enumerate() {
        row.below = 1_u64.checked_shl(u32::try_from(octave).unwrap_or(64)).unwrap_or(u64::MAX);
    }
    rows.retain(|row| row.blocks > 0);
    rows
}
