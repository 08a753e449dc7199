//! `list` and `doctor`: they describe this machine, whatever is installed on it.

use crate::common::{exits, heapwright, names, ours, outcome, parsed, prints, says};
use launch::testing::file;
use serde_json::Value;

#[test]
fn every_row_is_there_with_what_it_can_and_what_can_be_set() {
    let list = parsed(ours(["list", "--format", "json"]));
    let of = |name: &str| list.as_array().unwrap().iter().find(|a| a["name"] == name).unwrap();
    let words = |value: &Value| -> Vec<String> { serde_json::from_value(value.clone()).unwrap() };
    assert_eq!((&list[0]["name"], &list[0]["problem"]), (&"heapwright".into(), &Value::Null));
    assert!(list[0]["library"].as_str().unwrap().ends_with(".so"));
    assert_eq!(list[1]["name"], "glibc");
    for what in ["library", "abilities", "settings"] {
        assert_eq!(list[1][what], Value::Null, "it is not ours to say");
    }
    for row in registry::MALLOCS {
        let found = of(row.name);
        assert_eq!(found["problem"], Value::Null, "{list}");
        assert!(words(&found["abilities"]).iter().any(|word| word == "returns"), "{list}");
        let keys = words(&found["settings"]);
        assert!(row.settings.iter().all(|key| keys.iter().any(|k| k == key)), "{}", row.name);
        let library = found["library"].as_str().unwrap();
        assert!(library.contains(&format!("libheapwright-{}-", row.name)), "{library}");
    }
    let (table, _, _) = outcome(heapwright().env("COLUMNS", "80").arg("list"));
    let ours = table.lines().find(|line| line.starts_with("  heapwright")).unwrap();
    assert!(ours.ends_with("built in: threads returns misuse heaps safe"), "in one line: {table}");
    assert!(table.contains("next     heapwright bench -- CMD"), "{table}");
    let (table, _, _) = run!["list"];
    let row = table.lines().find(|line| line.trim_start().starts_with("thread-caching")).unwrap();
    assert!(row.contains("settings: cache caches page walk"), "{table}");
    for row in registry::KERNELS {
        let found = of(row.name);
        assert_eq!(found["kind"], row.kind.word());
        assert_eq!(words(&found["abilities"]), row.abilities);
        assert_eq!(words(&found["settings"]), row.settings);
        assert!(table.contains(row.about), "{table}");
    }
}

#[test]
fn a_file_that_is_no_library_is_not_listed() {
    let dir = tempfile::tempdir().unwrap();
    file(dir.path(), "libhoard.so", b"text", 0o644);
    let (out, _) = exits(0, outcome(heapwright().env("LD_LIBRARY_PATH", dir.path()).arg("list")));
    assert!(!out.contains(dir.path().to_str().unwrap()), "{out}");
}

#[test]
fn doctor_says_whether_a_child_runs_on_ours() {
    let (out, _) = exits(0, run!["doctor"]);
    assert!(out.lines().any(|l| l.starts_with("  ok    preload")), "{out}");
    let levels = out.lines().take_while(|l| !l.is_empty());
    assert!(levels.clone().count() >= 8);
    for line in levels {
        let level = line.split_whitespace().next().unwrap();
        assert!(["ok", "warn", "fail"].contains(&level), "{line}");
    }
    let json = parsed(ours(["doctor", "--format", "json"]));
    assert_eq!(json["fit"], true, "{json}");
    let is_one = |f: &Value| f["subject"] == "preload" && f["level"] == "ok";
    assert!(json["findings"].as_array().unwrap().iter().any(is_one), "{json}");
}

#[test]
fn doctor_tells_what_children_inherit() {
    let (out, _, _) = outcome(heapwright().env("HEAPWRIGHT", "stats=1").arg("doctor"));
    assert!(out.lines().any(|l| l.contains("warn  HEAPWRIGHT")), "{out}");
}

/// Whether no line is wider than this but by a path, in which there is no place to break.
fn fits(text: &str, width: usize) -> bool {
    let ends_with_a_path = |line: &str| line.split(' ').next_back().unwrap_or("").contains('/');
    text.lines().all(|line| line.chars().count() <= width || ends_with_a_path(line))
}

#[test]
fn where_a_terminal_is_narrow_lines_break_between_words() {
    for arguments in
        [&["list"][..], &["run", "--check", "--", "/bin/sh"], &["bench", "--list"], &["doctor"]]
    {
        let (out, _, _) = outcome(heapwright().env("COLUMNS", "80").args(arguments));
        assert!(fits(&out, 80), "{arguments:?}: {out}");
    }
}

#[test]
fn the_list_of_workloads_is_for_programs_too_and_of_the_allocators_that_are_named() {
    let list = |arguments: &[&str]| -> Vec<String> {
        let list = [&["bench", "--list", "--format", "json"], arguments].concat();
        names(&parsed(ours(list))).into_iter().map(str::to_owned).collect()
    };
    let has = |list: &[String], name: &str| list.iter().any(|n| n == name);
    let shown = ["bench-tiny", "larson", "t-test1", "redis", "standard", "bench --time 3m"];
    prints(0, ours(["bench", "--list"]), &shown);
    let all = list(&[]);
    assert!(has(&all, "larson") && has(&all, "kmem-stack"), "{all:?}");
    let zbud = list(&["-a", "zbud"]);
    assert!(has(&zbud, "kernel-sweep") && !has(&zbud, "larson"), "{zbud:?}");
    let glibc = list(&["-a", "glibc"]);
    assert!(has(&glibc, "larson") && !has(&glibc, "kmem-stack"), "{glibc:?}");
    assert_eq!(list(&["-a", "zbud,all"]), all);
    for (arguments, said) in
        [(["-a", "nonsense"], "no allocator nonsense"), (["--format", "csv"], "table and json")]
    {
        says(2, ours([&["bench", "--list"], &arguments[..]].concat()), &[said]);
    }
}
