//! Runs of ones in a bitmap, with a tree of sums over its words.
//!
//! ```text
//! sums[1]                  start 2  longest 5  end 0                start: ones at the low end
//!              ┌───────────────────┴───────────────────┐            end:   ones at the high end
//! sums[2]   start 2  longest 3  end 3       start 2  longest 2  end 0
//!              │                                       │
//! words     1 1 0 0 0 1 1 1                         1 1 0 0 1 0 0 0         bit 0 on the left
//! ```
//!
//! The longest run of a node is that of one of its halves, or the one across the middle: the
//! left half's end and the right half's start. A run of n is found by going down where there is
//! one, to the left first, so it is the lowest. Safe code throughout.
use base::Broken;
use base::check::ensure;

pub(crate) const BITS: usize = usize::BITS as usize;

const M2: &str = "bitmap-M2: every node says what is true of the words below it";

/// Ones at the low end, in the longest run and at the high end of a stretch of bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Sum {
    start: u32,
    longest: u32,
    end: u32,
}

impl Sum {
    fn of(word: usize) -> Self {
        let (mut longest, mut rest) = (0, word);
        while rest != 0 {
            rest &= rest << 1;
            longest += 1;
        }
        Self { start: word.trailing_ones(), longest, end: word.leading_ones() }
    }

    /// Of two stretches of `len` bits each.
    fn join(left: Self, right: Self, len: u32) -> Self {
        Self {
            start: if left.start == len { len + right.start } else { left.start },
            longest: left.longest.max(right.longest).max(left.end + right.start),
            end: if right.end == len { len + left.end } else { right.end },
        }
    }
}

/// How many sums there are for `words` words; the one with index 0 is not used.
pub(crate) const fn sums(words: usize) -> usize {
    2 * words.next_power_of_two()
}

pub(crate) struct Runs<'a> {
    pub(crate) words: &'a mut [usize],
    pub(crate) sums: &'a mut [Sum],
}

