//! What is known of a recorded process besides its steps.

mod settings;

use serde::{Deserialize, Serialize};

pub use symbols::Module;

use crate::step::Thread;

/// What is known of a recorded process besides its steps. Times are in nanoseconds since the recording began.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct About {
    pub exe: String,
    /// Its arguments, as one would type them.
    pub command: String,
    /// Which malloc it had.
    pub malloc: Malloc,
    pub pid: u32,
    pub parent: u32,
    pub page: u32,
    /// When the recording began, in nanoseconds since 1970.
    pub start: u64,
    /// When the last step was.
    pub duration: u64,
    /// Its threads, by number.
    pub threads: Vec<ThreadAbout>,
    /// How many steps there are.
    pub events: u64,
    /// How many blocks were allocated.
    pub blocks: u64,
    /// Whether the steps have addresses; without, they are 0.
    pub addresses: bool,
    /// Files with code in them.
    pub modules: Vec<Module>,
    /// What the recorder said of itself besides, as `key=value`.
    pub notes: Vec<String>,
    /// What is not there, or not as it should be.
    pub missing: Missing,
}

impl About {
    /// What the recorder said of itself under this key.
    pub fn note(&self, key: &str) -> Option<&str> {
        self.notes.iter().find_map(|note| note.strip_prefix(key)?.strip_prefix('='))
    }

    /// Whether only blocks of a sample are in the trace, and of all others nothing.
    pub fn is_sampled_only(&self) -> bool {
        self.note("events") == Some("sampled")
    }

    /// Whether no block is in the trace: it was recorded for a look at what was live when the process ended.
    #[must_use]
    pub fn has_no_blocks(&self) -> bool {
        self.note("events") == Some("live")
    }

    /// Bytes from one point of the sample of call stacks to the next, in the mean; 0: every block has a stack.
    pub fn interval(&self) -> u64 {
        let is_sampled = self.note("stacks") == Some("sampled");
        let interval = self.note("stacks_interval").filter(|_| is_sampled);
        let interval = interval.and_then(|interval| interval.parse().ok());
        interval.filter(|&interval| interval > 1).unwrap_or_default()
    }
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Malloc {
    pub name: String,
    /// Its library's file.
    pub path: String,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ThreadAbout {
    /// Its last name.
    pub name: String,
    pub tid: u32,
    /// When its first step was.
    pub first: u64,
    /// When its last step was.
    pub last: u64,
    pub steps: u64,
    /// Whether its end was seen.
    pub ended: bool,
}

/// What of a recording is not there, or not as it should be. All zero: the trace is complete.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Missing {
    /// Threads whose last chunk was not closed, of a program that did not end by itself: it was killed, or had not ended yet.
    pub cut: u64,
    /// Events that the recorder dropped, as far as it counted them.
    pub dropped: u64,
    /// When the recorder stopped, as there was no more room, though the program went on.
    pub stopped: Option<u64>,
    /// Chunks of 64 KiB that are not in the file.
    pub chunks: u64,
    pub damaged: u64,
    /// The first of them.
    pub damages: Vec<Damage>,
    /// Frees and reallocs of addresses that no allocation had returned.
    pub unknown_frees: u64,
    /// Frees and reallocs of blocks that had been freed before.
    pub double_frees: u64,
    /// Blocks whose free is missing: their address was returned again.
    pub unseen_frees: u64,
    /// The first of these three.
    pub strange: Vec<Strange>,
}

/// A place in a file that could not be read.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Damage {
    /// Bytes from the begin of the file.
    pub offset: u64,
    pub what: String,
}

/// An event that cannot have been, as far as the trace shows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Strange {
    pub kind: StrangeKind,
    /// Before this step.
    pub step: u64,
    pub time: u64,
    pub thread: Thread,
    pub address: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum StrangeKind {
    /// No allocation had returned the address.
    UnknownFree,
    /// It had been freed before.
    DoubleFree,
    /// The address was returned though it had not been freed.
    UnseenFree,
}

/// What the recorder says of a program that ran already, and what is said where nothing is known of the blocks that it had.
pub(crate) const ATTACHED: &str = "attached=1";
pub(crate) const UNKNOWN: &str = "before=unknown";

impl About {
    /// Whether the program was running when the recording began.
    pub fn is_attached(&self) -> bool {
        self.notes.iter().any(|note| note == ATTACHED)
    }

    /// Whether there were blocks before the first event that nothing is known of: the program had been running, or what came first
    /// made room.
    pub fn lacks_what_was_before(&self) -> bool {
        self.missing.chunks > 0 || self.notes.iter().any(|note| note == UNKNOWN)
    }
}

/// How many damaged places, and how many strange events, are named.
const NAMED: usize = 64;

impl Missing {
    pub fn any(&self) -> bool {
        *self != Self::default()
    }

    pub(crate) fn damage(&mut self, offset: u64, what: impl Into<String>) {
        self.damaged += 1;
        if self.damages.len() < NAMED {
            self.damages.push(Damage { offset, what: what.into() });
        }
    }

    pub(crate) fn strange(&mut self, strange: Strange) {
        *match strange.kind {
            StrangeKind::UnknownFree => &mut self.unknown_frees,
            StrangeKind::DoubleFree => &mut self.double_frees,
            StrangeKind::UnseenFree => &mut self.unseen_frees,
        } += 1;
        if self.strange.len() < NAMED {
            self.strange.push(strange);
        }
    }
}
