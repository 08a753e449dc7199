//! Which objects are read just now, where an object itself has no room to say so.
//!
//! ```text
//! key     │ 17 │ 4 │ 90 │ …       as many as read at the same time: no more than threads
//! count   │  1 │ 3 │  1 │ …
//! ```
//!
//! 64 objects at the same time, each up to 65,535 times; more is refused as `TooManyPins`.
//!
//! - **pins-P1** the first `len` keys are different, and the count of each is not 0.
//!
//! O(objects that are pinned), and nothing when none is.

/// Objects that can be pinned at the same time.
const MOST: usize = 64;

#[derive(Debug)]
pub(crate) struct Pins {
    keys: [u64; MOST],
    counts: [u16; MOST],
    len: usize,
}

impl Pins {
    pub(crate) const fn new() -> Self {
        Self { keys: [0; MOST], counts: [0; MOST], len: 0 }
    }

    fn position(&self, key: u64) -> Option<usize> {
        self.keys[..self.len].iter().position(|other| *other == key)
    }

    #[inline]
    pub(crate) fn has(&self, key: u64) -> bool {
        self.len > 0 && self.position(key).is_some()
    }

    /// Adds a pin. `None`: there is no room to count it.
    pub(crate) fn add(&mut self, key: u64) -> Option<()> {
        if let Some(at) = self.position(key) {
            self.counts[at] = self.counts[at].checked_add(1)?;
            return Some(());
        }
        *self.keys.get_mut(self.len)? = key;
        self.counts[self.len] = 1;
        self.len += 1;
        Some(())
    }

    pub(crate) fn remove(&mut self, key: u64) {
        let Some(at) = self.position(key) else { return };
        self.counts[at] -= 1;
        if self.counts[at] == 0 {
            self.len -= 1;
            self.keys[at] = self.keys[self.len];
            self.counts[at] = self.counts[self.len];
        }
    }
}

#[cfg(test)]
mod tests;
