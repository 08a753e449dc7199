//! What is asked of a plan, and what one has in it.

use ::plan::{Call, Head};
use trace::How;

use crate::Recorded;

/// In which order the calls are made.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Order {
    /// A thread for each recorded one; what depends on each other in the recorded order.
    #[default]
    Causal,
    /// All by one thread.
    Serial,
    /// As causal, with the recorded pauses.
    Timed,
}

/// What a plan has in it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Planned {
    pub head: Head,
    /// The most threads that there are at one time.
    pub threads_at_once: u64,
    /// Steps that name a block which is not live: freed twice, or never seen.
    pub unknown: u64,
    /// Requests that were refused; they stay so.
    pub refused: u64,
    /// Events that the recording lacks.
    pub dropped: u64,
    pub largest: u64,
    /// The call after which the most bytes were live.
    pub peak_event: u64,
    pub end_live: u64,
    /// What the recording knew of the program's memory.
    pub recorded: Recorded,
    /// From the first step to the last.
    pub duration_ns: u64,
    /// Of that, what went by without a call of any thread for a millisecond or more.
    pub paused_ns: u64,
    /// The number of the call that was asked for, from 0 on.
    pub watched: Option<u64>,
    /// How long a period took when it was recorded, from a mark of the name that was asked for to the next.
    pub period_ns: Option<u64>,
    /// Names of other marks, a few.
    pub other_marks: Vec<String>,
}

/// How a block is allocated again, and the logarithm of its alignment.
pub(crate) fn call_of(how: How, align: u64) -> (Call, u8) {
    match how {
        How::Calloc => (Call::Calloc, 0),
        How::Aligned => {
            #[expect(clippy::cast_possible_truncation, reason = "of 64 bits")]
            let log2 = align.max(1).ilog2().max(3) as u8;
            (Call::Aligned, log2)
        }
        How::Malloc | How::Born => (Call::Malloc, 0),
    }
}
