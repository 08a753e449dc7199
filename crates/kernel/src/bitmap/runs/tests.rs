use super::*;
use crate::shapes::Random;

/// A bitmap with its sums, and the same bits one by one.
struct Both {
    words: Vec<usize>,
    sums: Vec<Sum>,
    bits: Vec<bool>,
}

impl Both {
    fn new(bits: usize) -> Self {
        let words = bits.div_ceil(BITS);
        let mut both = Self {
            words: vec![0; words],
            sums: vec![Sum::default(); sums(words)],
            bits: vec![true; bits],
        };
        both.runs().fill(bits);
        both
    }

    fn runs(&mut self) -> Runs<'_> {
        Runs { words: &mut self.words, sums: &mut self.sums }
    }

    fn set(&mut self, first: usize, len: usize, ones: bool) {
        self.runs().set(first, len, ones);
        self.bits[first..first + len].fill(ones);
        self.runs().check().unwrap();
    }

    fn first_run(&self, len: usize, from: usize) -> Option<usize> {
        (from..(self.bits.len() + 1).saturating_sub(len))
            .find(|at| self.bits[*at..at + len].iter().all(|bit| *bit))
    }
}

#[test]
fn every_word_of_twelve_bits_and_every_run() {
    let mut both = Both::new(12);
    for bits in 0..1usize << 12 {
        for bit in 0..12 {
            both.bits[bit] = bits >> bit & 1 == 1;
        }
        both.words[0] = bits;
        both.runs().update(0, 0);
        for len in 1..=13 {
            for from in 0..13 {
                let wanted = both.first_run(len, from);
                assert_eq!(both.runs().first_run(len, from), wanted, "{bits:b} {len} {from}");
            }
        }
    }
}

#[test]
fn runs_across_words_are_the_lowest() {
    let mut random = Random(3);
    for bits in [1, BITS - 1, BITS, BITS + 1, 3 * BITS, 5 * BITS + 7, 16 * BITS] {
        let mut both = Both::new(bits);
        both.runs().check().unwrap();
        for _ in 0..600 {
            // Flips a stretch of equal bits, or a part of it.
            let from = random.below(bits);
            let (end, ones) = both.runs().stretch(from, bits);
            let plain = both.bits[from..].iter().position(|bit| *bit != ones);
            assert_eq!(end, plain.map_or(bits, |len| from + len));
            let len = 1 + random.below(end - from);
            both.set(from, len, !ones);
            let (len, from) = (1 + random.below(bits + 1), random.below(bits));
            for from in [0, from] {
                let wanted = both.first_run(len, from);
                assert_eq!(both.runs().first_run(len, from), wanted, "{bits} {len} {from}");
            }
            let len = len.min(bits - from);
            let plain = both.bits[from..from + len].iter().rposition(|bit| !bit);
            assert_eq!(both.runs().last_used(from, len), plain.map(|at| from + at));
        }
    }
}
