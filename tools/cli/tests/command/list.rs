//! `list` and `doctor`: they describe this machine, whatever is installed on it.

use crate::common::{exits, heapwright, names, ours, outcome, parsed, says};
use launch::testing::file;
use serde_json::Value;

#[test]
fn ours_and_glibc_are_always_there() {
    let list = parsed(ours(["list", "--format", "json"]));
    assert_eq!(list[0]["name"], "heapwright");
    assert_eq!(list[0]["problem"], Value::Null, "{list}");
    assert!(list[0]["library"].as_str().unwrap().ends_with(".so"));
    assert_eq!(list[1]["name"], "glibc");
    assert_eq!(list[1]["library"], Value::Null);
    assert_eq!(list[1]["abilities"], Value::Null, "it is not ours to say");
    let (table, _, _) = outcome(heapwright().env("COLUMNS", "80").arg("list"));
    let ours = table.lines().find(|line| line.starts_with("  heapwright")).unwrap();
    assert!(ours.ends_with("built in: threads returns misuse heaps safe"), "in one line: {table}");
    assert!(table.contains("heapwright") && table.contains("next     heapwright bench -- CMD"));
}

#[test]
fn the_classic_designs_are_there_by_name() {
    let list = parsed(ours(["list", "--format", "json"]));
    for name in registry::mallocs() {
        let found = list.as_array().unwrap().iter().find(|a| a["name"] == *name);
        let found = found.unwrap_or_else(|| panic!("no {name} in {list}"));
        assert_eq!(found["problem"], Value::Null, "{list}");
        let abilities = found["abilities"].as_array().unwrap();
        assert!(abilities.iter().any(|word| word == "returns"), "{list}");
        let library = found["library"].as_str().unwrap();
        assert!(library.contains(&format!("libheapwright-{name}-")), "{library}");
    }
}

#[test]
fn what_can_be_set_is_said_of_each() {
    let list = parsed(ours(["list", "--format", "json"]));
    let of = |name: &str| list.as_array().unwrap().iter().find(|a| a["name"] == name).unwrap();
    for row in registry::MALLOCS {
        let keys = of(row.name)["settings"].as_array().unwrap();
        assert!(row.settings.iter().all(|key| keys.iter().any(|k| k == key)), "{}", row.name);
    }
    assert_eq!(of("zsmalloc")["settings"], serde_json::json!(["chain", "rule"]));
    assert_eq!(of("glibc")["settings"], Value::Null);
    let (table, _, _) = run!["list"];
    let row = table.lines().find(|line| line.trim_start().starts_with("thread-caching")).unwrap();
    assert!(row.contains("settings: cache caches page walk"), "{table}");
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
}

#[test]
fn doctor_for_programs() {
    let json = parsed(ours(["doctor", "--format", "json"]));
    assert_eq!(json["fit"], true, "{json}");
    let findings = json["findings"].as_array().unwrap();
    let is_one = |f: &Value| f["subject"] == "preload" && f["level"] == "ok";
    assert!(findings.iter().any(is_one), "{json}");
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
