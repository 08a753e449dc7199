//! What live blocks are filled with, and how it is verified.
//!
//! A block's bytes follow from its address and a seed that no other allocation has, so a byte
//! written by the owner of another block, or left from an earlier one, does not pass.
//!
//! ```text
//! up to FULL bytes   │████████████████████████│                    every byte
//! above              │█████│█····│█····│█····│··█████│             first and last PAGE,
//!                                                                  64 bytes of every page between,
//!                                                                  of each n-th above SPARSE
//! ```
use core::mem::MaybeUninit;
use core::ops::Range;

use crate::rng::mix;

/// Blocks up to this many bytes are filled and verified in full.
pub const FULL: usize = 128 << 10;
/// In blocks above this some of the pages between the ends may go without a sample.
pub const SPARSE: usize = 1 << 20;
/// The distance of the samples in blocks above [`FULL`].
pub const PAGE: usize = 4096;
const SAMPLE: usize = 64;
const STEP: u64 = 0x9E37_79B9_7F4A_7C15;

/// Which pages between the ends of a block above [`SPARSE`] carry a sample: every `each`-th, from `first` on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Samples {
    pub each: usize,
    pub first: usize,
}

impl Samples {
    pub const ALL: Samples = Samples { each: 1, first: 0 };

    /// Of sixteen pages one, another one in each turn: to touch them all takes longer than all else that is tried with large
    /// blocks. Where everything is tried, all.
    pub fn by_turns(turn: u64) -> Samples {
        let each = if std::env::var_os("HEAPWRIGHT_WHOLE").is_some() { 1 } else { 16 };
        Samples { each, first: 0 }.turned(turn)
    }

    pub fn turned(self, turn: u64) -> Samples {
        let each = self.each as u64;
        let first = (self.first as u64 + turn % each) % each;
        Samples { first: usize::try_from(first).expect("below `each`"), ..self }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pattern {
    base: u64,
    samples: Samples,
}

/// The first byte that is not as the pattern says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Mismatch {
    /// The byte's distance from the start of the block.
    pub offset: usize,
    pub expected: u8,
    pub found: u8,
    /// How many of the verified bytes are wrong, this one included.
    pub wrong: usize,
}

impl Pattern {
    pub fn new(address: usize, seed: u64) -> Pattern {
        Pattern { base: mix(mix(seed) ^ address as u64), samples: Samples::ALL }
    }

    pub fn with_samples(self, samples: Samples) -> Pattern {
        Pattern { samples, ..self }
    }

    /// The eight bytes that start at word `index`.
    #[inline]
    fn word(self, index: usize) -> [u8; 8] {
        let word = self.base.wrapping_add((index as u64).wrapping_mul(STEP));
        (word ^ (word >> 29)).to_le_bytes()
    }

    /// Most of a suite's time is spent here and in [`verify`](Self::verify): a word at a time.
    pub fn fill(self, block: &mut [MaybeUninit<u8>]) {
        for stripe in stripes(block.len(), self.samples) {
            let mut index = stripe.start / 8;
            let (words, rest) = block[stripe].as_chunks_mut::<8>();
            for word in words {
                *word = self.word(index).map(MaybeUninit::new);
                index += 1;
            }
            for (to, from) in rest.iter_mut().zip(self.word(index)) {
                to.write(from);
            }
        }
    }

    /// Whether all of `bytes` are as the pattern says, of which the first are word `index`.
    fn is_in(self, bytes: &[u8], mut index: usize) -> bool {
        let (words, rest) = bytes.as_chunks::<8>();
        for found in words {
            // As numbers: for arrays this calls memcmp, a call for eight bytes.
            if u64::from_ne_bytes(*found) != u64::from_ne_bytes(self.word(index)) {
                return false;
            }
            index += 1;
        }
        rest == &self.word(index)[..rest.len()]
    }

    /// Compares the bytes of a block's beginning, of a block that was filled over `filled` bytes.
    /// Errors: the first [`Mismatch`].
    pub fn verify(self, block: &[u8], filled: usize) -> Result<(), Mismatch> {
        let mut first: Option<Mismatch> = None;
        for stripe in stripes(filled, self.samples) {
            let stripe = stripe.start..stripe.end.min(block.len());
            if stripe.is_empty() {
                continue;
            }
            let (start, word) = (stripe.start, stripe.start / 8);
            let bytes = &block[stripe];
            if self.is_in(bytes, word) {
                continue;
            }
            for (i, chunk) in bytes.chunks(8).enumerate() {
                for (j, (&found, expected)) in chunk.iter().zip(self.word(word + i)).enumerate() {
                    if found != expected {
                        let offset = start + i * 8 + j;
                        let seen = first.map_or(0, |m| m.wrong);
                        let at = first.unwrap_or(Mismatch { offset, expected, found, wrong: 0 });
                        first = Some(Mismatch { wrong: seen + 1, ..at });
                    }
                }
            }
        }
        first.map_or(Ok(()), Err)
    }
}

/// The ranges of a block of `len` bytes that carry the pattern; each starts at a multiple of 8.
pub fn stripes(len: usize, samples: Samples) -> impl Iterator<Item = Range<usize>> {
    let whole = len <= FULL;
    let head = if whole { 0..len } else { 0..PAGE };
    let tail = if whole { len..len } else { (len - PAGE) & !7..len };
    let Samples { each, first } = if len > SPARSE { samples } else { Samples::ALL };
    let samples = (PAGE * (1 + first)..tail.start).step_by(PAGE * each);
    let middle = samples.map({
        let end = tail.start;
        move |at| at..(at + SAMPLE).min(end)
    });
    core::iter::once(head).chain(middle.take_while(move |_| !whole)).chain(core::iter::once(tail))
}

pub fn first_nonzero(block: &[u8]) -> Option<(usize, u8)> {
    static ZEROS: [u8; PAGE] = [0; PAGE];
    for (i, chunk) in block.chunks(PAGE).enumerate() {
        if chunk != &ZEROS[..chunk.len()] {
            let at = chunk.iter().position(|&b| b != 0)?;
            return Some((i * PAGE + at, chunk[at]));
        }
    }
    None
}

#[cfg(test)]
mod tests;
