//! Runs under hyperfine: it is started once a round, so that allocators stand beside each other and not one after the
//! other. With `-N` there is no shell in the times; `env` sets the variable and becomes the program, on every allocator.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use bench::stats::{RESAMPLES, Ratio, median};
use bench::words::shell;

use super::verdict::{Measured, floor};
use crate::peers::{output, target_dir};

/// The subject, glibc, glibc again.
const NAMES: usize = 3;

/// What hyperfine calls itself.
pub(super) fn version() -> Result<String, String> {
    let said = output(Command::new("hyperfine").arg("--version"));
    said.map(|text| text.trim().to_owned())
        .map_err(|why| format!("{why} (install hyperfine: the package of that name)"))
}

/// Measures `command` with each of `libraries` preloaded, the subject's and glibc's, after `warm` has run.
pub(super) fn measure(
    command: &[String],
    libraries: &[Option<PathBuf>; 2],
    warm: &[String],
    rounds: u32,
) -> Result<Measured, String> {
    let [subject, glibc] = libraries.each_ref().map(|library| {
        let preload = library.as_ref().map(|path| format!("LD_PRELOAD={}", path.display()));
        let words = core::iter::once("env".to_owned()).chain(preload).chain(command.to_vec());
        shell(&words.collect::<Vec<_>>())
    });
    let lines: [String; NAMES] = [subject, glibc.clone(), glibc];
    let mut times: [Vec<Option<f64>>; NAMES] = Default::default();
    let file = target_dir().join(format!("agree-{}.json", std::process::id()));
    // One round is for the page cache, and thrown away.
    for round in 0..=rounds as usize {
        let order: [usize; NAMES] = core::array::from_fn(|place| (place + round) % NAMES);
        let mut hyperfine = Command::new("hyperfine");
        hyperfine.args(["-N", "--runs", "1", "--style", "none", "--prepare", &shell(warm)]);
        hyperfine.arg("--export-json").arg(&file).env_remove("LD_PRELOAD");
        output(hyperfine.args(order.map(|name| lines[name].clone())))?;
        let text = fs::read_to_string(&file).map_err(|e| format!("{}: {e}", file.display()))?;
        let seconds = seconds(&text)?;
        if round > 0 {
            for (place, name) in order.into_iter().enumerate() {
                times[name].push(seconds.get(place).copied());
            }
        }
    }
    drop(fs::remove_file(&file));
    let [subject, glibc, again] = &times;
    let ratio = |of: &[Option<f64>]| {
        Ratio::paired(of, glibc, RESAMPLES, 1).ok_or("hyperfine measured nothing")
    };
    let known: Vec<f64> = glibc.iter().copied().flatten().collect();
    Ok(Measured {
        ratio: ratio(subject)?,
        noise: floor(&ratio(again)?),
        glibc_seconds: median(&known).unwrap_or(0.0),
    })
}

/// The one time of each command, in its file's order.
fn seconds(text: &str) -> Result<Vec<f64>, String> {
    let json: serde_json::Value =
        serde_json::from_str(text).map_err(|e| format!("hyperfine's result: {e}"))?;
    let results = json["results"].as_array().ok_or("hyperfine's result has no \"results\"")?;
    let time = |result: &serde_json::Value| result["times"][0].as_f64();
    results.iter().map(time).collect::<Option<_>>().ok_or("hyperfine's result lacks times".into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_of_its_file() {
        let text = r#"{"results": [{"times": [0.5]}, {"times": [0.25]}]}"#;
        assert_eq!(seconds(text), Ok(vec![0.5, 0.25]));
        assert!(seconds("{}").is_err());
    }
}
