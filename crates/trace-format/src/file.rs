//! The head of a file: chunk 0, which says what was recorded and how.

use crate::chunk::CHUNK;

/// What a file begins with.
pub const MAGIC: [u8; 8] = *b"HWtrace\n";
/// The version that this crate writes, and the newest that it reads. Version 1 had no [`SHORT`](crate::SHORT) chunks.
pub const VERSION: u32 = 2;
/// Where the text begins.
const TEXT: usize = 64;

/// The head of a file. What a reader may ask later stands in the text, as lines `key=value`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FileHead<'a> {
    /// The version of the format.
    pub version: u32,
    /// The process.
    pub pid: u32,
    /// Its parent.
    pub parent: u32,
    /// Bytes of a page.
    pub page: u32,
    /// When the recording began: units of the recorder's clock.
    pub time: u64,
    /// The same moment in nanoseconds of `CLOCK_MONOTONIC`.
    pub monotonic: u64,
    /// The same moment in nanoseconds since 1970.
    pub realtime: u64,
    /// Lines `key=value`: `exe`, `command`, `malloc`, …
    pub text: &'a [u8],
}

/// Why a file cannot be read at all.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HeadError {
    /// It does not begin with [`MAGIC`].
    Foreign,
    /// It is of a newer version than [`VERSION`].
    Newer(u32),
    /// It ends within its head.
    Short,
}

impl<'a> FileHead<'a> {
    /// The head at the front of a file.
    ///
    /// # Errors
    /// See [`HeadError`].
    pub fn read(bytes: &'a [u8]) -> Result<Self, HeadError> {
        if !bytes.starts_with(&MAGIC) {
            return Err(HeadError::Foreign);
        }
        let word = |at: usize| {
            let bytes = bytes.get(at..at + 4).and_then(|b| b.try_into().ok());
            bytes.map(u32::from_le_bytes).ok_or(HeadError::Short)
        };
        let long = |at: usize| {
            let bytes = bytes.get(at..at + 8).and_then(|b| b.try_into().ok());
            bytes.map(u64::from_le_bytes).ok_or(HeadError::Short)
        };
        let version = word(8)?;
        if version > VERSION {
            return Err(HeadError::Newer(version));
        }
        let len = word(48)? as usize;
        let text = bytes.get(TEXT..TEXT + len.min(CHUNK - TEXT)).ok_or(HeadError::Short)?;
        Ok(Self {
            version,
            pid: word(12)?,
            parent: word(16)?,
            page: word(20)?,
            time: long(24)?,
            monotonic: long(32)?,
            realtime: long(40)?,
            text,
        })
    }

    /// Writes it to the front of a file; text that does not fit into the first chunk is cut.
    pub fn write(&self, chunk: &mut [u8; CHUNK]) {
        let text = &self.text[..self.text.len().min(CHUNK - TEXT)];
        chunk[..8].copy_from_slice(&MAGIC);
        for (at, word) in [(8, self.version), (12, self.pid), (16, self.parent), (20, self.page)] {
            chunk[at..at + 4].copy_from_slice(&word.to_le_bytes());
        }
        for (at, long) in [(24, self.time), (32, self.monotonic), (40, self.realtime)] {
            chunk[at..at + 8].copy_from_slice(&long.to_le_bytes());
        }
        let len = u32::try_from(text.len()).unwrap_or_default();
        chunk[48..52].copy_from_slice(&len.to_le_bytes());
        chunk[TEXT..TEXT + text.len()].copy_from_slice(text);
    }

    /// The value of a line of the text.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&'a [u8]> {
        let mut lines = self.text.split(|&byte| byte == b'\n');
        lines.find_map(|line| line.strip_prefix(key.as_bytes())?.strip_prefix(b"="))
    }
}
