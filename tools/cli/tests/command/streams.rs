//! Standard output and standard error that cannot be written: a full disk, and readers that have gone.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::unix::process::ExitStatusExt as _;
use std::process::{Output, Stdio};

use crate::common::{exits, ours, plain};

fn with(args: &[&str], stdout: Stdio, stderr: Stdio) -> Output {
    let mut command = plain();
    command.args(args).stdout(stdout).stderr(stderr).spawn().unwrap().wait_with_output().unwrap()
}

fn full() -> File {
    OpenOptions::new().write(true).open("/dev/full").unwrap()
}

/// The end of a pipe that nobody reads from.
fn nobody() -> Stdio {
    io::pipe().unwrap().1.into()
}

fn err(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

const BENCH: [&str; 8] =
    ["bench", "bench-tiny", "--rounds", "1", "--scale", "0.01", "--no-tails", "--warmup=0"];

#[test]
fn a_full_disk_is_125_and_no_panic() {
    for args in [
        &["list"][..],
        &["list", "--format", "json"],
        &["doctor"],
        &["bench", "--list"],
        &["completions", "bash"],
        &["man"],
        &["run", "--check", "--", "/bin/true"],
        &["bench", "-a", "glibc", "--rounds", "1", "--no-files", "--", "/bin/true"],
    ] {
        let output = with(args, full().into(), Stdio::piped());
        let err = err(&output);
        assert_eq!(output.status.code(), Some(125), "{args:?}: {err}");
        assert!(err.contains("cannot write to standard output"), "{args:?}: {err}");
    }
}

#[test]
fn a_full_disk_for_messages_is_no_failure() {
    let dir = tempfile::tempdir().unwrap();
    let target = dir.path().to_str().unwrap();
    for args in [&["man", "-o", target][..], &["list"]] {
        let output = with(args, Stdio::null(), full().into());
        assert_eq!(output.status.code(), Some(0), "{args:?}");
    }
}

#[test]
fn a_filter_ends_quietly_when_its_reader_has_gone() {
    for args in [&["list"][..], &["bench", "--list"], &["completions", "bash"]] {
        let output = with(args, nobody(), Stdio::piped());
        assert_eq!((output.status.signal(), err(&output).as_str()), (Some(13), ""), "{args:?}");
    }
}

/// The folder that the program's figures were read from stayed where the reader of the messages had gone.
#[test]
fn statistics_that_nobody_reads_leave_no_folder() {
    let folder = tempfile::tempdir().unwrap();
    let mut command = plain();
    command.env("TMPDIR", folder.path()).args(["run", "--stats", "--", "true"]);
    let status = command.stderr(nobody()).status().unwrap();
    assert_eq!(status.signal(), Some(13), "{status}");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn a_measurement_outlives_its_readers() {
    for (rule, expected) in [("geomean>0.001", 1), ("geomean>1000", 0)] {
        let dir = tempfile::tempdir().unwrap();
        let (tmp, results) = (dir.path().join("tmp"), dir.path().join("results"));
        fs::create_dir(&tmp).unwrap();
        let mut command = plain();
        command.args(BENCH).args(["-a", "heapwright,glibc", "--fail-if", rule, "--strict", "-o"]);
        command.arg(&results);
        let status =
            command.env("TMPDIR", &tmp).stdout(nobody()).stderr(nobody()).status().unwrap();
        assert_eq!(status.code(), Some(expected), "{rule}: {status}");
        assert!(results.join("report.html").exists());
        assert!(fs::read_dir(&tmp).unwrap().next().is_none(), "a temporary folder is left behind");
    }
}

/// Ignoring it is for this command: what it starts would go on writing to nobody.
#[test]
fn the_measured_program_has_the_usual_sigpipe() {
    let ignored = "--ignore-failure";
    let args = ["bench", "-a", "glibc", "--rounds", "1", "--no-files", "--show-output", ignored];
    let program = ["--", "grep", "SigIgn", "/proc/self/status"];
    let (_, err) = exits(0, ours([&args[..], &program].concat()));
    let masks: Vec<u64> = err
        .lines()
        .filter_map(|line| line.strip_prefix("SigIgn:"))
        .map(|mask| u64::from_str_radix(mask.trim(), 16).unwrap())
        .collect();
    assert!(!masks.is_empty() && masks.iter().all(|mask| mask & (1 << 12) == 0), "{err}");
}
