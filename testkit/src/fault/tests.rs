use super::*;
use crate::generate::Generator;
use crate::toys::{Flaw, Toy};

fn sweep_toy(flaw: Flaw) -> Result<u64, Swept> {
    let program =
        Generator { ops: 300, slots: 32, budget: 1 << 20, ..Generator::default() }.program(4);
    sweep(1000, |n| {
        let toy = Toy::new(flaw);
        let faults = By(|n| toy.fail_nth(n), || toy.calls());
        run(&Subject::new(&toy).with_check(&toy).with_faults(&faults), &program, n)
    })
}

#[test]
fn every_call_of_a_right_allocator_may_fail() {
    let failed = sweep_toy(Flaw::None).expect("the toy is right");
    assert!(failed > 50, "only {failed} calls were made to fail");
}

#[test]
fn a_block_lost_when_realloc_fails_is_found() {
    let swept = sweep_toy(Flaw::FailedReallocScribbles).expect_err("the toy is flawed");
    assert!(swept.n > 0);
    assert_eq!(swept.failure.wrong.kind(), "contents");
    assert!(swept.to_string().contains("source call"), "{swept}");
}

#[test]
fn an_allocator_that_gives_up_for_ever_is_found() {
    let swept = sweep_toy(Flaw::GivesUp).expect_err("the toy is flawed");
    assert_eq!((swept.n, swept.failure.wrong.kind()), (1, "no-recovery"));
}

#[test]
fn null_before_the_failing_call_is_wrong() {
    let swept = sweep_toy(Flaw::Refuses).expect_err("the toy is flawed");
    assert_eq!((swept.n, swept.failure.wrong.kind()), (0, "null"));
}

#[test]
fn a_bookkeeping_error_after_a_failure_is_found() {
    let swept = sweep_toy(Flaw::FailureMiscounts).expect_err("the toy is flawed");
    assert_eq!((swept.n, swept.failure.wrong.kind()), (1, "broken"));
}
