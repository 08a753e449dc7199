//! Call stacks: those of the recorder against those of the C library's own unwinder, and samples against what was allocated.
#![cfg(target_arch = "x86_64")]

use std::collections::{BTreeMap, HashSet};

use crate::common::{Recorded, compile, steps};
use recording::Stacks;
use trace::{How, Op, Trace};

/// The size, the frame and the stack of each allocation.
fn stacks(trace: &Trace) -> Vec<(u64, u32, Vec<u64>)> {
    let frames = trace.frames().unwrap();
    let of = |op| match op {
        // What a child has inherited.
        Op::Allocate { how: How::Born, .. } => None,
        Op::Allocate { size, frame, .. } | Op::Reallocate { size, frame, .. } => {
            Some((size, frame, frames.stack(frame).collect()))
        }
        _ => None,
    };
    steps(trace).into_iter().filter_map(|step| of(step.op)).collect()
}

/// What the program said: a size, and the stack there.
fn said(stdout: &[u8]) -> Vec<(u64, Vec<u64>)> {
    let address = |word: &str| u64::from_str_radix(word.trim_start_matches("0x"), 16).unwrap();
    let line = |line: &str| {
        let mut words = line.split(' ');
        (words.next().unwrap().parse().unwrap(), words.map(address).collect())
    };
    String::from_utf8_lossy(stdout).lines().map(line).collect()
}

/// Runs the program, and compares all that it said. `inner`: so many frames are further in than what said it.
fn compare(mut recorded: Recorded, inner: usize, least: usize) -> Trace {
    recorded.request.stacks = Stacks::All;
    let said = said(&recorded.run(&[]).stdout);
    let trace = recorded.trace();
    let sizes: HashSet<u64> = said.iter().map(|&(size, _)| size).collect();
    let found = stacks(&trace);
    assert!(found.iter().all(|(_, frame, _)| *frame != 0));
    let mut found = found.into_iter().filter(|(size, ..)| sizes.contains(size));
    for (size, expected) in &said {
        let (_, _, stack) = found.next().unwrap();
        // Where the block comes from and where the stack was asked for are two places of one function.
        let stack = &stack[inner + 1..];
        let expected = &expected[1..];
        match stack.split_last() {
            // Cut, or at a frame that no table tells of: then the other unwinder ends there, too.
            Some((0, stack)) if stack.len() == 127 - inner => {
                assert_eq!(*stack, expected[..stack.len()], "{size}");
            }
            Some((0, stack)) => assert_eq!(stack, expected, "{size}"),
            _ => assert_eq!(stack, expected, "{size}"),
        }
        assert!(!stack.ends_with(&[0]) || [4920, 5100, 5101].contains(size), "{size}: {stack:x?}");
    }
    assert!(said.len() >= least, "{said:?}");
    assert_eq!(trace.about().missing.damaged, 0);
    trace
}

#[test]
fn stacks_are_those_of_the_c_library() {
    for flags in [
        &["-O0"][..],
        &["-O2"],
        &["-O2", "-fno-omit-frame-pointer"],
        &["-O3", "-fcf-protection=full", "-no-pie", "-Wl,--section-start=.far=0x2600000"],
    ] {
        let recorded = Recorded::compiled("stacks.c", flags);
        for (name, other) in [("one.so", "-DOTHER=0"), ("other.so", "-DOTHER=999")] {
            let library = recorded.folder().join(name);
            compile("library.c", &["-O2", "-shared", "-fPIC", other], &library);
        }
        let trace = compare(recorded, 0, 20);
        let modules = &trace.about().modules;
        for name in ["/program", "libc.so.6", "one.so", "other.so"] {
            let module = modules.iter().find(|module| module.path.ends_with(name));
            let module = module.unwrap_or_else(|| panic!("{name}: {modules:?}"));
            assert!(module.build_id.len() == 40 || name.ends_with("o"), "{module:?}");
            assert!(module.start < module.end && module.offset % 4096 == 0, "{module:?}");
        }
    }
}

#[test]
fn stacks_of_cpp_and_rust() {
    for flags in [&["-O0"][..], &["-O2"]] {
        // Inside is the C++ library's operator new, to which its operator new[] jumps.
        compare(Recorded::compiled("stacks.cc", flags), 1, 3);
    }
    for flags in [&["-Copt-level=0"][..], &["-O"]] {
        let mut recorded = Recorded::compiled("stacks.rs", &[flags, &["--edition=2024"]].concat());
        recorded.request.stacks = Stacks::All;
        let said = said(&recorded.run(&[]).stdout);
        let trace = recorded.trace();
        let found = stacks(&trace);
        for (size, expected) in said {
            // How many functions of Rust's library are inside depends on its version.
            let is_it = |stack: &[u64]| stack.ends_with(&expected[1..]);
            let mut found = found.iter().filter(|(found, ..)| *found == size);
            assert!(found.any(|(_, _, stack)| is_it(stack)), "{size}: {expected:x?}");
        }
    }
}

