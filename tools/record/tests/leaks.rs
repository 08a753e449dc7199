//! Leaks that are known: every one is found, by its place, and nothing that can be reached is called lost.

mod common;

use std::fs;
use std::thread;

use common::{Recorded, compile};
use leaks::{Leaks, Suppressions, check};
use recording::Stacks;

/// What the program loses, run with this argument.
fn lost(program: &mut Recorded, argument: &str) -> Leaks {
    program.request.folder = program.folder().join(argument);
    fs::create_dir(&program.request.folder).unwrap();
    program.run(&[argument]);
    check(&program.trace(), &Suppressions::default()).unwrap()
}

fn compiled(name: &str, flags: &[&str]) -> Recorded {
    let mut program = Recorded::compiled(name, flags);
    program.request.copy = true;
    program.request.stacks = Stacks::All;
    program
}

/// Of each case: blocks that are lost, and those behind them.
const LOST: [(&str, u64, u64); 23] = [
    ("direct", 1, 0),
    ("cleared", 1, 0),
    ("grown", 1, 0),
    ("aligned", 1, 0),
    ("copied", 1, 0),
    ("large", 1, 0),
    ("nothing", 1, 0),
    ("many", 1000, 0),
    ("chain", 1, 9),
    ("ring", 1, 4),
    ("overwritten", 1, 0),
    ("holder", 1, 0),
    ("cut", 1, 2),
    ("tree", 1, 8),
    ("line", 1, 0),
    ("printed", 1, 0),
    ("hidden", 1, 0),
    ("dead_local", 1, 0),
    ("dead_stack", 1, 0),
    ("dead_value", 1, 0),
    ("unmapped", 1, 0),
    ("behind_end", 1, 0),
    ("cut_in_coroutine", 1, 1),
];

const CLEAN: [&str; 23] = [
    "kept",
    "kept_list",
    "kept_inside",
    "in_static",
    "in_local",
    "in_mapping",
    "in_shared",
    "in_environment",
    "in_file",
    "in_large",
    "in_thread",
    "in_deaf_thread",
    "in_thread_without_signals",
    "in_register",
    "in_tree",
    "in_coroutine",
    "in_small_stack",
    "on_signal_stack",
    "exits_in_coroutine",
    "exits_in_handler",
    "in_library",
    "freed_late",
    "exits",
];

const LOST_CC: [(&str, u64, u64); 9] = [
    ("object", 1, 0),
    ("array", 1, 0),
    ("in_vector", 1, 1),
    ("in_map", 1, 1),
    ("of_pointers", 20, 0),
    ("released", 1, 0),
    ("shared_ring", 1, 1),
    ("thrown", 1, 0),
    ("in_thread", 1, 0),
];

const CLEAN_CC: [&str; 8] = [
    "kept_array",
    "kept_second_base",
    "kept_map",
    "in_function",
    "statics",
    "printed",
    "in_local",
    "caught",
];

const LOST_RS: [(&str, u64, u64); 4] =
    [("forgotten", 1, 0), ("forgotten_vector", 1, 10), ("ring", 1, 1), ("raw", 1, 0)];

const CLEAN_RS: [&str; 4] = ["kept", "once", "local", "thread"];

