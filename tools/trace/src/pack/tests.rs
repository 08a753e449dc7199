//! Recordings of a few events, written as the recorder writes them, and the steps that they become.

mod order;

use tempfile::TempDir;
use trace_format::{Event, WALK};

use super::index::Index;
use super::stream::{Next, Stream};
use crate::about::{Missing, StrangeKind};
use crate::step::{How, Op};
use crate::testing::Raw;
use crate::trace::Trace;

const A: u64 = 0x7000_0000_1000;
const B: u64 = 0x7000_0000_2000;

/// The trace of a recording that `fill` writes, and its steps in a short form.
fn packed(fill: impl FnOnce(&mut Raw)) -> (Trace, Vec<String>) {
    let folder = TempDir::new().unwrap();
    let mut raw = Raw::create(folder.path().join("test-1.chunks"));
    fill(&mut raw);
    read(&folder, raw.finish())
}

fn read(_folder: &TempDir, path: std::path::PathBuf) -> (Trace, Vec<String>) {
    let trace = Trace::open(path).unwrap();
    let steps = trace.steps().map(|step| {
        let step = step.unwrap();
        let op = match &step.op {
            Op::Allocate { block, how: How::Malloc, size, .. } => format!("malloc {block} {size}"),
            Op::Allocate { block, how, size, .. } => format!("{how:?} {block} {size}"),
            Op::Reallocate { old, block, size, .. } => format!("realloc {old} {block} {size}"),
            Op::Free { block, touched: None } => format!("free {block}"),
            Op::Free { block, touched: Some(pages) } => format!("free {block} touched {pages}"),
            Op::ThreadStart => "start".into(),
            Op::ThreadEnd => "end".into(),
            other => format!("{other:?}"),
        };
        format!("{} {op}", step.thread)
    });
    let steps = steps.collect();
    (trace, steps)
}

/// The trace of a recording with these steps, of which nothing is missing.
fn whole(expected: &str, fill: impl FnOnce(&mut Raw)) -> Trace {
    let (trace, steps) = packed(fill);
    assert_eq!(steps.join(", "), expected);
    assert!(!trace.about().missing.any(), "{:?}", trace.about().missing);
    trace
}

#[test]
fn a_size_that_no_block_can_have_goes_as_it_came() {
    let (trace, _) = packed(|raw| {
        raw.event(0, 0, Event::Malloc { at: A, size: u64::MAX });
        raw.event(0, 100, Event::Free { at: A });
        raw.event(0, 200, Event::ReallocFrom { at: 0 });
        raw.event(0, 300, Event::ReallocTo { at: B, size: u64::MAX - 1 });
        raw.event(0, 400, Event::Free { at: B });
    });
    assert_eq!(trace.segments().last().unwrap().live_bytes, 0);
}

#[test]
fn addresses_become_blocks() {
    let expected = "0 start, 0 malloc 0 10, 0 malloc 1 20, 0 free 0 touched 3, 0 Calloc 2 30, \
                    0 realloc 1 3 40, 0 free 3";
    let trace = whole(expected, |raw| {
        raw.event(0, 0, Event::Malloc { at: A, size: 10 });
        raw.event(0, 100, Event::Malloc { at: B, size: 20 });
        raw.event(0, 200, Event::Touched { pages: 3 });
        raw.event(0, 300, Event::Free { at: A });
        raw.event(0, 400, Event::Calloc { at: A, size: 30 });
        raw.event(0, 500, Event::ReallocFrom { at: B });
        raw.event(0, 600, Event::ReallocTo { at: B, size: 40 });
        raw.event(0, 100_000_000, Event::Free { at: B });
    });
    let about = trace.about();
    assert_eq!((about.duration, about.events, about.blocks), (1_000_000_000, 7, 4));
    assert_eq!((about.malloc.name.as_str(), about.pid), ("glibc", 4711));
    assert_eq!(about.notes, ["kernel=6"]);
    assert_eq!(trace.segments()[0].live_bytes, 30);
}

