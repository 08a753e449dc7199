//! What can happen in a recorded program, and how an event begins.
//!
//! ```text
//! first byte   ttttttkk     kk: 1 malloc, 2 free, 3 calloc, 0 another kind, which the next byte names
//!                           t: units of time since the thread's last event; 63: a number follows that has them
//! then                      the kind's own fields, in the order in which they stand here
//! ```
//!
//! An address is a distance, in units of 16 bytes, from one [before](crate::near). One that is no multiple of 16 is announced by
//! a [`Kind::Odd`] before the event. Of `malloc` and `calloc` the size comes first.

/// The kinds of events. The numbers are the format's: they never change their meaning.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Kind {
    /// `malloc`, stamped after the call.
    Malloc = 1,
    /// `free`, stamped before the call.
    Free = 2,
    /// `calloc`, stamped after the call.
    Calloc = 3,
    /// `aligned_alloc` and its like, stamped after the call.
    Aligned = 4,
    /// A `realloc` begins: the old block may be gone from now on.
    ReallocFrom = 5,
    /// The `realloc` that this thread began has returned.
    ReallocTo = 6,
    /// A request was refused.
    Refused = 7,
    /// The next address of this chunk has these low four bits.
    Odd = 8,
    /// `malloc_usable_size` was asked and answered.
    UsableSize = 9,
    /// So many pages of the block that is freed next were touched.
    Touched = 10,
    /// A frame of a call stack that was not seen before in this process.
    Frame = 11,
    /// The next allocation of this thread was made from this frame.
    From = 12,
    /// The thread's name.
    ThreadName = 13,
    /// The process forked; the child has a file of its own.
    Fork = 14,
    /// The process is about to be replaced.
    Exec = 15,
    /// The program itself mapped memory.
    Map = 16,
    /// The program itself unmapped memory.
    Unmap = 17,
    /// The program said where it is.
    Mark = 18,
    /// A block that was there before the recording began.
    Born = 19,
    /// What the process has resident.
    Memory = 20,
    /// Events that were not recorded.
    Dropped = 21,
    /// A file that is mapped with code in it.
    Module = 22,
}

impl Kind {
    /// The kind with this number.
    #[must_use]
    pub const fn from_number(number: u8) -> Option<Self> {
        Some(match number {
            1 => Self::Malloc,
            2 => Self::Free,
            3 => Self::Calloc,
            4 => Self::Aligned,
            5 => Self::ReallocFrom,
            6 => Self::ReallocTo,
            7 => Self::Refused,
            8 => Self::Odd,
            9 => Self::UsableSize,
            10 => Self::Touched,
            11 => Self::Frame,
            12 => Self::From,
            13 => Self::ThreadName,
            14 => Self::Fork,
            15 => Self::Exec,
            16 => Self::Map,
            17 => Self::Unmap,
            18 => Self::Mark,
            19 => Self::Born,
            20 => Self::Memory,
            21 => Self::Dropped,
            22 => Self::Module,
            _ => return None,
        })
    }
}

/// An event, decoded. Addresses and sizes are in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs, reason = "the fields are named by what they are")]
pub enum Event<'a> {
    Malloc {
        at: u64,
        size: u64,
    },
    Free {
        at: u64,
    },
    Calloc {
        at: u64,
        size: u64,
    },
    /// `align` is a power of two.
    Aligned {
        at: u64,
        size: u64,
        align: u64,
    },
    ReallocFrom {
        at: u64,
    },
    /// `at` is 0 if it was refused: then the old block lives on. With a `size` of 0 it was freed.
    ReallocTo {
        at: u64,
        size: u64,
    },
    Refused {
        size: u64,
    },
    UsableSize {
        at: u64,
        usable: u64,
    },
    Touched {
        pages: u64,
    },
    /// `frame` is called by `caller`; 0 is nobody. `ip` is a return address.
    Frame {
        frame: u64,
        caller: u64,
        ip: u64,
    },
    From {
        frame: u64,
    },
    ThreadName {
        name: &'a [u8],
    },
    Fork {
        child: u64,
    },
    Exec {
        path: &'a [u8],
    },
    Map {
        at: u64,
        len: u64,
    },
    Unmap {
        at: u64,
        len: u64,
    },
    Mark {
        name: &'a [u8],
    },
    /// `size` is what the allocator says of it, or 0 if it cannot be asked.
    Born {
        at: u64,
        size: u64,
    },
    /// Bytes of anonymous memory, of files, and of shared memory.
    Memory {
        anon: u64,
        file: u64,
        shmem: u64,
    },
    /// How many; 0: all from here on, in every thread.
    Dropped {
        events: u64,
    },
    /// `path` and, behind a NUL, the build id.
    Module {
        start: u64,
        end: u64,
        offset: u64,
        path: &'a [u8],
    },
}
