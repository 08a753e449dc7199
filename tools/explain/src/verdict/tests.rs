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
        ..Tail::default()
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
    let verdict = verdict(&report, false).unwrap();
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
    let verdict = verdict(&report, false).unwrap();
    assert_eq!(verdict.advice.unwrap().command, "MALLOC_ARENA_MAX=2 ./server");
}

#[test]
fn less_memory_for_more_time_is_no_advice_but_on_the_front() {
    let report =
        replayed(vec![glibc(), (testing::entry("small", Role::Contender), cell(1.4, 0.6, 900.0))]);
    let verdict = verdict(&report, false).unwrap();
    assert!(verdict.advice.is_none());
    assert!(verdict.rows.iter().all(|row| row.is_on_front));
}

#[test]
fn a_gain_within_the_replays_error_is_said() {
    let report =
        replayed(vec![glibc(), (testing::entry("near", Role::Contender), cell(0.99, 0.98, 900.0))]);
    assert!(!verdict(&report, false).unwrap().advice.unwrap().is_beyond_error);
    let mut bench = report;
    bench.workloads[0].replayed = None;
    assert!(verdict(&bench, false).is_none());
}

#[test]
fn without_what_was_set_is_advice_and_the_command_takes_it_out() {
    let set = |name: &str, role, settings: &[&str]| Entry {
        base: Some("glibc".into()),
        settings: settings.iter().map(|&set| set.to_owned()).collect(),
        ..testing::entry(name, role)
    };
    let tunables = "GLIBC_TUNABLES=glibc.malloc.tcache_count=4000";
    let report = |entry| {
        let recorded = set("glibc as set", Role::Baseline, &[tunables]);
        replayed(vec![(recorded, cell(1.0, 1.0, 900.0)), (entry, cell(1.0, 0.1, 900.0))])
    };
    let advice = |entry| verdict(&report(entry), false).unwrap().advice.unwrap();
    let plain = advice(testing::entry("glibc", Role::Contender));
    assert_eq!(plain.command, "env -u GLIBC_TUNABLES ./server");
    assert_eq!(plain.without, ["GLIBC_TUNABLES"]);
    let arenas = advice(set("two", Role::Contender, &["MALLOC_ARENA_MAX=2"]));
    assert_eq!(arenas.command, "env -u GLIBC_TUNABLES MALLOC_ARENA_MAX=2 ./server");
    let other = advice(testing::entry("other", Role::Contender));
    assert_eq!(other.command, "heapwright run -a other -- ./server");
}

/// Fragmentation is what stays: 3 % were gained at the peak, and 14 at the end was not said.
#[test]
fn where_memory_stays_the_end_counts() {
    let end = |ratio: f64, end: f64| Cell { end_rss: Some(end), ..cell(1.0, ratio, 900.0) };
    let mut report = replayed(vec![
        (glibc().0, end(1.0, 60e6)),
        (testing::entry("peak", Role::Contender), end(0.9, 70e6)),
        (testing::entry("end", Role::Contender), end(1.0, 50e6)),
    ]);
    report.workloads[0].replayed.as_mut().unwrap().recorded_end = Some(58_000_000);
    assert_eq!(verdict(&report, false).unwrap().advice.unwrap().name, "peak");
    let at_end = verdict(&report, true).unwrap();
    assert_eq!((at_end.advice.unwrap().name.as_str(), at_end.at_end), ("end", true));
    assert_eq!(at_end.rows[2].memory.map(|ratio| ratio.estimate), Some(50.0 / 60.0));
    assert_eq!(at_end.error, Some(60.0 / 58.0 - 1.0));
    report.workloads[0].replayed.as_mut().unwrap().recorded_end = Some(5_000_000);
    let far = verdict(&report, true).unwrap();
    assert_eq!((far.at_end, far.advice.unwrap().name.as_str()), (false, "peak"));
}
