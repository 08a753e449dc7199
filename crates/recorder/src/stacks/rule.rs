//! How to get from a frame to its caller's: what a compiler's table says of one instruction, in eight bytes.
//!
//! ```text
//! CFA     the stack pointer as the caller had it before its call: rsp + n, rbp + n, or what stands at rbp + n
//! CFA - 8 the return address
//! rbp     as it is, or what stands at CFA + n or at rbp + n
//! ```

/// Where the CFA is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Cfa {
    /// So far above the stack pointer.
    Stack(i32),
    /// So far above the frame pointer.
    Frame(i32),
    /// It stands there in memory: so far above the frame pointer.
    Stands(i32),
}

/// What the caller has in rbp.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Saved {
    /// The same.
    Same,
    /// It is so far above the CFA.
    AtCfa(i16),
    /// It is so far above what is in rbp now.
    AtFrame(i16),
    /// That is not known.
    Lost,
}

/// How to get from a frame to its caller's.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Rule {
    /// From a call to its caller.
    Call(Cfa, Saved),
    /// A signal's frame: what was interrupted stands in it.
    Signal,
    /// It has no caller.
    Outermost,
    /// There is no table of it: by its frame pointer, if it has one.
    Untold,
    /// It cannot be told.
    Unknown,
}

const CALL: u64 = 0x10;

impl Rule {
    /// Whether the caller is found by what is in rbp.
    #[inline(always)]
    pub(super) fn takes_frame_pointer(self) -> bool {
        match self {
            Self::Call(cfa, saved) => {
                !matches!(cfa, Cfa::Stack(_)) || matches!(saved, Saved::AtFrame(_))
            }
            Self::Untold => true,
            Self::Signal | Self::Outermost | Self::Unknown => false,
        }
    }

    /// The rule in a word, which is not 0.
    pub(super) fn to_word(self) -> u64 {
        let Self::Call(cfa, saved) = self else {
            return match self {
                Self::Signal => 1,
                Self::Outermost => 2,
                Self::Untold => 3,
                _ => 4,
            };
        };
        let (base, far) = match cfa {
            Cfa::Stack(far) => (0, far),
            Cfa::Frame(far) => (1, far),
            Cfa::Stands(far) => (2, far),
        };
        let (place, near) = match saved {
            Saved::Same => (0, 0),
            Saved::AtCfa(near) => (1, near),
            Saved::AtFrame(near) => (2, near),
            Saved::Lost => (3, 0),
        };
        CALL | base
            | place << 2
            | u64::from(near.cast_unsigned()) << 16
            | u64::from(far.cast_unsigned()) << 32
    }

    /// The rule of a [word](Self::to_word).
    #[inline(always)]
    pub(super) fn from_word(word: u64) -> Self {
        if word & CALL == 0 {
            return match word {
                1 => Self::Signal,
                2 => Self::Outermost,
                3 => Self::Untold,
                _ => Self::Unknown,
            };
        }
        let far = ((word >> 32) as u32).cast_signed();
        let near = ((word >> 16) as u16).cast_signed();
        let cfa = match word & 3 {
            0 => Cfa::Stack(far),
            1 => Cfa::Frame(far),
            _ => Cfa::Stands(far),
        };
        let saved = match word >> 2 & 3 {
            0 => Saved::Same,
            1 => Saved::AtCfa(near),
            2 => Saved::AtFrame(near),
            _ => Saved::Lost,
        };
        Self::Call(cfa, saved)
    }
}