#[test]
fn a_frame_is_the_next_allocations() {
    let (trace, _) = packed(|raw| {
        raw.event(0, 10, Event::From { frame: 9 });
        raw.event(0, 10, Event::Malloc { at: A, size: 1 });
        raw.event(0, 20, Event::Malloc { at: B, size: 2 });
        raw.event(0, 30, Event::From { frame: 9 });
        raw.event(0, 30, Event::Refused { size: 1 << 50 });
        raw.event(0, 40, Event::Free { at: B });
        raw.event(0, 40, Event::Malloc { at: B, size: 3 });
        raw.event(0, 50, Event::ReallocFrom { at: A });
        raw.event(0, 50, Event::From { frame: 7 });
        raw.event(0, 50, Event::ReallocTo { at: A, size: 4 });
        // Another thread was the first to come from there.
        raw.event(1, 60, Event::Frame { frame: 9, caller: 7, ip: 0x9000 });
        raw.event(1, 60, Event::Frame { frame: 7, caller: 0, ip: 0x7000 });
        raw.event(1, 60, Event::Free { at: A });
        let path = b"/bin/x\0\xAB\x01";
        for _ in 0..2 {
            raw.event(1, 60, Event::Module { start: 0x7000, end: 0xA000, offset: 0x1000, path });
        }
    });
    let frames = trace.frames().unwrap();
    let stacks: Vec<(u64, Vec<u64>)> = trace
        .steps()
        .filter_map(|step| match step.unwrap().op {
            Op::Allocate { size, frame, .. } | Op::Reallocate { size, frame, .. } => {
                Some((size, frames.stack(frame).collect()))
            }
            _ => None,
        })
        .collect();
    let deep = vec![0x9000, 0x7000];
    assert_eq!(stacks, [(1, deep), (2, vec![]), (3, vec![]), (4, vec![0x7000])]);
    let [module] = &trace.about().modules[..] else { panic!("{:?}", trace.about().modules) };
    assert_eq!((module.path.as_str(), module.build_id.as_str()), ("/bin/x", "ab01"));
    assert_eq!((module.start, module.end, module.offset), (0x7000, 0xA000, 0x1000));
}

#[test]
fn an_address_that_another_thread_frees_at_the_same_time_is_freed_first() {
    for (free, malloc) in [(100, 100), (110, 100), (100, 110)] {
        for (owner, taker) in [(0, 1), (1, 0)] {
            let (trace, steps) = packed(|raw| {
                raw.event(owner, 10, Event::Malloc { at: A, size: 10 });
                raw.event(owner, free, Event::Free { at: A });
                raw.event(taker, malloc, Event::Malloc { at: A, size: 20 });
                raw.event(taker, 200, Event::Free { at: A });
            });
            let ops: Vec<_> = steps.iter().map(|step| step.split_once(' ').unwrap().1).collect();
            let expected = ["start", "malloc 0 10", "free 0", "start", "malloc 1 20", "free 1"];
            assert_eq!(ops, expected);
            assert!(!trace.about().missing.any());
        }
    }
}

#[test]
fn a_block_may_be_freed_by_another_thread_whose_clock_is_behind() {
    let expected = "0 start, 0 malloc 0 10, 1 start, 1 free 0, 1 malloc 1 20";
    whole(expected, |raw| {
        raw.event(0, 100, Event::Malloc { at: A, size: 10 });
        raw.event(1, 90, Event::Free { at: A });
        raw.event(1, 120, Event::Malloc { at: A, size: 20 });
    });
}

#[test]
fn a_realloc_gives_its_address_away_while_it_copies() {
    let expected =
        "0 start, 0 malloc 0 10, 1 start, 1 malloc 1 20, 0 realloc 0 2 30, 1 free 1, 0 free 2";
    whole(expected, |raw| {
        raw.event(0, 10, Event::Malloc { at: A, size: 10 });
        raw.event(0, 20, Event::ReallocFrom { at: A });
        raw.event(1, 30, Event::Malloc { at: A, size: 20 });
        raw.event(0, 40, Event::ReallocTo { at: B, size: 30 });
        raw.event(1, 50, Event::Free { at: A });
        raw.event(0, 60, Event::Free { at: B });
    });
}

#[test]
fn a_refused_realloc_leaves_its_block() {
    let refused = format!("0 Refused {{ size: {} }}", 1u64 << 60);
    whole(&format!("0 start, 0 malloc 0 10, {refused}, 0 free 0"), |raw| {
        raw.event(0, 10, Event::Malloc { at: A, size: 10 });
        raw.event(0, 20, Event::ReallocFrom { at: A });
        raw.event(0, 30, Event::ReallocTo { at: 0, size: 1 << 60 });
        raw.event(0, 40, Event::Free { at: A });
    });
}

#[test]
fn a_realloc_to_nothing_frees() {
    let (trace, steps) = packed(|raw| {
        raw.event(0, 10, Event::Malloc { at: A, size: 10 });
        raw.event(0, 20, Event::ReallocFrom { at: A });
        raw.event(0, 30, Event::ReallocTo { at: 0, size: 0 });
        raw.event(0, 40, Event::Malloc { at: A, size: 20 });
        raw.event(0, 50, Event::Dropped { events: 0 });
    });
    let expected = ["0 start", "0 malloc 0 10", "0 free 0", "0 malloc 1 20"];
    assert_eq!(steps[..4], expected);
    assert_eq!(trace.about().missing.stopped, Some(500));
}

