//! A copy of what says which granule holds what: the maps, and the descriptors of all slabs.
//!
//! Descriptors that nobody uses are not read: to read an untouched page of another process makes it a page of zeros.

use std::io;

use base::live::{At, KEPT, Number, RUN};

use crate::classes::Class;
use crate::counters::{Area, Counters};
use crate::memory::{Bytes, Memory};
use crate::table::Table;

const PAGE: usize = 4096;
/// Descriptors are counted in units of so many bytes.
const UNIT: usize = 64;

/// No region has more: 1 TiB of blocks of 2 MiB.
const MOST_BLOCKS: u64 = 1 << 20;

/// States of a slab in its tag's lowest bits.
const STATE: u32 = 3;
const LISTED: u32 = 1;
const UNLISTED: u32 = 2;
const LARGE: u32 = 3;

/// What a granule is, by the copy.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Span<'a> {
    /// Within a run, or on its way to a slab or run, or back.
    None,
    Run(usize),
    Kept(usize),
    Slab(Slab<'a>),
    /// A large block of a heap of its own, of so many granules.
    Large(usize),
    /// What does not fit together: it changed while it was read.
    Torn,
}

/// What a granule is, and within a run what that is.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Seen<'a> {
    /// Another's, or given up.
    Nothing,
    Free,
    /// Free, and costs memory.
    Dirty,
    /// Free, and a thread's.
    Kept,
    Run,
    Slab(Slab<'a>),
    /// It changed while it was read.
    Torn,
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct Slab<'a> {
    pub(crate) class: usize,
    pub(crate) granule: usize,
    words: Bytes<'a>,
}

impl Slab<'_> {
    fn word(&self, index: usize) -> u64 {
        self.words.u64(index * 8)
    }

    pub(crate) fn taken(&self, class: Class) -> usize {
        class.objects - self.free(class, 0, class.objects)
    }

    /// Objects among these that are free.
    pub(crate) fn free(&self, class: Class, from: usize, to: usize) -> usize {
        let to = to.min(class.objects);
        (from / 64..to.div_ceil(64))
            .map(|index| {
                let below = |bit: usize| match bit.saturating_sub(index * 64) {
                    count @ 0..64 => (1u64 << count) - 1,
                    _ => u64::MAX,
                };
                (self.word(index) & below(to) & !below(from)).count_ones() as usize
            })
            .sum()
    }

    /// Bytes of free objects between two offsets of the slab, up to the end of its last object.
    pub(crate) fn free_bytes(&self, class: Class, from: usize, to: usize) -> usize {
        if from == to {
            return 0;
        }
        let size = class.size;
        let (first, last) = (class.object_at(from), class.object_at(to - 1));
        let is_free = |object: usize| self.free(class, object, object + 1) == 1;
        if first == last {
            return if is_free(first) { to - from } else { 0 };
        }
        let head = if is_free(first) { (first + 1) * size - from } else { 0 };
        let tail = if is_free(last) { to - last * size } else { 0 };
        head + self.free(class, first + 1, last) * size + tail
    }
}

/// The copy; its memory is used again by the next.
#[derive(Debug, Default)]
pub(crate) struct Snapshot {
    /// The region's lowest address.
    pub(crate) base: u64,
    pub(crate) first_block: usize,
    pub(crate) blocks: usize,
    pub(crate) granules_a_block: usize,
    infos: Vec<u8>,
    spans: Vec<u8>,
    descriptors: Vec<u8>,
    from: usize,
}

impl Snapshot {
    /// Reads it anew.
    /// Errors: the process has gone, or the counters make no sense now: the caller tries again.
    pub(crate) fn read(
        &mut self,
        memory: &Memory,
        table: &Table,
        counters: &Counters,
    ) -> io::Result<()> {
        let granules_a_block = 1
            << (table
                .number(Number::BlockShift)
                .saturating_sub(table.number(Number::GranuleShift)))
            .min(7);
        let first = counters.of(At::FirstBlock);
        let end = counters.of(At::Frontier).max(first);
        let granule = |block: u64| block.saturating_mul(granules_a_block as u64);
        let (blocks, spans) = (table.number(Number::Block), 4);
        let fits =
            |area: Area, len: u64| len <= area.len && area.at.checked_add(area.len).is_some();
        // By region-R1 the maps are as long as what they are asked for: what is read of a heap that begins may not be.
        if end > MOST_BLOCKS
            || granule(end) > counters.of(At::Granules)
            || !fits(counters.area(At::Spans), granule(end).saturating_mul(spans))
            || !fits(counters.area(At::Blocks), end.saturating_mul(blocks as u64))
        {
            return Err(io::ErrorKind::Interrupted.into());
        }
        self.base = counters.of(At::Base);
        (self.first_block, self.blocks) = (first as usize, (end - first) as usize);
        self.granules_a_block = granules_a_block;
        self.infos.resize(self.blocks * blocks, 0);
        memory.read(counters.area(At::Blocks).at + first * blocks as u64, &mut self.infos)?;
        self.spans.resize(self.blocks * granules_a_block * 4, 0);
        memory.read(counters.area(At::Spans).at + granule(first) * spans, &mut self.spans)?;
        self.from = table.number(Number::DescriptorsFrom);
        self.read_descriptors(memory, counters.area(At::Descriptors))
    }

