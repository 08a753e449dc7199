//! The suite of real programs on each design, as a drop-in.

use std::process::Stdio;

use super::designs;
use crate::command::cargo;
use crate::judge::{Bounds, Figure, Line};

/// Runs our own tests under settings that only the flagship has.
const OURS_ALONE: &str = "every_test_program_that_allocates";

/// All lines of this part: each a run of the suite, some minutes.
pub(super) fn lines(bounds: &Bounds) -> Result<Vec<Line>, String> {
    let mut lines = Vec::new();
    for design in designs() {
        let (value, shown) = failed(design)?;
        let figure = |_: &str| Figure { value, shown: Some(shown.clone()), is_untold: false };
        let judged = bounds.judge("programs", false, figure);
        lines.extend(judged.into_iter().map(|line| line.of(design)));
    }
    Ok(lines)
}

/// How many tests fail on it; `None`: none ran.
fn failed(design: &str) -> Result<(Option<f64>, String), String> {
    eprintln!("classics: the real programs on {design}");
    let library = heapwright_tests::classic(design);
    let mut suite = cargo();
    suite.args(["test", "--quiet", "--no-fail-fast", "--package", "heapwright-tests"]);
    suite.args(["--", "--skip", OURS_ALONE]);
    suite.env("HEAPWRIGHT_SO", &library).stderr(Stdio::inherit());
    let done = suite.output().map_err(|e| format!("cargo test did not start: {e}"))?;
    let said = String::from_utf8_lossy(&done.stdout);
    let (passed, failed) =
        said.lines().filter_map(counts).fold((0, 0), |sum, more| (sum.0 + more.0, sum.1 + more.1));
    // Who ends badly has one that failed, whatever was counted.
    let failed = if done.status.success() { failed } else { failed.max(1) };
    let shown = format!("{passed} passed, {failed} failed");
    Ok(((passed > 0).then_some(f64::from(failed)), shown))
}

/// "test result: ok. 12 passed; 0 failed; …": both numbers.
fn counts(line: &str) -> Option<(u32, u32)> {
    let rest = line.strip_prefix("test result: ")?;
    let number = |word: &str| {
        let before = rest.split(word).next()?;
        before.split_whitespace().next_back()?.parse().ok()
    };
    Some((number(" passed")?, number(" failed")?))
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_line_of_a_test_program_is_read() {
        let line =
            "test result: FAILED. 12 passed; 3 failed; 1 ignored; 0 measured; 0 filtered out";
        assert_eq!(super::counts(line), Some((12, 3)));
        assert_eq!(super::counts("running 3 tests"), None);
    }
}