/// Runs each case, and says which were judged otherwise.
fn try_all(mut program: Recorded, lost: &[(&str, u64, u64)], clean: &[&str]) {
    let mut wrong = Vec::new();
    let clean = clean.iter().map(|name| (*name, 0, 0));
    for (name, lost, behind) in lost.iter().copied().chain(clean) {
        let found = self::lost(&mut program, name);
        if (found.lost.blocks, found.behind.blocks) != (lost, behind) {
            wrong.push(format!(
                "{name}: {lost} and {behind} are lost, not\n{}",
                leaks::words(&found, None)
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_lost_block_of_c_is_found_and_no_other() {
    try_all(compiled("leaks.c", &["-O0"]), &LOST, &CLEAN);
}

#[test]
fn every_lost_block_of_cpp_is_found_and_no_other() {
    try_all(compiled("leaks.cc", &["-O0", "-std=c++17"]), &LOST_CC, &CLEAN_CC);
}

#[test]
fn every_lost_block_of_rust_is_found_and_no_other() {
    try_all(compiled("leaks.rs", &["--edition=2024", "-g"]), &LOST_RS, &CLEAN_RS);
}

#[test]
fn a_leak_is_told_with_its_place_and_the_copy_ends() {
    let program = compiled("leaks.c", &["-O0"]);
    program.run(&["chain"]);
    let trace = program.trace();
    let words = leaks::words(&check(&trace, &Suppressions::default()).unwrap(), None);
    assert!(words.contains(") lost 24 B in 1 block"), "{words}");
    assert!(words.contains("216 B in 9 blocks"), "{words}");
    assert!(words.contains("list (leaks.c:") && words.contains("chain (leaks.c:"), "{words}");
    // It ends while others run, in its own time.
    let copy = trace.about().notes.iter().find_map(|note| note.strip_prefix("copy="));
    let copy = copy.and_then(|note| note.split(' ').next()).unwrap().to_owned();
    while fs::read(format!("/proc/{copy}/maps")).is_ok_and(|maps| !maps.is_empty()) {
        thread::yield_now();
    }
    let again = check(&trace, &Suppressions::default()).unwrap_err();
    assert!(again.to_string().contains("has ended since"), "{again}");
}

#[test]
fn a_child_has_its_parent_s_blocks_with_their_places_and_its_own() {
    let program = compiled("leaks_child.c", &["-O0"]);
    program.run(&[]);
    let traces = program.traces();
    let found = traces.iter().map(|trace| check(trace, &Suppressions::default()));
    let mut found: Vec<Leaks> = found.map(Result::unwrap).collect();
    found.sort_by_key(|leaks| leaks.lost.blocks);
    let [parent, child] = &found[..] else { panic!("{found:?}") };
    assert!(!parent.any(), "{}", leaks::words(parent, None));
    let of = |function: &str| -> u64 {
        let is_of = |stack: &[String]| stack.iter().any(|name| name.starts_with(function));
        child.leaks.iter().filter(|leak| is_of(&leak.stack)).map(|leak| leak.lost.blocks).sum()
    };
    // Of those for the first, each was lost when the next came.
    let words = leaks::words(child, None);
    assert_eq!(["inherited", "for_first", "for_second"].map(of), [1, 99, 1], "{words}");
    assert_eq!(child.lost.blocks, 101, "{words}");
}

#[test]
fn a_child_that_allocates_first_is_looked_at_by_itself() {
    let program = compiled("leaks_first_in_child.c", &["-O0"]);
    program.run(&[]);
    let bytes = |trace| check(&trace, &Suppressions::default()).unwrap().lost.bytes;
    let mut lost: Vec<u64> = program.traces().into_iter().map(bytes).collect();
    lost.sort_unstable();
    assert_eq!(lost, [77, 1050]);
}

#[test]
fn what_a_block_holds_that_is_resized_at_the_end_is_not_lost() {
    let mut program = compiled("leaks_resized.c", &["-O1", "-pthread"]);
    for run in ["1", "2", "3", "4", "5"] {
        let leaks = lost(&mut program, run);
        assert!(!leaks.any(), "{}", leaks::words(&leaks, None));
    }
}

#[test]
fn a_table_without_memory_says_so_and_of_no_leaks() {
    let program = compiled("leaks_no_table.c", &["-O0"]);
    program.run(&[]);
    let why = check(&program.trace(), &Suppressions::default()).unwrap_err();
    assert!(why.to_string().contains("had no memory left for the table"), "{why}");
}

#[test]
fn what_a_malloc_has_from_itself_is_no_leak_of_the_program_s() {
    let mut program = compiled("leaks.c", &["-O0"]);
    let library = program.folder().join("libpool.so");
    compile("pool.c", &["-O1", "-shared", "-fPIC"], &library);
    program.malloc = Some(library);
    let leaks = lost(&mut program, "direct");
    assert_eq!((leaks.lost.blocks, leaks.lost.bytes), (1, 100), "{}", leaks::words(&leaks, None));
}

#[test]
fn a_suppressed_leak_is_none() {
    let program = compiled("leaks.c", &["-O0"]);
    program.run(&["chain"]);
    let all = Suppressions::parse("leak:^list$").unwrap();
    let found = check(&program.trace(), &all).unwrap();
    assert_eq!((found.any(), found.suppressed.blocks), (false, 10));
}

#[test]
fn of_a_process_that_is_killed_there_is_no_copy() {
    let program = compiled("killed.c", &["-O0"]);
    let _ = program.command(&[]).output().unwrap();
    let why = check(&program.trace(), &Suppressions::default()).unwrap_err();
    assert!(why.to_string().contains("left no copy of its memory: it was killed"), "{why}");
}
