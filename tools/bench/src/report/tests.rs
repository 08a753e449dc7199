use core::time::Duration;

use super::*;
use crate::allocator::Allocator;
use crate::session::line_up;

fn session() -> Session {
    let subjects = line_up(vec![
        Allocator::glibc(),
        Allocator::preloaded("fast", "/f.so"),
        Allocator::preloaded("odd, name", "/o.so"),
    ]);
    let mut session = Session {
        failures: vec![None; subjects.len()],
        subjects,
        runs: Vec::new(),
        rounds: 8,
        stop: Stop::Rounds,
        elapsed: Duration::from_secs(1),
    };
    for round in 0..=8_u32 {
        // Round by round the machine gets slower; "fast" takes half the time and twice the memory.
        for subject in 0..3_usize {
            let base = 1_000_000_000 + 100_000_000 * u64::from(round);
            let fast = subject == 2;
            let figures = Figures {
                wall_ns: if fast { base / 2 } else { base },
                user_us: 0,
                system_us: 0,
                peak_rss_bytes: if fast { 8 << 20 } else { 4 << 20 },
                peak_rss_floor_bytes: 1 << 20,
                minor_faults: 1000,
                major_faults: 0,
                voluntary_switches: 1,
                involuntary_switches: 2,
                exit: Exit::Code(0),
            };
            session.runs.push(Run { round, place: subject, subject, figures });
        }
    }
    session.failures[3] =
        Some(Failure { how: How::Ended(Exit::Signal(11)), round: 0, stderr: "oh".to_owned() });
    session
}

fn report() -> Report {
    let options = Options {
        warmup: 1,
        rounds: None,
        budget: None,
        seed: 42,
        warm: true,
        ignore_failure: false,
        show_output: false,
        timeout: None,
    };
    let command = vec!["prog".into(), "-x".into()];
    Report::new(&session(), command, &options, Machine::describe(), Vec::new())
}

#[test]
fn medians_ratios_and_the_winner() {
    let report = report();
    let [glibc, again, fast, odd] = &report.allocators[..] else { panic!("{report:?}") };
    assert_eq!((report.baseline.as_str(), report.rounds, glibc.runs), ("glibc", 8, 8));
    assert_eq!(glibc.wall.unwrap().median, 1.45);
    assert_eq!(glibc.wall.unwrap().ratio, None);
    assert!(again.wall.unwrap().same && again.wall.unwrap().ratio.unwrap().estimate == 1.0);
    let wall = fast.wall.unwrap();
    assert!((wall.ratio.unwrap().estimate - 0.5).abs() < 1e-9 && !wall.same);
    assert!((fast.peak_rss.unwrap().ratio.unwrap().estimate - 2.0).abs() < 1e-9);
    assert!(fast.minor_faults.unwrap().same);
    assert!(fast.winner && !glibc.winner && !again.winner && !odd.winner);
    // No CPU time at all has no logarithm.
    assert_eq!(fast.cpu.unwrap().ratio, None);
    assert_eq!(odd.wall, None);
    assert_eq!(odd.failure.as_ref().unwrap().how.words(), "crashed: SIGSEGV");
    assert_eq!(report.noise_floor, Some(0.0));
    assert!(report.some_failed());
}

#[test]
fn json_has_the_promised_shape() {
    let value: serde_json::Value = serde_json::from_str(&report().to_json().unwrap()).unwrap();
    assert_eq!(value["schema"], "heapwright-bench");
    assert_eq!(value["version"], 1);
    assert_eq!(value["command"][1], "-x");
    assert_eq!(value["allocators"][0]["role"], "baseline");
    assert_eq!(value["allocators"][2]["wall"]["ratio"]["pairs"], 8);
    assert_eq!(value["allocators"][3]["failure"]["how"]["ended"]["signal"], 11);
    assert_eq!(value["runs"].as_array().unwrap().len(), 27);
    assert_eq!(value["runs"][0]["exit"]["code"], 0);
    assert!(value["machine"]["kernel"].is_string());
}

#[test]
fn csv_has_a_line_for_each_run_and_quotes_what_needs_it() {
    let csv = report().to_csv();
    assert_eq!(csv.lines().count(), 28);
    assert!(csv.lines().all(|l| l.split(',').count() == 12));
    assert_eq!(csv_field("a,\"b\""), "\"a,\"\"b\"\"\"");
}
