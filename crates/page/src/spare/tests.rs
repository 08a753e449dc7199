use source::Failing;
use source::os::Os;

use super::*;

#[test]
fn blocks_are_apart_aligned_and_known() {
    let spare = Spare::new();
    let mut blocks = Vec::new();
    for turn in 0..300 {
        let (size, align) = (1 + turn * 37 % 5000, 16 << (turn % 5));
        let block = spare.allocate(&Os, size, align).expect("memory");
        assert!(block.is_multiple_of(align));
        let len = spare.len_of(block).expect("known");
        assert!(len >= size);
        assert_eq!(spare.len_of(block + 8), None, "not its start");
        blocks.push((block, len));
    }
    blocks.sort_unstable();
    assert!(blocks.windows(2).all(|pair| pair[0].0 + pair[0].1 <= pair[1].0));
    assert_eq!(spare.len_of(0), None);
    assert!(!spare.free(blocks.as_ptr().addr()));
}

#[test]
fn the_newest_serves_again_and_others_do_not() {
    let spare = Spare::new();
    let [first, second] = [100, 200].map(|size| spare.allocate(&Os, size, 16).expect("memory"));
    assert!(spare.free(second));
    assert_eq!(spare.len_of(second), None, "it was freed");
    assert_eq!(spare.allocate(&Os, 150, 16), Some(second));
    assert!(spare.free(first));
    assert_ne!(spare.allocate(&Os, 100, 16), Some(first));
}

#[test]
fn large_ones_have_chunks_of_their_own_size() {
    let spare = Spare::new();
    let large = spare.allocate(&Os, 40 << 20, 2 << 20).expect("memory");
    assert_eq!(spare.len_of(large), Some(40 << 20));
    assert_eq!(spare.allocate(&Os, usize::MAX - 8, 16), None);
    assert_eq!(spare.allocate(&Os, usize::MAX / 2, 16), None);
    assert!(spare.allocate(&Os, 16, 16).is_some(), "a refusal changes nothing");
}

#[test]
fn less_is_asked_for_where_a_chunk_is_refused() {
    let source = Failing::new(Os);
    let spare = Spare::new();
    source.fail_nth(1);
    assert!(spare.allocate(&source, 100, 16).is_some());
}
