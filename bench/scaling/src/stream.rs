//! What `record.c` wrote down, as a list of operations for each thread.
//!
//! Blocks are numbered in the order in which they were allocated. A block that was there before the record began is none.

use std::collections::HashMap;

/// One call, or a thread's dealings with another thread.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Operation {
    /// The block of this number is allocated.
    Allocate {
        /// Its number.
        block: u32,
        /// Its bytes.
        size: u64,
    },
    /// The block of this number is freed.
    Free {
        /// Its number.
        block: u32,
    },
    /// A block is resized, and has another number then.
    Resize {
        /// Its number.
        old: u32,
        /// Its number afterwards.
        new: u32,
        /// Its bytes afterwards.
        size: u64,
    },
    /// A thread begins.
    Start {
        /// Its number.
        thread: usize,
    },
    /// A thread's end is waited for.
    Join {
        /// Its number.
        thread: usize,
    },
}

/// A record.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Streams {
    /// The operations of each thread; the first one's is the program's.
    pub(crate) threads: Vec<Vec<Operation>>,
    /// How many blocks there are.
    pub(crate) blocks: usize,
    /// Calls of malloc and its relatives.
    pub(crate) calls: u64,
    /// The most blocks that were there at a time.
    pub(crate) most: usize,
}

const EVENT: usize = 16;

impl Streams {
    /// Reads a record.
    ///
    /// # Errors
    ///
    /// Why it is none.
    pub(crate) fn read(bytes: &[u8]) -> Result<Self, String> {
        if !bytes.len().is_multiple_of(EVENT) {
            return Err(format!("{} bytes are no whole events of {EVENT}", bytes.len()));
        }
        let mut streams = Self::default();
        let mut live: HashMap<u64, u32> = HashMap::new();
        let mut resizing: HashMap<usize, Option<u32>> = HashMap::new();
        for (index, event) in bytes.as_chunks::<EVENT>().0.iter().enumerate() {
            let word =
                |at: usize| u64::from_ne_bytes(*event[at..].first_chunk::<8>().unwrap_or(&[0; 8]));
            let (what, at) = (word(0), word(8));
            let (kind, number) = (what & 7, what >> 16);
            let thread = usize::try_from(what >> 3 & 0x1fff).unwrap_or_default();
            let other = usize::try_from(number & 0x1fff).unwrap_or_default();
            let operation = match kind {
                1 => {
                    let block = streams.block(&mut live, at)?;
                    Some(Operation::Allocate { block, size: number })
                }
                2 => live.remove(&at).map(|block| Operation::Free { block }),
                3 => {
                    resizing.insert(thread, live.remove(&at));
                    None
                }
                4 => {
                    let new = streams.block(&mut live, at)?;
                    Some(match resizing.remove(&thread).flatten() {
                        Some(old) => Operation::Resize { old, new, size: number },
                        None => Operation::Allocate { block: new, size: number },
                    })
                }
                5 => Some(Operation::Start { thread: other }),
                6 => Some(Operation::Join { thread: other }),
                _ => return Err(format!("event {index} is of no known kind: {kind}")),
            };
            streams.calls += u64::from(operation.is_some() && kind < 5);
            streams.threads.resize(
                streams.threads.len().max(thread.max(other * usize::from(kind >= 5)) + 1),
                Vec::new(),
            );
            streams.threads[thread].extend(operation);
        }
        Ok(streams)
    }

    fn block(&mut self, live: &mut HashMap<u64, u32>, at: u64) -> Result<u32, String> {
        let block = u32::try_from(self.blocks).map_err(|_| "too many blocks".to_owned())?;
        self.blocks += 1;
        live.insert(at, block);
        self.most = self.most.max(live.len());
        Ok(block)
    }
}

#[cfg(test)]
mod tests {
    use super::Operation::{Allocate, Free, Join, Resize, Start};
    use super::*;

    fn event(kind: u64, thread: u64, number: u64, at: u64) -> [u8; EVENT] {
        let mut bytes = [0; EVENT];
        bytes[..8].copy_from_slice(&(number << 16 | thread << 3 | kind).to_ne_bytes());
        bytes[8..].copy_from_slice(&at.to_ne_bytes());
        bytes
    }

    #[test]
    fn a_record_becomes_a_list_for_each_thread() {
        let events = [
            event(1, 0, 100, 0x10),
            event(5, 0, 1, 0),
            event(2, 1, 0, 0x10),
            event(1, 0, 200, 0x10),
            event(2, 1, 0, 0x999),
            event(3, 1, 0, 0x10),
            event(1, 0, 8, 0x50),
            event(4, 1, 300, 0x30),
            event(6, 0, 1, 0),
        ];
        let streams = Streams::read(events.as_flattened()).expect("a record");
        let main = [
            Allocate { block: 0, size: 100 },
            Start { thread: 1 },
            Allocate { block: 1, size: 200 },
            Allocate { block: 2, size: 8 },
            Join { thread: 1 },
        ];
        let other = [Free { block: 0 }, Resize { old: 1, new: 3, size: 300 }];
        let threads = vec![main.to_vec(), other.to_vec()];
        assert_eq!(streams, Streams { threads, blocks: 4, calls: 5, most: 2 });
    }

    #[test]
    fn what_is_no_record_is_refused() {
        assert!(Streams::read(&[0; 15]).is_err());
        assert!(Streams::read(&event(7, 0, 0, 0)).unwrap_err().contains("kind"));
        assert_eq!(Streams::read(&[]), Ok(Streams::default()));
    }
}
