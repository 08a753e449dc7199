//! The next useful command: mostly this one, somewhat changed.

use core::time::Duration;
use std::path::Path;

use bench::result::Report;
use report::verdict;

use super::Bench;
use super::words::Words;
use crate::format;

/// Where a result goes is said anew, and how it looks is no part of the measurement.
const OUTPUT: [&str; 5] = ["output", "force", "no-files", "format", "color"];

const LENGTH: [&str; 4] = ["time", "rounds", "scale", "seed"];

impl Bench {
    /// The next command, if there is one of use. `has_effect` is whether a preloaded library reaches the program; `folder` is
    /// what was written.
    pub(super) fn next(
        &self,
        report: &Report,
        folder: Option<&Path>,
        has_effect: bool,
    ) -> Option<String> {
        let words = Words::of_this_command();
        if self.measure.counted && (folder.is_none() || !self.program.is_absent()) {
            return None;
        }
        if self.program.is_absent() {
            let Some(folder) = folder else { return Some(self.longer(&words)) };
            let (scale, seed) = (report.scale.to_string(), report.seed.to_string());
            let fixed = ["--scale", &scale, "--seed", &seed, "-o", "NEW"];
            let same =
                words.without(&[&OUTPUT[..], &["scale", "seed", "fail-if", "strict"]].concat());
            let folder = folder.display().to_string();
            let compare = format::shell(&["heapwright", "compare", &folder, "NEW"]);
            return Some(format!("{}, later: {compare}", same.with(&fixed)));
        }
        if !has_effect {
            return None;
        }
        Some(match verdict(report).pick.map(|pick| &report.allocators[pick]) {
            Some(best) => {
                let name = self.allocators.word(&best.name);
                let run = ["heapwright", "run", "-a", &name, "--"].map(str::to_owned);
                format::shell(&[&run[..], &self.program.words()].concat())
            }
            None => self.longer(&words),
        })
    }

    fn longer(&self, words: &Words) -> String {
        let had = self.measure.budget(1).unwrap_or(Duration::ZERO);
        let minutes = had.as_secs().saturating_mul(3).div_ceil(60).max(5);
        let gone = [&LENGTH[..], &["output", "force", "color"]].concat();
        words.without(&gone).with(&["--time", &format!("{minutes}m")])
    }
}
