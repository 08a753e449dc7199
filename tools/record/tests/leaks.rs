//! Leaks that are known: every one is found, by its place, and nothing that can be reached is called lost.

mod common;

use std::fs;

use common::Recorded;
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
const LOST: [(&str, u64, u64); 22] = [
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
];

const CLEAN: [&str; 18] = [
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
    "in_register",
    "in_tree",
    "in_coroutine",
    "in_library",
    "freed_late",
    "exits",
];

#[test]
fn every_lost_block_is_found_and_no_other() {
    let mut program = compiled("leaks.c", &["-O0"]);
    let mut wrong = Vec::new();
    let clean = CLEAN.map(|name| (name, 0, 0));
    for (name, lost, behind) in LOST.into_iter().chain(clean) {
        let found = self::lost(&mut program, name);
        if (found.lost.blocks, found.behind.blocks) != (lost, behind) {
            wrong.push(format!(
                "{name}: {lost} and {behind} are lost, not\n{}",
                leaks::words(&found)
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
