//! What a call stack may cost.

use serde::Serialize;
use trace::Estimate;

/// A cost of blocks that were allocated at one place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Cost {
    /// Live when most was.
    Peak,
    /// Live at the end of the recording.
    Live,
    /// Allocated, whatever became of it.
    Allocated,
    /// Of that, freed within a millisecond.
    Temporary,
    /// Free beside what is live at the end, and kept by it: known of a process that runs only.
    Beside,
}

impl Cost {
    /// Those that a trace tells.
    pub const ALL: [Self; 4] = [Self::Peak, Self::Live, Self::Allocated, Self::Temporary];

    pub fn name(self) -> &'static str {
        match self {
            Self::Peak => "at the peak",
            Self::Live => "at the end",
            Self::Allocated => "allocated",
            Self::Temporary => "temporary",
            Self::Beside => "free beside it",
        }
    }
}

/// How soon a block was freed, in nanoseconds: within this time, and not within the one before.
pub(crate) const LIVED: [(&str, u64); 3] =
    [("1 ms", 1_000_000), ("1 s", 1_000_000_000), ("1 min", 60_000_000_000)];

/// A sum for each cost, and how many bytes were freed how soon.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Costs {
    sums: [Estimate; 5],
    pub(crate) lived: [f64; LIVED.len()],
}

impl Costs {
    pub fn of(&self, cost: Cost) -> &Estimate {
        &self.sums[cost as usize]
    }

    pub fn of_mut(&mut self, cost: Cost) -> &mut Estimate {
        &mut self.sums[cost as usize]
    }

    pub fn join(&mut self, other: &Self) {
        self.sums.iter_mut().zip(&other.sums).for_each(|(sum, more)| sum.join(more));
        self.lived.iter_mut().zip(&other.lived).for_each(|(sum, more)| *sum += more);
    }

    /// Adds a block of `bytes`, which was in the sample with the probability `p`, and was freed after `age` nanoseconds.
    pub(crate) fn free(&mut self, bytes: u64, p: f64, age: u64) {
        let Some(lived) = LIVED.iter().position(|(_, within)| age < *within) else { return };
        self.lived[lived] += bytes as f64 / p;
        if lived == 0 {
            self.of_mut(Cost::Temporary).add(bytes, p);
        }
    }
}
