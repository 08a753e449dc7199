//! What the flagship adds to the file of `stats=/PATH`.
//!
//! ```text
//! …, "obtained":N, "given_back":N, "live":N, "held":N, "threads":…, "slow_paths":…,
//!    "largest":{"known":true, "parts":[{"name":…, "held":N, "resident":N}, …]}, "sizes":[…]
//! ```
use core::fmt::{self, Write};

use object::size_class::info;
use page::System;
use thread::Tls;

use super::split::{Bytes, PARTS};
use super::{Flagship, Split, Stats};
use crate::record;

impl<S: System, T: Tls> Flagship<S, T> {
    /// Writes the file if it is asked for: at the process's end, or while it runs.
    pub(crate) fn record(&self, ended: bool) {
        record::write("heapwright", ended, |out| {
            if self.peak.is_timed() {
                let stats = self.stats();
                return stats.record(out, "now", &self.split(&stats));
            }
            let largest = if ended { self.at_peak() } else { Some(self.peak.kept()) };
            let stats = self.stats();
            stats.record(out, "largest", &largest.unwrap_or_else(|| self.split(&stats)))
        });
    }
}

impl Stats {
    /// `when`: of which moment the split is.
    fn record(&self, out: &mut impl Write, when: &str, largest: &Split) -> fmt::Result {
        write!(out, ",\"obtained\":{},\"given_back\":{}", self.committed_bytes, self.purged_bytes)?;
        write!(out, ",\"live\":{},\"held\":{}", self.live_bytes, self.held_bytes)?;
        let (live, begun) = self.threads;
        write!(out, ",\"threads\":{{\"now\":{live},\"ever\":{begun}}}")?;
        let (refills, flushes) = self.slow_paths;
        write!(out, ",\"slow_paths\":{{\"refills\":{refills},\"flushes\":{flushes}}}")?;
        write!(out, ",\"uncached\":{},\"shards\":{}", self.uncached, self.shards)?;
        write!(out, ",\"{when}\":{{\"known\":{},\"parts\":[", largest.is_known)?;
        for (number, (name, part)) in PARTS.iter().zip(&largest.parts).enumerate() {
            let (comma, Bytes { held, resident }) = (if number == 0 { "" } else { "," }, part);
            write!(out, "{comma}{{\"name\":\"{name}\",\"held\":{held},\"resident\":{resident}}}")?;
        }
        out.write_str("]},\"sizes\":[")?;
        let mut comma = "";
        for (class, &slabs) in self.slabs.iter().enumerate().filter(|(_, slabs)| **slabs > 0) {
            let (bytes, room) = (info(class).size, slabs * info(class).objects as usize);
            let objects = self.live_objects[class];
            write!(
                out,
                "{comma}{{\"bytes\":{bytes},\"objects\":{objects},\"room\":{room},\"slabs\":{slabs}}}"
            )?;
            comma = ",";
        }
        out.write_str("]")
    }
}
