//! The C malloc of the process under the conformance suite.
//!
//! A program of one test: the suite counts the addresses that blocks have been on, and what other
//! tests free beside it would be handed out to it.
use heapwright_testkit::c::C;
use heapwright_testkit::conformance::conformance;

#[test]
fn the_c_malloc_of_this_process_passes() {
    conformance(C::new).assert_passed();
}
