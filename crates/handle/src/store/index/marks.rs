//! Which entries have a page that letting go of saves memory, so that looking for one passes all others by.
//!
//! ```text
//! groups   │ 1 0 1 … │          a bit for each word below that is not 0: 4,096 entries a group
//!            │   └────┐
//! words    │ 0 1 1 … │ 0 … │ 1 0 … │          a bit for each entry
//! ```
//!
//! - **marks-M1** a bit of `groups` is set exactly when its word has a bit.
//! - **marks-M2** bits of words are counted.
//!
//! A bit an entry, and two pages at least. Marking takes O(1), finding the next one O(entries / 4,096).
use base::check::ensure;
use base::{Broken, PageAllocator};

use crate::table::Table;

#[derive(Debug)]
pub(super) struct Marks {
    words: Table<u64>,
    groups: Table<u64>,
    count: usize,
}

impl Marks {
    pub(super) const fn new() -> Self {
        Self { words: Table::new(), groups: Table::new(), count: 0 }
    }

    pub(super) const fn count(&self) -> usize {
        self.count
    }

    pub(super) const fn bytes(&self) -> usize {
        self.words.bytes() + self.groups.bytes()
    }

    /// Makes sure that the first entry without a bit, `id`, has one. `false`: there is no memory.
    pub(super) fn reserve<P: PageAllocator>(&mut self, id: u32, from: &mut P) -> bool {
        let has = |table: &mut Table<u64>, index, from: &mut P| {
            index < table.len() || table.push(0, from).is_some()
        };
        has(&mut self.groups, id / 4096, from) && has(&mut self.words, id / 64, from)
    }

    pub(super) fn has(&self, id: u32) -> bool {
        self.words.get(id / 64).is_some_and(|word| word & 1 << (id % 64) != 0)
    }

    /// Marks an entry, or does not any more.
    pub(super) fn set(&mut self, id: u32, to: bool) {
        if self.has(id) == to {
            return;
        }
        let Some(word) = self.words.get_mut(id / 64) else { return };
        *word ^= 1 << (id % 64);
        let is_empty = *word == 0;
        self.count = if to { self.count + 1 } else { self.count - 1 };
        let Some(group) = self.groups.get_mut(id / 4096) else { return };
        let bit = 1 << (id / 64 % 64);
        *group = if is_empty { *group & !bit } else { *group | bit };
    }

    pub(super) fn next(&self, id: u32) -> Option<u32> {
        let here = first_from(*self.words.get(id / 64)?, id % 64);
        if let Some(bit) = here {
            return Some(id / 64 * 64 + bit);
        }
        let mut word = id / 64 + 1;
        loop {
            match first_from(*self.groups.get(word / 64)?, word % 64) {
                None => word = (word / 64 + 1) * 64,
                Some(bit) => {
                    word = word / 64 * 64 + bit;
                    return Some(word * 64 + first_from(*self.words.get(word)?, 0)?);
                }
            }
        }
    }

    /// Gives the tables back; nothing is marked then.
    pub(super) fn give_back<P: PageAllocator>(&mut self, from: &mut P) {
        self.words.give_back(from);
        self.groups.give_back(from);
        self.count = 0;
    }

    pub(super) fn check(&self) -> Result<(), Broken> {
        let mut count = 0;
        for index in 0..self.words.len() {
            let word = self.words.get(index).copied().unwrap_or(0);
            let group = self.groups.get(index / 64).copied().unwrap_or(0);
            count += word.count_ones() as usize;
            let is_known = (group & 1 << (index % 64) != 0) == (word != 0);
            ensure(is_known, "marks-M1: a group knows the words with marks", index as usize)?;
        }
        ensure(count == self.count, "marks-M2: marks are counted", count)
    }
}

/// The first bit that is set, from `bit` on.
const fn first_from(word: u64, bit: u32) -> Option<u32> {
    let rest = word & u64::MAX << bit;
    if rest == 0 { None } else { Some(rest.trailing_zeros()) }
}

#[cfg(test)]
mod tests;
