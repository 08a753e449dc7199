//! What a workload prints: lines of words on standard output, read by `heapwright bench`.
//!
//! ```text
//! ops N                     calls of malloc and free (realloc counts as one), so that ns / ops is a call's time
//! ns N                      how long the measured part took; starting and preparing do not count
//! peak_live BYTES           the most that was asked for at one time
//! refused N                 allocations that were refused
//! value NAME NUMBER UNIT    any other figure; less is better unless NAME ends in _per_second
//! point SERIES X Y          a point of a curve; Y in ns an operation unless the definition says otherwise
//! live NANOSECONDS BYTES    what was live at this reading of CLOCK_MONOTONIC
//! hist CALL NS COUNT        COUNT calls took less than NS (and not less than the line before)
//! limit CALL NS             each should take at most so long
//! sized CALL SIZE NS COUNT  the same, of those for blocks of SIZE bytes or more, up to the next SIZE
//! ```

use core::fmt::Display;
use std::io::{self, Write};

use timing::Bins;

#[derive(Debug, Default)]
pub(crate) struct Results {
    lines: Vec<String>,
    refused: u64,
}

impl Results {
    /// Calls made, and how long they took.
    pub(crate) fn work(&mut self, ops: u64, ns: u64) {
        self.lines.push(format!("ops {ops}"));
        self.lines.push(format!("ns {ns}"));
    }

    pub(crate) fn peak_live(&mut self, bytes: usize) {
        self.lines.push(format!("peak_live {bytes}"));
    }

    pub(crate) fn value(&mut self, name: &str, number: impl Display, unit: &str) {
        self.lines.push(format!("value {name} {number} {unit}"));
    }

    pub(crate) fn point(&mut self, series: impl Display, x: f64, y: f64) {
        self.lines.push(format!("point {series} {x} {y}"));
    }

    /// How long each of many took, in nanoseconds, and how long it should take at most.
    pub(crate) fn histogram(&mut self, of: &str, all: impl Iterator<Item = u64>, limit: u64) {
        let bins = Bins::new();
        all.for_each(|ns| bins.count(ns));
        self.lines.extend(bins.counted().map(|(end, n)| format!("hist {of} {end:.1} {n}")));
        self.lines.push(format!("limit {of} {limit}"));
    }

    /// What was live at this reading of the clock.
    pub(crate) fn live(&mut self, now: u64, bytes: usize) {
        self.lines.push(format!("live {now} {bytes}"));
    }

    pub(crate) fn refused(&mut self, count: u64) {
        self.refused = count;
    }

    pub(crate) fn write(&self, to: &mut impl Write) -> io::Result<()> {
        for line in &self.lines {
            writeln!(to, "{line}")?;
        }
        writeln!(to, "refused {}", self.refused)
    }
}

/// Ends the program: what it computed, or what it found in its memory, is wrong.
#[cold]
pub(crate) fn wrong(what: impl Display) -> ! {
    eprintln!("wrong: {what}");
    std::process::exit(1)
}
