//! From a program that leaks to the line that does: `record --stacks`, `explain`, `export`.

use std::path::{Path, PathBuf};

use crate::common::{exits, heapwright, outcome, parsed};
use launch::testing::compile;
use serde_json::Value;

/// The service of `tools/explain/tests/programs`, compiled with debugging information.
fn service(folder: &Path) -> PathBuf {
    let source = concat!(env!("CARGO_MANIFEST_DIR"), "/../explain/tests/programs/service.cpp");
    let program = folder.join("service");
    compile(Path::new(source), &["-g", "-O2", "-pthread"], &program);
    program
}

fn recorded(folder: &Path, program: &Path, stacks: &[&str]) -> PathBuf {
    let traces = folder.join("traces");
    let mut record = heapwright();
    record.args(["record", "--force", "-o"]).arg(&traces).args(stacks).arg("--").arg(program);
    exits(0, outcome(&mut record));
    traces
}

fn explained(traces: &Path) -> (String, Value) {
    let (page, _) = exits(0, run!["explain", traces]);
    (page, parsed(run!["explain", "--json", traces]))
}

fn line(text: &str) -> usize {
    let source = include_str!("../../../explain/tests/programs/service.cpp");
    source.lines().position(|line| line.contains(text)).unwrap() + 1
}

#[test]
fn the_line_that_leaks_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let program = service(folder.path());
    let traces = recorded(folder.path(), &program, &["--stacks", "all"]);
    let (page, json) = explained(&traces);
    let leaks = format!("journal::note (service.cpp:{})", line("new Entry{"));
    let words = page.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains(&format!("of what grows is allocated in {leaks}.")), "{page}");
    assert_eq!(json["findings"][0]["kind"], "leak", "{page}");
    let rows = |role: &str| page.lines().find(|line| line.trim_start().starts_with(role));
    assert!(rows("grows").is_some_and(|row| row.contains(&leaks)), "{page}");
    assert!(rows("temporary").is_some_and(|row| row.contains("parse (service.cpp:")), "{page}");
    assert!(rows("cross-thread").is_some_and(|row| row.contains("answer (service.cpp:")), "{page}");
    assert!(
        page.lines().all(|line| line.chars().count() <= 80 || line.contains("heapwright ")),
        "{page}"
    );
    // The same in the pictures.
    let view = run!["view", "--plain", "--by", "site", "--at", "end", &traces];
    let (picture, _) = exits(0, view);
    let below = picture.split("Live by site").nth(1).unwrap();
    assert!(below.lines().nth(2).is_some_and(|row| row.ends_with(&leaks)), "{picture}");
    // The same in the tables.
    let tables = folder.path().join("fleet");
    exits(0, run!["export", "--to", "csv", "-o", &tables, &traces]);
    let frames = std::fs::read_dir(tables.join("frames")).unwrap().next().unwrap().unwrap();
    let frames = std::fs::read_to_string(frames.path()).unwrap();
    assert!(frames.contains(&leaks), "{frames}");
}

#[test]
fn a_sample_names_it_too_and_a_program_that_was_built_anew_is_not_misnamed() {
    let folder = tempfile::tempdir().unwrap();
    let program = service(folder.path());
    let traces =
        recorded(folder.path(), &program, &["--stacks", "sampled", "--interval-bytes", "16k"]);
    let (page, json) = explained(&traces);
    assert!(page.contains("journal::note (service.cpp:") && page.contains(" ±"), "{page}");
    let sites = json["facts"]["sites"]["list"].as_array().unwrap();
    let leak = sites.iter().find(|site| site["function"] == "journal::note").unwrap();
    let (bytes, margin) = (&leak["uses"]["left"]["bytes"], &leak["uses"]["left"]["margin"]);
    let (bytes, margin) = (bytes.as_f64().unwrap(), margin.as_f64().unwrap());
    // Of 30,000 entries of 200 bytes a third is freed.
    assert!((bytes - 20_000.0 * 200.0).abs() < 2.5 * margin, "{bytes} ±{margin}");
    // Another program in its place.
    std::fs::remove_file(&program).unwrap();
    std::fs::copy("/bin/true", &program).unwrap();
    let (page, _) = explained(&traces);
    assert!(!page.contains("journal::note") && page.contains("service+0x"), "{page}");
    assert!(page.replace("\n ", " ").contains("is not the recorded file"), "{page}");
}
