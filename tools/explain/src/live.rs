//! What explain remembers of a live block.

use trace::{Frame, Row, Thread};

pub(crate) type Live = trace::Live<Entry, 5>;

/// What is known of a live block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Entry {
    pub(crate) address: u64,
    size: u64,
    /// When it, or the block that `realloc` made it from, was allocated.
    pub(crate) born: u64,
    pub(crate) thread: Thread,
    pub(crate) frame: Frame,
}

/// Addresses end here.
const ADDRESSES: u64 = 1 << 57;
/// In `size`: `realloc` has enlarged it.
const GROWN: u64 = 1 << 63;

impl Entry {
    pub(crate) fn new(address: u64, size: u64, born: u64, thread: Thread, frame: Frame) -> Self {
        let (address, size) = (address & (ADDRESSES - 1), crate::bytes(size));
        Self { address, size, born, thread, frame }
    }

    /// The same as enlarged by `realloc`.
    pub(crate) fn grown(self) -> Self {
        Self { size: self.size | GROWN, ..self }
    }

    pub(crate) fn size(&self) -> u64 {
        self.size & !GROWN
    }

    pub(crate) fn is_grown(&self) -> bool {
        self.size & GROWN != 0
    }
}

impl Row<5> for Entry {
    fn columns(&self) -> [u64; 5] {
        let size = self.size.rotate_left(1);
        [self.address, size, self.born, self.thread.into(), self.frame.into()]
    }

    fn of([address, size, born, thread, frame]: [u64; 5]) -> Self {
        let [thread, frame] = [thread, frame].map(|n| u32::try_from(n).unwrap_or_default());
        Self { address, size: size.rotate_right(1), born, thread, frame }
    }

    fn size(&self) -> u64 {
        self.size()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_keeps_its_size_when_it_grows() {
        let entry = Entry::new(0x1000, 48, 5, 6, 7);
        let grown = entry.grown();
        assert_eq!((grown.size(), grown.is_grown(), entry.is_grown()), (48, true, false));
        assert_eq!([Entry::of(entry.columns()), Entry::of(grown.columns())], [entry, grown]);
    }
}
