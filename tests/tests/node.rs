//! node with worker threads, each an isolate of its own, and its pool of threads.

use heapwright_tests::{Program, need, same_on_both, top};

#[test]
fn workers_buffers_and_streams() {
    let Some(node) = need("node") else { return };
    // A file and not the standard input: every worker reads it again.
    let script = top().join("tests/data/workers.js");
    let run = same_on_both("node", || Program::new(&node).arg(&script));
    assert!(run.stdout.ends_with("\ndone\n"), "{run}");
}
