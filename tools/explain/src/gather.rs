//! The second pass: everything that is known of the program, now that it is known when to look.

use std::collections::BTreeMap;

use trace::{Block, Op, Stacks, Step};

use crate::facts::{End, Facts, Lifetime, Mappings, Moment, Program, Rises, WINDOWS};
use crate::live::{Entry, Live};
use crate::moment::{self, Heap, Lived, Outside, Rule};
use crate::outline::{self, Look, Outline};
use crate::sites;
use crate::units::Units;
use crate::{growth, marks, sizes, threads};

/// The facts of a program, from its steps and its call stacks. `pass` hands over each step in order, and is called twice.
/// Errors: that of `pass`.
pub fn gather<E>(
    program: Program,
    stacks: &Stacks,
    mut pass: impl FnMut(&mut dyn FnMut(&Step)) -> Result<(), E>,
) -> Result<Facts, E> {
    let mut first = outline::Pass::new();
    pass(&mut |step| first.step(step))?;
    let outline = first.finish();
    let mut second = Second::new(&outline, &program.malloc, stacks);
    pass(&mut |step| second.step(step))?;
    Ok(second.finish(program))
}

#[derive(Debug)]
struct Second<'a> {
    outline: &'a Outline,
    rule: Rule,
    number: u64,
    time: u64,
    live: Live,
    units: Units,
    growth: growth::Follow,
    threads: threads::Follow,
    marks: marks::Follow,
    lived: Lived,
    lifetimes: BTreeMap<(usize, usize), (u64, u64)>,
    own_maps: OwnMaps,
    mappings: Mappings,
    base: Option<u64>,
    /// Pages of files at the first look: the code that every program begins with.
    code: Option<u64>,
    last: Look,
    rises: Rises,
    moments: [Option<Moment>; 3],
    end: End,
    sites: sites::Follow<'a>,
}

impl<'a> Second<'a> {
    fn new(outline: &'a Outline, malloc: &str, stacks: &'a Stacks) -> Self {
        Self {
            outline,
            rule: Rule::of(malloc),
            number: 0,
            time: 0,
            live: Live::default(),
            units: Units::default(),
            growth: growth::Follow::new(outline),
            threads: threads::Follow::default(),
            marks: marks::Follow::default(),
            lived: Lived::new(),
            lifetimes: BTreeMap::new(),
            own_maps: OwnMaps::default(),
            mappings: Mappings::default(),
            base: None,
            code: None,
            last: Look::default(),
            rises: Rises::default(),
            moments: [None, None, None],
            end: End::default(),
            sites: sites::Follow::new(stacks),
        }
    }

    fn step(&mut self, step: &Step) {
        if self.number == self.outline.done.step {
            self.done();
        }
        self.time = self.time.max(crate::time(step.time));
        self.growth.time(self.time);
        match &step.op {
            &Op::Allocate { block, size, address, frame, .. } => {
                let entry = Entry::new(address, size, self.time, step.thread, frame);
                self.allocate(block, entry);
            }
            &Op::Reallocate { old, block, size, address, frame } => {
                let mut entry = Entry::new(address, size, self.time, step.thread, frame);
                if let Some(before) = self.live.remove(old) {
                    self.units.free(before.address, before.size());
                    self.growth.gone(old, &before, false);
                    self.threads.moved(before.thread, before.size());
                    self.marks.gone(step.thread, before.size());
                    entry.born = before.born;
                    if size > before.size() || before.is_grown() {
                        entry = entry.grown();
                    }
                }
                self.allocate(block, entry);
            }
            &Op::Free { block, .. } => self.free(block, step.thread),
            Op::ThreadStart => self.threads.started(step.thread),
            Op::ThreadEnd => {
                self.threads.ended(step.thread);
                self.marks.close(step.thread, self.live.bytes());
            }
            Op::ThreadName(name) => self.threads.named(step.thread, name),
            &Op::Map { address, len } => {
                self.own_maps.map(address, len);
                self.growth.own_maps(self.own_maps.bytes);
            }
            &Op::Unmap { address, len } => {
                self.own_maps.unmap(address, len);
                self.growth.own_maps(self.own_maps.bytes);
            }
            Op::Mark(name) => self.marks.mark(step.thread, name, self.live.bytes()),
            &Op::Memory { anon, file, shmem } if !self.outline.is_unseen => {
                let [anon, files, shared] = [anon, file, shmem].map(crate::bytes);
                self.look(anon, files, shared);
            }
            _ => {}
        }
        if self.outline.peak.is_none() && self.number == self.outline.peak_live.1 {
            self.peak();
        }
        if let Some(worst) = self.outline.worst.filter(|worst| worst.step == self.number) {
            self.moments[1] = Some(self.moment(worst, true));
        }
        self.number += 1;
    }

