//! What was recorded, and what of it is not there.

use serde::Serialize;

/// What was recorded.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Program {
    /// Its command, or its executable.
    pub command: String,
    /// The library that its malloc is in.
    pub malloc: String,
    /// What its environment had set for that malloc, each as `NAME=VALUE`.
    pub settings: Vec<String>,
    /// Whether Python's objects are malloc's: `PYTHONMALLOC=malloc`.
    pub python_on_malloc: bool,
    pub pid: u32,
    pub duration: u64,
    pub steps: u64,
    /// Blocks allocated, those of `realloc` too.
    pub blocks: u64,
    pub allocated: u64,
    pub refused: u64,
    /// Events that were not recorded.
    pub dropped: u64,
    /// The recording begins in the middle: the program was running, or what came first made room.
    pub begins_late: bool,
    /// What was looked at of huge pages; nothing, where the recorder did not look, or too little was resident.
    pub huge_pages: Option<HugePages>,
    /// What else is missing, in words.
    pub missing: Vec<String>,
}

/// Memory in pages of 2 MiB, when there was most of it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct HugePages {
    pub time: u64,
    pub bytes: u64,
    /// What of it is zeros: by a sample, pages of 4 KiB that the program has never written.
    pub empty: u64,
}
