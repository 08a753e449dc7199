//! sqlite3 on a database in memory.

use heapwright_tests::{Program, need, same_on_both};

#[test]
fn joins_updates_and_sums() {
    let Some(sqlite) = need("sqlite3") else { return };
    let script = include_str!("../data/orders.sql");
    let run = same_on_both("sqlite3", || {
        Program::new(&sqlite).args(["-batch", "-bail", ":memory:"]).input(script)
    });
    assert!(run.stdout.starts_with("lines|60000|"), "{run}");
    assert!(run.stdout.ends_with("\nok\n"), "{run}");
}
