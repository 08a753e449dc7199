//! `bench --counted`: the same work counted twice, by cachegrind and strace where they are installed.

use std::process::Command;

use crate::common::{exits, has, heapwright, ours, outcome, refused};
use launch::testing::file;
use serde_json::Value;

/// Whether both tools are there; with CI set they have to be.
fn tools_are_there() -> bool {
    let is_there = |tool: &str| Command::new(tool).arg("--version").output().is_ok();
    let there = is_there("valgrind") && is_there("strace");
    assert!(there || std::env::var_os("CI").is_none(), "CI has valgrind and strace");
    there
}

#[test]
fn two_results_of_one_version_agree() {
    if !tools_are_there() {
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let folders = ["old", "new"].map(|name| dir.path().join(name));
    for folder in &folders {
        let both = "heapwright,glibc";
        let (out, _) = exits(
            0,
            run!["bench", "--counted", "bench-tiny", "-a", both, "--scale", "0.001", "-o", folder],
        );
        has(&out, &["instructions ÷ glibc's", "page faults ÷", "system calls ÷", "next  "]);
        let text = std::fs::read_to_string(folder.join("result.json")).unwrap();
        let result: Value = serde_json::from_str(&text).unwrap();
        for cell in result["workloads"][0]["cells"].as_array().unwrap() {
            for figure in ["instructions", "d1", "ll", "faults", "calls"] {
                let count = cell["counted"][figure]["median"].as_f64().unwrap();
                assert!(count > 10.0, "{figure}: {cell}");
            }
        }
    }
    let mut compare = heapwright();
    compare.arg("compare").args(&folders);
    for figure in ["instructions", "d1", "calls"] {
        for rule in [format!("max.{figure}>1"), format!("max.{figure}<1")] {
            compare.args(["--fail-if", &rule]);
        }
    }
    let (out, _) = exits(0, outcome(&mut compare));
    assert!(out.contains("instructions  D1 misses") && !out.contains("slower"), "{out}");
}

/// A script that makes its inputs in its first run does so on the C library's malloc: that is no run on another malloc.
#[test]
fn inputs_that_the_first_run_makes_are_no_part_of_what_is_judged() {
    if !tools_are_there() {
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let text = format!(
        "#!/bin/sh\n\
         [ -e {0}/made ] || (unset LD_PRELOAD\n\
         awk 'BEGIN {{ for (i = 0; i < 2000000; i++) a[i % 1000] = i \"\" }}'; touch {0}/made)\n\
         i=0; while [ $i -lt 2000 ]; do i=$((i + 1)); done\n",
        dir.path().display()
    );
    let script = file(dir.path(), "script", text.as_bytes(), 0o755);
    let words = ["bench", "--counted", "-a", "heapwright,glibc", "--no-files", "--"];
    let (out, _) = exits(0, outcome(heapwright().args(words).arg(script)));
    assert!(!out.contains("another malloc"), "{out}");
}

#[test]
fn without_the_tools_it_says_what_to_install() {
    let dir = tempfile::tempdir().unwrap();
    let words = ["bench", "--counted", "bench-tiny", "--no-files"];
    let err = refused(125, outcome(heapwright().args(words).env("PATH", dir.path())));
    assert!(err.contains("apt-get install valgrind strace"), "{err}");
    assert_eq!(err.lines().count(), 1, "{err}");
}

#[test]
fn what_differs_from_run_to_run_is_refused_by_name() {
    if !tools_are_there() {
        return;
    }
    let words = ["bench", "--counted", "larson", "--no-files"];
    let err = refused(2, ours(words));
    let why = "larson cannot be counted: which of its 4 threads is first differs";
    assert!(err.contains(why), "{err}");
}
