//! Plans of made-up programs, done again by the real program.

use std::collections::HashMap;
use std::path::Path;
use std::process::{Command, Output};

use replay::{Order, Planned, Planner};
use tempfile::TempDir;
use trace::{Block, How, Op, Step};

/// A made-up program.
#[derive(Default)]
struct Program {
    steps: Vec<Step>,
    blocks: Block,
    time: u64,
}

impl Program {
    fn step(&mut self, thread: u32, op: Op) {
        self.time += 50;
        self.steps.push(Step { time: self.time, thread, op });
    }

    fn allocate(&mut self, thread: u32, how: How, size: u64, align: u64) -> Block {
        let block = self.blocks;
        self.blocks += 1;
        self.step(thread, Op::Allocate { block, how, size, align, address: 16 * block, frame: 0 });
        block
    }

    fn malloc(&mut self, thread: u32, size: u64) -> Block {
        self.allocate(thread, How::Malloc, size, 0)
    }

    fn reallocate(&mut self, thread: u32, old: Block, size: u64) -> Block {
        let block = self.blocks;
        self.blocks += 1;
        self.step(thread, Op::Reallocate { old, block, size, address: 16 * block, frame: 0 });
        block
    }

    fn free(&mut self, thread: u32, block: Block) {
        self.step(thread, Op::Free { block, touched: None });
    }

    fn plan(&self, folder: &Path, order: Order) -> (std::path::PathBuf, Planned) {
        let path = folder.join("plan");
        let mut planner = Planner::create(&path, order).unwrap().marking("audio");
        for step in &self.steps {
            planner.push(step).unwrap();
        }
        (path, planner.finish().unwrap())
    }

    /// Threads that allocate, grow and free each other's blocks, and are born and end meanwhile, by this seed.
    fn storm(threads: u32, calls: u32, seed: u64) -> Self {
        let mut program = Self::default();
        let mut state = seed;
        let mut random = move |below: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 33) % below
        };
        let mut names: Vec<u32> = (0..threads).collect();
        let mut next = threads;
        let mut live: Vec<Block> = Vec::new();
        for _ in 0..calls {
            let place = usize::try_from(random(u64::from(threads))).unwrap();
            let thread = names[place];
            // Few are large: each of their bytes is written and looked at.
            let largest = match random(50) {
                0 => 600_000,
                1..5 => 70_000,
                5..20 => 1000,
                _ => 64,
            };
            let size = random(largest);
            let any = usize::try_from(random(1 + live.len() as u64)).unwrap();
            match random(12) {
                0..5 => live.push(program.malloc(thread, size)),
                5 => live.push(program.allocate(thread, How::Calloc, size, 0)),
                6 if size < 70_000 => {
                    live.push(program.allocate(thread, How::Aligned, size, 8 << random(8)));
                }
                7 if any < live.len() => {
                    let old = live.swap_remove(any);
                    live.push(program.reallocate(thread, old, size.max(1)));
                }
                8 if any < live.len() => {
                    program.step(thread, Op::UsableSize { block: live[any], usable: 0 });
                }
                9 if place > 0 && random(40) == 0 => {
                    program.step(thread, Op::ThreadEnd);
                    names[place] = next;
                    next += 1;
                    program.step(names[place], Op::ThreadStart);
                }
                10 if any < live.len() => {
                    program
                        .step(thread, Op::Free { block: live.swap_remove(any), touched: Some(1) });
                }
                _ if any < live.len() => program.free(thread, live.swap_remove(any)),
                _ => {}
            }
            if live.len() > 500 {
                for block in live.drain(..400).collect::<Vec<_>>() {
                    program.free(thread, block);
                }
            }
        }
        program
    }
}

fn run(plan: &Path, options: &[&str]) -> Output {
    let program = env!("CARGO_BIN_EXE_heapwright-replay");
    Command::new(program).arg(plan).args(options).output().unwrap()
}

/// The figures of a run that ended well.
fn figures(output: &Output) -> HashMap<String, f64> {
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{} {said}", output.status);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let mut figures = HashMap::new();
    for line in text.lines() {
        let words: Vec<&str> = line.split(' ').collect();
        let (name, number) = match words[..] {
            ["value", name, number, _] | [name, number] => (name, number),
            _ => continue,
        };
        figures.insert(name.to_owned(), number.parse().unwrap());
    }
    figures
}

/// A storm keeps its contents in every order.
fn keeps(threads: u32, seed: u64) {
    let folder = TempDir::new().unwrap();
    let program = Program::storm(threads, 30_000, seed);
    for order in [Order::Causal, Order::Serial, Order::Timed] {
        let (plan, planned) = program.plan(folder.path(), order);
        for options in [&["verify=1"][..], &[], &["tail=1"], &["allocator=null"]] {
            let figures = figures(&run(&plan, options));
            assert_eq!(figures["ops"], planned.head.events as f64);
            assert_eq!(figures["refused"], 0.0);
        }
    }
}