#[test]
fn what_cannot_have_been_is_counted_and_named() {
    let (trace, steps) = packed(|raw| {
        raw.event(0, 10, Event::Free { at: B });
        raw.event(0, 20, Event::Malloc { at: A, size: 10 });
        raw.event(0, 30, Event::Malloc { at: A, size: 20 });
        raw.event(0, 40, Event::Free { at: A });
        raw.event(0, 50, Event::Free { at: A });
        raw.event(0, 60, Event::ReallocFrom { at: A });
        raw.event(0, 70, Event::ReallocTo { at: B, size: 5 });
        raw.event(0, 80, Event::Born { at: B, size: 5 });
        raw.event(0, 80, Event::Born { at: A, size: 6 });
    });
    let expected =
        "0 start, 0 malloc 0 10, 0 free 0, 0 malloc 1 20, 0 free 1, 0 malloc 2 5, 0 Born 3 6";
    assert_eq!(steps.join(", "), expected);
    let missing = &trace.about().missing;
    assert_eq!((missing.unknown_frees, missing.double_frees, missing.unseen_frees), (1, 2, 1));
    let named: Vec<_> = missing.strange.iter().map(|s| (s.kind, s.step, s.address)).collect();
    let expected = [
        (StrangeKind::UnknownFree, 1, B),
        (StrangeKind::UnseenFree, 2, A),
        (StrangeKind::DoubleFree, 5, A),
        (StrangeKind::DoubleFree, 5, A),
    ];
    assert_eq!(named, expected);
}

#[test]
fn a_killed_program_keeps_all_that_it_committed() {
    let folder = TempDir::new().unwrap();
    let mut raw = Raw::create(folder.path().join("test-1.chunks"));
    raw.event(0, 10, Event::Malloc { at: A, size: 10 });
    raw.event(1, 20, Event::Malloc { at: B, size: 10 });
    raw.end(1);
    raw.event(0, 30, Event::ReallocFrom { at: A });
    let (trace, steps) = read(&folder, raw.kill());
    assert_eq!(steps, ["0 start", "0 malloc 0 10", "1 start", "1 malloc 1 10", "1 end"]);
    assert_eq!(trace.about().missing.cut, 1);
    assert_eq!(trace.segments()[0].live_blocks, 2);
}

#[test]
fn a_chunk_that_was_being_copied_counts_once() {
    for written in [64, 100, 4096] {
        whole("0 start, 0 malloc 0 10, 0 malloc 1 20", |raw| {
            raw.event(0, 10, Event::Malloc { at: A, size: 10 });
            raw.event(0, 20, Event::Malloc { at: B, size: 20 });
            raw.copy(0, written);
        });
    }
}

#[test]
fn a_chunk_that_a_running_program_has_begun_anew_is_not_read_as_what_it_was() {
    let folder = TempDir::new().unwrap();
    let mut raw = Raw::create(folder.path().join("test-1.chunks"));
    raw.event(0, 10, Event::Malloc { at: A, size: 10 });
    let path = raw.kill();
    let file = std::fs::File::open(&path).unwrap();
    let mut places = Index::read(&file, &path).unwrap().places;
    for (sequence, expected) in [(0, (1, 0)), (1, (0, 2))] {
        places[0].head.sequence = sequence;
        let (mut stream, mut missing, mut events) = (Stream::new(0..1), Missing::default(), 0);
        loop {
            match stream.next(&file, &places, &mut missing) {
                Next::Event(..) => events += 1,
                Next::Nothing => break,
                Next::Again | Next::Ended(_) => {}
            }
        }
        // The one before is missing too.
        assert_eq!((events, missing.chunks, missing.damaged), (expected.0, expected.1, 0));
    }
}

#[test]
fn a_program_that_ends_by_itself_is_not_cut() {
    let folder = TempDir::new().unwrap();
    for exit in [true, false] {
        let mut raw = Raw::create(folder.path().join("test-1.chunks"));
        raw.event(1, 10, Event::Malloc { at: B, size: 10 });
        raw.event(0, 20, Event::Malloc { at: A, size: 10 });
        if exit {
            raw.exit(0);
            raw.event(0, 30, Event::Free { at: A });
        } else {
            raw.event(0, 30, Event::Exec { path: b"/bin/true" });
        }
        let (trace, steps) = read(&folder, raw.kill());
        assert_eq!((trace.about().missing.cut, steps.len()), (0, 5), "{steps:?}");
        std::fs::remove_file(trace.path()).unwrap();
    }
}

