//! The bytes of a recorded trace: what the recorder writes inside a program, and what every reader decodes.
//!
//! ```text
//! file    [ chunk 0: head of the file │ chunk │ chunk │ chunk … ]     64 KiB each
//! chunk   [ head │ event event event … committed ░░░░░░░░░░░ ]        of one thread
//! event   [ kind and time since the last │ size │ distance of the address ]
//! ```
//!
//! A chunk belongs to one thread and is written in a shared mapping of the file. Its committed length is stored after each event,
//! so a program that is killed loses at most the event it was writing.
//!
//! Layer *trace-format*, beside base: depends on nothing, never allocates. `docs/trace-format.md` says what each byte means.
#![no_std]

pub mod cells;
mod chunk;
mod event;
mod file;
mod near;
mod read;
pub mod varint;
mod write;

pub use chunk::{
    CHUNK, ChunkHead, FRAMES, HEAD, PROCESS_ENDS, SEALED, SHORT, SHORT_ALIGN, THREAD_ENDED, WALK,
};
pub use event::{Event, Kind};
pub use file::{FileHead, HeadError, MAGIC, VERSION};
pub use read::{Cursor, Fault, FaultKind};
pub use write::{ROOM, Writer};

/// A tick of the recorder's clock is shifted right by so many bits: times in a trace are in units of 64 ticks.
pub const TICK_SHIFT: u32 = 6;
