//! What the heap's memory is made of: each byte counted for what holds it, and whether it is resident.
//!
//! ```text
//! block    [ slab │ slab │ run ─────── │ kept run │ dirty │ clean … ]     by the granule: span map, bitmaps
//! slab     [ live │ free │ live │ kept │ free │ free │ tail ]             by the object: the slab's bits
//! pages    [  resident   │  resident   │   hole      │  … ]               by the page: the kernel
//! ```
//!
//! - **split-N1** every byte of a committed block of ours, of a mapping of its own, and of the maps and
//!   descriptors is held by one part; it counts as resident too if its page is. So the parts add
//!   up, to what was obtained and to what is resident.
//! - **split-N2** an object that a thread keeps is a taken object of its slab: which ones are only the
//!   thread knows. Those of a class are as resident as its taken objects are in the middle.
//!
//! Nothing is locked, but for the mappings' table: exact when no thread is in between, and else off by what
//! they move. O(granules + pages), one system call in 2 MiB.
use core::fmt::{self, Write};

use base::bits::align_up;
use base::sync::Ordering;
use object::Slab;
use object::size_class::{CLASSES, ClassInfo, info};
use page::geometry::GRANULES_PER_BLOCK;
use page::{BLOCK, GRANULE, Span, System};
use source::os::imp::residency::{Residency, residency};
use thread::Tls;

use super::{Flagship, Stats};

/// The parts of split-N1, and their names in tables.
pub const PARTS: [&str; 12] = [
    "live, in slabs",
    "live, in runs",
    "live, in mappings of their own",
    "kept by threads, objects",
    "kept by threads, runs",
    "free objects of slabs in use",
    "holes, given back or never used",
    "tails of slabs",
    "empty slabs",
    "free, not yet given back",
    "free, given back or never used",
    "maps and descriptors",
];

/// Places in [`PARTS`].
#[allow(missing_docs, reason = "PARTS says in words what each is")]
pub mod part {
    pub const LIVE: usize = 0;
    pub const RUNS: usize = 1;
    pub const MAPPINGS: usize = 2;
    pub const CACHED: usize = 3;
    pub const CACHED_RUNS: usize = 4;
    pub const FREE_OBJECTS: usize = 5;
    pub const HOLES: usize = 6;
    pub const TAILS: usize = 7;
    pub const EMPTY: usize = 8;
    pub const DIRTY: usize = 9;
    pub const CLEAN: usize = 10;
    pub const BOOKS: usize = 11;
}
use part::*;

/// Bytes of a part.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Bytes {
    /// What it holds.
    pub held: usize,
    /// What of that is resident.
    pub resident: usize,
}

/// The parts at a moment, in the order of [`PARTS`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Split {
    /// Each part.
    pub parts: [Bytes; PARTS.len()],
    /// Whether the kernel said what is resident; if not, all of `resident` is 0.
    pub is_known: bool,
}

impl Bytes {
    fn add(&mut self, len: usize, is_resident: bool) {
        self.held += len;
        self.resident += if is_resident { len } else { 0 };
    }
}

impl Split {
    /// Bytes of live blocks that are resident.
    pub(super) fn live(&self) -> usize {
        [LIVE, RUNS, MAPPINGS].iter().map(|&part| self.parts[part].resident).sum()
    }

    /// All parts together (split-N1).
    pub fn sum(&self) -> Bytes {
        self.parts.iter().fold(Bytes::default(), |sum, part| Bytes {
            held: sum.held + part.held,
            resident: sum.resident + part.resident,
        })
    }
}

impl Split {
    /// Writes a row for each part. Rounding carries over from row to row, so that the rows of a column
    /// add up to its last line.
    pub(super) fn write(&self, out: &mut impl Write, title: &str) -> fmt::Result {
        writeln!(out, "  {title:<34} {:>12} {:>16}", "held", "resident")?;
        let whole = self.sum();
        let (mut before, mut sum) = (Bytes::default(), Bytes::default());
        for (name, part) in PARTS.iter().zip(&self.parts) {
            sum.held += part.held;
            sum.resident += part.resident;
            self.row(out, name, [&before, &sum], part.resident * 1000, whole.resident)?;
            before = sum;
        }
        self.row(out, "all of the heap", [&Bytes::default(), &sum], 1000, 1)
    }

