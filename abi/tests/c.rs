//! Runs every program of `tests/c` and of the workspace's `tests/misuse` on `libheapwright.so`.
//!
//! Each program checks one rule of C, C++, POSIX or glibc, or one way of surviving; its first line names the rule. Here it
//! is compiled with the system's compiler, run with the library preloaded, and, where it says `// also: glibc`, run
//! on the C library's own malloc too, which proves the program itself. See [`source`] for the marks a program can carry.
//!
//! The rules that are for any malloc are tried on the drop-in libraries of the classic designs too, and under a kernel that
//! refuses.
//!
//! `HEAPWRIGHT_SO=/path/lib.so cargo test -p heapwright-abi` runs them on another library; `cargo xtask port` on another C
//! library or processor, see [`target`].
#![expect(
    clippy::disallowed_macros,
    reason = "the runner is no part of the allocator: it may format and print"
)]

#[path = "runner/build.rs"]
mod build;
#[path = "runner/exports.rs"]
mod exports;
#[path = "runner/library.rs"]
mod library;
#[path = "runner/readme.rs"]
mod readme;
#[path = "runner/refused.rs"]
mod refused;
#[path = "runner/run.rs"]
mod run;
#[path = "runner/source.rs"]
mod source;
#[path = "runner/target.rs"]
mod target;

use std::process::ExitCode;
use std::thread::available_parallelism;

use clap::Parser;
use libtest_mimic::{Arguments, Trial};

/// The harness takes one word; as cargo's own does, this takes several.
#[derive(Parser)]
struct Asked {
    #[command(flatten)]
    harness: Arguments,
    /// More words: tests run whose names have any of them
    more: Vec<String>,
}

impl Asked {
    fn of(&self, name: &str) -> bool {
        let is =
            |word: &String| if self.harness.exact { name == word } else { name.contains(word) };
        self.more.is_empty() || self.more.iter().any(is)
    }
}

/// The programs, by the names of their tests: their folder and ending.
const PROGRAMS: [(&str, &str, &str); 4] = [
    ("c", "tests/c", "c"),
    ("cxx", "tests/c", "cc"),
    ("misuse", "../tests/misuse", "c"),
    ("misuse_cxx", "../tests/misuse", "cc"),
];

/// Classic designs that share the most with the others: they are tried when they are asked for, by `cargo xtask ci designs`.
const ALIKE: [&str; 5] = ["best-fit", "buddy", "first-fit", "next-fit", "worst-fit"];

/// A test for each program, for each classic design, and for a kernel that refuses; those of the library's file besides.
fn main() -> ExitCode {
    let mut asked = Asked::parse();
    asked.more.extend(asked.harness.filter.take());
    run::show(asked.harness.nocapture);
    let mut trials = Vec::new();
    for (module, folder, ending) in PROGRAMS {
        for file in source::all(folder, ending) {
            let name = format!("{module}::{}", source::Source::read(&file).name());
            trials.push(trial(&name, move || run::program(&file)));
        }
    }
    for design in registry::mallocs() {
        let name = format!("drop_ins::{}", design.replace('-', "_"));
        let trial = trial(&name, move || all_programs_on(design));
        trials.push(trial.with_ignored_flag(ALIKE.contains(&design)));
    }
    // All programs that are for any malloc, but for those whose rule needs what is refused.
    trials.push(trial("refusing_kernel::every_call_at_once", refused::all_at_once));
    trials.push(trial("refusing_kernel::one_call_at_a_time", refused::one_at_a_time));
    // 6,000 runs, an hour.
    let product = trial("refusing_kernel::every_call_with_every_error", refused::product);
    trials.push(product.with_ignored_flag(true));
    trials.extend(exports::ALL.map(|(name, test)| trial(&format!("exports::{name}"), test)));
    trials.push(trial("readme::links", readme::what_is_linked_as_the_readme_says_starts));
    trials.retain(|trial| asked.of(trial.name()));
    // One more than there are processors, as some only wait.
    asked
        .harness
        .test_threads
        .get_or_insert_with(|| available_parallelism().map_or(2, |all| all.get() + 1));
    libtest_mimic::run(&asked.harness, trials).exit_code()
}

