//! What the heap's memory is made of now: each byte counted for what holds it, and whether its page is resident.
//!
//! The same parts as in the file of `stats=/PATH`, which the process makes of itself (`malloc::heapwright::split`): every byte is held
//! by one part. What is resident /proc/PID/pagemap says, for which the kernel asks the same rights as for the memory.

use std::fs::File;
use std::os::unix::fs::FileExt as _;

use base::live::{At, Number};
use malloc::heapwright::split::{PARTS, part::*};

use crate::classes::Class;
use crate::counters::{Area, Counters};
use crate::memory::{Bytes, Memory};
use crate::snapshot::{Seen, Slab, Snapshot};
use crate::table::Table;

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Part {
    pub name: &'static str,
    pub held: u64,
    pub resident: u64,
}

impl Part {
    fn add(&mut self, len: usize, is_resident: bool) {
        self.held += len as u64;
        self.resident += if is_resident { len as u64 } else { 0 };
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parts {
    /// Whether the kernel said what is resident.
    pub is_known: bool,
    pub parts: Vec<Part>,
}

/// Bytes of one entry of the file, and its bit of a page that is there.
const ENTRY: usize = 8;
const PRESENT: u64 = 1 << 63;
/// Pages that are asked for at once.
const AT_ONCE: usize = 4096;
/// A table of mappings is no longer.
const MOST_MAPPINGS: u64 = 1 << 22;

/// Which pages of the process are resident.
struct Pages {
    file: Option<File>,
    page: usize,
    at: u64,
    entries: Vec<u8>,
}

impl Pages {
    fn open(memory: &Memory) -> Self {
        let file = File::open(format!("/proc/{}/pagemap", memory.one)).ok();
        Self { file, page: rustix::param::page_size(), at: 0, entries: Vec::new() }
    }

    fn look(&mut self, at: u64, len: usize) {
        let page = self.page as u64;
        self.at = at / page * page;
        let count = (at + len as u64).div_ceil(page) - self.at / page;
        self.entries.resize(count as usize * ENTRY, 0);
        let Some(file) = &self.file else { return };
        if file.read_exact_at(&mut self.entries, self.at / page * ENTRY as u64).is_err() {
            self.file = None;
        }
    }

    fn has(&self, at: u64) -> bool {
        let index = (at.wrapping_sub(self.at) / self.page as u64) as usize;
        self.file.is_some() && Bytes(&self.entries).u64(index.saturating_mul(ENTRY)) & PRESENT != 0
    }

    fn count(&mut self, area: Area, part: &mut Part) {
        let end = area.at.saturating_add(area.len);
        let step = self.page * AT_ONCE;
        for at in (area.at..end).step_by(step) {
            let len = (end - at).min(step as u64) as usize;
            self.look(at, len);
            for from in (at..at + len as u64).step_by(self.page) {
                part.add((end - from).min(self.page as u64) as usize, self.has(from));
            }
        }
    }
}

struct Walk<'a> {
    copy: &'a Snapshot,
    table: &'a Table,
    classes: &'a [Class],
    granule: usize,
    pages: Pages,
    parts: [Part; PARTS.len()],
    taken: Vec<Part>,
}

/// Asks which pages are resident, and counts. `kept`: objects that threads keep, by class.
pub(crate) fn parts(
    memory: &Memory,
    copy: &Snapshot,
    table: &Table,
    classes: &[Class],
    counters: &Counters,
    kept: &[usize],
) -> Parts {
    let mut walk = Walk {
        copy,
        table,
        classes,
        granule: 1 << table.number(Number::GranuleShift),
        pages: Pages::open(memory),
        parts: PARTS.map(|name| Part { name, ..Part::default() }),
        taken: vec![Part::default(); classes.len()],
    };
    walk.blocks();
    let class_map = Area { at: counters.of(At::Base), len: counters.of(At::Granules) };
    let areas = [At::Spans, At::Blocks, At::Descriptors].map(|what| counters.area(what));
    for area in areas.into_iter().chain([class_map]) {
        walk.pages.count(area, &mut walk.parts[BOOKS]);
    }
    for area in mappings(memory, counters) {
        walk.pages.count(area, &mut walk.parts[MAPPINGS]);
    }
    walk.end(kept)
}

/// Blocks that are mappings of their own. The table may move meanwhile: then there are none of them here.
fn mappings(memory: &Memory, counters: &Counters) -> Vec<Area> {
    let [at, entries] = counters.two(At::Huge);
    if at == 0 || entries > MOST_MAPPINGS {
        return Vec::new();
    }
    let mut bytes = vec![0; entries as usize * 16];
    if memory.read(at, &mut bytes).is_err() {
        return Vec::new();
    }
    let entries = bytes.chunks_exact(16).map(Bytes);
    let mut left = counters.of(At::HugeBytes);
    let areas = entries.map(|entry| Area { at: entry.u64(0), len: entry.u64(8) });
    // No more than their sum is: what is half written may have any length.
    areas
        .filter(|area| area.at != 0)
        .map_while(|area| {
            left = left.checked_sub(area.len)?;
            Some(area)
        })
        .collect()
}

impl Walk<'_> {
    fn blocks(&mut self) {
        let (copy, each) = (self.copy, self.copy.granules_a_block);
        let start = copy.base + (copy.first_block * each * self.granule) as u64;
        copy.each_granule(self.table, self.classes, |number, seen| {
            let at = start + (number * self.granule) as u64;
            if number.is_multiple_of(each) {
                self.pages.look(at, each * self.granule);
            }
            match seen {
                Seen::Nothing => {}
                Seen::Free => self.granule(at, CLEAN),
                Seen::Dirty => self.granule(at, DIRTY),
                Seen::Kept => self.granule(at, CACHED_RUNS),
                Seen::Run | Seen::Torn => self.granule(at, RUNS),
                Seen::Slab(slab) => self.slab(slab, at, number),
            }
        });
    }

