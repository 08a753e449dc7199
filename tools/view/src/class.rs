//! What the colour of a cell says, and the classes that it tells apart: eight of each kind, as many as have a colour.

/// How many classes there are of each kind.
pub(crate) const CLASSES: usize = 8;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum By {
    /// The size of most of its bytes' blocks.
    #[default]
    Size,
    /// How long its bytes have been there, on average.
    Age,
    /// Who allocated most of its bytes.
    Thread,
    /// Where in the program most of its bytes were allocated, if call stacks were recorded.
    Site,
}

impl By {
    /// All of them, in the order in which a key goes through them.
    pub const ALL: [Self; 4] = [Self::Size, Self::Age, Self::Thread, Self::Site];

    /// As it stands on a command line and in a page.
    pub fn word(self) -> &'static str {
        match self {
            Self::Size => "size",
            Self::Age => "age",
            Self::Thread => "thread",
            Self::Site => "site",
        }
    }

    /// The one after this.
    pub fn next(self) -> Self {
        Self::ALL[(self as usize + 1) % Self::ALL.len()]
    }
}

/// The largest size of each class but the last.
const SIZES: [u64; CLASSES - 1] = [32, 64, 128, 512, 2 << 10, 16 << 10, 128 << 10];

pub const SIZE_NAMES: [&str; CLASSES] =
    ["≤ 32 B", "≤ 64 B", "≤ 128 B", "≤ 512 B", "≤ 2 KiB", "≤ 16 KiB", "≤ 128 KiB", "larger"];

/// The class of a block of this size.
pub fn of_size(size: u64) -> u8 {
    SIZES.partition_point(|&most| most < size) as u8
}

/// The least nanoseconds that are too many for each class but the last.
const AGES: [u64; CLASSES - 1] =
    [100_000, 1_000_000, 10_000_000, 100_000_000, 1_000_000_000, 10_000_000_000, 100_000_000_000];

pub(crate) const AGE_NAMES: [&str; CLASSES] =
    ["< 100 µs", "< 1 ms", "< 10 ms", "< 100 ms", "< 1 s", "< 10 s", "< 100 s", "older"];

/// The class of what has been there for these nanoseconds.
pub(crate) fn of_age(age: u64) -> u8 {
    AGES.partition_point(|&most| most <= age) as u8
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_belong_to_the_class_that_names_them() {
        assert_eq!([0, 32, 33, 131_072, 131_073, u64::MAX].map(of_size), [0, 0, 1, 6, 7, 7]);
        assert_eq!([0, 99_999, 100_000, 99_999_999_999, u64::MAX].map(of_age), [0, 0, 1, 6, 7]);
    }
}
