//! The blocks that are live: a row of each, found by the block's number, in few bytes.
//!
//! ```text
//! numbers   0 … 4095         4096 … 8191       8192 …
//! groups    [ packed rows ]  [ packed rows ]   [ row │ row │ gone │ row │ …     the youngest as they come
//!             └ of each column the least, and how many bytes take what is above it: [ 3 │ 1 │ 0 │ 2 ][ 3 │ 1 │ 0 │ 2 ] …
//! ```
//!
//! Blocks are numbered in the order of their birth, and most die young: those are never packed. What is left of a group is
//! alike, as it was born at about one time: some 6 to 16 bytes hold a row, its number in the group included.
//!
//! - **L1** a packed group's numbers rise: a block is found by bisection, or at once while all before it are there.
//! - **L2** at least two thirds of a packed group's rows are live.

mod packed;

use std::collections::VecDeque;

pub(crate) use self::packed::Packed;
use crate::blocks::{New, NumberMap};
use crate::step::{Block, Frame, How, Step, Thread};

const GROUP_BITS: u32 = 12;
/// Groups of blocks that are not packed: the youngest.
const OPEN: usize = 4;

/// What a reader remembers of a live block: `N` whole numbers.
pub trait Row<const N: usize>: Copy {
    /// As columns. Those that hardly differ from one block to the next take least room.
    fn columns(&self) -> [u64; N];
    /// From its columns.
    fn of(columns: [u64; N]) -> Self;
    fn size(&self) -> u64;
}

#[derive(Debug)]
enum Group<R, const N: usize> {
    Open(Vec<Option<R>>),
    Packed(Packed<N>),
}

#[derive(Debug)]
pub struct Live<R, const N: usize> {
    groups: NumberMap<u64, Group<R, N>>,
    /// The groups that are open, by rising number.
    open: VecDeque<u64>,
    blocks: u64,
    bytes: u128,
}

impl<R: Row<N>, const N: usize> Default for Live<R, N> {
    fn default() -> Self {
        Self { groups: NumberMap::default(), open: VecDeque::new(), blocks: 0, bytes: 0 }
    }
}

impl<R: Row<N>, const N: usize> Live<R, N> {
    pub fn blocks(&self) -> u64 {
        self.blocks
    }

    pub fn bytes(&self) -> u64 {
        u64::try_from(self.bytes).unwrap_or(u64::MAX)
    }

    /// A new block. What was there under its number, in a damaged trace, is returned.
    pub fn insert(&mut self, block: Block, row: R) -> Option<R> {
        let (number, low) = split(block);
        if self.open.back().is_none_or(|youngest| *youngest < number) {
            self.begin(number);
        }
        let before = match self.groups.get_mut(&number) {
            Some(Group::Open(rows)) => {
                let at = usize::from(low);
                if rows.len() <= at {
                    rows.resize(at + 1, None);
                }
                rows[at].replace(row)
            }
            group => {
                // A number that comes late: the trace is damaged, and this slow.
                let mut rows = match group {
                    Some(Group::Packed(packed)) => packed.rows(),
                    _ => Vec::new(),
                };
                let before = match rows.binary_search_by_key(&low, |row| row.0) {
                    Ok(at) => Some(core::mem::replace(&mut rows[at].1, row.columns())),
                    Err(at) => {
                        rows.insert(at, (low, row.columns()));
                        None
                    }
                };
                self.groups.insert(number, Group::Packed(Packed::of(&rows)));
                before.map(R::of)
            }
        };
        self.added(&row);
        if let Some(before) = &before {
            self.gone(before);
        }
        before
    }

    fn added(&mut self, row: &R) {
        self.blocks += 1;
        self.bytes += u128::from(row.size());
    }

    fn gone(&mut self, row: &R) {
        self.blocks -= 1;
        self.bytes -= u128::from(row.size());
    }

