use super::*;
use launch::Exit;

use crate::fail_if::Metric;
use crate::measured::Sample;
use crate::metrics::Metrics;
use crate::session::{Details, Failure, How};
use crate::testing;

/// Round by round the machine gets slower; "fast" takes half the time and twice the memory, the last one crashed.
fn session() -> Session {
    let mut session =
        testing::session(&["fast", "odd, name"], 8, |round, SubjectIndex(subject)| {
            let base = 1_000_000_000 + 100_000_000 * u64::from(round);
            if subject == 2 { base / 2 } else { base }
        });
    session.runs.retain(|run| run.allocator != SubjectIndex(3));
    for run in &mut session.runs {
        run.figures.peak_rss_bytes =
            if run.allocator == SubjectIndex(2) { 8 << 20 } else { 4 << 20 };
        run.figures.user_us = 0;
    }
    session.failures[0][3] =
        Some(Failure { how: How::Ended(Exit::Signal(11)), round: 0, stderr: "oh".to_owned() });
    session
}

fn report_of(session: &Session) -> Report {
    report_without(session, Vec::new())
}

fn report_without(session: &Session, left_out: Vec<String>) -> Report {
    let beside = Report {
        heapwright: "0".to_owned(),
        started: "2026-03-01T12:10:05Z".to_owned(),
        command_line: vec!["heapwright".into(), "bench".into(), "/home/me/prog".into()],
        scale: 1.0,
        pinned: true,
        machine: testing::machine(),
        warnings: vec!["/home/me/prog: static".into()],
        left_out,
        ..Report::default()
    };
    report(session, &testing::options(), beside)
}

#[test]
fn files_are_named_without_their_folders() {
    let session = testing::session(&["mine"], 3, |_, _| 1_000_000);
    let report = report_of(&session);
    let text = report.to_json().unwrap();
    for folder in ["/home", "/mine.so", "/prog"] {
        assert!(!text.contains(folder), "{folder}: {text}");
    }
    assert_eq!(report.command_line.last().unwrap(), "prog");
    assert_eq!(report.warnings, ["prog: static"]);
}

#[test]
fn a_part_of_what_was_asked_for_decides_nothing() {
    let mut session = session();
    let decides = |report: &Report| report.overall.iter().any(|o| o.is_pareto);
    assert!(decides(&report_of(&session)));
    assert!(!decides(&report_without(&session, vec!["redis".to_owned()])));
    session.stops[0] = Stop::Budget;
    session.rounds[0] = 0;
    let report = report_of(&session);
    assert!(!decides(&report));
    let said = "the time was over before a round of own, which are in no mean";
    assert!(report.warnings.iter().any(|warning| warning == said), "{:?}", report.warnings);
}

#[test]
fn a_server_that_nobody_drives_has_no_time() {
    let mut session = session();
    let service =
        |driver| crate::measured::Service { time: core::time::Duration::from_secs(1), driver };
    for (driver, has_time) in [(None, false), (Some("true".into()), true)] {
        session.workloads[0].service = Some(service(driver));
        let report = report_of(&session);
        let cell = &report.workloads[0].cells[2];
        assert_eq!((cell.time.is_some(), cell.peak_rss.is_some()), (has_time, true));
    }
}

#[test]
fn one_round_has_no_noise() {
    let report = report_of(&testing::session(&["mine"], 1, |_, _| 1_000_000));
    assert_eq!(report.workloads[0].noise_floor, None);
}

fn fastest(report: &Report) -> Vec<usize> {
    report.best_mean(Metric::Time).iter().map(|who| who.0).collect()
}

#[test]
fn medians_ratios_and_the_fastest() {
    let report = report_of(&session());
    let work = &report.workloads[0];
    let [glibc, again, fast, odd] = &work.cells[..] else { panic!("{work:?}") };
    assert_eq!((glibc.runs, work.rounds, work.precise), (8, 8, true));
    assert_eq!(glibc.time.unwrap().median, 1.45);
    assert_eq!(glibc.time.unwrap().ratio, None);
    assert!(again.time.unwrap().same && again.time.unwrap().ratio.unwrap().estimate == 1.0);
    let time = fast.time.unwrap();
    assert!((time.ratio.unwrap().estimate - 0.5).abs() < 1e-9 && !time.same);
    assert!((fast.peak_rss.unwrap().ratio.unwrap().estimate - 2.0).abs() < 1e-9);
    assert!(fast.faults.unwrap().same);
    // No CPU time at all has no logarithm.
    assert_eq!(fast.cpu.unwrap().ratio, None);
    assert_eq!(odd.time, None);
    assert_eq!(odd.failure.as_ref().unwrap().how.words(), "crashed: SIGSEGV");
    assert_eq!(work.noise_floor, Some(0.0));
    assert!(report.some_failed());
    let overall = &report.overall;
    assert_eq!(fastest(&report), [2]);
    assert!(overall[2].is_pareto && overall[0].is_pareto && !overall[1].is_pareto, "{overall:?}");
    assert!((overall[2].time.unwrap().estimate - 0.5).abs() < 1e-9);
}

