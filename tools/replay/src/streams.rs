//! The streams of a plan in its file: chunks that are written when they are full, each ending with a jump to the next.

use std::collections::HashMap;
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt as _;

use ::plan::{CHUNK_BYTES, FIRST_CHUNK_BYTES, HEAD_BYTES, Kind, Word};

/// Bytes of a word.
pub(crate) const WORD: u64 = 8;

/// All chunks that wait to be written are no more bytes than this, but for those that are as small as the first.
const WAITING_BYTES: usize = 64 << 20;

/// Which stream: a thread's number, or the conductor's.
pub(crate) type StreamIndex = u32;

/// All streams that are written at one time.
#[derive(Debug)]
pub(crate) struct Streams {
    file: File,
    /// Where the next chunk begins.
    next: u64,
    open: HashMap<StreamIndex, Stream>,
}

/// The last chunk of a stream.
#[derive(Debug)]
struct Stream {
    /// Where it begins in the file.
    at: u64,
    words: Vec<u64>,
    capacity: usize,
}

impl Streams {
    pub(crate) fn new(file: File) -> Self {
        Self { file, next: HEAD_BYTES as u64, open: HashMap::new() }
    }

    /// Begins a stream; where its first chunk is.
    pub(crate) fn begin(&mut self, stream: StreamIndex) -> u64 {
        let capacity = FIRST_CHUNK_BYTES / 8;
        let at = self.place(capacity);
        self.open.insert(stream, Stream { at, words: Vec::with_capacity(capacity), capacity });
        at
    }

    fn place(&mut self, capacity: usize) -> u64 {
        let at = self.next;
        self.next += capacity as u64 * WORD;
        at
    }

    /// Adds words that are not parted; where the first of them is.
    pub(crate) fn put(&mut self, stream: StreamIndex, words: &[u64]) -> io::Result<u64> {
        let Some(one) = self.open.get(&stream) else {
            self.begin(stream);
            return self.put(stream, words);
        };
        if one.words.len() + words.len() + 1 > one.capacity {
            let most = (WAITING_BYTES / self.open.len()).clamp(FIRST_CHUNK_BYTES, CHUNK_BYTES);
            let grown = (one.capacity * 2).min(most / 8).max(words.len() + 1);
            let next = self.place(grown);
            if let Some(one) = self.open.get_mut(&stream) {
                one.words.push(Word::with(Kind::Jump, next).0);
                write(&self.file, one)?;
                one.words.clear();
                (one.at, one.capacity) = (next, grown);
            }
        }
        let Some(one) = self.open.get_mut(&stream) else { return Ok(0) };
        let at = one.at + one.words.len() as u64 * WORD;
        one.words.extend_from_slice(words);
        Ok(at)
    }

    /// Replaces a word of a stream that was put before.
    pub(crate) fn replace(&mut self, stream: StreamIndex, at: u64, word: u64) -> io::Result<()> {
        if let Some(one) = self.open.get_mut(&stream)
            && let Some(distance) = at.checked_sub(one.at)
            && let Some(place) =
                usize::try_from(distance / WORD).ok().and_then(|i| one.words.get_mut(i))
        {
            *place = word;
            return Ok(());
        }
        self.file.write_all_at(&word.to_ne_bytes(), at)
    }

    pub(crate) fn end(&mut self, stream: StreamIndex) -> io::Result<()> {
        self.open.remove(&stream).map_or(Ok(()), |one| write(&self.file, &one))
    }

    /// The streams that have not ended.
    pub(crate) fn open(&self) -> Vec<StreamIndex> {
        self.open.keys().copied().collect()
    }

    /// Writes bytes behind all streams; where they are.
    pub(crate) fn put_behind(&mut self, bytes: &[u8]) -> io::Result<u64> {
        let at = self.next;
        self.file.write_all_at(bytes, at)?;
        self.next += bytes.len() as u64;
        Ok(at)
    }

    pub(crate) fn put_head(&self, bytes: &[u8]) -> io::Result<()> {
        self.file.write_all_at(bytes, 0)
    }
}

fn write(file: &File, stream: &Stream) -> io::Result<()> {
    let bytes: Vec<u8> = stream.words.iter().flat_map(|word| word.to_ne_bytes()).collect();
    file.write_all_at(&bytes, stream.at)
}
