//! What happens from a mark of the program to the next mark of the same thread: what is kept, and the most that it takes.
//!
//! ```text
//! thread 1   request ──── +48 ────► reply ──── 0 ────► request ──── +48 ────► reply
//! thread 2        request ────── +48 ──────► reply
//! ```
//!
//! Where several threads make a mark, what counts is what its thread allocates and frees until its next one; else all that is
//! live.

use std::collections::BTreeMap;

use serde::Serialize;
use trace::{NumberMap, Thread};

/// Different names that are followed, and threads at one time.
const NAMES: usize = 64;
const THREADS: usize = 256;
/// Of more values than this every second, fourth, … is kept.
const SAMPLE: usize = 1024;

/// A mark that the program made.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct ByMark {
    pub name: String,
    pub times: u64,
    /// Whether several threads made it.
    pub by_several: bool,
    /// Bytes kept from one to the thread's next mark: the median.
    pub keeps: i64,
    /// The sum of those.
    pub kept: i64,
    /// Bytes at the most above what there was at it, until the thread's next mark: the median, and the most.
    pub usual_peak: u64,
    /// The most of those.
    pub peak: u64,
    /// Blocks that the thread allocated until its next mark: the median.
    pub blocks: u64,
    /// What was live at the first and at the last of them.
    pub live: (u64, u64),
}

/// Some of many values, evenly.
#[derive(Debug, Default)]
struct Sample {
    values: Vec<i64>,
    every: u64,
    seen: u64,
}

impl Sample {
    fn add(&mut self, value: i64) {
        self.every = self.every.max(1);
        if self.seen.is_multiple_of(self.every) {
            if self.values.len() == SAMPLE {
                let mut nth = 0_u64;
                self.values.retain(|_| {
                    nth += 1;
                    !nth.is_multiple_of(2)
                });
                self.every *= 2;
            }
            self.values.push(value);
        }
        self.seen += 1;
    }

    fn median(&mut self) -> i64 {
        let middle = self.values.len() / 2;
        match self.values.is_empty() {
            true => 0,
            false => *self.values.select_nth_unstable(middle).1,
        }
    }
}

/// What is known of one name: with the figures of its thread alone and with those of all.
#[derive(Debug, Default)]
struct Name {
    by: ByMark,
    first_thread: Option<Thread>,
    blocks: Sample,
    own: [Sample; 2],
    all: [Sample; 2],
    kept: [i64; 2],
    most: [i64; 2],
}

/// From a mark on, until the thread's next one.
#[derive(Debug)]
struct Open {
    thread: Thread,
    name: usize,
    blocks: u64,
    /// What the thread allocated more than it freed, and the most of that.
    own: i64,
    own_peak: i64,
    live: u64,
    /// The most that was live until the one that was opened after this.
    live_peak: u64,
}

/// Follows marks through the second pass.
#[derive(Debug, Default)]
pub(crate) struct Follow {
    numbers: BTreeMap<String, usize>,
    names: Vec<Name>,
    /// In the order in which they were opened.
    open: Vec<Open>,
    /// By thread, the place in it.
    places: NumberMap<Thread, usize>,
}

impl Follow {
    /// A thread allocated a block; so much is live now.
    pub(crate) fn allocated(&mut self, thread: Thread, size: u64, live: u64) {
        if let Some(last) = self.open.last_mut() {
            last.live_peak = last.live_peak.max(live);
            if let Some(open) = self.places.get(&thread).map(|place| &mut self.open[*place]) {
                open.blocks += 1;
                open.own += size.cast_signed();
                open.own_peak = open.own_peak.max(open.own);
            }
        }
    }

    /// A thread freed a block, or moved it.
    pub(crate) fn gone(&mut self, thread: Thread, size: u64) {
        if let Some(open) = self.places.get(&thread).map(|place| &mut self.open[*place]) {
            open.own -= size.cast_signed();
        }
    }

    pub(crate) fn mark(&mut self, thread: Thread, name: &str, live: u64) {
        self.close(thread, live);
        let Some(number) = self.number(name) else { return };
        let named = &mut self.names[number];
        if named.by.times == 0 {
            named.by.live.0 = live;
        }
        named.by.times += 1;
        named.by.live.1 = live;
        named.by.by_several |= *named.first_thread.get_or_insert(thread) != thread;
        if self.open.len() < THREADS {
            self.places.insert(thread, self.open.len());
            let (blocks, own, own_peak) = (0, 0, 0);
            let name = number;
            self.open.push(Open { thread, name, blocks, own, own_peak, live, live_peak: live });
        }
    }

    fn number(&mut self, name: &str) -> Option<usize> {
        if let Some(number) = self.numbers.get(name) {
            return Some(*number);
        }
        let number = self.names.len();
        (number < NAMES).then(|| {
            self.numbers.insert(name.to_owned(), number);
            let by = ByMark { name: name.to_owned(), ..ByMark::default() };
            self.names.push(Name { by, ..Name::default() });
            number
        })
    }