/// The control takes from half to double the time, "fast" always 0.6 and twice the memory.
#[test]
fn no_difference_within_the_noise_of_the_control_is_shown() {
    let mut session =
        testing::session(&["fast"], 9, |round, SubjectIndex(subject)| match subject {
            1 if round % 2 == 0 => 500_000_000,
            1 => 2_000_000_000,
            2 => 600_000_000,
            _ => 1_000_000_000,
        });
    for run in &mut session.runs {
        run.figures.peak_rss_bytes =
            if run.allocator == SubjectIndex(2) { 8 << 20 } else { 4 << 20 };
    }
    let report = report_of(&session);
    let work = &report.workloads[0];
    let time = work.cells[2].time.unwrap();
    assert!(work.noise_floor.is_some_and(|n| n > 0.9), "{:?}", work.noise_floor);
    assert!(time.same && !time.ratio.unwrap().is_same());
    assert!(fastest(&report).is_empty());
    // The control's memory is always the same.
    assert!(!work.cells[2].peak_rss.unwrap().same);
}

#[test]
fn fewer_rounds_than_a_claim_needs_show_nobody_to_be_the_fastest() {
    let session = |rounds| {
        testing::session(&["fast"], rounds, |_, s| {
            if s == SubjectIndex(2) { 500_000_000 } else { 1_000_000_000 }
        })
    };
    for rounds in [1, 2, 5] {
        let report = report_of(&session(rounds));
        assert!(fastest(&report).is_empty(), "{rounds} rounds");
        assert!(!report.overall.iter().any(|o| o.is_pareto), "{rounds} rounds");
        assert!(report.workloads[0].cells[2].time.unwrap().same, "{rounds} rounds");
    }
    assert_eq!(fastest(&report_of(&session(6))), [2]);
    // Also where it is the baseline.
    let slow = testing::session(&["slow"], 6, |_, s| {
        if s == SubjectIndex(2) { 2_000_000_000 } else { 1_000_000_000 }
    });
    assert_eq!(fastest(&report_of(&slow)), [0]);
}

#[test]
fn json_is_read_back_as_it_was() {
    let report = report_of(&session());
    let text = report.to_json().unwrap();
    assert_eq!(Report::from_json(&text).unwrap().to_json().unwrap(), text);
    let value: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!((&value["schema"], &value["version"]), (&"heapwright-bench".into(), &2.into()));
    assert_eq!(value["workloads"][0]["command"][1], "-x");
    assert_eq!(value["workloads"][0]["cells"][2]["time"]["ratio"]["pairs"], 8);
    assert_eq!(value["runs"][0]["exit"]["code"], 0);
}

#[test]
fn csv_has_a_line_for_each_run_and_quotes_what_needs_it() {
    let csv = report_of(&session()).to_csv();
    assert_eq!(csv.lines().count(), 28);
    let fields = csv.lines().next().unwrap().split(',').count();
    assert!(csv.lines().all(|l| l.split(',').count() == fields), "{csv}");
}

#[test]
fn what_passes_saw_is_kept() {
    let mut session = session();
    let samples = (0..=10).map(|i| Sample { ns: i * 1_000_000, rss_bytes: (i % 2) * (20 << 20) });
    session.details[0][2] = Details {
        began_ns: 1_000_000_000,
        samples: samples.collect(),
        memory: Some(Metrics::parse("peak_live 10485760\nlive 1001000000 5")),
        tail: Some(Metrics::parse(
            "hist free 5 1\nhist malloc 10 990\nhist malloc 20 9\nhist malloc 900 1\n\
             sized malloc 16 10 990\nsized malloc 64 20 9\nsized malloc 64 900 1\nhist frame 9 1\nvalue only 7 us",
        )),
        time: vec![
            Metrics::parse(
                "point a 64 1\npoint a 8 3\nvalue missed 1 count\nhist callback 10 3\nlimit callback 40",
            ),
            Metrics::parse(
                "point a 64 3\npoint a 8 3\nvalue missed 2 count\nhist callback 10 4\nhist callback 50 1\nhist frame 8 1",
            ),
        ],
        programs: Vec::new(),
    };
    let report = report_of(&session);
    let cell = &report.workloads[0].cells[2];
    assert_eq!(cell.peak_rss.unwrap().median, f64::from(20 << 20), "of all processes");
    assert_eq!((cell.mean_rss, cell.end_rss), (Some(f64::from(10 << 20)), Some(0.0)));
    assert_eq!(cell.rss_per_live, Some(2.0));
    assert_eq!(cell.live, [(0.001, 5.0)]);
    let [malloc, free, frame, callback] = &cell.tails[..] else { panic!("{:?}", cell.tails) };
    // What the timed run counts is that run's; what it does not is all others' together.
    assert_eq!((frame.calls, frame.max_ns), (1, 9.0));
    assert_eq!(callback.curve, [(10.0, 0.125), (50.0, 0.0)]);
    assert_eq!((callback.calls, callback.limit_ns, malloc.limit_ns), (8, Some(40.0), None));
    let by_size = |name: &str| {
        let found = cell.series.iter().find(|series| series.name == name);
        found.map(|series| series.points.clone())
    };
    assert_eq!(by_size("median malloc by size"), Some(vec![(16.0, 10.0), (64.0, 20.0)]));
    assert_eq!(by_size("longest malloc by size"), Some(vec![(16.0, 10.0), (64.0, 900.0)]));
    assert!(report.workloads[0].curves["longest malloc by size"].x_log);
    assert!(cell.values.iter().any(|value| value.name == "only"));
    assert_eq!(
        (malloc.call.as_str(), malloc.p50_ns, malloc.p999_ns, malloc.max_ns),
        ("malloc", 10.0, 20.0, 900.0)
    );
    assert_eq!((free.calls, free.max_ns), (1, 5.0));
    assert_eq!(cell.series[0].points, [(8.0, 3.0), (64.0, 2.0)]);
    assert_eq!(cell.values[0].value, 1.5);
}