#[test]
fn a_table_of_frames_that_cannot_grow_is_full() {
    let mut recorded = Recorded::new("frames_full.c");
    recorded.request.stacks = Stacks::All;
    recorded.run(&[]);
    let trace = recorded.trace();
    assert!(trace.about().note("stacks_full").is_some(), "{:?}", trace.about());
    // The table that it began with, three quarters full.
    assert_eq!(trace.frames().unwrap().len(), 3072);
}

#[test]
fn a_ring_keeps_its_frames_and_a_child_has_its_own() {
    let mut ring = Recorded::new("churn.c");
    ring.request.stacks = Stacks::All;
    ring.request.ring = true;
    ring.request.most = 512 << 10;
    ring.run(&[]);
    let mut forks = Recorded::new("forks.c");
    forks.request.stacks = Stacks::All;
    forks.run(&[]);
    let ring = ring.trace();
    assert!(ring.about().missing.chunks > 10);
    for trace in forks.traces().iter().chain([&ring]) {
        let stacks = stacks(trace);
        assert!(stacks.iter().all(|(_, frame, stack)| *frame != 0 && !stack.contains(&0)));
        assert!(!stacks.is_empty() && !trace.about().modules.is_empty());
    }
}

#[test]
fn a_killed_program_keeps_its_frames() {
    let mut recorded = Recorded::new("killed.c");
    recorded.request.stacks = Stacks::All;
    recorded.command(&["kill"]).status().unwrap();
    let trace = recorded.trace();
    assert_eq!((trace.about().missing.cut, trace.about().missing.damaged), (1, 0));
    assert!(stacks(&trace).iter().all(|(_, frame, stack)| *frame != 0 && !stack.contains(&0)));
}

/// For each site, bytes that were allocated, and as the sample has them: sum, variance.
fn estimates(trace: &Trace, interval: f64) -> BTreeMap<u64, (f64, f64, f64)> {
    let mut sites = BTreeMap::new();
    for (size, frame, _) in stacks(trace) {
        let (all, sum, variance) = sites.entry(size).or_insert((0.0, 0.0, 0.0));
        #[expect(clippy::cast_precision_loss, reason = "small numbers")]
        let bytes = size as f64;
        let chance = 1.0 - (-bytes / interval).exp();
        *all += bytes;
        *variance += bytes * bytes * (1.0 - chance) / chance;
        if frame != 0 {
            *sum += bytes / chance;
        }
    }
    sites
}

#[test]
fn samples_are_without_bias_and_the_same_again() {
    const INTERVAL: u64 = 16 << 10;
    let mut recorded = Recorded::new("sample.c");
    let mut sites: BTreeMap<u64, (f64, f64, f64)> = BTreeMap::new();
    let mut first = None;
    for seed in (1..=12).chain([1]) {
        recorded.request.stacks = Stacks::Sampled { interval: INTERVAL, seed: Some(seed) };
        recorded.run(&[]);
        let trace = recorded.trace();
        let notes = &trace.about().notes;
        assert!(notes.contains(&"stacks=sampled".to_owned()), "{notes:?}");
        assert!(notes.contains(&format!("stacks_interval={INTERVAL}")), "{notes:?}");
        let found: Vec<_> =
            stacks(&trace).into_iter().map(|(size, frame, _)| (size, frame != 0)).collect();
        std::fs::remove_file(trace.path()).unwrap();
        if seed == 1 {
            assert_eq!(*first.get_or_insert_with(|| found.clone()), found);
        }
        for (size, (all, sum, variance)) in estimates(&trace, 16384.0) {
            let site = sites.entry(size).or_default();
            (site.0, site.1, site.2) = (site.0 + all, site.1 + sum, site.2 + variance);
        }
    }
    for size in [24, 700, 9000, 100_000] {
        let (all, sum, variance) = sites[&size];
        // Three standard deviations; the seeds are what they are, so it is the same each time.
        assert!(
            (sum - all).abs() < 3.0 * variance.sqrt() + 1.0,
            "{size}: {sum} of {all}, {variance}"
        );
        assert!(sum > 0.8 * all && sum < 1.2 * all, "{size}: {sum} of {all}");
    }
}
