//! What steps said, counted as cargo counts tests.

use core::time::Duration;

pub(super) struct Said {
    pub(super) name: String,
    pub(super) log: String,
    pub(super) success: bool,
}

#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Tally {
    pub(super) passed: usize,
    pub(super) failed: usize,
    pub(super) ignored: usize,
}

/// So many lines are told of what failed.
const MOST: usize = 120;
const LAST: usize = 15;
/// And of one test, the last ones.
const OF_TEST: usize = 40;

impl Tally {
    /// Adds a step's; whether it failed. A step without tests is one test, and one that failed without one is a failure.
    pub(super) fn add(&mut self, said: &Said) -> bool {
        let mut step = Self::default();
        for line in said.log.lines() {
            // "test result: ok. 12 passed; 0 failed; 1 ignored; …", once for every test program
            let Some((_, counts)) =
                line.strip_prefix("test result: ").and_then(|rest| rest.split_once(". "))
            else {
                continue;
            };
            for count in counts.split("; ") {
                let Some((number, what)) = count.split_once(' ') else { continue };
                let number: usize = number.parse().unwrap_or(0);
                match what {
                    "passed" => step.passed += number,
                    "failed" => step.failed += number,
                    "ignored" => step.ignored += number,
                    _ => {}
                }
            }
        }
        if !said.success && step.failed == 0 {
            step.failed = 1;
        } else if step.passed + step.failed == 0 {
            let skipped = format!("ci {}: skipped", said.name);
            let is_skipped = said.log.lines().any(|line| line.starts_with(&skipped));
            step.passed += usize::from(!is_skipped);
            step.ignored += usize::from(is_skipped);
        }
        self.passed += step.passed;
        self.failed += step.failed;
        self.ignored += step.ignored;
        step.failed > 0
    }

    /// All of it in a line such as cargo's.
    pub(super) fn line(&self, took: Duration) -> String {
        let Self { passed, failed, ignored } = self;
        let verdict = if *failed == 0 { "ok" } else { "FAILED" };
        format!(
            "test result: {verdict}. {passed} passed; {failed} failed; {ignored} ignored; 0 measured; \
             0 filtered out; finished in {}.00s",
            took.as_secs()
        )
    }
}

impl Said {
    /// What is to be told of a failure: what libtest says of the tests that failed, and the end.
    pub(super) fn why(&self) -> String {
        let mut within = false;
        let about = self.log.lines().filter(|line| {
            within = (within || *line == "failures:") && !line.starts_with("test result: ");
            within
        });
        let about = ends_of_tests(&about.collect::<Vec<_>>());
        let lines: Vec<&str> = self.log.lines().collect();
        let last = &lines[lines.len().saturating_sub(LAST)..];
        let name = &self.name;
        let mut text = format!("ci {name} failed:\n");
        for line in about.iter().take(MOST) {
            text += &format!("{line}\n");
        }
        text += &format!("ci {name}, its last lines:\n");
        for line in last {
            text += &format!("{line}\n");
        }
        text
    }
}

/// What each failed test printed last: what it failed of stands there, after all that went well before.
fn ends_of_tests<'a>(about: &[&'a str]) -> Vec<&'a str> {
    let tests = about.chunk_by(|_, next| !next.starts_with("---- "));
    let end_of = |lines: &[&'a str]| {
        let is_test = lines[0].starts_with("---- ");
        let from = if is_test { lines.len().saturating_sub(OF_TEST).max(1) } else { 1 };
        [&lines[..1], &lines[from..]].concat()
    };
    tests.flat_map(end_of).collect()
}

#[cfg(test)]
mod tests;
