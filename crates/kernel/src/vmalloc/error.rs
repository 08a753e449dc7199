//! Why a request of vmalloc was refused. Nothing has changed then.
use core::fmt;

/// Mappings that Linux lets a process have, unless told otherwise.
pub const MAPPINGS: usize = 65_530;

/// Why not.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum VmallocError {
    /// An area of no bytes.
    Empty,
    /// More than all memory there is to give.
    TooLarge {
        /// Bytes of that.
        most: usize,
    },
    /// The alignment is no power of two.
    Alignment,
    /// Not enough frames are free.
    NoFrames {
        /// How many are.
        free: usize,
    },
    /// No addresses in a row are free that are enough.
    NoAddresses,
    /// The frames lie too scattered: each piece would be a mapping, and a process has [`MAPPINGS`].
    TooManyMappings {
        /// How many there may be here.
        most: usize,
    },
    /// The system refused: it has no memory for tables, or the process its [`MAPPINGS`].
    Refused,
    /// The program closed the descriptor of the frames' file. What is mapped stays as it is and can be given back; nothing
    /// else is mapped any more.
    Closed,
    /// The address is none of this allocator's.
    Foreign,
    /// No area is there: it was freed and its addresses were given back, or there never was one.
    NoArea,
    /// The area was freed (twice, if it is to be freed).
    Freed,
    /// The address is in an area and not its start, which is this.
    Inside {
        /// Where the area begins.
        start: usize,
    },
    /// The address is in the guard page behind the area that begins here.
    Guard {
        /// Where the area begins.
        start: usize,
    },
    /// The area was made by `vmap`, so `vunmap` is to take it.
    IsVmap,
    /// The area was made by `vmalloc`, so `vfree` is to take it.
    IsVmalloc,
    /// The frame was not handed out, or is named twice.
    NoFrame(u32),
    /// The frame is mapped, so it cannot be freed; or so often that it cannot once more.
    FrameMapped(u32),
}

impl fmt::Display for VmallocError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Empty => f.write_str("an area of no bytes"),
            Self::TooLarge { most } => write!(f, "more than the {most} bytes there are"),
            Self::Alignment => f.write_str("the alignment is no power of two"),
            Self::NoFrames { free } => write!(f, "out of memory: {free} frames are free"),
            Self::NoAddresses => f.write_str("no addresses in a row are enough"),
            Self::TooManyMappings { most } => write!(
                f,
                "the frames are too scattered: more than {most} mappings, of the {MAPPINGS} a process has (vm.max_map_count)"
            ),
            Self::Refused => write!(
                f,
                "the system refused: out of memory, or {MAPPINGS} mappings (vm.max_map_count)"
            ),
            Self::Closed => f.write_str("the program closed the descriptor of the frames' file"),
            Self::Foreign => f.write_str("the address is not ours"),
            Self::NoArea => {
                f.write_str("no area is at the address (freed already, or never there)")
            }
            Self::Freed => f.write_str("the area is free already (double free)"),
            Self::Inside { start } => {
                write!(f, "the address is inside of the area at {start:#x}, not its start")
            }
            Self::Guard { start } => {
                write!(f, "the address is in the guard page behind the area at {start:#x}")
            }
            Self::IsVmap => f.write_str("the area was made by vmap: vunmap takes it"),
            Self::IsVmalloc => f.write_str("the area was made by vmalloc: vfree takes it"),
            Self::NoFrame(frame) => {
                write!(f, "frame {frame} was not handed out, or is named twice")
            }
            Self::FrameMapped(frame) => write!(f, "frame {frame} is mapped"),
        }
    }
}

impl core::error::Error for VmallocError {}