    fn read_descriptors(&mut self, memory: &Memory, area: Area) -> io::Result<()> {
        let len = area.len as usize;
        if self.descriptors.len() < len {
            // Fresh and not grown: of one that is grown all would be copied, and be resident.
            self.descriptors = vec![0; len];
        }
        let mut wanted = vec![false; len.div_ceil(PAGE) + 1];
        for entry in self.spans.as_chunks().0 {
            if let Some(at) = self.descriptor(u32::from_ne_bytes(*entry)).filter(|at| *at < len) {
                // The longest has 192 bytes, and may reach into the next page.
                wanted[at / PAGE] = true;
                wanted[(at + 3 * UNIT - 1) / PAGE] = true;
            }
        }
        wanted.truncate(len.div_ceil(PAGE));
        let mut at = 0;
        for run in wanted.chunk_by(|a, b| a == b) {
            let (start, end) = (at * PAGE, ((at + run.len()) * PAGE).min(len));
            if run[0] {
                memory.read(area.at + start as u64, &mut self.descriptors[start..end])?;
            }
            at += run.len();
        }
        Ok(())
    }

    /// Where the descriptor that a word of the span map names is in the area; `None`: it names none.
    fn descriptor(&self, word: u32) -> Option<usize> {
        if word == 0 || word & RUN != 0 {
            return None;
        }
        (word as usize * UNIT).checked_sub(self.from)
    }

    fn info(&self, table: &Table, block: usize) -> Bytes<'_> {
        let len = table.number(Number::Block);
        Bytes(self.infos.get(block * len..(block + 1) * len).unwrap_or(&[]))
    }

    /// Of a block, counted from the first: bits of the granules that are ours, that are free, that are dirty.
    pub(crate) fn bits(&self, table: &Table, block: usize) -> [u128; 3] {
        let info = self.info(table, block);
        let two = |what| {
            let at = table.number(what);
            u128::from(info.u64(at)) | u128::from(info.u64(at + 8)) << 64
        };
        let owned = match info.u8(table.number(Number::BlockOwned)) {
            0 => 0,
            count @ 1..128 => (1u128 << count) - 1,
            _ => u128::MAX,
        };
        [owned, two(Number::BlockFree), two(Number::BlockDirty)]
    }

    /// What a granule is, counted from the first block's first.
    pub(crate) fn span(&self, table: &Table, classes: &[Class], granule: usize) -> Span<'_> {
        let word = Bytes(&self.spans).u32(granule * 4);
        let count = (word & !(RUN | KEPT)) as usize;
        match word {
            0 => return Span::None,
            _ if word & (RUN | KEPT) == RUN | KEPT => return Span::Kept(count),
            _ if word & RUN != 0 => return Span::Run(count),
            _ => {}
        }
        let Some(bytes) = self.descriptor(word).and_then(|at| self.descriptors.get(at..)) else {
            return Span::Torn;
        };
        let bytes = Bytes(bytes);
        let tag = bytes.u32(table.number(Number::SlabTag));
        let words = Bytes(bytes.0.get(table.number(Number::SlabWords)..).unwrap_or(&[]));
        let class = (tag >> 2 & 0x3ff) as usize;
        match tag & STATE {
            LARGE => Span::Large(words.u64(0) as usize),
            LISTED | UNLISTED => {
                let first = self.first_block * self.granules_a_block;
                let its = bytes.u32(table.number(Number::SlabGranule)) as usize;
                let known = classes.get(class).filter(|_| class != 0);
                let granules = known.map_or(0, |class| class.granules);
                if (granule + first).wrapping_sub(its) >= granules || its < first {
                    return Span::Torn;
                }
                Span::Slab(Slab { class, granule: its - first, words })
            }
            _ => Span::Torn,
        }
    }

    /// Gives every granule, counted from the first block's first, to `each`.
    pub(crate) fn each_granule<'a>(
        &'a self,
        table: &Table,
        classes: &[Class],
        mut each: impl FnMut(usize, Seen<'a>),
    ) {
        // How much a run or a block of a heap still covers.
        let (mut left, mut covering) = (0, Seen::Run);
        for block in 0..self.blocks {
            let [owned, free, dirty] = self.bits(table, block);
            for number in 0..self.granules_a_block {
                let is_in = |bits: u128| bits >> number & 1 != 0;
                let at = block * self.granules_a_block + number;
                if !is_in(owned) || is_in(free) {
                    left = 0;
                    let seen = if is_in(dirty) { Seen::Dirty } else { Seen::Free };
                    each(at, if is_in(owned) { seen } else { Seen::Nothing });
                    continue;
                }
                if left == 0 {
                    (covering, left) = match self.span(table, classes, at) {
                        Span::Slab(slab) => (Seen::Slab(slab), 1),
                        Span::Kept(count) => (Seen::Kept, count),
                        Span::Run(count) | Span::Large(count) => (Seen::Run, count),
                        Span::None | Span::Torn => (Seen::Torn, 1),
                    };
                }
                each(at, covering);
                left = left.saturating_sub(1);
            }
        }
    }
}
