//! The first page of a plan: what is in it, as words of 64 bits.

/// The first bytes of a plan. What made it and what reads it are of one version, for they are built into one command.
pub const MAGIC: u64 = u64::from_le_bytes(*b"HWplan01");

pub const HEAD_BYTES: usize = 4096;

/// What is in a plan.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[repr(C)]
pub struct Head {
    pub magic: u64,
    /// Where the table of the threads begins: of each the offset of its first chunk.
    pub table: u64,
    pub threads: u64,
    /// Where the conductor's stream begins.
    pub conductor: u64,
    pub slots: u64,
    pub epochs: u64,
    /// How many calls.
    pub events: u64,
    /// The most bytes that were live at one time.
    pub peak_live: u64,
    /// No block has more bytes that were touched; 0: that is not known.
    pub most_touched: u64,
}

impl Head {
    pub fn to_bytes(self) -> [u8; HEAD_BYTES] {
        let mut bytes = [0; HEAD_BYTES];
        let Self { magic, table, threads, conductor, slots, .. } = self;
        let Self { epochs, events, peak_live, most_touched, .. } = self;
        let first = [magic, table, threads, conductor, slots];
        let words = first.into_iter().chain([epochs, events, peak_live, most_touched]);
        for (at, word) in bytes.chunks_exact_mut(8).zip(words) {
            at.copy_from_slice(&word.to_ne_bytes());
        }
        bytes
    }

    /// Reads it; none if these are not the bytes of a plan.
    pub fn of(words: &[u64]) -> Option<Self> {
        let &[magic, table, threads, conductor, slots, epochs, events, peak_live, most_touched, ..] =
            words
        else {
            return None;
        };
        let head = Self {
            magic,
            table,
            threads,
            conductor,
            slots,
            epochs,
            events,
            peak_live,
            most_touched,
        };
        (magic == MAGIC).then_some(head)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_head_is_read_as_it_was_written() {
        let head = Head { magic: MAGIC, table: 1, threads: 2, most_touched: 9, ..Head::default() };
        let bytes = head.to_bytes();
        let words: Vec<u64> = bytes
            .chunks_exact(8)
            .map(|word| u64::from_ne_bytes(word.try_into().unwrap()))
            .collect();
        assert_eq!(Head::of(&words), Some(head));
        assert_eq!(Head::of(&[0; 512]), None);
    }
}
