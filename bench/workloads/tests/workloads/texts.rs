//! What single workloads of the texts show: tails, refusals, curves.

use crate::common::{lines, run};
use crate::each::decided_by_the_seed;

/// The number of the only line that begins with `key`.
fn number(lines: &[Vec<String>], key: &str) -> Option<u64> {
    let mut found = lines.iter().filter(|line| line[0] == key);
    let number = found.next()?[1].parse().expect("a whole number");
    assert!(found.next().is_none(), "two lines of {key}");
    Some(number)
}

#[test]
fn tails_are_of_as_many_calls() {
    for name in ["bench-tiny", "multi-thread-c", "tlsf-sweep"] {
        let printed = lines(&[name, "scale=0.002", "tail=1"]);
        let calls = |kind: &str| -> u64 {
            let of_kind = printed.iter().filter(|line| line[0] == "hist" && line[1] == kind);
            of_kind.map(|line| line[3].parse::<u64>().expect("a count")).sum()
        };
        let ops = number(&printed, "ops").expect("it counts");
        assert!(calls("malloc") >= ops / 2, "{name}: {} of {ops}", calls("malloc"));
        assert!(calls("free") >= ops / 2, "{name}: {} of {ops}", calls("free"));
    }
}

#[test]
fn what_a_small_region_refuses_is_counted_and_not_timed() {
    let sweep =
        |region| lines(&["tlsf-sweep", "slots=1000", "scale=0.01", "allocator=tlsf", region]);
    let (tight, wide) = (sweep("region=2"), sweep("region=64"));
    assert_eq!(number(&wide, "refused"), Some(0));
    // Where requests are refused stands on a curve, and the text's own curve is there beside the one of what was granted.
    let curve = |printed: &[Vec<String>], name: &str| -> Vec<u64> {
        let of = printed.iter().filter(|line| line[0] == "point" && line[1] == name);
        of.map(|line| line[2].parse().unwrap()).collect()
    };
    let refused = curve(&tight, "refused");
    // 1,000 blocks of 2,000 bytes are 2 MB, and holes between them are no use to larger ones.
    assert!((1500..2112).contains(&refused[0]), "{refused:?}");
    assert_eq!(curve(&tight, "as-timed").len(), 256);
    assert!(curve(&wide, "refused").is_empty() && curve(&wide, "as-timed").is_empty());
    assert!(number(&tight, "refused").is_some_and(|refused| refused > 1000));
    let ops = |printed: &[Vec<String>]| number(printed, "ops").expect("it counts");
    assert!(ops(&tight) < ops(&wide), "only what was granted is among the calls");
    // No block of a region of 1 MiB has 2,000,000 bytes.
    let none = lines(&["tlsf-sweep", "step=2000000", "last=2000000", "region=1", "allocator=tlsf"]);
    let is_pair = |line: &&Vec<String>| line[0] == "point" && line[1] == "pair";
    assert!(none.iter().filter(is_pair).all(|line| line[2] == "0"));
}

#[test]
fn an_arena_does_the_same_work_as_a_pool() {
    let of = |name| {
        let words = ["tlsf-sweep", "slots=300", "scale=0.01", "region=64", name];
        decided_by_the_seed("tlsf-sweep", &lines(&words))
    };
    assert_eq!(of("allocator=tlsf-arena"), of("allocator=tlsf"));
}

#[test]
fn calls_are_counted_by_size_too() {
    let printed = lines(&["tlsf-sweep", "slots=100", "last=1024", "scale=0.002", "tail=1"]);
    for kind in ["malloc", "free"] {
        let of = |name: &str, at: usize| -> u64 {
            let lines = printed.iter().filter(|line| line[0] == name && line[1] == kind);
            lines.map(|line| line[at].parse::<u64>().expect("a count")).sum()
        };
        assert_eq!(of("sized", 4), of("hist", 3), "{kind}: all sizes are known");
        let sizes = printed.iter().filter(|line| line[0] == "sized" && line[1] == kind);
        let sizes: Vec<u64> = sizes.map(|line| line[2].parse().unwrap()).collect();
        assert!(sizes.is_sorted() && sizes.contains(&768) && sizes.contains(&64), "{sizes:?}");
    }
}

#[test]
fn the_null_allocator_is_refused_where_it_means_nothing() {
    for name in ["mitest", "malloc-large", "list-walk", "addresses"] {
        let output = run(&[name, "allocator=null", "scale=0.002"]);
        assert_eq!(output.status.code(), Some(1), "{name}");
        assert!(String::from_utf8_lossy(&output.stderr).contains("null allocator"), "{name}");
    }
    assert_eq!(number(&lines(&["t-test1", "allocator=null", "scale=0.002"]), "refused"), Some(0));
}
