//! A recorded program that was done again.

use serde::{Deserialize, Serialize};

/// What was recorded, how it was done again, and how far the replay is from the recording.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Replayed {
    pub name: String,
    pub trace: String,
    /// The recorded program's command line.
    pub command: String,
    /// causal, serial or timed.
    pub order: String,
    /// Which pages are touched: pages, recorded or none.
    pub touch: String,
    pub events: u64,
    /// The most threads at one time.
    pub threads: u64,
    /// The most bytes that were live at one time.
    pub peak_live: u64,
    /// After so many calls.
    pub peak_event: u64,
    pub end_live: u64,
    pub recorded_seconds: f64,
    /// The subject that it was recorded on, if that took part.
    pub on: Option<String>,
    /// The most anonymous memory that the recorded process had above what it began with, without what it mapped itself; none if
    /// that is most of it, for how much it touched is not known.
    pub recorded_peak: Option<u64>,
    /// Whether blocks of the recorded program are older than the recording, and not in it: what it had then is not known.
    pub begins_late: bool,
    /// The mean of that over all calls.
    pub recorded_mean: Option<f64>,
    /// What there was of it at the last look.
    pub recorded_end: Option<u64>,
    /// The calls before each look of the recording, and how much of it there was then.
    pub recorded_points: Vec<(f64, f64)>,
    /// Of the recorded time, what went by without a call.
    pub paused_seconds: f64,
    /// The most that the program itself had mapped, which is no malloc's.
    pub own_mapped: u64,
    /// By how much the replay on that subject is off: 0.02 is 2 % too much.
    pub error: Option<f64>,
}
