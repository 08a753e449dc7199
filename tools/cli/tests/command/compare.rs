//! `compare`: what it prints, its rules, its exit codes, what it says of files that are no results.

use std::fs;
use std::path::Path;

use crate::common::{exits, has, heapwright, ours, outcome, prints, refuses, says};
use bench::result::Report;
use bench::testing;
use serde_json::Value;

/// Twelve rounds of one workload; heapwright takes `ours` seconds on average, glibc one.
fn report(ours: f64) -> Report {
    testing::rounds(&["larson"], 12, |_, name| if name == "heapwright" { ours } else { 1.0 })
}

fn write(folder: &Path, report: &Report) {
    fs::create_dir_all(folder).unwrap();
    fs::write(folder.join("result.json"), report.to_json().unwrap()).unwrap();
}

/// The outcome of comparing `old` with `new`, both in `folder`.
fn compare(folder: &Path, args: &[&str]) -> (String, String, Option<i32>) {
    outcome(heapwright().current_dir(folder).args(["compare", "old", "new"]).args(args))
}

#[test]
fn what_became_slower_and_rules_about_it() {
    let dir = tempfile::tempdir().unwrap();
    write(&dir.path().join("old"), &report(0.8));
    let mut new = report(0.88);
    new.machine.kernel = "Linux of tomorrow".to_owned();
    write(&dir.path().join("new"), &new);

    let (out, err, code) = compare(dir.path(), &[]);
    assert_eq!((code, err.as_str()), (Some(0), ""));
    has(&out, &["larson", "1.100", "+ slower", "noise ", "geometric mean", "Linux of tomorrow"]);
    let mut narrow = heapwright();
    narrow.current_dir(dir.path()).env("COLUMNS", "80").args(["compare", "old", "new"]);
    let (narrow, _) = exits(0, outcome(&mut narrow));
    assert!(narrow.lines().all(|line| line.chars().count() <= 80), "{narrow}");
    let files = ["old/result.json", "new/result.json"];
    let by_file = outcome(heapwright().current_dir(dir.path()).arg("compare").args(files));
    assert_eq!(by_file.2, Some(0), "{}", by_file.1);

    prints(0, compare(dir.path(), &["--fail-if", "geomean>1.2"]), &["geomean>1.2: passed"]);
    prints(1, compare(dir.path(), &["--fail-if", "geomean>1.02"]), &["geomean>1.02: FAILED"]);
    let rule = ["--fail-if", "larson.ns@heapwright>=1.05", "--format", "json"];
    let (out, err) = exits(1, compare(dir.path(), &rule));
    assert!(err.contains("FAILED: larson"), "beside JSON it is said on standard error: {err}");
    let json: Value = serde_json::from_str(&out).unwrap();
    let about = (&json["schema"], &json["baseline"]);
    assert_eq!(about, (&"heapwright-compare".into(), &"glibc".into()));
    let (out, _, _) = compare(dir.path(), &["--format", "csv"]);
    assert!(out.starts_with("workload,allocator,role,metric,"), "{out}");
}

#[test]
fn wrong_usage_is_2_and_names_what_is_near() {
    let dir = tempfile::tempdir().unwrap();
    for name in ["old", "new"] {
        write(&dir.path().join(name), &report(0.8));
    }
    for (rule, expected) in [
        ("geomean>", "expected"),
        ("larsen>1.02", "larson"),
        ("geomean@heapwrite>1.02", "heapwright"),
    ] {
        refuses(2, compare(dir.path(), &["--fail-if", rule]), &[expected]);
    }
    assert_eq!(ours(["compare", "old"]).2, Some(2));
}

#[test]
fn files_that_cannot_be_compared_are_named() {
    let dir = tempfile::tempdir().unwrap();
    write(&dir.path().join("old"), &report(0.8));
    let (_, err) = exits(125, compare(dir.path(), &[]));
    assert!(err.contains("cannot read new") && err.matches("No such file").count() == 1, "{err}");
    fs::write(dir.path().join("new"), "<html>").unwrap();
    says(2, compare(dir.path(), &[]), &["new is no JSON"]);
    fs::remove_file(dir.path().join("new")).unwrap();
    let mut other = report(0.8);
    other.workloads[0].name = "cfrac".to_owned();
    write(&dir.path().join("new"), &other);
    says(2, compare(dir.path(), &[]), &["larson", "cfrac"]);
}

#[test]
fn other_scales_are_told_how_to_be_alike() {
    let dir = tempfile::tempdir().unwrap();
    let mut old = report(0.8);
    old.scale = 0.25;
    old.command_line =
        ["heapwright", "bench", "larson", "-o", "a b", "--time", "1m"].map(str::to_owned).to_vec();
    write(&dir.path().join("old"), &old);
    write(&dir.path().join("new"), &report(0.8));
    let (out, _) = exits(0, compare(dir.path(), &[]));
    let expected = format!("bench larson --time 1m --scale 0.25 --seed {} ", old.seed);
    assert!(out.contains(&expected), "{out}");
}

/// The baseline is as fast as before, or it is not.
#[test]
fn the_machine_differs_only_where_that_shows() {
    let dir = tempfile::tempdir().unwrap();
    write(&dir.path().join("old"), &report(0.8));
    for (glibc, differs) in [(1.0, false), (1.004, false), (1.1, true)] {
        let both = |_: &str, name: &str| if name == "heapwright" { 0.8 * glibc } else { glibc };
        write(&dir.path().join("new"), &testing::rounds(&["larson"], 12, both));
        let (out, _) = exits(0, compare(dir.path(), &[]));
        assert!(out.contains("drift    glibc itself"), "{out}");
        assert_eq!(out.contains("the machine differs"), differs, "{out}");
    }
}

#[test]
fn what_a_file_says_does_not_command_the_terminal() {
    let dir = tempfile::tempdir().unwrap();
    for name in ["old", "new"] {
        let mut report = report(0.8);
        report.workloads[0].name = "lar\x1b[2Json".to_owned();
        report.machine.kernel = format!("{name}\x1b]0;title\x07");
        report.steal = 1e308;
        write(&dir.path().join(name), &report);
    }
    let (out, err, code) = compare(dir.path(), &["--fail-if", "geomean>9"]);
    assert_eq!((code, err.as_str()), (Some(0), ""));
    assert!(out.contains("lar\\u{1b}[2Json") && out.contains("\\u{7}"), "{out}");
    assert!(!out.contains(|c: char| c.is_control() && c != '\n'), "{out:?}");
    assert!(out.contains("took 100.0 %") && !out.contains("inf"), "{out}");
    let (_, err, _) = compare(dir.path(), &["--fail-if", "x\x1b[31m>1"]);
    assert!(!err.contains('\x1b'), "{err:?}");
}
