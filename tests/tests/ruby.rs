//! ruby: objects, threads, fibers, children, and its collector, which also moves objects.

use heapwright_tests::{Program, need, same_on_both};

#[test]
fn objects_threads_and_collections() {
    let Some(ruby) = need("ruby") else { return };
    let script = include_str!("../data/objects.rb");
    let run = same_on_both("ruby", || Program::new(&ruby).arg("-").input(script));
    assert!(run.stdout.ends_with("\ndone\n"), "{run}");
}
