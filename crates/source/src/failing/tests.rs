use super::*;
use crate::os::Os;

/// Whole pages on every machine.
const PAGE: usize = 1 << 16;

#[test]
fn only_the_nth_call_is_refused() {
    let source = Failing::new(Os);
    source.fail_nth(2);
    let first = source.map(PAGE, PAGE).expect("the first call is allowed");
    assert_eq!(source.map(PAGE, PAGE), None);
    // SAFETY: `first` was mapped above and is not used.
    assert!(unsafe { source.release(first, PAGE) });
    assert_eq!(source.calls(), 3);
}

#[test]
fn a_strict_kernel_refuses_everything_from_then_on() {
    let source = Failing::new(Os);
    source.fail_from(1);
    assert_eq!(source.reserve(1 << 21, 1 << 21), None);
    assert_eq!(source.map(PAGE, PAGE), None);
    source.fail_nth(0);
    let at = source.map(PAGE, PAGE).expect("0 refuses nothing");
    // SAFETY: `at` was mapped above and is not used.
    assert!(unsafe { source.release(at, PAGE) });
}
