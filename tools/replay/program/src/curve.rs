//! Memory against the number of calls: the looks of a run, of which neighbours are joined when they become too many.

use core::fmt::Write;

use crate::map;
use crate::out::Out;

/// More points than this no picture shows.
const MOST: usize = 400;

/// Some looks after each other: the number of calls at the last, and the most of each figure.
#[derive(Debug, Clone, Copy)]
struct Point {
    events: u64,
    live: u64,
    anonymous: u64,
    looks: u64,
}

/// All looks of a run.
#[derive(Debug)]
pub(crate) struct Curve {
    points: *mut Point,
    len: usize,
    /// Looks that a point has.
    every: u64,
    /// What is this program's own: what was there before the first call, but for malloc's part of it.
    pub(crate) base: u64,
    last: (u64, u64),
    pub(crate) peak: u64,
    /// Bytes times calls.
    area: f64,
}

impl Curve {
    pub(crate) fn new(base: u64) -> Self {
        let points = map::zeroed(MOST);
        Self { points, len: 0, every: 1, base, last: (0, 0), peak: 0, area: 0.0 }
    }

    fn points(&mut self) -> &mut [Point] {
        // SAFETY: so many were mapped, all zero, and they are this curve's own.
        unsafe { core::slice::from_raw_parts_mut(self.points, MOST) }
    }

    pub(crate) fn look(&mut self, events: u64, live: u64, anonymous: u64) {
        let anonymous = anonymous.saturating_sub(self.base);
        let (before, was) = self.last;
        self.area += (events - before) as f64 * f64::midpoint(was as f64, anonymous as f64);
        self.last = (events, anonymous);
        self.peak = self.peak.max(anonymous);
        let (len, every) = (self.len, self.every);
        if let Some(last) = self.points()[..len].last_mut().filter(|last| last.looks < every) {
            *last = last.and(Point { events, live, anonymous, looks: 1 });
            return;
        }
        if len == MOST {
            let points = self.points();
            for i in 0..MOST / 2 {
                points[i] = points[2 * i].and(points[2 * i + 1]);
            }
            self.len = MOST / 2;
            self.every *= 2;
        }
        let len = self.len;
        self.points()[len] = Point { events, live, anonymous, looks: 1 };
        self.len += 1;
    }

    /// What there was at the last look.
    pub(crate) fn end(&self) -> u64 {
        self.last.1
    }

    /// The mean over all calls.
    pub(crate) fn mean(&self) -> f64 {
        if self.last.0 == 0 { self.end() as f64 } else { self.area / self.last.0 as f64 }
    }

    pub(crate) fn write(&mut self, out: &mut Out) {
        let len = self.len;
        for point in &self.points()[..len] {
            let _ = writeln!(out, "point resident {} {}", point.events, point.anonymous);
            let _ = writeln!(out, "point live {} {}", point.events, point.live);
        }
    }
}

impl Point {
    fn and(self, next: Self) -> Self {
        Self {
            events: next.events,
            live: self.live.max(next.live),
            anonymous: self.anonymous.max(next.anonymous),
            looks: self.looks + next.looks,
        }
    }
}
