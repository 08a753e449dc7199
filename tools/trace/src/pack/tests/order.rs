//! Stamps that are out of order between threads, as processors read their counter early.

use trace_format::Event;

use super::{A, B, packed, whole};
use crate::step::Op;
use crate::testing::{Raw, check};
use crate::trace::Trace;

/// Numbers by chance, the same in every run.
struct Chance(u64);

impl Chance {
    fn below(&mut self, end: u32) -> u32 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (self.0 >> 33) as u32 % end
    }
}

/// Threads that allocate, move and free the blocks of a few addresses, any thread those of any other, and are stamped up to `early`
/// units before they do. Returns how many blocks there were, and how many lived at the end.
fn exchange(raw: &mut Raw, seed: u32, threads: u32, addresses: u32, early: u32) -> (u64, u64) {
    let mut chance = Chance(u64::from(seed));
    let mut live = vec![false; addresses as usize];
    // Whether a thread's realloc has begun.
    let mut moves = vec![false; threads as usize];
    let mut blocks = 0;
    for time in 0..10_000 {
        let (thread, number) = (chance.below(threads), chance.below(addresses));
        let (at, size) = (A + 0x100 * u64::from(number), u64::from(1 + chance.below(1 << 20)));
        let is_live = &mut live[number as usize];
        let is_moving = &mut moves[thread as usize];
        let event = match (*is_moving, *is_live) {
            (true, true) => continue,
            (true, false) => Event::ReallocTo { at, size },
            (false, false) => Event::Malloc { at, size },
            (false, true) if chance.below(8) == 0 => Event::ReallocFrom { at },
            (false, true) => Event::Free { at },
        };
        *is_moving = matches!(event, Event::ReallocFrom { .. });
        *is_live = !*is_live;
        blocks += u64::from(*is_live);
        let stamp = (10_000 + time * 2_u64).saturating_sub(u64::from(chance.below(early + 1)));
        raw.event(thread, stamp, event);
    }
    let mut moved = 0;
    for (thread, is_moving) in (0..).zip(moves) {
        if is_moving {
            moved += 1;
            raw.event(thread, 40_000, Event::ReallocTo { at: B + 0x100 * moved, size: 1 });
        }
        raw.end(thread);
    }
    let live: u64 = live.iter().map(|&live| u64::from(live)).sum();
    (blocks + moved, live + moved)
}

#[test]
fn early_stamps_leave_no_block_allocated_while_live() {
    for seed in 0..60 {
        let (threads, addresses) = (2 + seed % 4, 1 + seed % 7);
        let early = [0, 1, 4, 16, 64, 400][(seed % 6) as usize];
        let mut expected = (0, 0);
        let (trace, steps) = packed(|raw| {
            expected = exchange(raw, seed, threads, addresses, early);
        });
        let missing = &trace.about().missing;
        assert!(!missing.any(), "seed {seed}: {missing:?}");
        check(&trace);
        let ends = steps.iter().filter(|step| step.ends_with(" end")).count();
        assert_eq!(ends, threads as usize);
        assert_eq!((trace.about().blocks, lived(&trace)), expected, "seed {seed}");
        for thread in 0..threads {
            let end = format!("{thread} end");
            let of_thread = steps.iter().rfind(|step| step.starts_with(&format!("{thread} ")));
            assert_eq!(of_thread, Some(&end), "seed {seed}: nothing comes after a thread's end");
        }
    }
}

/// How many blocks lived when all was over.
fn lived(trace: &Trace) -> u64 {
    let mut live = 0;
    for step in trace.steps() {
        match step.unwrap().op {
            Op::Allocate { .. } => live += 1,
            Op::Free { .. } => live -= 1,
            _ => {}
        }
    }
    live
}

#[test]
fn a_thread_that_frees_early_does_not_stop_the_one_whose_block_it_took() {
    let expected = "0 start, 0 malloc 0 1, 1 start, 1 free 0, 0 malloc 1 2, 0 free 1, \
                    0 malloc 2 3, 1 malloc 3 4";
    whole(expected, |raw| {
        raw.event(0, 100, Event::Malloc { at: A, size: 1 });
        // As it was: thread 0 frees the first block and is given the second, which thread 1 frees.
        raw.event(1, 198, Event::Free { at: A });
        raw.event(0, 200, Event::Free { at: A });
        raw.event(0, 203, Event::Malloc { at: A, size: 2 });
        raw.event(0, 204, Event::Malloc { at: B, size: 3 });
        raw.event(1, 230, Event::Malloc { at: A, size: 4 });
    });
}

#[test]
fn what_waits_does_not_stop_its_thread() {
    let expected = "0 start, 0 malloc 0 1, 1 start, 1 Calloc 1 3, 1 free 0, 1 malloc 2 2, \
                    0 free 2, 1 free 1";
    whole(expected, |raw| {
        raw.event(0, 10, Event::Malloc { at: A, size: 1 });
        raw.event(1, 20, Event::Malloc { at: A, size: 2 });
        raw.event(1, 21, Event::Calloc { at: B, size: 3 });
        raw.event(1, 22, Event::Free { at: A });
        raw.event(0, 24, Event::Free { at: A });
        raw.event(1, 30, Event::Free { at: B });
    });
}

#[test]
fn a_realloc_may_begin_before_its_block_came() {
    for refused in [false, true] {
        let (trace, steps) = packed(|raw| {
            raw.event(1, 100, Event::ReallocFrom { at: A });
            let at = if refused { 0 } else { B };
            raw.event(1, 104, Event::ReallocTo { at, size: 2 });
            raw.event(0, 106, Event::Malloc { at: A, size: 1 });
            raw.event(1, 200, Event::Free { at: if refused { A } else { B } });
        });
        let expected = if refused {
            "start, Refused { size: 2 }, start, malloc 0 1, free 0"
        } else {
            "start, malloc 0 2, start, malloc 1 1, free 1, free 0"
        };
        // Which of the threads is first is not said.
        let steps: Vec<_> = steps.iter().map(|step| step.split_once(' ').unwrap().1).collect();
        assert_eq!(steps.join(", "), expected);
        assert!(!trace.about().missing.any(), "{:?}", trace.about().missing);
    }
}

#[test]
fn what_never_comes_is_found_in_a_process_with_threads_too() {
    let (trace, steps) = packed(|raw| {
        raw.event(1, 5, Event::Refused { size: 1 });
        raw.event(0, 10, Event::Free { at: B });
        raw.event(0, 20, Event::Malloc { at: A, size: 1 });
        raw.event(0, 30, Event::Malloc { at: A, size: 2 });
        raw.event(0, 40, Event::Free { at: A });
        raw.event(0, 50, Event::Free { at: A });
        raw.end(0);
        raw.event(1, 9_000, Event::Refused { size: 1 });
    });
    let missing = &trace.about().missing;
    assert_eq!((missing.unknown_frees, missing.double_frees, missing.unseen_frees), (1, 1, 1));
    let ends: Vec<_> = steps.iter().filter(|step| step.ends_with("end")).collect();
    assert_eq!(ends.len(), 1);
    assert_eq!(check(&trace).errors, 0);
}
