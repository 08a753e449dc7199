//! What the runner of `abi/tests` said, counted.

use core::fmt::Write as _;

/// The programs of one run, by what became of them.
#[derive(Debug, Default)]
pub(super) struct Tally {
    passed: usize,
    skipped: Vec<(String, String)>,
    failed: Vec<String>,
    said: String,
    success: bool,
}

impl Tally {
    /// Reads lines such as `valloc: ok on heapwright in 0.02 s`; a program may have several.
    pub(super) fn read(stdout: &str, stderr: &str, success: bool) -> Self {
        let mut tally = Self { said: stderr.to_owned(), success, ..Self::default() };
        for line in stdout.lines() {
            let Some((name, rest)) = line.split_once(": ") else { continue };
            // The harness's progress, dots, may stand before the name.
            let name = name.trim_start_matches(['.', 'F', ' ']).to_owned();
            if rest.starts_with("ok on ") {
                tally.passed += 1;
            } else if rest.starts_with("FAILED on ") {
                tally.failed.push(name);
            } else if let Some(why) = rest.strip_prefix("skipped on heapwright") {
                let why = why.split_once(" s ").map_or(why, |(_, why)| why);
                tally.skipped.push((name, why.trim_start_matches([':', ' ']).to_owned()));
            }
        }
        tally.skipped.sort_by(|a, b| (&a.1, &a.0).cmp(&(&b.1, &b.0)));
        tally
    }

    /// Whether something ran, and nothing failed.
    pub(super) fn is_well(&self) -> bool {
        self.success && self.passed > 0
    }

    /// What is to be printed; the last line adds up.
    pub(super) fn shown(&self, port: &str, page: Option<&str>) -> String {
        let mut text = String::new();
        for (name, why) in &self.skipped {
            let _ = writeln!(text, "skipped {name}: {why}");
        }
        if !self.is_well() {
            let _ = writeln!(text, "{}", self.said);
        }
        for name in &self.failed {
            let _ = writeln!(text, "failed {name}");
        }
        let pages = page.map_or_else(String::new, |bytes| format!(" with pages of {bytes} bytes"));
        let (passed, failed) = (self.passed, self.failed.len());
        let _ = write!(
            text,
            "{port}{pages}: {passed} passed, {failed} failed, {} skipped",
            self.skipped.len()
        );
        text
    }
}