    /// Begins a group, and packs the oldest one that is open.
    #[cold]
    fn begin(&mut self, number: u64) {
        if self.open.len() == OPEN
            && let Some(oldest) = self.open.pop_front()
            && let Some(Group::Open(rows)) = self.groups.remove(&oldest)
        {
            let rows = (0u16..).zip(rows).filter_map(|(low, row)| Some((low, row?.columns())));
            let rows: Vec<(u16, [u64; N])> = rows.collect();
            if !rows.is_empty() {
                self.groups.insert(oldest, Group::Packed(Packed::of(&rows)));
            }
        }
        self.open.push_back(number);
        self.groups.insert(number, Group::Open(Vec::new()));
    }

    pub fn get(&self, block: Block) -> Option<R> {
        let (number, low) = split(block);
        match self.groups.get(&number)? {
            Group::Open(rows) => *rows.get(usize::from(low))?,
            Group::Packed(packed) => packed.get(low).map(R::of),
        }
    }

    pub fn remove(&mut self, block: Block) -> Option<R> {
        let (number, low) = split(block);
        let row = match self.groups.get_mut(&number)? {
            Group::Open(rows) => rows.get_mut(usize::from(low))?.take()?,
            Group::Packed(packed) => {
                let columns = packed.remove(low)?;
                if packed.is_empty() {
                    self.groups.remove(&number);
                }
                R::of(columns)
            }
        };
        self.gone(&row);
        Some(row)
    }

    /// Every live block, by rising number.
    pub fn iter(&self) -> impl Iterator<Item = (Block, R)> {
        let mut numbers: Vec<u64> = self.groups.keys().copied().collect();
        numbers.sort_unstable();
        numbers.into_iter().flat_map(|number| {
            let (open, packed) = match &self.groups[&number] {
                Group::Open(rows) => (Some(rows), None),
                Group::Packed(packed) => (None, Some(packed)),
            };
            let open = open.into_iter().flatten().zip(0u16..);
            let open = open.filter_map(|(row, low)| Some((low, (*row)?)));
            let packed = packed.into_iter().flat_map(Packed::iter);
            let rows = open.chain(packed.map(|(low, columns)| (low, R::of(columns))));
            rows.map(move |(low, row)| ((number << GROUP_BITS) + u64::from(low), row))
        })
    }
}

/// The number of a block's group, and its place in it.
fn split(block: Block) -> (u64, u16) {
    (block >> GROUP_BITS, u16::try_from(block % (1 << GROUP_BITS)).unwrap_or_default())
}

/// All that a trace says of a live block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Lived {
    pub address: u64,
    pub size: u64,
    pub born: u64,
    /// Who allocated it.
    pub thread: Thread,
    /// From where, or 0.
    pub frame: Frame,
    pub how: How,
    /// As requested, a power of two, or 0.
    pub align: u64,
}

impl Lived {
    /// A block that this step made.
    pub fn new(new: &New, step: &Step) -> Self {
        let New { address, size, align, frame, how, .. } = *new;
        Self { address, size, born: step.time, thread: step.thread, frame, how, align }
    }
}

impl Row<6> for Lived {
    fn columns(&self) -> [u64; 6] {
        let Self { address, size, born, thread, frame, how, align } = *self;
        let align = align.checked_ilog2().map_or(0, |log2| u64::from(log2) + 1);
        [address, size, born, thread.into(), frame.into(), align * 4 + how as u64]
    }

    fn of([address, size, born, thread, frame, kind]: [u64; 6]) -> Self {
        let [thread, frame] = [thread, frame].map(|n| u32::try_from(n).unwrap_or_default());
        let how = [How::Malloc, How::Calloc, How::Aligned, How::Born][(kind % 4) as usize];
        let align = if kind < 4 { 0 } else { 1 << (kind / 4 - 1) };
        Self { address, size, born, thread, frame, how, align }
    }

    fn size(&self) -> u64 {
        self.size
    }
}

/// A size, and what else there is behind it.
impl<const N: usize> Row<N> for [u64; N] {
    fn columns(&self) -> Self {
        *self
    }

    fn of(columns: Self) -> Self {
        columns
    }

    fn size(&self) -> u64 {
        self[0]
    }
}

#[cfg(test)]
mod tests;