#[test]
fn a_storm_of_one_thread_keeps_its_contents() {
    keeps(1, 1);
}

#[test]
fn a_storm_of_two_threads_keeps_its_contents() {
    keeps(2, 2);
}

#[test]
fn a_storm_of_seven_threads_keeps_its_contents() {
    keeps(7, 3);
}

#[test]
fn a_storm_of_forty_threads_keeps_its_contents() {
    keeps(40, 4);
}

#[test]
fn memory_is_that_of_the_touched_blocks() {
    let folder = TempDir::new().unwrap();
    let mut program = Program::default();
    let blocks: Vec<Block> = (0..40).map(|_| program.malloc(0, 1 << 20)).collect();
    for block in &blocks {
        program.free(0, *block);
    }
    let (plan, planned) = program.plan(folder.path(), Order::Causal);
    assert_eq!((planned.head.peak_live, planned.peak_event), (40 << 20, 40));
    let touched = figures(&run(&plan, &[]));
    let megabytes = |name: &str| touched[name] / f64::from(1 << 20);
    assert!((40.0..42.0).contains(&megabytes("peak_resident")), "{touched:?}");
    assert!(megabytes("resident.freed") < 2.0, "{touched:?}");
    assert!(megabytes("resident.mean") > 10.0, "{touched:?}");
    let untouched = figures(&run(&plan, &["touch=none"]));
    assert!(untouched["peak_resident"] < f64::from(2 << 20), "{untouched:?}");
}

/// And blocks of which nothing is known, as one is freed and one lives to the end, are touched as others of their size.
#[test]
fn what_was_resident_at_its_free_is_touched_and_no_more() {
    let folder = TempDir::new().unwrap();
    for (known, size, is_guessed) in [(3, 32 << 20, false), (8, 33 << 20, true)] {
        let mut program = Program::default();
        for _ in 0..known {
            let block = program.malloc(0, size);
            program.step(0, Op::Free { block, touched: Some(256) });
        }
        if is_guessed {
            let block = program.malloc(0, 40 << 20);
            program.free(0, block);
            program.malloc(0, 40 << 20);
        }
        let (plan, _) = program.plan(folder.path(), Order::Causal);
        let peak = |options: &[&str]| figures(&run(&plan, options))["peak_resident"];
        let whole = if is_guessed { 40 << 20 } else { 32 << 20 };
        assert!(peak(&["touch=recorded"]) < f64::from(2 << 20));
        assert!(peak(&["touch=pages"]) >= f64::from(whole));
    }
}

#[test]
fn a_block_that_another_thread_moved_keeps_its_place_in_the_plan() {
    let folder = TempDir::new().unwrap();
    let mut program = Program::default();
    let mine = program.malloc(0, 100);
    let moved = program.malloc(1, 20 << 10);
    let moved = program.reallocate(0, moved, 40 << 10);
    program.step(0, Op::Free { block: moved, touched: Some(2) });
    program.free(1, mine);
    let (plan, planned) = program.plan(folder.path(), Order::Causal);
    assert_eq!(planned.unknown, 0);
    figures(&run(&plan, &["verify=1"]));
}

/// The first of them does other things before it asks.
#[test]
fn a_block_that_two_threads_ask_about_is_freed_after_both_have() {
    let folder = TempDir::new().unwrap();
    let mut program = Program::default();
    for _ in 0..500 {
        let block = program.malloc(0, 100);
        for _ in 0..100 {
            let own = program.malloc(1, 100);
            program.free(1, own);
        }
        for asker in [1, 2] {
            program.step(asker, Op::UsableSize { block, usable: 0 });
        }
        program.free(2, block);
    }
    let (plan, _) = program.plan(folder.path(), Order::Causal);
    figures(&run(&plan, &["verify=1"]));
}

#[test]
fn steps_of_unknown_blocks_are_counted_and_skipped() {
    let folder = TempDir::new().unwrap();
    let mut program = Program::default();
    let block = program.malloc(0, 100);
    program.free(0, block);
    program.free(0, block);
    program.free(1, 77);
    program.step(0, Op::Refused { size: u64::MAX });
    program.reallocate(0, 78, 10);
    let (plan, planned) = program.plan(folder.path(), Order::Causal);
    assert_eq!((planned.unknown, planned.refused, planned.head.events), (3, 1, 3));
    figures(&run(&plan, &["verify=1"]));
}