#[test]
fn a_child_has_the_blocks_that_its_parent_had_at_the_fork() {
    let folder = TempDir::new().unwrap();
    let path = |name: &str| folder.path().join(name);
    let child = || {
        let mut raw = Raw::forked(path("test-4712.chunks"), 4712);
        raw.event(0, 50, Event::Free { at: B });
        raw.event(0, 60, Event::Malloc { at: B, size: 40 });
        // Another thread of the parent has freed it while that forked.
        raw.event(0, 70, Event::Malloc { at: A, size: 50 });
        raw.finish()
    };
    let (trace, steps) = read(&folder, child());
    assert_eq!(steps, ["0 start", "0 malloc 0 40", "0 malloc 1 50"]);
    assert_eq!(trace.about().missing.unknown_frees, 1);
    std::fs::remove_file(trace.path()).unwrap();
    let mut raw = Raw::create(path("test-4711.chunks"));
    raw.event(0, 10, Event::Malloc { at: B + 64, size: 9 });
    raw.event(0, 10, Event::Malloc { at: A, size: 10 });
    raw.event(0, 20, Event::Malloc { at: B, size: 20 });
    raw.event(0, 30, Event::Free { at: B + 64 });
    raw.event(0, 40, Event::Fork { child: 4712 });
    raw.event(0, 45, Event::Malloc { at: B + 64, size: 30 });
    read(&folder, raw.finish());
    let (trace, steps) = read(&folder, child());
    let expected =
        "0 start, 0 Born 0 10, 0 Born 1 20, 0 free 1, 0 malloc 2 40, 0 free 0, 0 malloc 3 50";
    assert_eq!(steps.join(", "), expected);
    assert!(!trace.about().missing.any(), "{:?}", trace.about().missing);
}

/// A recording that begins in the middle of a program: three blocks were there, and a walk found them at 100, beside others.
fn walked(raw: &mut Raw) {
    const FREED: u64 = B + 16;
    const GONE: u64 = B + 32;
    raw.event(0, 10, Event::Born { at: FREED, size: 32 });
    raw.event(0, 10, Event::Free { at: FREED });
    raw.event(1, 20, Event::Malloc { at: B, size: 7 });
    // It was freed and is another block's by the time the walk comes there.
    raw.event(1, 30, Event::Born { at: GONE, size: 48 });
    raw.event(1, 30, Event::ReallocFrom { at: GONE });
    raw.event(1, 40, Event::ReallocTo { at: GONE + 64, size: 50 });
    raw.event(0, 50, Event::Malloc { at: GONE, size: 9 });
    raw.event(WALK, 60, Event::Born { at: A, size: 16 });
    raw.event(WALK, 60, Event::Born { at: A + 16, size: 16 });
    raw.event(WALK, 60, Event::Born { at: B, size: 16 });
    raw.event(WALK, 60, Event::Born { at: FREED, size: 32 });
    raw.event(WALK, 60, Event::Born { at: GONE, size: 48 });
    // A thread has kept this one, as the one that was freed by then.
    raw.event(WALK, 100, Event::Free { at: A + 16 });
    raw.event(WALK, 100, Event::Free { at: FREED });
    raw.event(0, 200, Event::Malloc { at: A + 16, size: 11 });
    raw.event(1, 300, Event::Free { at: A });
    raw.event(1, 300, Event::Free { at: B });
}

#[test]
fn what_a_walk_found_was_there_before_unless_events_explain_it() {
    let expected = "0 start, 0 Born 0 16, 0 Born 1 32, 0 Born 2 48, 0 free 1, 1 start, 1 malloc 3 7, \
                    1 realloc 2 4 50, 0 malloc 5 9, 0 malloc 6 11, 1 free 0, 1 free 3";
    let trace = whole(expected, walked);
    let about = trace.about();
    assert_eq!((about.threads.len(), about.blocks), (2, 7));
    let first = trace.steps().nth(1).unwrap().unwrap();
    assert_eq!((first.time, first.thread), (0, 0));
}

#[test]
fn a_walk_says_nothing_where_chunks_are_missing() {
    let (trace, steps) = packed(|raw| {
        walked(raw);
        raw.skip(1);
        raw.event(1, 400, Event::Malloc { at: B + 4096, size: 1 });
    });
    assert!(!steps.iter().any(|step| step.contains("Born 0 16")), "{steps:?}");
    assert_eq!(trace.about().missing.chunks, 1);
}
