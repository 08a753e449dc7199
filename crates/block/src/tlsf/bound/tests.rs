use super::*;

#[test]
fn a_run_is_the_lower_edge_of_a_bin_that_holds_the_request() {
    for request in 1..100_000 {
        let block = align_up(request + WORD, GRAIN).max(4 * WORD);
        let run = tlsf_run(request);
        assert!(run >= block, "{request}");
        assert!(run <= block + block / 8 + GRAIN, "{request}: {run}");
        let (bin, below) = (by_bit(8, run / GRAIN), by_bit(8, run / GRAIN - 1));
        assert_eq!(below + 1, bin, "{request}: {run} is an edge");
    }
}

#[test]
fn bounds_grow_and_half_fit_needs_less_where_sizes_differ_much() {
    let mut last = 0;
    for live in [64 << 10, 256 << 10, 1 << 20] {
        let tlsf = required_heap(Bound::Tlsf, live, 32 << 10, 16);
        let half = required_heap(Bound::HalfFit, live, 32 << 10, 16);
        assert!(half < tlsf && half > 2 * live, "{half} {tlsf}");
        assert!(half > last);
        last = half;
    }
    assert_eq!(required_heap(Bound::Tlsf, 100, 200, 16), 0);
    assert_eq!(required_heap(Bound::Tlsf, 100, 50, 60), 0);
    assert_eq!(required_heap(Bound::HalfFit, usize::MAX, 50, 6), usize::MAX);
    for bound in [Bound::Tlsf, Bound::HalfFit] {
        assert_eq!(required_heap(bound, 100, 50, 0), usize::MAX, "empty blocks cost headers");
        assert_eq!(required_heap(bound, 0, 0, 0), usize::MAX);
        assert_eq!(required_heap(bound, 100, 200, 0), 0, "a contradiction comes first");
    }
}

#[test]
fn one_size_needs_no_more_than_its_blocks() {
    // Nothing but blocks of 32 bytes: no gap is too short for one.
    let needed = required_heap(Bound::HalfFit, 24 * 100, 24, 24);
    assert!(needed <= 2 * 24 * 100 + 100 * 32 + 64 + POOL, "{needed}");
}
