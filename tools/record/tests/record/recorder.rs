//! The recorder on small programs: every call, threads, forks, signals, and each way in which a recording can end.

use core::time::Duration;
use std::collections::HashMap;
use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::os::unix::process::ExitStatusExt as _;
use std::path::Path;
use std::process::Command;

use crate::common::{Recorded, between, steps};
use recording::{Children, Stacks};
use tempfile::TempDir;
use trace::{How, Op, Trace};

/// The sizes of the blocks that were allocated, and how many were freed.
fn sizes(ops: &[Op]) -> (Vec<u64>, usize) {
    let size = |op: &Op| match op {
        Op::Allocate { size, .. } | Op::Reallocate { size, .. } => Some(*size),
        _ => None,
    };
    let frees = ops.iter().filter(|op| matches!(op, Op::Free { .. })).count();
    (ops.iter().filter_map(size).collect(), frees)
}

/// How many blocks of this size were allocated.
fn blocks_of(trace: &Trace, wanted: u64) -> usize {
    let is_one = |op: &Op| matches!(op, Op::Allocate { size, .. } if *size == wanted);
    steps(trace).iter().filter(|step| is_one(&step.op)).count()
}

fn assert_whole(trace: &Trace) {
    let missing = &trace.about().missing;
    let strange = (missing.unknown_frees, missing.double_frees, missing.unseen_frees);
    assert_eq!((missing.dropped, missing.chunks, missing.damaged, strange), (0, 0, 0, (0, 0, 0)));
}

#[test]
fn every_call_is_there() {
    let recorded = Recorded::new("calls.c");
    recorded.run(&[]);
    let trace = recorded.trace();
    assert_whole(&trace);
    let of = |mark: &str| between(&trace, mark);
    let allocated = |mark: &str| {
        let ops = of(mark);
        let kinds = ops.iter().filter_map(|op| match *op {
            Op::Allocate { how, size, align, .. } => Some((how, size, align)),
            _ => None,
        });
        kinds.collect::<Vec<_>>()
    };
    assert_eq!(allocated("malloc"), [(How::Malloc, 24, 0)]);
    assert_eq!(sizes(&of("free")), (vec![], 1));
    assert_eq!(allocated("calloc"), [(How::Calloc, 3000, 0)]);
    assert_eq!(sizes(&of("realloc")), (vec![500_000, 10, 40], 0));
    assert_eq!(sizes(&of("realloc to nothing")), (vec![], 1));
    let aligned = [(65, 64), (256, 128), (5000, 4096)];
    assert_eq!(allocated("aligned"), aligned.map(|(size, align)| (How::Aligned, size, align)));
    assert!(matches!(of("size")[..], [Op::UsableSize { usable: 500_000.., .. }]));
    assert!(matches!(of("refused")[..], [Op::Refused { size }] if size == i64::MAX as u64));
    let [Op::Free { touched: Some(pages), .. }] = of("touched")[..] else {
        panic!("{:?}", of("touched"));
    };
    assert!((10..=12).contains(&pages), "{pages}");
    let mapping = of("mapping");
    let [Op::Map { address, len: 0x10_0000 }, Op::Unmap { address: same, len: 0x10_0000 }] =
        mapping[..]
    else {
        panic!("{mapping:?}");
    };
    assert_eq!(address, same);
    let about = trace.about();
    assert!(about.exe.ends_with("/program") && about.malloc.path.contains("libc"), "{about:?}");
}

/// Of each huge page a quarter was written. A kernel without huge pages has none of them to look into.
#[test]
fn what_was_never_written_of_huge_pages_is_told() {
    let recorded = Recorded::new("huge.c");
    recorded.run(&[]);
    let trace = recorded.trace();
    let told = |note: &String| {
        let numbers: Vec<u64> =
            note.strip_prefix("huge_pages=")?.split(' ').filter_map(|n| n.parse().ok()).collect();
        Some((numbers[1], numbers[2]))
    };
    let last = trace.about().notes.iter().filter_map(told).next_back();
    if let Some((bytes, empty)) = last.filter(|told| told.0 > 0) {
        assert!((1..=8).contains(&(bytes >> 21)), "{bytes}");
        let part = empty as f64 / bytes as f64;
        assert!((0.74..0.76).contains(&part), "{part}");
    }
}

