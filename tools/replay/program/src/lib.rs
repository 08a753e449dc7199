//! A plan: what each thread of a replay does, as words of 64 bits that are read where they lie.
//!
//! ```text
//! file     head │ chunks of the threads and of the conductor, mixed │ table of the threads' first chunks
//! chunk    word word word …, at its end a jump to the next chunk of the same stream
//! word     size (32 bits) │ slot (28) │ kind (4)
//! ```
//!
//! A block is known by its slot, and a slot is used again once its block is gone: there are as many as blocks are live at one
//! time. What no word has room for takes four: a [`Kind::Long`], the size, a pair of the old slot and the pages to touch, the old size.
//!
//! Threads go through **epochs** together, cuts of the recorded order: nobody begins one before all that had a part in the
//! one before have done it. The conductor's stream has of each epoch a [`Kind::Epoch`] with the number of its threads, then
//! three words (when it began, the events before it, what was live then), then the threads, two to a word. Its last record
//! is a [`Kind::Stop`] with the same three words.
#![allow(
    missing_docs,
    reason = "only this workspace uses it: a name that says it all needs no sentence"
)]

mod head;
mod word;

pub use head::{HEAD_BYTES, Head, MAGIC};
pub use word::{ALL_PAGES, Call, Kind, Long, SLOTS, Word, pair, unpair};

/// The most bytes of a chunk. A stream's first chunks are smaller: there may be many threads that do little.
pub const CHUNK_BYTES: usize = 64 << 10;

/// The bytes of a stream's first chunk; each following one has twice as many, up to [`CHUNK_BYTES`].
pub const FIRST_CHUNK_BYTES: usize = 512;

/// Blocks at least this large may have a number of pages to touch: of those the recorder asks which are resident.
pub const LARGE: u64 = 16 << 10;

/// So many bytes behind the last stream can be read.
pub const AHEAD_BYTES: usize = 4096;
