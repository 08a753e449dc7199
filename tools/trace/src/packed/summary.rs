//! What is known of a segment without its steps.

/// What the process had resident, in bytes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Memory {
    pub anon: u64,
    pub file: u64,
    pub shmem: u64,
}

/// At most 256 Ki steps that follow each other, and what is known of them without reading them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Segment {
    /// The number of its first step, from 0 on.
    pub first_step: u64,
    pub steps: u64,
    /// The number of the first block that is allocated in it or later.
    pub first_block: u64,
    /// When its first step was.
    pub begin: u64,
    /// When its last step was.
    pub end: u64,
    /// Bytes that are live at its end.
    pub live_bytes: u64,
    /// Blocks that are live at its end.
    pub live_blocks: u64,
    /// The most bytes that were live behind one of its steps.
    pub peak_bytes: u64,
    /// The first step behind which so many were live.
    pub peak_step: u64,
    /// The last that is known of the process's memory at its end.
    pub memory: Option<Memory>,
    /// Threads that have begun before its end.
    pub(crate) threads: u64,
    /// Times in it are counted in units of 2 to this many nanoseconds.
    pub(crate) unit: u64,
    pub(crate) offset: u64,
}

const WORDS: usize = 16;
/// A summary's length in bytes.
pub(crate) const SUMMARY: usize = 8 * WORDS;

impl Segment {
    pub(crate) fn to_bytes(&self) -> [u8; SUMMARY] {
        let memory = self.memory.unwrap_or_default();
        let words: [u64; WORDS] = [
            self.first_step,
            self.steps,
            self.first_block,
            self.begin,
            self.end,
            self.live_bytes,
            self.live_blocks,
            self.peak_bytes,
            self.peak_step,
            u64::from(self.memory.is_some()),
            memory.anon,
            memory.file,
            memory.shmem,
            self.threads,
            self.unit,
            self.offset,
        ];
        let mut bytes = [0; SUMMARY];
        for (bytes, word) in bytes.chunks_exact_mut(8).zip(words) {
            bytes.copy_from_slice(&word.to_le_bytes());
        }
        bytes
    }

    pub(crate) fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let bytes: &[u8; SUMMARY] = bytes.try_into().ok()?;
        let word = |n: usize| bytes[8 * n..].first_chunk().copied().map_or(0, u64::from_le_bytes);
        let memory = Memory { anon: word(10), file: word(11), shmem: word(12) };
        Some(Self {
            first_step: word(0),
            steps: word(1),
            first_block: word(2),
            begin: word(3),
            end: word(4),
            live_bytes: word(5),
            live_blocks: word(6),
            peak_bytes: word(7),
            peak_step: word(8),
            memory: (word(9) != 0).then_some(memory),
            threads: word(13),
            unit: word(14).min(63),
            offset: word(15),
        })
    }
}
