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

use core::fmt::{Arguments, Display, Write as _};
use std::io::{self, Write};

use timing::Bins;

#[derive(Debug, Default)]
pub(crate) struct Results {
    lines: Vec<String>,
    refused: u64,
}

/// Room for a line, whatever times it says: else the program would ask its malloc for something else in every run, which shows where
/// instructions and misses are counted.
const LINE: usize = 64;

impl Results {
    fn line(&mut self, text: Arguments<'_>) {
        let mut line = String::with_capacity(LINE);
        // A string takes what is written.
        let _ = line.write_fmt(text);
        self.lines.push(line);
    }

    /// Calls made, and how long they took.
    pub(crate) fn work(&mut self, ops: u64, ns: u64) {
        self.line(format_args!("ops {ops}"));
        self.line(format_args!("ns {ns}"));
    }

    pub(crate) fn peak_live(&mut self, bytes: usize) {
        self.line(format_args!("peak_live {bytes}"));
    }

    pub(crate) fn value(&mut self, name: &str, number: impl Display, unit: &str) {
        self.line(format_args!("value {name} {number} {unit}"));
    }

    pub(crate) fn point(&mut self, series: impl Display, x: f64, y: f64) {
        self.line(format_args!("point {series} {x} {y}"));
    }

    /// How long each of many took, in nanoseconds, and how long it should take at most.
    pub(crate) fn histogram(&mut self, of: &str, all: impl Iterator<Item = u64>, limit: u64) {
        let bins = Bins::new();
        all.for_each(|ns| bins.count(ns));
        bins.counted().for_each(|(end, n)| self.line(format_args!("hist {of} {end:.1} {n}")));
        self.line(format_args!("limit {of} {limit}"));
    }

    /// What was live at this reading of the clock.
    pub(crate) fn live(&mut self, now: u64, bytes: usize) {
        self.line(format_args!("live {now} {bytes}"));
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
