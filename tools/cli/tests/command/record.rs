//! `heapwright record`: the program's end is ours, what was recorded is said, and what cannot be is said before.

use std::fs;
use std::path::Path;
use std::process::Stdio;

use crate::common::{
    self, ended, exits, heapwright, outcome, parsed, plain, says, started, wait_until,
};
use assert_cmd::Command as Ours;
use launch::Running;
use launch::testing::{compiles, file};
use trace::{How, Op, Trace};

fn record(folder: &Path, arguments: &[&str]) -> Ours {
    let mut command = heapwright();
    command.args(["record", "-o"]).arg(folder).args(arguments);
    command
}

#[test]
fn a_program_is_recorded_and_its_end_is_ours() {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path().join("a trace");
    let (_, said) = exits(7, outcome(&mut record(&folder, &["--", "sh", "-c", "exit 7"])));
    assert!(said.starts_with("recorded  sh (process ") && said.contains("on glibc"), "{said}");
    assert!(said.contains("heapwright explain ") && said.contains("heapwright replay "), "{said}");
    let trace = Trace::open(&folder).unwrap();
    assert!(trace.about().events > 10 && trace.others().is_empty());
    let files = fs::read_dir(&folder).unwrap().flatten();
    assert!(files.map(|file| file.path()).all(|file| file.extension().unwrap() == "trace"));
    says(2, outcome(&mut record(&folder, &["--", "true"])), &["--force"]);
    exits(0, outcome(&mut record(&folder, &["--force", "--", "true"])));
    assert_eq!(Trace::open(&folder).unwrap().others().len(), 1);
}

#[test]
fn another_malloc_is_recorded_too() {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path().join("trace");
    exits(0, outcome(&mut record(&folder, &["-a", "heapwright", "--", "sort", "/dev/null"])));
    assert_eq!(Trace::open(&folder).unwrap().about().malloc.name, "heapwright");
}

#[test]
fn what_cannot_be_recorded_is_said_before() {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path().join("trace");
    let program = place.path().join("static");
    let source = file(place.path(), "static.c", b"int main(void) { return 3; }", 0o644);
    if !compiles(&source, &["-static"], &program) {
        return eprintln!("skipped: no static C library");
    }
    let program = program.to_str().unwrap();
    says(125, outcome(&mut record(&folder, &["--", program])), &["statically linked"]);
    assert!(!folder.exists());
    says(3, outcome(&mut record(&folder, &["--force", "--", program])), &["nothing"]);
}

#[test]
fn a_recorder_that_is_killed_leaves_the_program_alone() {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path().join("trace");
    let (fifo, end) = (place.path().join("fifo"), place.path().join("end"));
    let script = format!(
        "mkfifo {0}; echo ready; read line < {0}; echo $line > {1}",
        fifo.display(),
        end.display()
    );
    let mut run = plain();
    run.args(["record", "-o"]).arg(&folder).args(["--", "sh", "-c", &script]);
    let mut recording = run.env("TMPDIR", place.path()).spawn().unwrap();
    let mut ready = [0; 6];
    std::io::Read::read_exact(recording.stdout.as_mut().unwrap(), &mut ready).unwrap();
    recording.kill().unwrap();
    recording.wait().unwrap();
    // Somebody reads there still.
    fs::write(&fifo, "went on\n").unwrap();
    while fs::read_to_string(&end).unwrap_or_default() != "went on\n" {
        std::thread::sleep(core::time::Duration::from_millis(5));
    }
    assert!(Trace::open(&folder).unwrap().about().events > 10);
}

#[test]
fn what_goes_on_behind_its_parent_is_said() {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path().join("trace");
    let script = "sleep 2 > /dev/null 2>&1 & echo $!";
    let (out, said, code) = outcome(&mut record(&folder, &["--", "sh", "-c", script]));
    let process = out.trim();
    assert_eq!(code, Some(0));
    assert!(said.contains(&format!("running   process {process}, recorded on")), "{said}");
}

#[test]
fn wrong_words_are_usage() {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path().join("trace");
    for arguments in [
        &["--max-size", "1k", "--", "true"][..],
        &["--max-size", "much", "--", "true"],
        &["--for", "soon", "--", "true"],
        &["--children", "some", "--", "true"],
        &["--stacks", "some", "--", "true"],
        &["--interval-bytes", "1m", "--", "true"],
        &["--stacks", "sampled", "--interval-bytes", "0", "--", "true"],
        &["--pid", "1", "--", "true"],
        &[],
    ] {
        exits(2, outcome(&mut record(&folder, arguments)));
    }
    let (_, said, code) = outcome(&mut record(&folder, &["--", "/no/such/program"]));
    assert!(code == Some(127) && !folder.exists(), "{said}");
    says(125, outcome(&mut record(&folder, &["--pid", "4194304"])), &["no process"]);
}