#[test]
fn periods_between_marks_are_counted_and_missed_where_their_calls_take_too_long() {
    let folder = TempDir::new().unwrap();
    let mut program = Program::default();
    for period in 0..=20 {
        for thread in [0, 1] {
            program.step(thread, Op::Mark("audio".to_owned()));
            for _ in 0..5 + period {
                let block = program.malloc(thread, 3000);
                program.free(thread, block);
            }
        }
        program.step(0, Op::Mark("frame".to_owned()));
    }
    let (plan, planned) = program.plan(folder.path(), Order::Causal);
    assert_eq!(planned.other_marks, ["frame"]);
    assert!(planned.period_ns.is_some_and(|ns| ns > 500), "{planned:?}");
    let of = |options: &[&str], name: &str| figures(&run(&plan, options)).get(name).copied();
    // The last period of each thread has no end.
    assert_eq!(of(&["tail=1"], "periods"), Some(40.0));
    assert!(of(&["tail=1"], "worst_period_us").is_some_and(|us| us > 0.0));
    assert_eq!(of(&["tail=1"], "missed_deadlines"), None, "there is none");
    assert_eq!(of(&["tail=1", "limit=0"], "missed_deadlines"), Some(40.0));
    assert_eq!(of(&["tail=1", "limit=3600000000000"], "missed_deadlines"), Some(0.0));
    assert_eq!(of(&[], "periods"), None);
    let printed = String::from_utf8(run(&plan, &["tail=1"]).stdout).unwrap();
    let sizes: Vec<&str> = printed
        .lines()
        .filter(|l| l.starts_with("sized "))
        .map(|l| l.split(' ').nth(2).unwrap())
        .collect();
    assert!(
        !sizes.is_empty() && sizes.iter().all(|size| *size == "2048"),
        "3,000 is from 2,048 on: {sizes:?}"
    );
    for options in [&["verify=1"][..], &["allocator=null"]] {
        assert_eq!(figures(&run(&plan, options))["ops"], planned.head.events as f64);
    }
    let output = run(&plan, &["limit=soon"]);
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn an_empty_plan_does_nothing_and_what_is_none_is_refused() {
    let folder = TempDir::new().unwrap();
    let (plan, planned) = Program::default().plan(folder.path(), Order::Causal);
    assert_eq!(planned.head.events, 0);
    assert_eq!(figures(&run(&plan, &[]))["ops"], 0.0);
    let other = folder.path().join("other");
    std::fs::write(&other, "no plan").unwrap();
    for path in [other, folder.path().join("none")] {
        let output = run(&path, &[]);
        assert_eq!(output.status.code(), Some(2));
        assert!(!output.stderr.is_empty());
    }
}

/// On the same threads in the same order, a block is where it was put until it is gone, and no other one meanwhile.
#[test]
fn places_are_those_of_live_blocks() {
    let folder = TempDir::new().unwrap();
    for (threads, seed) in [(1, 5), (7, 6)] {
        let program = Program::storm(threads, 20_000, seed);
        let (plan, _) = program.plan(folder.path(), Order::Serial);
        let places = folder.path().join("places");
        let printed = run(&plan, &[&format!("places={}", places.display())]);
        assert_eq!(figures(&printed)["refused"], 0.0);
        assert_eq!(places.metadata().unwrap().len(), plan.metadata().unwrap().len());
        let looks = looks(&printed);
        let most = looks.iter().map(|look| look.1).max();
        let mut moved = replay::Moved::open(&places, Order::Serial, looks).unwrap();
        let (mut blocks, mut ends) = (HashMap::new(), std::collections::BTreeMap::new());
        let mut seen = None;
        for step in &program.steps {
            let step = moved.step(step.clone()).unwrap();
            seen = seen.max(moved.resident());
            if let Some(address) = step.op.gone().and_then(|block| blocks.remove(&block)) {
                ends.remove(&address);
            }
            if let Some(new) = step.op.made() {
                let below = ends.range(..new.address + new.size.max(1)).next_back();
                assert!(below.is_none_or(|(_, end)| *end <= new.address), "{new:?} {below:x?}");
                assert!(new.address > 1 << 16, "{new:?}");
                ends.insert(new.address, new.address + new.size.max(1));
                blocks.insert(new.block, new.address);
            }
        }
        assert_eq!(seen, most);
    }
}

/// The looks at the memory that a run printed.
fn looks(output: &Output) -> Vec<(u64, u64)> {
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let words = text.lines().filter_map(|line| line.strip_prefix("point resident "));
    let numbers = words.map(|line| line.split_once(' ').unwrap());
    numbers.map(|(calls, bytes)| (calls.parse().unwrap(), bytes.parse().unwrap())).collect()
}

#[test]
fn places_that_cannot_be_written_are_said() {
    let folder = TempDir::new().unwrap();
    let mut program = Program::default();
    program.malloc(0, 100);
    let (plan, _) = program.plan(folder.path(), Order::Causal);
    let output = run(&plan, &["places=/nowhere/at/all"]);
    assert_eq!(output.status.code(), Some(3));
    assert!(String::from_utf8_lossy(&output.stderr).contains("/nowhere/at/all"));
}