/// An empty argument was lost, and others were not told apart.
#[test]
fn the_command_is_as_a_shell_reads_it() {
    let recorded = Recorded::new("huge.c");
    recorded.run(&["--save", "", "it's 5 $HOME", "a\nb", "plain=1"]);
    let trace = recorded.trace();
    let command = &trace.about().command;
    let said = r"--save '' 'it'\''s 5 $HOME' 'a'$'\n''b' plain=1";
    assert!(command.ends_with(said), "{command}");
}

#[test]
fn of_a_large_block_only_what_the_program_touched_counts() {
    let recorded = Recorded::new("touched.c");
    recorded.run(&[]);
    let ops = between(&recorded.trace(), "ends");
    let [Op::Allocate { .. }, Op::Free { touched: Some(pages), .. }] = ops[..] else {
        panic!("{ops:?}");
    };
    assert!((2..=4).contains(&pages), "{pages}");
}

/// Whether the grown block was looked at or not: what was seen of it when it was smaller is not said of it.
#[test]
fn a_block_that_grew_in_place_is_not_judged_by_what_it_was() {
    let recorded = Recorded::new("grown.c");
    recorded.run(&[]);
    let ops = between(&recorded.trace(), "free");
    let [Op::Free { touched, .. }] = ops[..] else { panic!("{ops:?}") };
    assert!(touched.is_none_or(|pages| (2..=4).contains(&pages)), "{touched:?}");
}

#[test]
fn threads_pass_blocks_on() {
    let recorded = Recorded::new("threads.c");
    recorded.run(&[]);
    let trace = recorded.trace();
    assert_whole(&trace);
    let threads = &trace.about().threads;
    assert_eq!(threads.len(), 13);
    for thread in threads.iter().filter(|thread| thread.name.starts_with("worker ")) {
        assert!(thread.ended && thread.steps >= 39_000, "{thread:?}");
    }
    assert_eq!(threads.iter().filter(|thread| thread.ended).count(), 12);
    assert_eq!(trace.about().missing.cut, 0);
}

#[test]
fn threads_that_come_too_late_share_a_chunk() {
    let recorded = Recorded::new("late_threads.c");
    let output = recorded.run(&[]);
    let mapped: u64 = String::from_utf8_lossy(&output.stdout).trim().parse().unwrap();
    // The file's head, the chunk of the thread that is left, that of those which are not, and one for the next thread.
    assert!(mapped <= 256 << 10, "{mapped} bytes of the file are mapped");
    let trace = recorded.trace();
    assert_whole(&trace);
    // What destructors allocate, in all rounds.
    assert_eq!(blocks_of(&trace, 4343), 40_000);
    let threads = &trace.about().threads;
    let late: Vec<_> = threads.iter().filter(|thread| thread.name == "ended threads").collect();
    assert!(late.len() == 1 && late[0].steps > 50_000, "{late:?}");
    // A thread that frees more than a few blocks has a chunk of its own.
    let frees = steps(&trace).into_iter().filter(|step| matches!(step.op, Op::Free { .. }));
    let mut of: HashMap<u32, usize> = HashMap::new();
    frees.for_each(|step| *of.entry(step.thread).or_default() += 1);
    assert_eq!(of.values().filter(|&&frees| frees == 84).count(), 100);
}

/// Each took a chunk of 64 KiB, made, mapped, unmapped and given back.
#[test]
fn threads_that_end_early_take_what_they_write() {
    let recorded = Recorded::new("short_threads.c");
    recorded.run(&[]);
    let files: Vec<_> = fs::read_dir(&recorded.request.folder).unwrap().flatten().collect();
    let len = files[0].metadata().unwrap().len();
    assert!(files.len() == 1 && len < 2 << 20, "{len}");
    let trace = recorded.trace();
    assert_whole(&trace);
    assert_eq!((blocks_of(&trace, 1000), blocks_of(&trace, 1001)), (39_000, 36_000));
    let ended = trace.about().threads.iter().filter(|thread| thread.ended && thread.steps > 50);
    assert_eq!(ended.count(), 3000);
}

#[test]
fn what_was_done_before_a_hard_end_is_there() {
    for argument in ["_exit", "kill"] {
        let recorded = Recorded::new("killed.c");
        let mut command = recorded.command(&[argument]);
        let status = command.status().unwrap();
        // timeout ends as what it ran.
        let is_killed = status.signal() == Some(9) || status.code() == Some(137);
        assert_eq!(is_killed, argument == "kill", "{status:?}");
        let trace = recorded.trace();
        assert_whole(&trace);
        assert_eq!((blocks_of(&trace, 12_345), trace.about().missing.cut), (1, 1));
        assert!(trace.about().events > 60_000);
    }
}

