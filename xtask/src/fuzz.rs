//! `cargo xtask fuzz`: the fuzz targets, led by coverage, on the compiler that builds everything else.
//!
//! What cargo-fuzz asks of a nightly compiler is its address sanitizer. Coverage, by which libFuzzer finds what leads
//! into new code, is flags of LLVM that a stable one takes too. A run starts from the files of `fuzz/seeds`, draws by a
//! seed and ends after a number of inputs, not after a time: a busy machine takes longer and tries the same.

use core::time::Duration;
use std::fs;
use std::path::Path;
use std::process::Command;

use clap::Args;

use crate::command::{cargo, finish, host};
use crate::files;
use crate::peers::{root, target_dir};

struct Target {
    name: &'static str,
    /// How many bytes an input has at most.
    len: u32,
    /// How many inputs take ten seconds or so on a quiet machine.
    runs: u32,
    /// Whether it needs the feature of `fuzz` that has what reads recordings.
    recordings: bool,
}

const TARGETS: [Target; 4] = [
    Target { name: "program", len: 2048, runs: 1_200, recordings: false },
    Target { name: "blocks", len: 1024, runs: 10_000, recordings: false },
    Target { name: "recording", len: 1024, runs: 4_000, recordings: true },
    Target { name: "packed", len: 2048, runs: 6_000, recordings: true },
];

/// Counters in front of every edge, and the table of where they are.
const COVERAGE: [&str; 4] = [
    "-Cpasses=sancov-module",
    "-Cllvm-args=-sanitizer-coverage-level=4",
    "-Cllvm-args=-sanitizer-coverage-inline-8bit-counters",
    "-Cllvm-args=-sanitizer-coverage-pc-table",
];

/// One input runs for milliseconds; longer than this is an endless loop, on any machine.
const HANGS: Duration = Duration::from_secs(120);

#[derive(Debug, Args)]
pub(crate) struct Options {
    /// Only these targets
    #[arg(value_name = "TARGET", value_parser = TARGETS.map(|target| target.name))]
    targets: Vec<String>,
    /// Inputs to try, instead of as many as take ten seconds or so
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    runs: Option<u32>,
    /// What the inputs are drawn by
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u32,
}

/// The chore; an error is an input that failed, or that the targets cannot be built.
pub(crate) fn run(options: &Options) -> Result<bool, String> {
    let (folder, host) = (target_dir().join("fuzz"), host()?);
    let asked = |target: &&Target| {
        options.targets.is_empty() || options.targets.iter().any(|name| name == target.name)
    };
    // Named, so that the flags are not those of build scripts too.
    let mut build = cargo();
    build.args(["build", "--release", "--locked", "--manifest-path", "fuzz/Cargo.toml"]);
    build.args(["--target", &host, "--target-dir"]).arg(&folder);
    for target in TARGETS.iter().filter(asked) {
        build.args(["--bin", target.name]);
        if target.recordings {
            build.args(["--features", "recordings"]);
        }
    }
    finish(build.env("CARGO_ENCODED_RUSTFLAGS", COVERAGE.join("\x1f")))?;
    let programs = folder.join(&host).join("release");
    for target in TARGETS.iter().filter(asked) {
        target.run(&programs, &folder, options)?;
    }
    Ok(true)
}

impl Target {
    fn run(&self, programs: &Path, folder: &Path, options: &Options) -> Result<(), String> {
        // What earlier runs found would lead this one elsewhere.
        let found = folder.join("found").join(self.name);
        let _ = fs::remove_dir_all(&found);
        files::folder(&found)?;
        let mut program = Command::new(programs.join(self.name));
        program.arg(format!("-runs={}", options.runs.unwrap_or(self.runs)));
        program.arg(format!("-seed={}", options.seed)).arg(format!("-max_len={}", self.len));
        program.arg(format!("-timeout={}", HANGS.as_secs()));
        // Never looks by the clock for files of a process beside it; says only how it ends.
        program.args(["-reload=0", "-verbosity=0", "-print_funcs=0", "-print_final_stats=1"]);
        program.arg(format!("-artifact_prefix={}/{}-", folder.display(), self.name));
        program.arg(&found).arg(root().join("fuzz/seeds").join(self.name));
        eprintln!("fuzz {}", self.name);
        match program.status() {
            Ok(status) if status.success() => Ok(()),
            Ok(status) => Err(format!(
                "{} ended with {status}; {} FILE runs the input again that the lines above name",
                self.name,
                programs.join(self.name).display()
            )),
            Err(e) => Err(format!("{} did not start: {e}", programs.join(self.name).display())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_target_is_run_and_has_seeds() {
        let folder = root().join("fuzz");
        let names = |path: &str| {
            let files = fs::read_dir(folder.join(path)).unwrap().map(|file| file.unwrap().path());
            let mut names: Vec<_> =
                files.map(|path| path.file_stem().unwrap().to_str().unwrap().to_owned()).collect();
            names.sort();
            names
        };
        let mut run = TARGETS.map(|target| target.name);
        run.sort_unstable();
        assert_eq!(names("fuzz_targets"), run);
        assert_eq!(names("seeds"), run);
    }
}