/// What panics has failed.
fn trial(name: &str, test: impl FnOnce() + Send + 'static) -> Trial {
    Trial::test(name, move || {
        test();
        Ok(())
    })
}

/// Programs that cannot pass, and why: on the designs named, or on those behind one lock.
const WITHOUT: &[(&str, &str, &str)] = &[
    (
        "",
        "a block that cannot grow in place is copied, so old and new are there at once",
        "rlimit_as_growth realloc_steps realloc_vectors",
    ),
    ("", "calloc writes all of a block, but for one with a chunk of its own", "huge_disabled"),
    (
        "",
        "a header is written into each block, so a page of each becomes resident",
        "region_terabyte",
    ),
    ("", "an address that is no block's is not noticed, so nothing is said", "stderr_is_ours"),
    ("", "nothing is reserved, so a limit set late is one like any other", "rlimit_as_late"),
    (
        "",
        "memory goes back a piece at a time, when all of it is free, and a few blocks stay",
        "purge_while_quiet thread_few_kept",
    ),
    (
        "thread-caching",
        "a block of up to 8 bytes takes 8 and is aligned to 8, as C has it",
        "aligned_alloc malloc_alignment new_forms",
    ),
    (
        "thread-caching superslab sharded",
        "the message names free(), whatever was called",
        "delete_stack delete_twice_large",
    ),
    (
        "thread-caching superslab sharded",
        "what was freed serves again at once, in blocks of any size",
        "free_twice_kept_200000",
    ),
    (
        "superslab sharded",
        "what was freed serves again at once, in blocks of any size",
        "free_twice_kept_70000 free_twice_large_thread",
    ),
    (
        "superslab sharded",
        "a large block that another thread freed is live until its owner looks",
        "realloc_kept_thread",
    ),
    (
        "thread-caching",
        "an object is not looked at before it goes from a cache to its span",
        "free_interior_small",
    ),
    (
        "superslab sharded",
        "a slab or page of 64 KiB goes back when it is empty, and one block in 100 stays",
        "malloc_trim",
    ),
    (
        "sharded",
        "a segment is 4 MiB at a multiple of that, for which a limit of 6 MiB leaves no room",
        "rlimit_as_tiny",
    ),
    (
        "worst-fit",
        "every small block is cut from the largest free one, so soon no large one is left",
        "mlockall",
    ),
    (
        "buddy",
        "a block that cannot grow in place is copied, so old and new are there at once",
        "realloc_swing",
    ),
    (
        "buddy",
        "a block and its prefix take the next power of two",
        "cgroup_limit cgroup_limit_hidden huge_sparse mallinfo usable_size usable_size_waste",
    ),
    (
        "buddy",
        "a large block is at a multiple of its power of two, so there must be twice as much",
        "rlimit_as rlimit_as_running mlockall",
    ),
    ("buddy", "it takes half a minute there, half of what it has", "refused_madvise"),
    (
        "buddy",
        "two bits of state for each 16 bytes are written when memory is added",
        "calloc_untouched region_full",
    ),
];

/// All programs that are for any malloc, one after the other, but for those that the design cannot pass.
fn all_programs_on(design: &str) {
    let is_behind_one_lock =
        registry::BLOCKS.iter().any(|block| block.is_malloc && block.name == design);
    let of_design = |designs: &str| {
        let is_named = designs.split_whitespace().any(|one| one == design);
        is_named || (designs.is_empty() && is_behind_one_lock)
    };
    let without: Vec<(&str, &str)> = WITHOUT
        .iter()
        .filter(|(designs, ..)| of_design(designs))
        .flat_map(|(_, because, rules)| rules.split_whitespace().map(|rule| (rule, *because)))
        .collect();
    let row = registry::MALLOCS.iter().find(|row| row.name == design);
    let misuse = row.is_some_and(|row| row.abilities.contains(&"misuse"));
    crate::run::drop_in(design, misuse, &without);
}