    fn allocate(&mut self, block: Block, entry: Entry) {
        self.live.insert(block, entry);
        self.units.allocate(entry.address, entry.size(), entry.thread);
        self.threads.allocated(entry.thread, entry.size());
        self.sites.allocated(block, entry.frame, entry.size());
        let was_half = self.growth.is_half();
        self.growth.allocated(&self.live, block, &entry);
        self.marks.allocated(entry.thread, entry.size(), self.live.bytes());
        if self.growth.is_half() && !was_half {
            self.sites.at_half(&self.live);
        }
    }

    fn free(&mut self, block: Block, thread: u32) {
        let Some(entry) = self.live.remove(block) else { return };
        let (size, lifetime) = (entry.size(), self.time.saturating_sub(entry.born));
        self.units.free(entry.address, size);
        self.lived.add(size, lifetime);
        let place = (sizes::octave(size), sizes::octave(lifetime));
        let (blocks, bytes) = self.lifetimes.entry(place).or_default();
        *blocks += 1;
        *bytes = bytes.saturating_add(size);
        self.threads.freed(entry.thread, thread, size);
        self.marks.gone(thread, size);
        self.sites.freed(block, entry.frame, size, entry.thread != thread);
        self.growth.gone(block, &entry, true);
    }

    fn look(&mut self, anon: u64, files: u64, shared: u64) {
        let rise = anon.saturating_sub(self.last.anon);
        if self.rises.looks > 0 && rise >= HUGE - HUGE / 128 {
            self.rises.large += 1;
            // Small pages rise beside them: a stack, a table. By chance one in 14 is as near to a multiple.
            let over = rise % HUGE;
            self.rises.of_huge_pages += u64::from(over <= HUGE / 16 || HUGE - over <= HUGE / 128);
        }
        self.rises.looks += 1;
        let heap = self.units.touched + self.units.huge;
        self.base.get_or_insert(anon.saturating_sub(heap));
        self.code.get_or_insert(files);
        let (step, time, live) = (self.number, self.time, self.live.bytes());
        self.last = Look { step, time, anon, files, shared, live };
        self.growth.memory(anon);
        if self.outline.peak.is_some_and(|look| look.step == self.number) {
            self.peak();
        }
    }

    fn peak(&mut self) {
        self.moments[0] = Some(self.moment(self.last, false));
        self.mappings = self.own_maps.main();
        self.sites.at_peak(&self.live);
    }

    /// The heap as it is now. `by_site`: who holds free memory is told by site.
    fn moment(&mut self, look: Look, by_site: bool) -> Moment {
        let base = self.base.unwrap_or(0);
        let heap = self.units.touched + self.units.huge;
        let outside = Outside {
            base,
            own_maps: self.own_maps.bytes,
            code: self.code.unwrap_or(look.files),
            beyond: look.anon.saturating_sub(base).saturating_sub(heap),
        };
        let heap = Heap {
            live: &self.live,
            units: &self.units,
            lived: &self.lived,
            rule: self.rule,
            outside,
        };
        let sites = &mut self.sites;
        moment::of(&heap, &Look { time: self.time, ..look }, &mut |entry, holds| {
            if by_site {
                sites.holds(entry.frame, entry.size(), holds);
            }
        })
    }

    fn done(&mut self) {
        self.growth.done(&self.live);
        self.sites.done(&self.live);
        self.moments[2] = Some(self.moment(self.last, self.outline.worst.is_none()));
    }

