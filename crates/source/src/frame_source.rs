//! `FrameSource`: memory apart from addresses, so that any frames can be put behind any pages.
//!
//! A frame is memory of a page's size, in a file of frames that has no name:
//!
//! ```text
//!           write through a page                    map
//!   hole ◄────────────────────────► written     reserved ◄────────► mapped to a frame
//!                punch                 (frames)           unmap       (pages of addresses)
//!
//!   hole      reads as zero, costs no memory        two pages mapped to one frame are the same memory
//! ```
//!
//! A frame keeps what was written while no page is mapped to it, and a page mapped to a frame that is punched reads as
//! zero. A call that fails leaves every page and frame as it was, unless it says otherwise.
use crate::PageSource;

/// A file of frames.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct FrameFile {
    /// What the system calls it; the program may close it, and the system give the number to another file.
    pub number: usize,
    /// What makes it that file and no other.
    pub identity: [usize; 2],
}

/// How a change of what pages are mapped to ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mapped {
    /// As asked.
    Done,
    /// Nothing was changed: no memory for tables, or too many mappings.
    Refused,
    /// The pages are foreign: the system had already unmapped them, and takes no mapping in their place.
    Lost,
    /// Nothing was changed: the file's number is that of no file any more, or of another, as the program closed it.
    Closed,
}

/// Gives memory as frames, which are mapped to pages of addresses that are reserved.
/// # Safety
/// As of [`PageSource`]; a page that is mapped to a frame is that frame's memory and no other's.
pub unsafe trait FrameSource: PageSource {
    /// A file of `count` frames, all of them holes. `None`: no memory, no descriptor, or a limit of file sizes.
    fn create_frames(&self, count: usize) -> Option<FrameFile>;

    /// Whether the file's number is still that of the file. What is mapped stays mapped without it.
    fn is_open(&self, file: FrameFile) -> bool;

    /// Gives up a file; frames that pages are mapped to live until those are unmapped.
    /// # Safety
    /// The file was made here, and is not named afterwards.
    unsafe fn close_frames(&self, file: FrameFile);

    /// reserved → mapped: `count` pages from `at` on to as many frames from `first` on.
    /// # Safety
    /// The pages are reserved or mapped and nobody uses them; the frames are the file's, and who may read and write them
    /// agrees.
    unsafe fn map_frames(&self, file: FrameFile, first: usize, count: usize, at: usize) -> Mapped;

    /// reserved or mapped → reserved: all of `[at, at + len)`, which may be many mappings.
    /// # Safety
    /// The pages are reserved or mapped, and nobody uses them.
    unsafe fn unmap_frames(&self, at: usize, len: usize) -> Mapped;

    /// written → hole: `count` frames from `first` on. `false`: the source refuses, or the file is closed.
    /// # Safety
    /// The frames are the file's, and nobody needs their contents.
    unsafe fn punch_frames(&self, file: FrameFile, first: usize, count: usize) -> bool;

    /// Mappings that a process may have. `None`: the system does not say.
    fn most_mappings(&self) -> Option<usize>;

    /// Processors that this process may run on, at least 1.
    fn processors(&self) -> usize;
}
