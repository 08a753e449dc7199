use bench::result::{Cell, Compared, Tail};
use bench::testing;

use super::*;

/// A cell with these ratios to the baseline, from many rounds.
fn cell(time: f64, memory: f64, tail: f64) -> Cell {
    let of = |estimate: f64| Compared {
        median: estimate * 1e6,
        ratio: Some(Ratio { estimate, low: estimate * 0.99, high: estimate * 1.01, pairs: 20 }),
        same: false,
    };
    let tail = Tail {
        call: "malloc".into(),
        calls: 1000,
        p50_ns: 10.0,
        p99_ns: tail,
        p999_ns: tail,
        max_ns: tail,
        curve: Vec::new(),
        slowest_after: None,
        limit_ns: None,
    };
    let (time, peak_rss) = (Some(of(time)), Some(of(memory)));
    Cell { runs: 20, time, peak_rss, tails: vec![tail], ..Cell::default() }
}

fn replayed(cells: Vec<(Entry, Cell)>) -> Report {
    let (entries, cells): (Vec<_>, Vec<_>) = cells.into_iter().unzip();
    let mut work = testing::work("server", 20, cells);
    work.replayed = Some(Replayed {
        command: "./server".into(),
        recorded_seconds: 1e7,
        error: Some(0.03),
        ..Replayed::default()
    });
    testing::report(entries, vec![work], Vec::new())
}

fn glibc() -> (Entry, Cell) {
    (testing::entry("glibc", Role::Baseline), cell(1.0, 1.0, 900.0))
}

#[test]
fn who_takes_less_of_both_is_recommended_and_the_others_leave_the_front() {
    let report = replayed(vec![
        glibc(),
        (testing::entry("slow", Role::Contender), cell(1.5, 1.2, 1000.0)),
        (testing::entry("good", Role::Contender), cell(0.6, 0.7, 300.0)),
    ]);
    let verdict = verdict(&report).unwrap();
    let front: Vec<bool> = verdict.rows.iter().map(|row| row.is_on_front).collect();
    assert_eq!(front, [false, false, true]);
    let advice = verdict.advice.unwrap();
    assert_eq!((advice.name.as_str(), advice.is_beyond_error), ("good", true));
    assert_eq!(advice.command, "heapwright run -a good -- ./server");
    assert_eq!(verdict.allocator_time, Some(0.1));
}

#[test]
fn a_setting_of_glibc_is_a_variable() {
    let mut entry = testing::entry("arena2", Role::Contender);
    entry.base = Some("glibc".into());
    entry.settings = vec!["MALLOC_ARENA_MAX=2".into()];
    let report = replayed(vec![glibc(), (entry, cell(1.0, 0.8, 900.0))]);
    let verdict = verdict(&report).unwrap();
    assert_eq!(verdict.advice.unwrap().command, "MALLOC_ARENA_MAX=2 ./server");
}

#[test]
fn less_memory_for_more_time_is_no_advice_but_on_the_front() {
    let report =
        replayed(vec![glibc(), (testing::entry("small", Role::Contender), cell(1.4, 0.6, 900.0))]);
    let verdict = verdict(&report).unwrap();
    assert!(verdict.advice.is_none());
    assert!(verdict.rows.iter().all(|row| row.is_on_front));
}

#[test]
fn a_gain_within_the_replays_error_is_said() {
    let report =
        replayed(vec![glibc(), (testing::entry("near", Role::Contender), cell(0.99, 0.98, 900.0))]);
    assert!(!verdict(&report).unwrap().advice.unwrap().is_beyond_error);
    let mut bench = report;
    bench.workloads[0].replayed = None;
    assert!(verdict(&bench).is_none());
}
