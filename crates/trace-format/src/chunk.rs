//! The head of a chunk: whose it is, when it begins, and how much of it is there.

/// The length of a chunk with its head, in bytes.
pub const CHUNK: usize = 64 << 10;
/// The length of a chunk's head.
pub const HEAD: usize = 64;

/// Nothing more comes into this chunk.
pub const SEALED: u32 = 1;
/// The thread has ended, and this is its last chunk.
pub const THREAD_ENDED: u32 = 2;

/// The process has begun to end, by itself, and its threads' last chunks may not be sealed.
pub const PROCESS_ENDS: u32 = 4;

/// The thread ended early: behind this chunk, at the next multiple of [`SHORT_ALIGN`], another such may begin.
pub const SHORT: u32 = 8;
/// Bytes of which a chunk begins at a multiple.
pub const SHORT_ALIGN: usize = 64;

/// The thread of chunks that are no thread's: in them are the frames and modules that all threads' events name.
pub const FRAMES: u32 = u32::MAX;

/// The thread of chunks that are no thread's either: in them is what a walk through the malloc found when the recording had begun, each
/// block as [`Event::Born`](crate::Event::Born); an [`Event::Free`](crate::Event::Free) says that one is not live after all.
pub const WALK: u32 = u32::MAX - 1;

/// The first bytes of a chunk. Numbers are little-endian, as all in the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(C)]
pub struct ChunkHead {
    /// [`ChunkHead::MAGIC`].
    pub magic: u32,
    /// Which of the process's threads, from 0 on, in the order of their first events; or [`FRAMES`].
    pub thread: u32,
    /// The kernel's number of the thread.
    pub tid: u32,
    /// Which of the thread's chunks, from 0 on.
    pub sequence: u32,
    /// Bytes of events that are there, stored last after each.
    pub committed: u32,
    /// [`SEALED`], [`THREAD_ENDED`], [`PROCESS_ENDS`], [`SHORT`].
    pub flags: u32,
    /// When it begins, in units of the recorder's clock.
    pub time: u64,
    /// The same moment in nanoseconds of `CLOCK_MONOTONIC`.
    pub monotonic: u64,
    /// When it was sealed: no event is later. In a chunk that is not, a moment after it began, or 0.
    pub last_time: u64,
    /// That moment in nanoseconds of `CLOCK_MONOTONIC`, or 0.
    pub last_monotonic: u64,
    /// Zero.
    pub reserved: u64,
}

const _: () = assert!(size_of::<ChunkHead>() == HEAD);

impl ChunkHead {
    /// What a chunk begins with.
    pub const MAGIC: u32 = u32::from_le_bytes(*b"HWck");

    /// The head at the front of a chunk's bytes, unless it is none.
    #[must_use]
    pub fn read(bytes: &[u8]) -> Option<Self> {
        let word = |at: usize| Some(u32::from_le_bytes(bytes.get(at..at + 4)?.try_into().ok()?));
        let long = |at: usize| Some(u64::from_le_bytes(bytes.get(at..at + 8)?.try_into().ok()?));
        let head = Self {
            magic: word(0)?,
            thread: word(4)?,
            tid: word(8)?,
            sequence: word(12)?,
            committed: word(16)?,
            flags: word(20)?,
            time: long(24)?,
            monotonic: long(32)?,
            last_time: long(40)?,
            last_monotonic: long(48)?,
            reserved: long(56)?,
        };
        (head.magic == Self::MAGIC).then_some(head)
    }
}
