use std::collections::BTreeSet;

use super::*;
use bench::result::{Compared, Value};
use bench::testing;

/// One workload, in which each allocator reported this value.
fn report(values: &[(&str, f64)]) -> Report {
    let role = |name: &str| if name == GLIBC { Role::Baseline } else { Role::Contender };
    let entries = values.iter().map(|(name, _)| testing::entry(name, role(name))).collect();
    let cell = |(_, value): &(&str, f64)| Cell {
        values: vec![Value { name: "key".into(), value: *value, unit: "-".into() }],
        ..Cell::default()
    };
    let work = testing::work("work", 1, values.iter().map(cell).collect());
    testing::report(entries, vec![work], Vec::new())
}

fn judged(against: Against, at_most: f64, values: &[(&str, f64)]) -> (String, bool) {
    let bound = Bound {
        says: "it".into(),
        value: "key".into(),
        against,
        at_most,
        divide: 1.0,
        unit: "KiB".into(),
    };
    let line = line(&bound, &report(values));
    (line.figure, line.verdict == Verdict::Pass)
}

#[test]
fn ratios_differences_and_plain_values() {
    let three = [(GLIBC, 4.0), ("other", 2.0), (SUBJECT, 2.0)];
    assert_eq!(judged(Against::BestPeer, 1.0, &three), ("1.000 × other".into(), true));
    assert_eq!(judged(Against::Glibc, 0.4, &three), ("0.500 × glibc".into(), false));
    let two = [(GLIBC, 1100.0), (SUBJECT, 1600.0)];
    assert_eq!(judged(Against::AboveGlibc, 585.9, &two), ("500 KiB".into(), true));
    assert_eq!(judged(Against::Nothing, 1562.5, &two), ("1600 KiB".into(), false));
}

#[test]
fn what_did_not_run_does_not_hold() {
    let none = [(GLIBC, 1.0)];
    assert_eq!(judged(Against::Nothing, 9.0, &none), ("did not run".into(), false));
    let alone = [(SUBJECT, 1.0)];
    assert_eq!(judged(Against::BestPeer, 9.0, &alone), ("nothing to compare with".into(), false));
}

#[test]
fn a_geometric_mean_needs_every_workload() {
    let of = |seconds: f64| Some(Compared { median: seconds, ratio: None, same: false });
    let work =
        |seconds: f64| testing::work("w", 1, vec![Cell { cpu: of(seconds), ..Cell::default() }]);
    let entries = vec![testing::entry(SUBJECT, Role::Contender)];
    let mut report = testing::report(entries, vec![work(2.0), work(8.0)], Vec::new());
    let mean = value(&report, SUBJECT, "cpu");
    assert!(mean.is_some_and(|m| (m - 4.0).abs() < 1e-9), "{mean:?}");
    report.workloads[1].cells[0].cpu = None;
    assert_eq!(value(&report, SUBJECT, "cpu"), None);
}

#[test]
fn the_file_is_read_and_every_program_has_its_source() {
    let root = crate::peers::root();
    let entries = load(&root.join("bench/reach/bounds.toml")).unwrap();
    let names: BTreeSet<&str> = entries.iter().map(|e| e.name.as_str()).collect();
    assert_eq!(names.len(), entries.len(), "two have one name");
    let own: String = files::read(&root.join("bench/programs/common.h")).unwrap();
    assert!(own.contains("value "), "programs print lines that bench reads");
    for entry in &entries {
        assert!(!entry.bounds.is_empty(), "{} has no bound", entry.name);
        if let Some(program) = entry.run.first() {
            let source = root.join("bench/programs").join(program).with_extension("c");
            let text = files::read(&source).unwrap();
            for bound in &entry.bounds {
                let printed = format!("print(\"{}\"", bound.value);
                assert!(text.contains(&printed), "{} does not print {}", entry.name, bound.value);
            }
        }
    }
}
