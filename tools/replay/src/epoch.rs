//! The epoch that is being written: who takes part, and when it ends.

use ::plan::{Kind, Word, pair};

/// No epoch has more calls.
const EPOCH_EVENTS: u64 = 2000;

/// One of several threads ends after this many, if a 64th of what is live was allocated in it: shorter ones predict no other
/// memory, and have threads wait for each other more often.
const LEAST_EVENTS: u64 = 300;

/// That part of what is live.
const EPOCH_PART: u64 = 64;

/// Memory is looked at between epochs: one ends when what is live has changed by this part, or by so many bytes.
const CHANGE_PART: u64 = 128;
const CHANGE_BYTES: u64 = 256 << 10;

/// The epoch that is being written.
#[derive(Debug, Default)]
pub(crate) struct Epoch {
    pub(crate) number: u64,
    pub(crate) members: Vec<u32>,
    /// Whether a slot was given again in it.
    pub(crate) has_reused: bool,
    /// Whether it may have several members though slots were kept back from the beginning.
    pub(crate) is_shared: bool,
    pub(crate) events: u64,
    pub(crate) bytes: u64,
    /// When it began, the calls before it, and what was live then.
    pub(crate) before: [u64; 3],
}

impl Epoch {
    /// Whether it ends, when this much is live after a call.
    pub(crate) fn is_over(&self, live: u64) -> bool {
        let changed = live.abs_diff(self.before[2]);
        let is_ahead = self.members.len() > 1
            && self.events >= LEAST_EVENTS
            && self.bytes >= live / EPOCH_PART;
        self.events >= EPOCH_EVENTS || is_ahead || changed >= CHANGE_BYTES.max(live / CHANGE_PART)
    }

    /// What the conductor reads of it.
    pub(crate) fn record(&self) -> Vec<u64> {
        let mut record = vec![Word::with(Kind::Epoch, self.members.len() as u64).0];
        record.extend(self.before);
        let members = self.members.chunks(2);
        record.extend(members.map(|two| pair(two[0], two.get(1).copied().unwrap_or(0))));
        record
    }

    /// Whether slots may be given again at once.
    pub(crate) fn is_alone(&self) -> bool {
        self.members.len() <= 1 && !self.is_shared
    }
}