    /// Bytes of which all is resident or nothing is: a page, or a granule where that is smaller.
    fn unit(&self) -> usize {
        self.pages.page.min(self.granule)
    }

    fn granule(&mut self, at: u64, part: usize) {
        for offset in (0..self.granule).step_by(self.unit()) {
            let is_resident = self.pages.has(at + offset as u64);
            self.parts[part].add(self.unit(), is_resident);
        }
    }

    fn slab(&mut self, slab: Slab<'_>, at: u64, granule: usize) {
        let class = self.classes[slab.class];
        if slab.taken(class) == 0 {
            return self.granule(at, EMPTY);
        }
        let offset = granule.saturating_sub(slab.granule) * self.granule;
        let unit = self.unit();
        for from in (offset..offset + self.granule).step_by(unit) {
            let is_resident = self.pages.has(at + (from - offset) as u64);
            let end = (from + unit).min(class.objects * class.size).max(from);
            let free = slab.free_bytes(class, from, end);
            let is_hole = !is_resident && free == end - from;
            self.parts[if is_hole { HOLES } else { FREE_OBJECTS }].add(free, is_resident);
            self.parts[TAILS].add(unit - (end - from), is_resident);
            self.taken[slab.class].add(end - from - free, is_resident);
        }
    }

    /// Tells what threads keep from what is live: those of a class are as resident as its taken objects are in the middle.
    fn end(mut self, kept: &[usize]) -> Parts {
        for ((taken, class), objects) in self.taken.iter().zip(self.classes).zip(kept) {
            let held = ((objects * class.size) as u64).min(taken.held);
            let share =
                u128::from(taken.resident) * u128::from(held) / u128::from(taken.held.max(1));
            self.parts[CACHED].held += held;
            self.parts[CACHED].resident += share as u64;
            self.parts[LIVE].held += taken.held - held;
            self.parts[LIVE].resident += taken.resident - share as u64;
        }
        let is_known = self.pages.file.is_some();
        if !is_known {
            self.parts.iter_mut().for_each(|part| part.resident = 0);
        }
        Parts { is_known, parts: self.parts.to_vec() }
    }
}