    /// What was added between two sums, and its share of the resident memory.
    fn row(
        &self,
        out: &mut impl Write,
        name: &str,
        [before, sum]: [&Bytes; 2],
        share: usize,
        of: usize,
    ) -> fmt::Result {
        let kib = |before: usize, sum: usize| (sum + 512) / 1024 - (before + 512) / 1024;
        write!(out, "    {name:<32} {:>12} KiB", kib(before.held, sum.held))?;
        if !self.is_known {
            return writeln!(out, "  the system does not say");
        }
        let tenths = share / of.max(1);
        let resident = kib(before.resident, sum.resident);
        writeln!(out, " {resident:>12} KiB {:>4}.{}%", tenths / 10, tenths % 10)
    }
}

/// The pages of a block's length of addresses, as the kernel last said.
struct Pages {
    page: usize,
    at: usize,
    resident: [u8; BLOCK / LEAST_PAGE],
    is_known: bool,
}

/// No kernel's page is smaller.
const LEAST_PAGE: usize = 4096;

impl Pages {
    /// Looks at `len` bytes from `at` on, at most a block, both multiples of the page.
    fn look(&mut self, at: usize, len: usize) {
        let count = (len / self.page).min(self.resident.len());
        self.at = at;
        self.resident.fill(0);
        if self.is_known {
            match residency(at, &mut self.resident[..count], self.page) {
                Residency::Known => {}
                Residency::Unmapped => self.resident.fill(0),
                Residency::Refused => self.is_known = false,
            }
        }
    }

    /// Whether the page at `address`, which was looked at, is resident.
    fn has(&self, address: usize) -> bool {
        let index = address.wrapping_sub(self.at) / self.page;
        self.is_known && self.resident.get(index).is_some_and(|byte| byte & 1 != 0)
    }

    fn count(&mut self, at: usize, len: usize, part: &mut Bytes) {
        let end = at + len;
        for at in (at..end).step_by(BLOCK) {
            let len = BLOCK.min(end - at);
            self.look(at, align_up(len, self.page));
            for page in (at..at + len).step_by(self.page) {
                part.add(self.page.min(end - page), self.has(page));
            }
        }
    }
}

struct Walk {
    split: Split,
    pages: Pages,
    taken: [Bytes; CLASSES],
}

impl<S: System, T: Tls> Flagship<S, T> {
    /// What the memory is made of; `stats` are those of the same moment.
    pub fn split(&self, stats: &Stats) -> Split {
        let page = self.pages.source.page_size().max(LEAST_PAGE);
        let pages = Pages { page, at: 0, resident: [0; _], is_known: true };
        let split = Split { parts: [Bytes::default(); _], is_known: true };
        let mut walk = Walk { split, pages, taken: [Bytes::default(); _] };
        if self.pages.region.granules() != 0 {
            self.walk_blocks(&mut walk);
            for (at, len) in self.pages.region.books() {
                walk.pages.count(at, len, &mut walk.split.parts[BOOKS]);
            }
        }
        self.huge.each(|at, len| walk.pages.count(at, len, &mut walk.split.parts[MAPPINGS]));
        walk.end(stats)
    }

    fn walk_blocks(&self, walk: &mut Walk) {
        let region = &self.pages.region;
        // The part that a run belongs to, and the granules of it that are still to come.
        let (mut part, mut left) = (RUNS, 0);
        for block in self.pages.committed() {
            let info = region.block(block);
            let (owned, free, dirty) = (info.owned(), info.free(), info.dirty());
            // The last block of a window may be ours in part only: what is behind is not mapped.
            let ours = GRANULES_PER_BLOCK - owned.leading_zeros() as usize;
            walk.pages
                .look(region.address_of_block(block), align_up(ours * GRANULE, walk.pages.page));
            for number in 0..GRANULES_PER_BLOCK {
                let is_in = |bits: u128| bits >> number & 1 != 0;
                let granule = block as usize * GRANULES_PER_BLOCK + number;
                if !is_in(owned) || is_in(free) {
                    left = 0;
                    if is_in(owned) {
                        let part = if is_in(dirty) { DIRTY } else { CLEAN };
                        walk.granule(region.address_of(granule), part);
                    }
                    continue;
                }
                if left == 0 {
                    (part, left) = match region.span(granule) {
                        Span::Slab(at) => {
                            // SAFETY: the span map names descriptors only.
                            let slab = unsafe { Slab::at(at) };
                            match slab.large() {
                                Some(count) => (RUNS, count),
                                None => {
                                    walk.slab(slab, region.address_of(granule), granule);
                                    continue;
                                }
                            }
                        }
                        Span::Kept(count) => (CACHED_RUNS, count),
                        Span::Run(count) => (RUNS, count),
                        // On its way to a slab or run, or back.
                        Span::None => (RUNS, 1),
                    };
                }
                walk.granule(region.address_of(granule), part);
                left = left.saturating_sub(1);
            }
        }
    }
}

