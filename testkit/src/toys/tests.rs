//! The harness finds each flaw, by the check that is meant to, and shrinks it.
use super::{Flaw, Toy};
use crate::generate::{Distribution, Generator};
use crate::program::Program;
use crate::run::{Options, run};
use crate::shrink::shrink;
use crate::subject::Subject;
use crate::wrong::Failure;

fn on(flaw: Flaw, program: &Program) -> Result<(), Failure> {
    let toy = Toy::new(flaw);
    run(&Subject::new(&toy).with_check(&toy), program, &Options::default()).map(|_| ())
}

/// The smallest program that shows `flaw`, out of one of 500 operations, and how it fails.
fn smallest(flaw: Flaw) -> (Program, Failure) {
    let by = Generator { ops: 500, budget: 8 << 20, ..Generator::default() };
    let found = (0..20).find_map(|seed| {
        let program = by.program(seed);
        on(flaw, &program).err().map(|failure| (program, failure))
    });
    let (program, first) = found.expect("a flawed toy fails");
    let same = |program: &Program| {
        on(flaw, program).is_err_and(|failure| failure.wrong.kind() == first.wrong.kind())
    };
    let small = shrink(&program, 20_000, same);
    // Some flaws show by addresses, which differ from run to run.
    let failure = (0..8).find_map(|_| on(flaw, &small).err()).expect("it still fails");
    assert!(small.ops.len() < 10, "{flaw:?}: {} operations are left:\n{small}", small.ops.len());
    assert_eq!(small.to_string().parse().as_ref(), Ok(&small));
    (small, failure)
}

fn finds(flaw: Flaw, kind: &str, words: &str) -> String {
    let (program, failure) = smallest(flaw);
    assert_eq!(failure.wrong.kind(), kind, "{flaw:?}: {failure}\n{program}");
    let message = failure.to_string();
    assert!(message.contains(words), "{flaw:?}: `{message}` lacks `{words}`");
    program.to_string()
}

#[test]
fn a_right_allocator_passes_every_distribution() {
    for distribution in Distribution::ALL {
        let by = Generator {
            distribution,
            ops: if distribution == Distribution::Huge { 60 } else { 1000 },
            threads: 3,
            exchange: true,
            slots: 64,
            ..Generator::default()
        };
        for seed in 0..3 {
            let result = on(Flaw::None, &by.program(seed));
            result.unwrap_or_else(|failure| panic!("{distribution}, seed {seed}: {failure}"));
        }
    }
}

macro_rules! found {
    ($($name:ident: $flaw:ident, $kind:literal, $words:literal $(, $program:literal)?;)*) => {$(
        #[test]
        fn $name() {
            let _program = finds(Flaw::$flaw, $kind, $words);
            $(assert_eq!(_program, $program);)?
        }
    )*};
}

found! {
    overlap_is_found: Overlaps, "overlap", "shares bytes with live block 0x";
    misalignment_is_found: Misaligned, "misaligned", "is not a multiple of 16", "malloc 0 1001\n";
    a_forgotten_byte_is_found: ForgetsOnRealloc, "not-kept", "bytes wrong)";
    dirty_calloc_is_found: DirtyCalloc, "not-zero", "expected 0x00, found 0x";
    a_short_usable_size_is_found: ShortUsable, "usable", "has 100 usable bytes, 101 were asked for", "malloc 0 101\n";
    a_block_handed_out_twice_is_found: SparesTwice, "overlap", "shares bytes with live block 0x";
    a_write_into_a_live_block_is_found: Scribbles, "contents", "(1 bytes wrong)";
    a_refusal_is_found: Refuses, "null", "513 bytes were refused", "malloc 0 513\n";
    a_block_of_impossible_size_is_found: Wraps, "not-null", "cannot exist";
}

#[test]
fn a_broken_structure_is_found_at_its_operation() {
    let toy = Toy::new(Flaw::Miscounts);
    let program: Program = "malloc 0 8; free 0;".repeat(30).parse().expect("it is a program");
    let subject = Subject::new(&toy).with_check(&toy);
    let failure = run(&subject, &program, &Options::default()).expect_err("it is flawed");
    assert_eq!(failure.index, 39);
    assert_eq!(
        failure.to_string(),
        "operation 39 (free 0): broken: invariant broken at 0x1: T1: the count is the map's"
    );
}
