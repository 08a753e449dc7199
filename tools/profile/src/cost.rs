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

    /// What it is called on a page and in files.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Peak => "at the peak",
            Self::Live => "at the end",
            Self::Allocated => "allocated",
            Self::Temporary => "temporary",
            Self::Beside => "free beside it",
        }
    }

    /// One word, for names of files and flags.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Peak => "peak",
            Self::Live => "live",
            Self::Allocated => "allocated",
            Self::Temporary => "temporary",
            Self::Beside => "beside",
        }
    }
}

/// A sum for each cost.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Costs([Estimate; 5]);

impl Costs {
    /// The sum of one.
    #[must_use]
    pub fn of(&self, cost: Cost) -> &Estimate {
        &self.0[cost as usize]
    }

    /// The same, to be added to.
    pub fn of_mut(&mut self, cost: Cost) -> &mut Estimate {
        &mut self.0[cost as usize]
    }

    /// Adds the sums of other blocks.
    pub fn join(&mut self, other: &Self) {
        self.0.iter_mut().zip(&other.0).for_each(|(sum, more)| sum.join(more));
    }
}
