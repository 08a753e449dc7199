//! What a reader of a packed trace gets: one step after another, in the order of time.

/// A block of the recorded program: the n-th that was allocated, from 0 on. A block that `realloc` returns is a new one.
pub type Block = u64;
/// A thread of the recorded program, from 0 on in the order of first events.
pub type Thread = u32;
/// A frame of a call stack, 0: none was recorded.
pub type Frame = u32;

/// Something that the recorded program did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    /// Nanoseconds since the recording began.
    pub time: u64,
    pub thread: Thread,
    pub op: Op,
}

/// How a block came to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum How {
    Malloc,
    /// `calloc`: it is zero.
    Calloc,
    /// `aligned_alloc` and its like.
    Aligned,
    /// It was there before the recording began. A replay allocates it first.
    Born,
}

/// What was done. Sizes and addresses are in bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Op {
    Allocate {
        /// Its number: one more than that of the last `Allocate` or `Reallocate`.
        block: Block,
        how: How,
        size: u64,
        /// As requested, or 0.
        align: u64,
        /// Where the recorded allocator put it.
        address: u64,
        /// From where, or 0.
        frame: Frame,
    },
    /// `realloc` of `old` returned `block`, which is a new number also if its address is the old one.
    Reallocate {
        /// The block that is gone.
        old: Block,
        /// Its successor.
        block: Block,
        size: u64,
        address: u64,
        frame: Frame,
    },
    Free {
        block: Block,
        /// Pages of it that the program touched, where the recorder saw it.
        touched: Option<u32>,
    },
    Refused {
        size: u64,
    },
    /// `malloc_usable_size` was asked.
    UsableSize {
        block: Block,
        /// What the recorded allocator said.
        usable: u64,
    },
    /// The thread's first step.
    ThreadStart,
    ThreadName(String),
    ThreadEnd,
    Fork {
        /// The child, whose trace is another file.
        child: u32,
    },
    Exec(String),
    /// The program itself mapped memory.
    Map {
        address: u64,
        len: u64,
    },
    /// The program itself unmapped memory.
    Unmap {
        address: u64,
        len: u64,
    },
    /// The program said where it is.
    Mark(String),
    /// What the process has resident.
    Memory {
        anon: u64,
        file: u64,
        shmem: u64,
    },
    /// So many events were not recorded.
    Dropped {
        /// How many; 0: all from here on, in every thread.
        events: u64,
    },
}
