//! perl: hashes, sorts, regular expressions.

use heapwright_tests::{Program, need, same_on_both};

#[test]
fn hashes_sorts_and_patterns() {
    let Some(perl) = need("perl") else { return };
    let script = include_str!("../data/words.pl");
    let run = same_on_both("perl", || {
        Program::new(&perl).arg("-").env("PERL_HASH_SEED", "0").input(script)
    });
    assert!(run.stdout.contains("\nclosures "), "{run}");
}
