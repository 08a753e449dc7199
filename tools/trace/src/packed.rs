//! The bytes of a packed trace; `docs/trace-format.md` says what each means.
//!
//! ```text
//! file      [ magic, version │ about │ segment │ segment … │ frames │ names │ index │ about │ where the frames begin, magic ]
//! section   [ name, number of parts │ length of each part │ part part part … ]      each part is a frame of zstd
//! segment   a section: [ summary │ kinds │ threads │ times │ sizes │ … ]            at most 256 Ki steps
//! ```
//!
//! What cannot be reached from the end, as it is not there, is found by going from section to section from the begin.

pub(crate) mod columns;
pub(crate) mod numbers;
pub(crate) mod section;
pub(crate) mod summary;

/// What a packed trace begins with.
pub(crate) const MAGIC: [u8; 8] = *b"HWpacked";
pub(crate) const END: [u8; 8] = *b"HWpack-]";
/// The version that is written, and the newest that is read.
pub(crate) const VERSION: u32 = 1;
/// Where the first section begins.
pub(crate) const FIRST: u64 = 16;

/// Names of sections.
pub(crate) const ABOUT: [u8; 4] = *b"abou";
pub(crate) const SEGMENT: [u8; 4] = *b"segm";
pub(crate) const FRAMES: [u8; 4] = *b"fram";
pub(crate) const INDEX: [u8; 4] = *b"indx";
pub(crate) const NAMES: [u8; 4] = *b"name";

/// The most steps of a segment.
pub(crate) const STEPS: usize = 256 << 10;
/// The most steps, frames or summaries of one part.
pub(crate) const LIST: usize = 256 << 10;
/// The longest part, before it is compressed, in bytes: lists, and what the trace is about.
pub(crate) const LONGEST_PART: usize = 64 << 20;
/// The longest column: nine bytes a step are fewer, names and other rare fields stop before.
pub(crate) const LONGEST_COLUMN: usize = 9 << 20;
/// A segment with so many bytes of names and other rare fields takes no further step.
pub(crate) const MUCH_OTHER: usize = 8 << 20;
/// The longest name; what is longer is cut.
pub(crate) const LONGEST_TEXT: usize = 64 << 10;
/// The fewest bytes that the section of a segment takes: so many segments a file can have at most.
pub(crate) const SMALLEST_SEGMENT: u64 = 64;
