use bench::definition::Group;
use bench::machine::Machine;
use bench::result::{Cell, Compared, Entry, Overall, SCHEMA, VERSION, Work};
use bench::session::{Role, Stop};
use bench::stats::Ratio;

use super::*;

/// One workload on three allocators: heapwright has the least time, jemalloc the least memory.
fn report() -> Report {
    let roles = [
        ("heapwright", Role::Contender),
        ("jemalloc", Role::Contender),
        ("glibc", Role::Baseline),
        ("glibc again", Role::Control),
    ];
    let compared = |median: f64, ratio: f64| {
        let ratio = Ratio { estimate: ratio, low: ratio - 0.01, high: ratio + 0.01, pairs: 10 };
        Some(Compared { median, ratio: Some(ratio), same: false })
    };
    let cell = |time: f64, mib: f64| Cell {
        runs: 10,
        time: compared(time, time),
        peak_rss: compared(mib * 1_048_576.0, mib / 10.0),
        ..Cell::default()
    };
    let mut cells = vec![cell(0.5, 9.0), cell(0.7, 6.0), cell(1.0, 10.0), cell(1.0, 10.0)];
    cells[2].time = Some(Compared { median: 1.0, ratio: None, same: false });
    let entry = |(name, role): (&str, Role)| Entry {
        name: name.to_owned(),
        library: None,
        version: Some("1.0".to_owned()),
        role,
    };
    let work = Work {
        name: "larson".to_owned(),
        group: Group::Community,
        about: String::new(),
        source: String::new(),
        command: Vec::new(),
        threads: 4,
        rounds: 10,
        precise: true,
        by_cpu: false,
        noise_floor: Some(0.01),
        curve: None,
        cells,
    };
    Report {
        schema: SCHEMA.to_owned(),
        version: VERSION,
        heapwright: "0.1.0".to_owned(),
        started: "2026-03-01T12:10:05Z".to_owned(),
        command_line: vec!["heapwright".to_owned(), "bench".to_owned()],
        seed: 1,
        scale: 1.0,
        warm: true,
        pinned: true,
        stop: Stop::Precise,
        elapsed: 600.0,
        machine: Machine::describe(),
        prepared: Vec::new(),
        steal: 0.0,
        warnings: Vec::new(),
        allocators: roles.map(entry).to_vec(),
        workloads: vec![work],
        left_out: Vec::new(),
        overall: vec![Overall { workloads: 1, is_pareto: true, ..Overall::default() }; 4],
        runs: Vec::new(),
    }
}

/// A tree with an empty section and a result of each of `years`.
fn tree(years: &[&str]) -> tempfile::TempDir {
    let top = tempfile::tempdir().unwrap();
    fs::create_dir_all(top.path().join("docs")).unwrap();
    fs::create_dir_all(top.path().join("bench/record/machine")).unwrap();
    let text = format!("before\n{BEGIN}\n{END}\nafter\n");
    fs::write(top.path().join("docs/benchmarks.md"), text).unwrap();
    for year in years {
        let folder = top.path().join("bench/record/machine").join(year);
        fs::create_dir_all(&folder).unwrap();
        let report = Report { started: format!("{year}-03-01T12:10:05Z"), ..report() };
        fs::write(folder.join("result.json"), report.to_json().unwrap()).unwrap();
        fs::create_dir_all(folder.join("plots")).unwrap();
        for name in ["report.html", "runs.csv", "table.txt"] {
            fs::write(folder.join(name), "").unwrap();
        }
    }
    top
}

#[test]
fn the_document_is_up_to_date() {
    act(&root(), false).unwrap();
}

#[test]
fn the_newest_result_is_written_once() {
    let top = tree(&["2025", "2026", "2024"]);
    assert!(act(top.path(), false).unwrap_err().contains("--write"));
    act(top.path(), true).unwrap();
    act(top.path(), false).unwrap();
    let text = fs::read_to_string(top.path().join("docs/benchmarks.md")).unwrap();
    assert!(text.starts_with("before\n") && text.ends_with("after\n"));
    assert!(text.contains("`bench/record/machine/2026/result.json`"), "{text}");
    let bare = tree(&[]);
    act(bare.path(), true).unwrap();
    let text = fs::read_to_string(bare.path().join("docs/benchmarks.md")).unwrap();
    assert!(text.contains(NOTHING), "{text}");
}

#[test]
fn a_record_without_what_its_page_links_to_is_refused() {
    let top = tree(&["2026"]);
    fs::remove_file(top.path().join("bench/record/machine/2026/runs.csv")).unwrap();
    let error = act(top.path(), true).unwrap_err();
    assert!(error.contains("machine/2026 lacks runs.csv"), "{error}");
}

#[test]
fn the_best_is_bold_and_losses_are_told() {
    let text = section(&report(), "here");
    assert!(text.contains("**0.500 ±0.010**") && text.contains("**0.600 ±0.010**"), "{text}");
    let loss = text.split("#### Where we lose").nth(1).unwrap();
    let words: Vec<&str> = loss.lines().last().unwrap().split('|').map(str::trim).collect();
    assert_eq!(
        words[1..7],
        ["larson", "peak memory", "9.00 MiB", "6.00 MiB, jemalloc", "1.500", "yes"]
    );
    assert_eq!(loss.matches("larson").count(), 1, "{loss}");
}

#[test]
fn refusing_memory_is_not_the_best() {
    let mut report = report();
    report.workloads[0].cells[1].refused = 7;
    let text = section(&report, "here");
    assert!(text.contains("7 refused") && text.contains("Nowhere"), "{text}");
}
