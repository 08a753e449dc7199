use super::*;
use crate::c::C;
use crate::toys::{Flaw, Toy};

fn go(subject: &Subject<'_>, text: &str, options: &Options) -> Result<Ran, String> {
    let program: Program = text.parse().expect("it is a program");
    run(subject, &program, options).map_err(|failure| failure.to_string())
}

#[test]
fn what_a_run_did_is_counted() {
    let c = C::new();
    let text = "malloc 0 100; realloc 0 300; free 0; malloc 1 0xffffffffffffffff; calloc 1 2 50";
    let ran = go(&Subject::new(&c), text, &Options::default());
    assert_eq!(ran, Ok(Ran { blocks: 3, nulls: 0, peak: 300 }));
}

#[test]
fn the_child_of_a_fork_goes_on() {
    let c = C::new();
    let text = "malloc 0 100; aligned 1 64 5000; fork; calloc 2 9 9; free 0; fork";
    go(&Subject::new(&c), text, &Options::default()).expect("the C malloc is right");
}

#[test]
fn a_child_that_finds_something_says_so() {
    // The parent counts right until its twentieth free, which is the child's.
    let toy = Toy::new(Flaw::Miscounts);
    let text = "malloc 0 8; free 0;".repeat(15) + "malloc 0 8; fork";
    let error = go(&Subject::new(&toy).with_check(&toy), &text, &Options::default()).unwrap_err();
    assert_eq!(
        error,
        "operation 31 (fork): child: in the child of a fork, check found a broken invariant"
    );
}

#[test]
fn a_child_that_is_refused_says_so() {
    let toy = Toy::new(Flaw::GivesUp);
    let subject = Subject::new(&toy).with_faults(&toy);
    crate::FaultInjector::fail_nth(&toy, 1);
    let options = Options { nulls: Nulls::AfterFault(1), ..Options::default() };
    let error = go(&subject, "malloc 0 8; fork", &options).unwrap_err();
    assert!(error.ends_with("in the child of a fork, a block was refused"), "{error}");
}

#[test]
fn nulls_are_right_where_they_are_allowed() {
    let toy = Toy::new(Flaw::Refuses);
    let subject = Subject::new(&toy);
    let options = Options { nulls: Nulls::Allowed, ..Options::default() };
    assert_eq!(go(&subject, "malloc 0 513; malloc 0 64", &options).map(|ran| ran.nulls), Ok(1));
    let error = go(&subject, "malloc 0 513", &Options::default()).unwrap_err();
    assert!(error.starts_with("operation 0 (malloc 0 513): null: 513 bytes"), "{error}");
}

#[test]
fn threads_take_turns_and_end() {
    let toy = Toy::new(Flaw::None);
    let text = "malloc 0 8; on 1; realloc 0 80; malloc 1 8; send 1; exit 1; receive 2; on 2; \
                free 0; exit 2; free 2; on 1; malloc 0 9";
    go(&Subject::new(&toy).with_check(&toy), text, &Options::default()).expect("the toy is right");
}