impl Runs<'_> {
    /// How many leaves the tree has; those beyond the words stand for zeros.
    fn leaves(&self) -> usize {
        self.sums.len() / 2
    }

    /// Makes the first `ones` bits 1 and the rest 0.
    pub(crate) fn fill(&mut self, ones: usize) {
        for (index, word) in self.words.iter_mut().enumerate() {
            *word = mask(0, ones.saturating_sub(index * BITS).min(BITS));
        }
        self.sums.fill(Sum::default());
        self.update(0, self.words.len() - 1);
    }

    /// Makes `len` bits from `first` on ones or zeros; they were the opposite.
    pub(crate) fn set(&mut self, first: usize, len: usize, ones: bool) {
        let (mut at, end) = (first, first + len);
        while at < end {
            let (index, low) = (at / BITS, at % BITS);
            let count = (end - at).min(BITS - low);
            let word = &mut self.words[index];
            debug_assert!(*word & mask(low, count) == if ones { 0 } else { mask(low, count) });
            *word ^= mask(low, count);
            at += count;
        }
        self.update(first / BITS, (end - 1) / BITS);
    }

    /// Makes the sums over these words true again. O(words + log).
    fn update(&mut self, first: usize, last: usize) {
        let (mut first, mut last) = (self.leaves() + first, self.leaves() + last);
        for leaf in first..=last {
            self.sums[leaf] = Sum::of(self.words[leaf - self.leaves()]);
        }
        let mut len = usize::BITS;
        while first > 1 {
            (first, last) = (first / 2, last / 2);
            let mut changed = false;
            for node in first..=last {
                let sum = Sum::join(self.sums[2 * node], self.sums[2 * node + 1], len);
                changed |= sum != self.sums[node];
                self.sums[node] = sum;
            }
            if !changed {
                break;
            }
            len = len.wrapping_mul(2);
        }
    }

    /// Where the lowest run of `len` ones begins that lies at or above `from`. O(log).
    pub(crate) fn first_run(&self, len: usize, from: usize) -> Option<usize> {
        let wanted = u32::try_from(len).ok()?;
        if self.sums[1].longest < wanted || from >= self.words.len() * BITS {
            return None;
        }
        // First the rest of the word that `from` lies in.
        let word = self.words[from / BITS] & !mask(0, from % BITS);
        if let Some(bit) = run_in(word, len) {
            return Some(from / BITS * BITS + bit);
        }
        let mut node = self.leaves() + from / BITS;
        let (mut at, mut below, mut node_len) =
            ((from / BITS + 1) * BITS, word.leading_ones(), usize::BITS);
        // Then what lies to the right: up, until there is a right half that has the run, alone
        // or with the ones before it.
        loop {
            while node % 2 == 1 {
                node /= 2;
                node_len = node_len.wrapping_mul(2);
                if node <= 1 {
                    return None;
                }
            }
            node += 1;
            let sum = self.sums[node];
            if below + sum.start >= wanted {
                return Some(at - below as usize);
            }
            if sum.longest >= wanted {
                return Some(self.lowest_in(node, wanted));
            }
            below = if sum.start == node_len { below + node_len } else { sum.end };
            at += node_len as usize;
        }
    }

    /// Where the lowest run of `wanted` ones below a node begins; there is one.
    fn lowest_in(&self, mut node: usize, wanted: u32) -> usize {
        let mut len = self.leaves() / (1 << node.ilog2()) * BITS;
        let mut at = (node - (1 << node.ilog2())) * len;
        while node < self.leaves() {
            len /= 2;
            let (left, right) = (self.sums[2 * node], self.sums[2 * node + 1]);
            if left.longest >= wanted {
                node *= 2;
            } else if left.end + right.start >= wanted {
                return at + len - left.end as usize;
            } else {
                node = 2 * node + 1;
                at += len;
            }
        }
        at + run_in(self.words[node - self.leaves()], wanted as usize).unwrap_or(0)
    }

    /// The last zero of `len` bits from `first` on. O(words).
    pub(crate) fn last_used(&self, first: usize, len: usize) -> Option<usize> {
        let mut end = first + len;
        while end > first {
            let index = (end - 1) / BITS;
            let low = first.saturating_sub(index * BITS).min(BITS);
            let high = end - index * BITS;
            let zeros = !self.words[index] & mask(low, high - low);
            if zeros != 0 {
                return Some(index * BITS + zeros.ilog2() as usize);
            }
            end = index * BITS;
        }
        None
    }

    /// Where the stretch of equal bits that begins at `from` ends, below `limit` at the latest,
    /// and whether they are ones. O(words).
    pub(crate) fn stretch(&self, from: usize, limit: usize) -> (usize, bool) {
        let ones = self.words[from / BITS] >> (from % BITS) & 1 == 1;
        let mut at = from;
        while at < limit {
            let word = if ones { !self.words[at / BITS] } else { self.words[at / BITS] };
            let other = word & !mask(0, at % BITS);
            if other != 0 {
                at = at / BITS * BITS + other.trailing_zeros() as usize;
                break;
            }
            at = (at / BITS + 1) * BITS;
        }
        (at.min(limit), ones)
    }

    pub(crate) fn longest(&self) -> usize {
        self.sums[1].longest as usize
    }

    pub(crate) fn check(&self) -> Result<(), Broken> {
        let mut len = usize::BITS;
        for node in (1..self.sums.len()).rev() {
            let sum = if node >= self.leaves() {
                Sum::of(self.words.get(node - self.leaves()).copied().unwrap_or(0))
            } else {
                Sum::join(self.sums[2 * node], self.sums[2 * node + 1], len)
            };
            ensure(sum == self.sums[node], M2, node)?;
            if node.is_power_of_two() && node < self.leaves() {
                len = len.wrapping_mul(2);
            }
        }
        Ok(())
    }
}

/// `len` ones from bit `low` on; together at most a word.
fn mask(low: usize, len: usize) -> usize {
    if len == BITS { usize::MAX } else { ((1 << len) - 1) << low }
}

/// The lowest bit of `word` at which a run of `len` ones begins.
fn run_in(word: usize, len: usize) -> Option<usize> {
    if len > BITS {
        return None;
    }
    let (mut starts, mut left) = (word, len);
    while left > 1 {
        let step = left / 2;
        starts &= starts >> step;
        left -= step;
    }
    (starts != 0).then(|| starts.trailing_zeros() as usize)
}

#[cfg(test)]
mod tests;
