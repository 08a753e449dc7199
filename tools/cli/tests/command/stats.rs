//! `run --stats`: what is told, of which process, and that the program ends as it would.

use std::fs;
use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
use std::process::Command;

use crate::common::{
    ended, exits, heapwright, heeding, ours, outcome, plain, says, started, wait_until,
};
use launch::testing::file;
use rustix::process::Signal;
use serde_json::Value;

/// Allocates some MiB, by itself.
const SORT: &str = "head -c 3000000 /dev/zero | tr '\\0' '\\n' | sort | tail -c 1";

fn stats(arguments: &[&str]) -> (String, String, Option<i32>) {
    outcome(heapwright().args(["run", "--stats"]).args(arguments))
}

#[test]
fn fifteen_lines_of_the_program_that_was_given() {
    let (out, err, code) = stats(&["--", "sh", "-c", "echo out; exit 7"]);
    assert_eq!((out.as_str(), code), ("out\n", Some(7)));
    assert!(err.starts_with("heapwright: sh -c 'echo out; exit 7' (process "), "{err}");
    assert!(err.contains(" live, ") && err.contains(" not malloc's.\n"), "{err}");
    assert!(err.lines().count() <= 15, "{err}");
    assert!(err.lines().all(|line| line.chars().count() <= 80), "{err}");
}

#[test]
fn it_comes_though_a_signal_ends_the_program() {
    let dir = tempfile::tempdir().unwrap();
    for (signal, number) in [("TERM", 15), ("INT", 2), ("KILL", 9)] {
        let script = format!("kill -{signal} $$");
        let mut command = heeding();
        command.env("TMPDIR", dir.path());
        let output = command.args(["run", "--stats", "--", "sh", "-c", &script]).output().unwrap();
        assert_eq!(output.status.signal(), Some(number));
        let err = String::from_utf8(output.stderr).unwrap();
        assert!(err.starts_with("heapwright: sh -c ") && err.contains("it did not exit"), "{err}");
    }
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 0, "nothing is left behind");
}

#[test]
fn signals_are_passed_on() {
    // The first ends by its own handler, the second by the signal.
    for (script, code, signal) in [
        ("trap 'exit 7' TERM; echo ready; while :; do sleep 0.02; done", Some(7), None),
        ("echo ready; exec sleep 60", None, Some(15)),
    ] {
        let mut child = started(&mut run(script));
        wait_until(&mut child, |child| child.stdout.ends_with_a_line());
        child.signal(Signal::TERM);
        let status = child.wait().unwrap().unwrap();
        assert_eq!((status.code(), status.signal()), (code, signal), "{script}");
        let err = child.stderr.text();
        assert!(err.contains("  Peak "), "{err}");
    }
}

/// A shell's script, in a group of its own: in one that no shell looks after nothing is stopped.
fn run(script: &str) -> Command {
    let mut command = plain();
    command.args(["run", "--stats", "--", "sh", "-c", script]).process_group(0);
    command
}

fn is_stopped(process: i32) -> bool {
    let stat = fs::read_to_string(format!("/proc/{process}/stat")).unwrap();
    stat.rsplit_once(") ").unwrap().1.starts_with('T')
}

#[test]
fn the_shell_is_told_that_the_program_has_stopped() {
    // As less does for Ctrl-Z.
    let mut child = started(&mut run("kill -TSTP $$; echo on; exit 7"));
    wait_until(&mut child, |child| is_stopped(child.number()));
    child.signal(Signal::CONT);
    let (out, err, code) = ended(child);
    assert_eq!((out.as_str(), code), ("on\n", Some(7)), "{err}");
}

#[test]
fn a_stop_and_its_end_are_passed_on() {
    let mut child = started(&mut run("echo $$; while :; do sleep 0.02; done"));
    wait_until(&mut child, |child| child.stdout.ends_with_a_line());
    let program: i32 = child.stdout.text().trim().parse().unwrap();
    child.signal(Signal::TSTP);
    wait_until(&mut child, |child| is_stopped(program) && is_stopped(child.number()));
    child.signal(Signal::CONT);
    wait_until(&mut child, |child| !is_stopped(program) && !is_stopped(child.number()));
    child.signal(Signal::TERM);
    assert_eq!(child.wait().unwrap().unwrap().signal(), Some(15));
}

#[test]
fn behind_a_wrapper_and_a_script_it_is_of_the_program() {
    let (_, err) = exits(3, stats(&["--", "env", "timeout", "60", "sh", "-c", "exit 3"]));
    assert!(err.starts_with("heapwright: sh -c 'exit 3' (process "), "{err}");
    assert!(err.contains("  1 other process, with "), "{err}");
    assert!(err.contains("timeout 60 sh -c 'exit 3'\n  --stats=all shows"), "{err}");

    let dir = tempfile::tempdir().unwrap();
    let shim = file(dir.path(), "shim", format!("#!/bin/sh\n{SORT}\nexit 0\n").as_bytes(), 0o755);
    let (_, err, _) = stats(&["--", shim.to_str().unwrap()]);
    assert!(err.starts_with("heapwright: sort (process "), "{err}");
    assert!(err.contains(" other processes, the largest with "), "{err}");
}

#[test]
fn all_full_and_json() {
    // The shell itself ends by `_exit`.
    let given = ["--", "timeout", "60", "ls", "/dev/null"];
    let of = |what: &str| outcome(heapwright().args(["run", what]).args(given)).1;
    let all = of("--stats=all");
    assert_eq!(all.matches("\nheapwright: ").count() + 1, 2, "{all}");
    let full = of("--stats=full");
    assert!(full.contains("empty slabs") && full.contains("    blocks of"), "{full}");
    let one: Value = serde_json::from_str(&of("--stats=json")).unwrap();
    assert_eq!(one["command"][0], "ls");
    assert_eq!((&one["heapwright"], &one["ended"]), (&Value::from(1), &Value::from(true)));
    assert!(one["resident"]["peak"].as_u64() > Some(500_000), "{one}");
    let parts = one["largest"]["parts"].as_array().unwrap();
    let is_live = |part: &Value| part["name"] == "live, in slabs" && part["held"] != 0;
    assert!(parts.iter().any(is_live), "{one}");
    let all: Value = serde_json::from_str(&of("--stats=all,json")).unwrap();
    assert_eq!(all.as_array().unwrap().len(), 2);
    says(2, ours(["run", "--stats=some", "--", "true"]), &["full, all, json, or a FILE"]);
}

#[test]
fn a_file_is_written_and_a_failure_said() {
    let dir = tempfile::tempdir().unwrap();
    let run = |path: &str| {
        let what = format!("--stats={}", dir.path().join(path).display());
        ours(["run", &what, "--", "sh", "-c", "echo $$"])
    };
    let (out, err, code) = run("of-%p.json");
    assert_eq!((err.as_str(), code), ("", Some(0)));
    let path = dir.path().join(format!("of-{}.json", out.trim()));
    let written: Value = serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap();
    assert_eq!(written["process"].to_string(), out.trim());
    let (_, err) = exits(0, run("no/folder"));
    assert!(err.contains("the statistics are not in ") && err.lines().count() == 1, "{err}");
}
