//! `heapwright replay`: small traces, done again.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use crate::common::{Outcome, exits, heapwright, names, outcome, refuses, says};
use serde_json::Value;
use tempfile::TempDir;
use trace::{Block, How, Op, Packer, Step};

/// A trace of two threads that allocate a few MiB and free each other's blocks.
fn trace(folder: &Path) -> PathBuf {
    trace_of(folder, &trace::testing::about())
}

fn trace_of(folder: &Path, about: &trace::About) -> PathBuf {
    let path = folder.join("server-4711.trace");
    let mut packer = Packer::create(&path, about).unwrap();
    let mut time = 0;
    let mut push = |thread, op| {
        time += 1000;
        packer.push(&Step { time, thread, op }).unwrap();
    };
    push(0, Op::Memory { anon: 1 << 20, file: 0, shmem: 0 });
    let allocate = |block: Block, size| Op::Allocate {
        block,
        how: if block.is_multiple_of(3) { How::Calloc } else { How::Malloc },
        size,
        align: 0,
        address: 16 * block,
        frame: 0,
    };
    for block in 0..4000 {
        let thread = u32::from(block > 100) * u32::try_from(block % 2).unwrap();
        push(thread, allocate(block, 1000 + block % 7));
        if block >= 2000 {
            push(1 - thread, Op::Free { block: block - 2000, touched: None });
        }
    }
    push(0, Op::Memory { anon: 4 << 20, file: 0, shmem: 0 });
    packer.finish().unwrap();
    path
}

fn replay(trace: &Path, words: &[&str]) -> Outcome {
    outcome(heapwright().arg("replay").arg(trace).args(words))
}

fn replayed(trace: &Path, more: &[&str]) -> (Value, String) {
    let words = [&["--rounds", "2", "--cold", "--format", "json"], more].concat();
    let (out, err) = exits(0, replay(trace, &words));
    (serde_json::from_str(&out).unwrap(), err)
}

/// One round on glibc, as people see it.
const ONE: [&str; 5] = ["--rounds", "1", "-a", "glibc", "--no-files"];

#[test]
fn what_was_recorded_on_takes_part_and_its_error_is_said() {
    let folder = TempDir::new().unwrap();
    let trace = trace(folder.path());
    for order in ["causal", "serial", "timed"] {
        let (result, err) = replayed(&trace, &["-a", "heapwright", "--order", order]);
        let all = ["glibc", "glibc again", "heapwright", "null"];
        assert_eq!(names(&result["allocators"]), all);
        let work = &result["workloads"][0];
        let replayed = &work["replayed"];
        assert_eq!((&replayed["events"], &replayed["on"]), (&6000.into(), &"glibc".into()));
        assert_eq!(replayed["recorded_peak"], 3 << 20);
        assert!(replayed["error"].as_f64().unwrap().abs() < 0.5, "{replayed}");
        assert_eq!(replayed["threads"], if order == "serial" { 1 } else { 2 });
        for cell in work["cells"].as_array().unwrap().iter().take(3) {
            let peak = cell["peak_rss"]["median"].as_f64().unwrap();
            assert!((2e6..6e6).contains(&peak), "{cell}");
            assert!(cell["mean_rss"].as_f64().unwrap() < peak, "{cell}");
        }
        assert!(err.contains("heapwright explain") && err.contains("server-4711.trace"), "{err}");
    }
}

/// Its name went into the command line of the result, which was read as text.
#[test]
fn a_trace_whose_name_is_no_text_is_replayed() {
    let folder = TempDir::new().unwrap();
    let name = folder.path().join(OsStr::from_bytes(b"server-\xff.trace"));
    fs::rename(trace(folder.path()), &name).unwrap();
    let (result, _) = replayed(&name, &["-a", "glibc"]);
    assert!(result["command_line"].to_string().contains("server-\u{fffd}.trace"), "{result}");
}

/// Blocks of a thousand bytes are mapped one by one where glibc is told so: without what was set, the replay was said to be wrong.
#[test]
fn what_was_set_for_the_malloc_is_set_again() {
    let folder = TempDir::new().unwrap();
    let set = "MALLOC_MMAP_THRESHOLD_=500";
    let others = ["env=MIMALLOC_VERBOSE=1", "env=PYTHONMALLOC=malloc"];
    let notes = [&format!("env={set}"), others[0], others[1]].map(str::to_owned).into();
    let trace = trace_of(folder.path(), &trace::About { notes, ..trace::testing::about() });
    let (result, _) = replayed(&trace, &["-a", "glibc"]);
    let all = ["glibc as set", "glibc as set again", "glibc", "null"];
    assert_eq!(names(&result["allocators"]), all);
    assert_eq!(result["allocators"][0]["settings"], serde_json::json!([set]));
    let work = &result["workloads"][0];
    assert_eq!(work["replayed"]["on"], "glibc as set");
    let peak = |at: usize| work["cells"][at]["peak_rss"]["median"].as_f64().unwrap();
    assert!(peak(0) > 2.5 * peak(2), "a page a block, {} and {}", peak(0), peak(2));
    // By hand it is the same, and has the name that it is given.
    let (result, _) = replayed(&trace, &["-a", &format!("mapped=glibc:{set}")]);
    assert_eq!(result["workloads"][0]["replayed"]["on"], "mapped");
    let (out, err, _) = replay(&trace, &ONE);
    assert!(out.contains(&format!("above the start on glibc with {set}")), "{out} {err}");
}