#[test]
fn a_process_has_a_file_and_a_program_too() {
    let recorded = Recorded::new("forks.c");
    recorded.run(&[]);
    let traces = recorded.traces();
    // The program, its fork, its bare fork, and what became of the vfork and, at last, of itself.
    assert_eq!(traces.len(), 5, "{traces:?}");
    let with = |size: u64| traces.iter().filter(|trace| blocks_of(trace, size) > 0).collect();
    let [parent]: [&Trace; 1] = Vec::try_into(with(4444)).unwrap();
    assert_whole(parent);
    let ops = steps(parent);
    let child = ops.iter().find_map(|step| match step.op {
        Op::Fork { child } => Some(child),
        _ => None,
    });
    assert!(ops.iter().any(|step| matches!(&step.op, Op::Exec(path) if path == "/proc/self/exe")));
    for size in [1111, 2222] {
        let [forked]: [&Trace; 1] = Vec::try_into(with(size)).unwrap();
        assert_eq!(blocks_of(forked, size), 1000);
        let about = forked.about();
        assert_eq!(about.parent, parent.about().pid);
        // The blocks that it inherited and freed: of the fork past the C library the parent's recording says nothing.
        let is_known = size == 1111;
        let born = |op: &Op| matches!(op, Op::Allocate { how: How::Born, size: 333, .. });
        let born = steps(forked).iter().filter(|step| born(&step.op)).count();
        let expected = if is_known { (100, 0) } else { (0, 100) };
        assert_eq!((born, about.missing.unknown_frees), expected);
        assert!(about.notes.iter().any(|note| note.starts_with("forked_from=")));
        assert!(size == 2222 || child == Some(about.pid));
    }
    let again: Vec<&Trace> = with(7777);
    assert_eq!(again.len(), 2);
    assert!(again.iter().any(|trace| trace.about().pid == parent.about().pid));
}

#[test]
fn only_the_children_that_are_asked_for() {
    for (children, files) in [(Children::Exec, 3), (Children::None, 0)] {
        let mut recorded = Recorded::new("forks.c");
        recorded.request.children = children;
        recorded.run(&[]);
        // Here this process is the parent of what runs the program only.
        assert_eq!(recorded.traces().len(), files, "{children:?}");
    }
}

/// A malloc that a signal handler may interrupt.
fn bump(recorded: &mut Recorded) {
    let library = recorded.folder().join("libbump.so");
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs/bump.cc");
    let mut cc = Command::new("c++");
    cc.args(["-O1", "-shared", "-fPIC", "-fno-builtin", "-o"]).arg(&library).arg(source);
    assert!(cc.status().unwrap().success());
    recorded.malloc = Some(library);
}

#[test]
fn a_signal_handler_may_allocate_whatever_is_recorded() {
    for stacks in [Stacks::Off, Stacks::All, Stacks::Sampled { interval: 4096, seed: None }] {
        may_allocate(stacks);
    }
}

fn may_allocate(stacks: Stacks) {
    let mut recorded = Recorded::new("signals.c");
    recorded.request.stacks = stacks;
    bump(&mut recorded);
    let output = recorded.run(&[]);
    let calls: u64 = String::from_utf8_lossy(&output.stdout).trim().parse().unwrap();
    let trace = recorded.trace();
    let about = trace.about();
    assert_eq!(about.malloc.name, "libbump".trim_start_matches("lib"));
    let missing = &about.missing;
    let strange = (missing.unknown_frees, missing.double_frees, missing.unseen_frees);
    assert_eq!((missing.damaged, strange), (0, (0, 0, 0)));
    let seen = blocks_of(&trace, 4321) as u64;
    assert!(missing.dropped.is_multiple_of(2) && seen + missing.dropped / 2 <= calls, "{about:?}");
}

#[test]
fn operators_count_once_whoever_has_them() {
    let every = Stacks::Only { interval: 1, seed: Some(1) };
    let kinds =
        [Stacks::Off, Stacks::All].into_iter().chain(cfg!(target_arch = "x86_64").then_some(every));
    for (is_own, stacks) in kinds.flat_map(|stacks| [(false, stacks), (true, stacks)]) {
        let mut recorded = Recorded::new("operators.cc");
        recorded.request.stacks = stacks;
        if is_own {
            bump(&mut recorded);
        }
        recorded.run(&[]);
        let trace = recorded.trace();
        assert_whole(&trace);
        assert_eq!(sizes(&between(&trace, "new")), (vec![1, 100, 4, 40, 64, 128], 6));
        assert_eq!(sizes(&between(&trace, "the end")), (vec![1], 1));
    }
}

