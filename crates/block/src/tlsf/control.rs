//! Where the bins and the counts stand: in a `static`, or at the start of the memory managed.
//!
//! ```text
//!            [ counts, pools │ bitmap │ zeroes │ bin 0 │ bin 1 │ bin 2 │ … ]
//! [ largest ][                     …            └ cut off after the largest block's ┘
//! ```

use core::ptr::NonNull;

use super::block::Block;
use super::geometry::{Geometry, Shape, sealed::Sealed};
use super::map::BITS;
use super::pool::Pool;

#[derive(Debug)]
#[repr(C)]
pub(super) struct Head {
    pub(super) used: usize,
    /// The most that `used` was before it last went down.
    pub(super) peak: usize,
    /// Bytes in all blocks; what pools spend on themselves is left out.
    pub(super) total: usize,
    pub(super) failures: usize,
    /// The pool added last.
    pub(super) pools: Pool,
}

impl Head {
    const NEW: Head = Head { used: 0, peak: 0, total: 0, failures: 0, pools: Pool::NONE };
}

/// A control block: it has a geometry and can be found.
pub trait Control: Geometry {
    /// Where the bitmap stands, in bytes after the start.
    #[doc(hidden)]
    const BITS_AT: usize;
    #[doc(hidden)]
    const BINS_AT: usize;
    /// The largest block that the bins of the one at `at` can hold.
    #[doc(hidden)]
    fn largest(_at: *mut u8) -> usize {
        Self::LARGEST
    }
    /// Its address, for reading and writing.
    #[doc(hidden)]
    fn at(&mut self) -> *mut u8;
    /// Its address, for reading only.
    #[doc(hidden)]
    fn view(&self) -> *mut u8;
}

/// A control block that is a value: `static`, on a stack, in another structure. It may be moved.
#[derive(Debug)]
#[repr(C)]
pub struct Fixed<const WORDS: usize, const STEPS: usize, const GRAIN: usize> {
    head: Head,
    bits: [[usize; WORDS]; 2],
    bins: [[Block; BITS]; WORDS],
}

impl<const WORDS: usize, const STEPS: usize, const GRAIN: usize> Fixed<WORDS, STEPS, GRAIN> {
    pub(super) const fn new() -> Self {
        let () = Shape::<WORDS, STEPS, GRAIN>::VALID;
        Fixed { head: Head::NEW, bits: [[0; WORDS]; 2], bins: [[Block::NONE; BITS]; WORDS] }
    }
}

impl<const WORDS: usize, const STEPS: usize, const GRAIN: usize> Sealed
    for Fixed<WORDS, STEPS, GRAIN>
{
}

impl<const WORDS: usize, const STEPS: usize, const GRAIN: usize> Geometry
    for Fixed<WORDS, STEPS, GRAIN>
{
    const WORDS: usize = WORDS;
    const STEPS: usize = STEPS;
    const GRAIN: usize = GRAIN;
}

impl<const WORDS: usize, const STEPS: usize, const GRAIN: usize> Control
    for Fixed<WORDS, STEPS, GRAIN>
{
    const BITS_AT: usize = core::mem::offset_of!(Self, bits);
    const BINS_AT: usize = core::mem::offset_of!(Self, bins);

    #[inline(always)]
    fn at(&mut self) -> *mut u8 {
        core::ptr::from_mut(self).cast()
    }

    #[inline(always)]
    fn view(&self) -> *mut u8 {
        core::ptr::from_ref(self).cast_mut().cast()
    }
}

/// A control block at the start of the memory it manages, as long as that memory needs.
#[derive(Debug)]
pub struct Placed<const WORDS: usize, const STEPS: usize, const GRAIN: usize> {
    at: NonNull<Fixed<WORDS, STEPS, GRAIN>>,
}

/// The word below a placed control block.
fn note(at: *mut u8) -> *mut usize {
    at.cast::<usize>().wrapping_sub(1)
}

impl<const WORDS: usize, const STEPS: usize, const GRAIN: usize> Placed<WORDS, STEPS, GRAIN> {
    /// Bytes that the control block takes for blocks of `largest` bytes.
    pub(super) const fn bytes(largest: usize) -> usize {
        let () = Shape::<WORDS, STEPS, GRAIN>::VALID;
        let all = size_of::<Fixed<WORDS, STEPS, GRAIN>>();
        let last = super::map::by_bit(STEPS, largest / GRAIN);
        let needed = Self::BINS_AT + (last + 1) * size_of::<Block>();
        if needed < all { needed } else { all }
    }

    /// Writes an empty one of `bytes` bytes at `at`, for blocks of `largest` bytes, which is noted
    /// in the word below.
    /// The caller promises: the bytes and the word are the caller's and aligned for a word; they are the control block's from
    /// now on.
    pub(super) unsafe fn new(at: NonNull<u8>, bytes: usize, largest: usize) -> Self {
        // SAFETY: the caller's promise about the bytes.
        unsafe { at.write_bytes(0, bytes) };
        // SAFETY: the caller's promise about the word below.
        unsafe { note(at.as_ptr()).write(largest) };
        Placed { at: at.cast() }
    }

    /// The one that stands at `at`.
    /// The caller promises: [`new`](Self::new) wrote one there, and nobody else uses it meanwhile.
    pub(super) unsafe fn found(at: NonNull<u8>) -> Self {
        Placed { at: at.cast() }
    }

    pub(super) fn address(&self) -> NonNull<u8> {
        self.at.cast()
    }
}

impl<const WORDS: usize, const STEPS: usize, const GRAIN: usize> Sealed
    for Placed<WORDS, STEPS, GRAIN>
{
}

impl<const WORDS: usize, const STEPS: usize, const GRAIN: usize> Geometry
    for Placed<WORDS, STEPS, GRAIN>
{
    const WORDS: usize = WORDS;
    const STEPS: usize = STEPS;
    const GRAIN: usize = GRAIN;
}

impl<const WORDS: usize, const STEPS: usize, const GRAIN: usize> Control
    for Placed<WORDS, STEPS, GRAIN>
{
    const BITS_AT: usize = Fixed::<WORDS, STEPS, GRAIN>::BITS_AT;
    const BINS_AT: usize = Fixed::<WORDS, STEPS, GRAIN>::BINS_AT;

    fn largest(at: *mut u8) -> usize {
        // SAFETY: `new` wrote it.
        let noted = unsafe { note(at).read() };
        noted.min(Self::LARGEST)
    }

    #[inline(always)]
    fn at(&mut self) -> *mut u8 {
        self.at.as_ptr().cast()
    }

    #[inline(always)]
    fn view(&self) -> *mut u8 {
        self.at.as_ptr().cast()
    }
}
