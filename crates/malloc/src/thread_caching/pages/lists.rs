//! The free spans: in lists by length, and the last freed as they were.
use super::super::span::{List, Span, State};
use crate::regret::Regret;

/// Lengths that have a list of their own.
const EXACT: usize = 255;
/// Lists for what is longer: eight for each power of two, to 4 GiB; the last has all that are longer yet.
const LONG: usize = 97;
pub(super) const LISTS: usize = EXACT + LONG;
/// Spans that are looked at in a list of several lengths.
const LOOKS: usize = 8;
/// Spans of up to this number of pages, 128 KiB, are not joined at once, four of each length: who frees one often allocates one
/// soon, and then neither joins nor cuts.
pub(super) const WHOLE: usize = 32;
const MOST_WHOLE: u8 = 4;
/// Free spans of one state, by length.
#[derive(Debug)]
pub(super) struct Lists {
    pub(super) by_len: [List; LISTS],
    /// A bit for each list that is not empty.
    bits: [u64; LISTS.div_ceil(64)],
}

impl Lists {
    pub(super) const fn new() -> Self {
        Self { by_len: [const { List::new() }; LISTS], bits: [0; LISTS.div_ceil(64)] }
    }

    fn index(pages: usize) -> usize {
        if pages <= EXACT {
            return pages - 1;
        }
        // 256 is 8 octaves up; the three bits below the highest choose among eight.
        let octave = pages.ilog2() as usize;
        let eighth = pages >> (octave - 3) & 7;
        (EXACT + (octave - 8) * 8 + eighth).min(LISTS - 1)
    }

    pub(super) fn push(&mut self, span: &Span) {
        let index = Self::index(span.pages());
        self.by_len[index].push(span);
        self.bits[index / 64] |= 1 << (index % 64);
    }

    pub(super) fn remove(&mut self, span: &Span) {
        let index = Self::index(span.pages());
        self.by_len[index].remove(span);
        if self.by_len[index].is_empty() {
            self.bits[index / 64] &= !(1 << (index % 64));
        }
    }

    /// A span of at least `pages`: the shortest to 255, else one of the shortest eighth of a power of two.
    pub(super) fn best<'a>(&self, pages: usize) -> Option<&'a Span> {
        let first = Self::index(pages);
        let mut near = self.by_len[first].iter().take(LOOKS);
        near.find(|span| span.pages() >= pages).or_else(|| self.after(first))
    }

    /// The newest span of the first list after `index` that is not empty.
    fn after<'a>(&self, index: usize) -> Option<&'a Span> {
        let mut word = (index + 1) / 64;
        let mut bits = self.bits.get(word)? & u64::MAX << ((index + 1) % 64);
        while bits == 0 {
            word += 1;
            bits = *self.bits.get(word)?;
        }
        self.by_len[word * 64 + bits.trailing_zeros() as usize].first()
    }

    /// The longest list's newest span.
    pub(super) fn longest<'a>(&self) -> Option<&'a Span> {
        let (word, bits) = self.bits.iter().enumerate().rev().find(|(_, bits)| **bits != 0)?;
        self.by_len[word * 64 + 63 - bits.leading_zeros() as usize].first()
    }

    pub(super) fn iter<'a>(&self) -> impl Iterator<Item = &'a Span> {
        self.by_len.iter().flat_map(List::iter)
    }
}

/// What the lock guards.
#[derive(Debug)]
pub(in super::super) struct Free {
    pub(super) kept: Lists,
    pub(super) returned: Lists,
    pub(super) whole: [List; WHOLE],
    pub(super) wholes: [u8; WHOLE],
    pub(super) leaving: List,
    pub(super) spare: List,
    pub(super) regret: Regret,
}

impl Free {
    /// Keeps a span as it was freed. `false`: it is long, or there are enough.
    pub(super) fn push_whole(&mut self, span: &Span) -> bool {
        let at = span.pages() - 1;
        let fits = at < WHOLE && self.wholes[at] < MOST_WHOLE;
        if fits {
            span.set_state(State::Whole);
            self.whole[at].push(span);
            self.wholes[at] += 1;
        }
        fits
    }

    /// A span of exactly `pages` as it was freed.
    pub(super) fn pop_whole(&mut self, pages: usize) -> Option<&'static Span> {
        let span = self.whole.get(pages - 1)?.pop()?;
        self.wholes[pages - 1] -= 1;
        Some(span)
    }

    pub(super) fn lists(&mut self, state: State) -> &mut Lists {
        if state == State::Kept { &mut self.kept } else { &mut self.returned }
    }
}
