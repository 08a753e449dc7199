//! One word of a plan.

/// The number of slots that a word can name.
pub const SLOTS: u64 = 1 << SLOT_BITS;

/// All pages of a block are to be touched: nothing else is known.
pub const ALL_PAGES: u32 = u32::MAX;

const KIND_BITS: u32 = 4;
const SLOT_BITS: u32 = 28;
const SIZE_SHIFT: u32 = KIND_BITS + SLOT_BITS;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Kind {
    /// The stream goes on at [`Word::rest`], an offset in the file.
    Jump = 0,
    /// `malloc` into a slot.
    Malloc = 1,
    /// `free` of a slot.
    Free = 2,
    /// `calloc` into a slot.
    Calloc = 3,
    /// `realloc` of a slot, which keeps its place.
    Realloc = 4,
    /// `malloc_usable_size` of a slot.
    Usable = 5,
    /// `free` of a slot that another thread fills in the same epoch.
    FreeWait = 6,
    /// The first of four words.
    Long = 7,
    /// The thread's part of this epoch is done; the next that it has a part in is [`Word::rest`]. Of the conductor: an
    /// epoch of so many threads.
    Epoch = 8,
    /// The thread's part is done, and it ends.
    End = 9,
    /// The thread's part is done, and nothing of it follows. Of the conductor: nothing follows at all.
    Stop = 10,
    /// A period of the thread begins.
    Mark = 11,
}

/// What a [`Kind::Long`] does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Call {
    Malloc = 0,
    Calloc = 1,
    /// `posix_memalign`.
    Aligned = 2,
    /// `realloc` of one slot into another, or the same.
    Realloc = 3,
    /// `malloc_usable_size`.
    Usable = 4,
}

/// A word, taken apart by its methods.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Word(pub u64);

/// The first of the three words of a long operation, taken apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Long {
    pub call: Call,
    /// The slot that is filled, or asked.
    pub slot: u32,
    /// The alignment that is asked for is 2 to this.
    pub align_log2: u8,
    /// Another thread fills the slot that is taken in the same epoch.
    pub wait: bool,
}

impl Word {
    /// An operation on a slot; none if the size has no room.
    pub fn short(kind: Kind, slot: u32, size: u64) -> Option<Self> {
        let size = u32::try_from(size).ok()?;
        Some(Self(u64::from(size) << SIZE_SHIFT | u64::from(slot) << KIND_BITS | kind as u64))
    }

    /// A word with one number.
    pub const fn with(kind: Kind, rest: u64) -> Self {
        Self(rest << KIND_BITS | kind as u64)
    }

    /// The first of four.
    pub fn long(long: Long) -> Self {
        let high = long.call as u64 | u64::from(long.align_log2) << 8 | u64::from(long.wait) << 16;
        Self(high << SIZE_SHIFT | u64::from(long.slot) << KIND_BITS | Kind::Long as u64)
    }

    /// What it is; a number that no kind has is a stop.
    #[inline(always)]
    pub const fn kind(self) -> Kind {
        match self.0 & 15 {
            0 => Kind::Jump,
            1 => Kind::Malloc,
            2 => Kind::Free,
            3 => Kind::Calloc,
            4 => Kind::Realloc,
            5 => Kind::Usable,
            6 => Kind::FreeWait,
            7 => Kind::Long,
            8 => Kind::Epoch,
            9 => Kind::End,
            11 => Kind::Mark,
            _ => Kind::Stop,
        }
    }

    /// The slot of an operation.
    #[inline(always)]
    pub const fn slot(self) -> usize {
        (self.0 >> KIND_BITS & (SLOTS - 1)) as usize
    }

    /// The size of a short operation.
    #[inline(always)]
    pub const fn size(self) -> usize {
        (self.0 >> SIZE_SHIFT) as usize
    }

    /// The number of a word with one.
    #[inline(always)]
    pub const fn rest(self) -> u64 {
        self.0 >> KIND_BITS
    }

    /// What the first of four words says.
    pub const fn as_long(self) -> Long {
        let high = self.0 >> SIZE_SHIFT;
        let call = match high & 255 {
            0 => Call::Malloc,
            1 => Call::Calloc,
            2 => Call::Aligned,
            3 => Call::Realloc,
            _ => Call::Usable,
        };
        #[expect(clippy::cast_possible_truncation, reason = "the slot has 28 bits")]
        let slot = self.slot() as u32;
        Long { call, slot, align_log2: (high >> 8 & 63) as u8, wait: high >> 16 & 1 == 1 }
    }
}

/// The third of four words.
pub const fn pair(old_slot: u32, pages: u32) -> u64 {
    (pages as u64) << 32 | old_slot as u64
}

/// What the third of four words has: the old slot, and the pages to touch.
#[expect(clippy::cast_possible_truncation, reason = "the halves are taken apart")]
pub const fn unpair(word: u64) -> (u32, u32) {
    (word as u32, (word >> 32) as u32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_what_they_were_made_of() {
        let word = Word::short(Kind::Calloc, 0x0fff_fffe, u64::from(u32::MAX)).unwrap();
        assert_eq!(
            (word.kind(), word.slot(), word.size()),
            (Kind::Calloc, 0x0fff_fffe, 0xffff_ffff)
        );
        assert_eq!(Word::short(Kind::Malloc, 1, 1 << 32), None);
        let jump = Word::with(Kind::Jump, 1 << 40);
        assert_eq!((jump.kind(), jump.rest()), (Kind::Jump, 1 << 40));
        assert_eq!(Word::with(Kind::Mark, 0).kind(), Kind::Mark);
        for call in [Call::Malloc, Call::Calloc, Call::Aligned, Call::Realloc, Call::Usable] {
            let long = Long { call, slot: 77, align_log2: 21, wait: call == Call::Realloc };
            let word = Word::long(long);
            assert_eq!((word.kind(), word.as_long()), (Kind::Long, long));
        }
        assert_eq!(unpair(pair(5, ALL_PAGES)), (5, ALL_PAGES));
    }
}