/// A program on this malloc with a recorder that waits; and its process, once it has said it.
fn armed(program: &str, place: &Path, allocator: &str) -> (Running, String) {
    let mut run = plain();
    run.args(["run", "--armed", "-a", allocator, "--"]);
    run.arg(common::program(program, &["-pthread"], place));
    let mut running = started(run.env("TMPDIR", place));
    wait_until(&mut running, |running| running.stdout.text().ends_with('\n'));
    let process = running.stdout.text().trim().to_owned();
    (running, process)
}

#[test]
fn what_was_live_before_is_in_the_recording_of_a_malloc_that_can_be_walked() {
    let place = tempfile::tempdir().unwrap();
    for allocator in ["heapwright", "tlsf", "best-fit"] {
        known_before(place.path(), allocator);
    }
}

fn known_before(place: &Path, allocator: &str) {
    let (mut running, process) = armed("known", place, allocator);
    let folders = ["one", "two"].map(|name| place.join(format!("{allocator}-{name}")));
    for folder in &folders {
        exits(0, outcome(&mut record(folder, &["--for", "100ms", "--pid", &process])));
    }
    running.kill().unwrap();
    drop(ended(running));
    for folder in folders {
        let trace = Trace::open(&folder).unwrap();
        assert_eq!(trace.about().malloc.name, allocator);
        let missing = &trace.about().missing;
        // Each of the four threads may have been inside malloc when the recorder was switched on: that call is not recorded, and
        // the block may be one that another thread has freed since, while the first waited for the lock.
        let strange = (missing.unknown_frees + missing.double_frees > 4, missing.damaged);
        assert_eq!(strange, (false, 0), "{missing:?}");
        // In pairs: the sizes are those of the malloc.
        let born = |wanted: core::ops::Range<u64>| {
            let steps = trace.steps().map(Result::unwrap).take_while(|step| step.time == 0);
            let is_one = |op: &Op| matches!(op, Op::Allocate { how: How::Born, size, .. } if wanted.contains(size));
            steps.filter(|step| is_one(&step.op)).count()
        };
        assert_eq!((born(70_000..90_000), born(40 << 20..41 << 20)), (990, 10));
        // A fit leaves holes too small to split at their blocks. Others than those of this size are of the threads.
        let (small, forty) = (born(1000..1100), born(40..73));
        assert!(
            (3000..3300).contains(&small) && (40_000..40_100).contains(&forty),
            "{small} {forty}"
        );
        let facts = parsed(run!["explain", "--json", &folder]);
        let blocks = facts["facts"]["end"]["blocks"].as_u64().unwrap();
        assert!((44_000..46_000).contains(&blocks), "{blocks}");
    }
}

#[test]
fn a_program_is_recorded_while_it_runs() {
    let place = tempfile::tempdir().unwrap();
    let (mut running, process) = armed("churns", place.path(), "glibc");
    // Who has it recorded is killed, and calls nothing off: the next one takes over.
    let mut killed = plain();
    killed.args(["record", "--pid", &process, "-o"]).arg(place.path().join("killed"));
    let mut killed = killed.stderr(Stdio::null()).spawn().unwrap();
    let chunks =
        || fs::read_dir(place.path().join("killed")).is_ok_and(|mut all| all.next().is_some());
    while !chunks() {
        std::thread::sleep(core::time::Duration::from_millis(5));
    }
    let late = outcome(&mut record(&place.path().join("late"), &["--pid", &process]));
    says(125, late, &["being recorded already"]);
    killed.kill().unwrap();
    killed.wait().unwrap();
    // Twice: it waits again.
    for name in ["one", "two"] {
        let folder = place.path().join(name);
        exits(0, outcome(&mut record(&folder, &["--for", "200ms", "--pid", &process])));
        let trace = Trace::open(&folder).unwrap();
        let missing = &trace.about().missing;
        assert!(trace.about().events > 100 && missing.damaged == 0, "{:?}", trace.about());
    }
    running.kill().unwrap();
    drop(ended(running));
}