    /// The thread makes another mark, or ends.
    pub(crate) fn close(&mut self, thread: Thread, live: u64) {
        let Some(place) = self.places.remove(&thread) else { return };
        let live_peak = self.open[place..].iter().map(|open| open.live_peak).max().unwrap_or(live);
        let open = self.open.remove(place);
        for later in &self.open[place..] {
            self.places.entry(later.thread).and_modify(|place| *place -= 1);
        }
        if let Some(before) = place.checked_sub(1) {
            let before = &mut self.open[before];
            before.live_peak = before.live_peak.max(open.live_peak);
        }
        let name = &mut self.names[open.name];
        let all = live.cast_signed() - open.live.cast_signed();
        let all_peak = live_peak.cast_signed() - open.live.cast_signed();
        name.blocks.add(open.blocks.cast_signed());
        for (samples, values) in
            [(&mut name.own, [open.own, open.own_peak]), (&mut name.all, [all, all_peak])]
        {
            samples.iter_mut().zip(values).for_each(|(sample, value)| sample.add(value));
        }
        name.kept = [name.kept[0].saturating_add(open.own), name.kept[1].saturating_add(all)];
        name.most = [name.most[0].max(open.own_peak), name.most[1].max(all_peak)];
    }

    /// In the order in which they were first made.
    pub(crate) fn finish(mut self, live: u64) -> Vec<ByMark> {
        let open: Vec<Thread> = self.open.iter().map(|open| open.thread).collect();
        open.into_iter().for_each(|thread| self.close(thread, live));
        let names = self.names.into_iter();
        names
            .map(|mut name| {
                let several = name.by.by_several;
                let [keeps, peaks] = if several { &mut name.own } else { &mut name.all };
                let positive = |n: i64| n.max(0).cast_unsigned();
                ByMark {
                    keeps: keeps.median(),
                    kept: name.kept[usize::from(!several)],
                    usual_peak: positive(peaks.median()),
                    peak: positive(name.most[usize::from(!several)]),
                    blocks: positive(name.blocks.median()),
                    ..name.by
                }
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A request that takes 1,000 bytes for a while and keeps 48; behind each third one a cache of 5,000 is filled and emptied.
    fn request(marks: &mut Follow, live: &mut u64, thread: Thread, n: u64) {
        marks.mark(thread, "request", *live);
        for size in [1000, 48] {
            *live += size;
            marks.allocated(thread, size, *live);
        }
        *live -= 1000;
        marks.gone(thread, 1000);
        marks.mark(thread, "reply", *live);
        if n.is_multiple_of(3) {
            *live += 5000;
            marks.allocated(thread, 5000, *live);
            *live -= 5000;
            marks.gone(thread, 5000);
        }
    }

    #[test]
    fn what_a_request_keeps_is_told_to_the_byte() {
        let (mut marks, mut live) = (Follow::default(), 7);
        (0..100_000).for_each(|n| request(&mut marks, &mut live, 0, n));
        let marks = marks.finish(live);
        let [request, reply] = &marks[..] else { panic!("{marks:?}") };
        assert_eq!((request.name.as_str(), request.times), ("request", 100_000));
        assert_eq!((request.keeps, request.peak, request.blocks), (48, 1048, 2));
        assert_eq!(request.live, (7, 7 + 99_999 * 48));
        assert_eq!((reply.keeps, reply.usual_peak, reply.peak), (0, 0, 5000));
    }

    #[test]
    fn of_several_threads_each_counts_its_own() {
        let (mut marks, mut live) = (Follow::default(), 0);
        marks.mark(9, "serve", live);
        for n in 0..1000 {
            marks.mark(1, "request", live);
            request(&mut marks, &mut live, 2, n);
            live += 48;
            marks.allocated(1, 48, live);
        }
        let marks = marks.finish(live);
        assert_eq!((marks[0].keeps, marks[0].peak), (96_000, 100_952), "{marks:?}");
        assert_eq!((marks[1].keeps, marks[1].times), (48, 2000), "{marks:?}");
    }

    #[test]
    fn a_phase_of_one_thread_counts_what_all_do() {
        let mut marks = Follow::default();
        marks.mark(0, "load", 100);
        marks.allocated(5, 1000, 1100);
        marks.gone(5, 900);
        marks.mark(0, "end", 200);
        let marks = marks.finish(50);
        assert_eq!((marks[0].keeps, marks[0].peak, marks[0].blocks), (100, 1000, 0));
        assert_eq!((marks[1].keeps, marks[1].peak), (-150, 0));
    }

    #[test]
    fn names_and_threads_without_end_are_bounded() {
        let mut marks = Follow::default();
        (0..10_000).for_each(|n| marks.mark(n, &n.to_string(), 0));
        assert!(marks.open.len() <= THREADS && marks.places.len() <= THREADS);
        assert_eq!(marks.finish(0).len(), NAMES);
    }
}