#[test]
fn whoever_refuses_memory_is_not_compared() {
    let mut session = session();
    assert_eq!(fastest(&report_of(&session)), [2]);
    for run in session.runs.iter_mut().filter(|run| run.allocator == SubjectIndex(2)) {
        run.refused = u64::from(run.round == 3);
    }
    let report = report_of(&session);
    let fast = &report.overall[2];
    assert_eq!((fast.workloads, fast.time, fast.is_pareto), (0, None, false));
    assert!(fastest(&report).is_empty());
    assert!(report.ratios().iter().all(|named| named.allocator != "fast"), "{:?}", report.ratios());
}

#[test]
fn who_did_less_is_shown_and_not_compared() {
    let mut session = session();
    for run in &mut session.runs {
        run.ops = Some(if run.allocator == SubjectIndex(2) { 200 } else { 10_000 });
    }
    let report = report_of(&session);
    let (cell, overall) = (&report.workloads[0].cells[2], &report.overall[2]);
    assert_eq!(cell.other_work, Some(0.02));
    for figure in [cell.time, cell.peak_rss, cell.faults] {
        assert!(figure.is_some_and(|f| f.median > 0.0 && f.ratio.is_none()), "{figure:?}");
    }
    assert_eq!((overall.workloads, overall.is_pareto), (0, false));
    assert!(fastest(&report).is_empty());
    assert!(report.ratios().iter().all(|named| named.allocator != "fast"), "{:?}", report.ratios());
    // Threads may meet each other at other times.
    for run in &mut session.runs {
        run.ops = Some(if run.allocator == SubjectIndex(2) { 9_990 } else { 10_000 });
    }
    assert_eq!(report_of(&session).workloads[0].cells[2].other_work, None);
}

#[test]
fn means_of_processor_time_can_be_judged() {
    let mut session = session();
    for run in &mut session.runs {
        run.figures.user_us = if run.allocator == SubjectIndex(2) { 300 } else { 1000 };
    }
    let ratios = report_of(&session).ratios();
    let rule = crate::fail_if::parse("geomean.cpu@fast>0.25").unwrap();
    assert!(matches!(rule.check(&ratios, false), crate::fail_if::Verdict::Failed(_)), "{ratios:?}");
}

#[test]
fn a_count_that_differs_between_two_runs_has_its_spread_as_its_interval() {
    use crate::fail_if::Metric;
    let mut session = testing::session(&["mine"], 0, |_, _| 0);
    for counts in &mut session.counts[0] {
        counts.insert(Metric::Instructions, vec![1_000_000.0, 1_000_100.0]);
        counts.insert(Metric::Faults, vec![90.0, 100.0, 130.0]);
        counts.insert(Metric::Calls, vec![100.0, 100.0]);
    }
    session.counts[0][2].insert(Metric::Calls, vec![100.0, 102.0]);
    let report = report_of(&session);
    let cell = &report.workloads[0].cells[2];
    let ratio = cell.counted[&Metric::Instructions].compared.ratio.unwrap();
    assert!(ratio.estimate > 0.999 && ratio.high < 1.006, "{ratio:?}");
    assert!(!cell.counted[&Metric::Instructions].varies());
    let calls = &cell.counted[&Metric::Calls];
    assert!(calls.varies() && calls.compared.ratio.unwrap().high >= 1.02, "{calls:?}");
    assert!(cell.counted[&Metric::Faults].compared.ratio.unwrap().high > 1.4);
    assert!(report.overall[2].counted[&Metric::Calls].high > 1.01, "and so is the mean's");
}