    fn finish(mut self, program: Program) -> Facts {
        if self.moments[2].is_none() {
            self.done();
        }
        for (block, entry) in self.live.iter() {
            self.end.blocks += 1;
            self.end.bytes += entry.size();
            let all = self.outline.blocks.div_ceil(WINDOWS as u64).max(1);
            self.end.born[crate::place(block / all).min(WINDOWS - 1)] += entry.size();
        }
        let outline = self.outline;
        let [peak, worst, last] = self.moments;
        let (peak, last) = (peak.unwrap_or_default(), last.unwrap_or_default());
        let worst = worst.unwrap_or_default();
        let mut program = program;
        if self.units.is_full {
            program.missing.push("blocks have lain on more than 128 GiB of addresses: which pages were in use is known of these.".into());
        }
        let program = Program {
            steps: outline.steps,
            blocks: outline.blocks,
            allocated: outline.allocated,
            refused: outline.refused,
            dropped: outline.dropped,
            duration: crate::time(program.duration).max(outline.last_time),
            ..program
        };
        Facts {
            program,
            over_time: outline.points.clone(),
            peak,
            worst,
            last,
            peak_live: outline.peak_live.0,
            growth: self.growth.finish(&self.live),
            lifetimes: lifetimes(&self.lifetimes),
            marks: self.marks.finish(self.live.bytes()),
            threads: self.threads.finish(),
            end: self.end,
            mappings: self.mappings,
            base: self.base.unwrap_or(0),
            rises: self.rises,
            sites: self.sites.finish(&self.live),
        }
    }
}

const HUGE: u64 = 2 << 20;

fn lifetimes(cells: &BTreeMap<(usize, usize), (u64, u64)>) -> Vec<Lifetime> {
    let power =
        |octave: usize| 1_u64.checked_shl(u32::try_from(octave).unwrap_or(64)).unwrap_or(u64::MAX);
    let cell = |(&(size, lived), &(blocks, bytes)): (&(usize, usize), &(u64, u64))| Lifetime {
        size_below: power(size),
        lived_below: power(lived),
        blocks,
        bytes,
    };
    cells.iter().map(cell).collect()
}

/// What the program itself has mapped, in the order of addresses.
#[derive(Debug, Default)]
struct OwnMaps {
    ranges: BTreeMap<u64, u64>,
    bytes: u64,
}

impl OwnMaps {
    /// Those of the length that most bytes are in.
    fn main(&self) -> Mappings {
        let mut counts: BTreeMap<u64, u64> = BTreeMap::new();
        for (from, until) in &self.ranges {
            *counts.entry(until - from).or_default() += 1;
        }
        let most = counts.into_iter().max_by_key(|(each, count)| each.saturating_mul(*count));
        most.map_or_else(Mappings::default, |(each, count)| Mappings { each, count })
    }

    fn map(&mut self, address: u64, len: u64) {
        // A fixed mapping takes the place of what was there.
        self.unmap(address, len);
        if len > 0 {
            self.ranges.insert(address, address.saturating_add(len));
            self.bytes = self.bytes.saturating_add(len);
        }
    }

    fn unmap(&mut self, address: u64, len: u64) {
        let end = address.saturating_add(len);
        let under: Vec<(u64, u64)> = self
            .ranges
            .range(..end)
            .rev()
            .take_while(|&(_, &until)| until > address)
            .map(|(&from, &until)| (from, until))
            .collect();
        for (from, until) in under {
            self.ranges.remove(&from);
            self.bytes = self.bytes.saturating_sub(until - from);
            for (from, until) in [(from, address.min(until)), (end.max(from), until)] {
                if from < until {
                    self.ranges.insert(from, until);
                    self.bytes += until - from;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mapping_may_be_unmapped_in_parts() {
        let mut maps = OwnMaps::default();
        maps.map(0x1000, 0x4000);
        maps.map(0x8000, 0x1000);
        maps.unmap(0x2000, 0x1000);
        assert_eq!(maps.bytes, 0x4000);
        assert_eq!(maps.ranges, [(0x1000, 0x2000), (0x3000, 0x5000), (0x8000, 0x9000)].into());
        assert_eq!(maps.main(), Mappings { each: 0x2000, count: 1 });
        maps.map(0x20000, 0x1000);
        maps.map(0x40000, 0x1000);
        assert_eq!(maps.main(), Mappings { each: 0x1000, count: 4 });
        maps.unmap(0x20000, 0x21000);
        maps.map(0x0, 0x9000);
        assert_eq!((maps.bytes, maps.ranges.len()), (0x9000, 1));
        maps.unmap(0x0, u64::MAX);
        assert_eq!(maps.bytes, 0);
    }
}