impl Walk {
    /// Bytes of which all is resident or nothing is: a page, or a granule where that is smaller.
    fn unit(&self) -> usize {
        self.pages.page.min(GRANULE)
    }

    fn granule(&mut self, at: usize, part: usize) {
        for at in (at..at + GRANULE).step_by(self.unit()) {
            let is_resident = self.pages.has(at);
            self.split.parts[part].add(self.unit(), is_resident);
        }
    }

    fn slab(&mut self, slab: &Slab, at: usize, granule: usize) {
        let class = slab.tag().class();
        let class_info = info(class);
        let number = granule.wrapping_sub(slab.granule());
        // It may have ended meanwhile, and its descriptor serve another slab.
        if number >= class_info.granules as usize || slab.is_empty(class_info) {
            return self.granule(at, EMPTY);
        }
        let offset = number * GRANULE;
        let objects = class_info.objects as usize * class_info.size as usize;
        let unit = self.unit();
        for from in (offset..offset + GRANULE).step_by(unit) {
            let is_resident = self.pages.has(at + from - offset);
            let end = (from + unit).min(objects).max(from);
            let free = free_bytes(slab, class_info, from, end);
            // What is gone of a page without a taken object, or was never there.
            let is_hole = !is_resident && free == end - from;
            let part = if is_hole { HOLES } else { FREE_OBJECTS };
            self.split.parts[part].add(free, is_resident);
            self.split.parts[TAILS].add(unit - (end - from), is_resident);
            self.taken[class].add(end - from - free, is_resident);
        }
    }

    /// Tells what threads keep from what is live (split-N2).
    fn end(mut self, stats: &Stats) -> Split {
        for (taken, (class, kept)) in self.taken.iter().zip(stats.cached_objects.iter().enumerate())
        {
            let held = (kept * info(class).size as usize).min(taken.held);
            let share = taken.resident as u128 * held as u128 / taken.held.max(1) as u128;
            // No more than `taken.resident`.
            let resident = usize::try_from(share).unwrap_or(0);
            let parts = &mut self.split.parts;
            parts[CACHED].held += held;
            parts[CACHED].resident += resident;
            parts[LIVE].held += taken.held - held;
            parts[LIVE].resident += taken.resident - resident;
        }
        self.split.is_known = self.pages.is_known;
        if !self.split.is_known {
            self.split.parts.iter_mut().for_each(|part| part.resident = 0);
        }
        self.split
    }
}

/// Bytes of free objects between two offsets of a slab, up to the end of its last object.
fn free_bytes(slab: &Slab, class: &ClassInfo, from: usize, to: usize) -> usize {
    if from == to {
        return 0;
    }
    let size = class.size as usize;
    let (first, last) = (class.object_at(from), class.object_at(to - 1));
    let is_free = |object: usize| free_objects(slab, object, object + 1) == 1;
    if first == last {
        return if is_free(first) { to - from } else { 0 };
    }
    let head = if is_free(first) { (first + 1) * size - from } else { 0 };
    let tail = if is_free(last) { to - last * size } else { 0 };
    head + free_objects(slab, first + 1, last) * size + tail
}

fn free_objects(slab: &Slab, from: usize, to: usize) -> usize {
    (from / 64..to.div_ceil(64))
        .map(|word| {
            let below = |bit: usize| match bit.saturating_sub(word * 64) {
                count @ 0..64 => (1u64 << count) - 1,
                _ => u64::MAX,
            };
            let bits = slab.word(word).load(Ordering::Relaxed);
            (bits & below(to) & !below(from)).count_ones() as usize
        })
        .sum()
}
