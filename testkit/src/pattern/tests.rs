use super::*;

fn filled(len: usize, pattern: Pattern) -> Vec<u8> {
    let mut block = vec![MaybeUninit::new(0); len];
    pattern.fill(&mut block);
    // SAFETY: every element was initialised, by `new` or by `fill`.
    block.iter().map(|b| unsafe { b.assume_init() }).collect()
}

#[test]
fn what_was_filled_verifies() {
    for len in [0, 1, 7, 8, 9, 4096, FULL, FULL + 1, FULL + 4097, 1 << 20] {
        let pattern = Pattern::new(0x1000, 7);
        let block = filled(len, pattern);
        assert_eq!(pattern.verify(&block, len), Ok(()), "{len}");
        assert_eq!(pattern.verify(&block[..len / 2], len), Ok(()), "half of {len}");
    }
}

#[test]
fn every_byte_counts_up_to_the_full_limit() {
    let pattern = Pattern::new(0x1000, 7);
    for len in [1, 17, 100, 5000] {
        for at in [0, len / 2, len - 1] {
            let mut block = filled(len, pattern);
            block[at] ^= 0x40;
            let found = pattern.verify(&block, len).expect_err("one byte is wrong");
            assert_eq!((found.offset, found.wrong), (at, 1));
            assert_eq!(found.found, found.expected ^ 0x40);
        }
    }
}

#[test]
fn every_page_and_both_ends_of_a_large_block_count() {
    let pattern = Pattern::new(0x1000, 7);
    let len = 1 << 20;
    for at in (0..len).step_by(PAGE).chain([100, len - 1, len - PAGE]) {
        let mut block = filled(len, pattern);
        block[at] ^= 1;
        assert!(pattern.verify(&block, len).is_err(), "{at:#x}");
    }
}

#[test]
fn turns_look_at_every_page_once() {
    let (len, each) = (2 * SPARSE, 16);
    let mut seen = vec![0; len / PAGE];
    for first in 0..each {
        let pattern = Pattern::new(0x1000, 7).with_samples(Samples { each, first });
        let mut block = filled(len, pattern);
        for (page, seen) in seen.iter_mut().enumerate() {
            block[page * PAGE] ^= 1;
            *seen += usize::from(pattern.verify(&block, len).is_err());
            block[page * PAGE] ^= 1;
        }
    }
    let ends = [seen[0], seen[len / PAGE - 1]];
    assert_eq!(ends, [each; 2]);
    assert!(seen[1..len / PAGE - 1].iter().all(|&seen| seen == 1), "{seen:?}");
}

#[test]
fn another_address_or_seed_is_another_pattern() {
    let block = filled(64, Pattern::new(0x1000, 7));
    assert!(Pattern::new(0x1010, 7).verify(&block, 64).is_err());
    assert!(Pattern::new(0x1000, 8).verify(&block, 64).is_err());
}

#[test]
fn the_first_nonzero_byte_is_found() {
    let mut block = vec![0; 3 * PAGE + 5];
    assert_eq!(first_nonzero(&block), None);
    block[2 * PAGE + 3] = 9;
    assert_eq!(first_nonzero(&block), Some((2 * PAGE + 3, 9)));
}