#[test]
fn operators_of_a_library_that_came_late() {
    let recorded = Recorded::new("late.c");
    recorded.run(&[]);
    let trace = recorded.trace();
    assert_whole(&trace);
    assert_eq!(blocks_of(&trace, 4343), 10);
}

/// The note that says why a recording ended, and whether its last events are there.
fn ended(trace: &Trace) -> (Option<&str>, bool) {
    let notes = &trace.about().notes;
    let why = notes.iter().find_map(|note| note.strip_prefix("stopped="));
    (why, blocks_of(trace, 98_765) > 0)
}

#[test]
fn a_program_may_close_every_descriptor() {
    let recorded = Recorded::new("churn.c");
    recorded.run(&["closes"]);
    let trace = recorded.trace();
    assert_whole(&trace);
    assert_eq!(ended(&trace), (None, true));
}

#[test]
fn what_ends_the_recording_is_in_it_and_does_not_end_the_program() {
    const MUCH: u64 = 1 << 30;
    let no_time = Some(Duration::from_nanos(1));
    for (argument, most, time, why) in [
        ("", 256 << 10, None, "the file is as large as it may be"),
        ("", MUCH, no_time, "the time that was asked for is over"),
        ("limits", MUCH, None, "the file is as large as the system lets it be"),
        ("drops", MUCH, None, "the file cannot be opened any more"),
    ] {
        let mut recorded = Recorded::new("churn.c");
        (recorded.request.most, recorded.request.time) = (most, time);
        let output = recorded.run(&[argument]);
        if output.stdout == b"skipped\n" {
            return eprintln!("skipped: this is not root");
        }
        assert_eq!(output.stdout, b"the end\n", "{why}");
        let trace = recorded.trace();
        assert_eq!(ended(&trace), (Some(why), false));
        assert!(most == MUCH || trace.about().events > 30_000, "{:?}", trace.about());
    }
}

#[test]
fn a_ring_keeps_the_last_events() {
    let mut recorded = Recorded::new("churn.c");
    recorded.request.most = 512 << 10;
    recorded.request.ring = true;
    recorded.run(&[]);
    let mut files = fs::read_dir(&recorded.request.folder).unwrap();
    let raw = files.next().unwrap().unwrap();
    // In blocks of 512 bytes; a file system may need some for itself.
    assert!(raw.metadata().unwrap().blocks() * 512 < 1 << 20, "{:?}", raw.metadata());
    let trace = recorded.trace();
    let missing = &trace.about().missing;
    assert_eq!(ended(&trace), (None, true));
    assert!(missing.chunks > 10 && missing.damaged == 0, "{missing:?}");
}

/// A disk of one mebibyte, where one can be mounted.
struct Disk(TempDir);

impl Disk {
    fn new() -> Option<Self> {
        let folder = tempfile::tempdir().unwrap();
        let mut mount = Command::new("mount");
        mount.args(["-t", "tmpfs", "-o", "size=1m", "tmpfs"]).arg(folder.path());
        if mount.output().is_ok_and(|output| output.status.success()) {
            return Some(Self(folder));
        }
        eprintln!("skipped: a small disk cannot be mounted here");
        None
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg(self.0.path()).status();
    }
}

#[test]
fn a_full_disk_ends_the_recording_and_not_the_program() {
    let Some(disk) = Disk::new() else { return };
    let mut recorded = Recorded::new("churn.c");
    let traces = core::mem::replace(&mut recorded.request.folder, disk.0.path().to_owned());
    let output = recorded.run(&[]);
    assert_eq!(output.stdout, b"the end\n");
    for file in fs::read_dir(disk.0.path()).unwrap().flatten() {
        fs::copy(file.path(), traces.join(file.file_name())).unwrap();
    }
    recorded.request.folder = traces;
    assert_eq!(ended(&recorded.trace()), (Some("the disk is full"), false));
}

#[test]
fn a_folder_that_is_gone_stops_no_program() {
    let mut recorded = Recorded::new("churn.c");
    recorded.request.folder = "/no/such/folder".into();
    assert_eq!(recorded.run(&[]).stdout, b"the end\n");
}

/// Such a program may be a child of one that is recorded: a compiler under a build.
#[test]
fn a_malloc_inside_the_program_is_not_called_from_its_own_mapping() {
    let recorded = Recorded::compiled("own_malloc.c", &["-O0", "-rdynamic"]);
    recorded.run(&[]);
}