#[test]
fn a_recording_that_begins_in_the_middle_is_no_measure_of_the_replay() {
    let folder = TempDir::new().unwrap();
    let notes = ["attached=1", "before=unknown"].map(str::to_owned).into();
    let trace = trace_of(folder.path(), &trace::About { notes, ..trace::testing::about() });
    let (out, err, _) = replay(&trace, &ONE);
    let words = out.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("the program had blocks before the recording began"), "{out} {err}");
    assert!(!words.contains("its own error"), "{out}");
}

#[test]
fn every_block_is_verified() {
    let folder = TempDir::new().unwrap();
    let trace = trace(folder.path());
    let (out, _) = exits(0, replay(&trace, &["--verify", "-a", "heapwright,tlsf"]));
    assert_eq!(out.matches("kept its contents").count(), 3, "{out}");
}

#[test]
fn pools_for_firmware_are_found_and_shown() {
    let folder = TempDir::new().unwrap();
    let trace = trace(folder.path());
    let pool = |more: &[&str]| {
        let mut command = heapwright();
        command.arg("replay").arg(&trace).arg("--pool").args(more).env("COLUMNS", "80");
        outcome(&mut command)
    };
    let (out, _) = exits(0, pool(&["-a", "tlsf,buddy"]));
    assert!(out.lines().all(|line| line.chars().count() <= 80), "{out}");
    assert!(
        out.starts_with("6,000 calls, at most 1.91 MiB in 2,001 blocks at once, of 1,000 to"),
        "{out}"
    );
    let take = |name: &str| -> usize {
        let row = out.lines().find(|line| line.trim_start().starts_with(name)).unwrap();
        row.split_whitespace().nth(1).unwrap().parse().unwrap()
    };
    // A header of 8 bytes, and what an eighth spares.
    assert!((2_000_000..2_500_000).contains(&take("tlsf")), "{out}");
    assert!(take("buddy") > 2001 * 1024, "{out}");
    for (more, says) in [
        (&["-a", "tlfs"][..], "did you mean tlsf?"),
        (&["-a", "glibc"], "no block allocator"),
        (&["--rounds", "2"], "cannot be used with"),
        (&["--format", "json"], "cannot be used with"),
    ] {
        refuses(2, pool(more), &[says]);
    }
}

#[test]
fn what_is_left_of_a_trace_is_done_again_or_refused() {
    let folder = TempDir::new().unwrap();
    let whole = fs::read(trace(folder.path())).unwrap();
    let cut = folder.path().join("cut.trace");
    fs::write(&cut, &whole[..whole.len() - 700]).unwrap();
    let (out, err, code) = replay(&cut, &ONE);
    assert!(code == Some(0) || code == Some(2), "{out} {err}");
    assert!(!err.contains("panicked"), "{err}");
}

#[test]
fn periods_between_marks_have_deadlines() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("game-1.trace");
    let mut packer = Packer::create(&path, &trace::testing::about()).unwrap();
    let mut time = 0;
    let mut push = |op| {
        time += 1000;
        packer.push(&Step { time, thread: 0, op }).unwrap();
    };
    for block in 0..300 {
        if block % 10 == 0 {
            push(Op::Mark("audio".to_owned()));
        }
        let (size, address) = (500, 512 * block);
        push(Op::Allocate { block, how: How::Malloc, size, align: 0, address, frame: 0 });
        push(Op::Free { block, touched: None });
    }
    packer.finish().unwrap();
    let values = |more: &[&str]| -> Vec<(String, f64)> {
        let (result, _) = replayed(&path, &[&["-a", "heapwright"], more].concat());
        let values = result["workloads"][0]["cells"][2]["values"].as_array().unwrap().clone();
        let pair =
            |v: &Value| (v["name"].as_str().unwrap().to_owned(), v["value"].as_f64().unwrap());
        values.iter().map(pair).collect()
    };
    let of = |all: &[(String, f64)], name: &str| all.iter().find(|v| v.0 == name).map(|v| v.1);
    let all = values(&[]);
    assert_eq!(of(&all, "periods"), Some(29.0));
    assert!(of(&all, "worst_period_us").is_some_and(|us| us > 0.0));
    // As long as a period was: 21 µs; some may miss that where the machine is busy.
    assert!(of(&all, "missed_deadlines").is_some());
    assert_eq!(of(&values(&["--deadline", "1h"]), "missed_deadlines"), Some(0.0));
    assert_eq!(of(&values(&["--mark", "frame"]), "periods"), None);
    let frames = replay(&path, &["--mark", "frame", "--deadline", "5ms", "--no-files"]);
    says(2, frames, &["two marks 'frame'", "marks in the trace: audio"]);
}
