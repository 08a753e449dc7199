//! A block of a fit heap: one word of header, and while it is free two links and a footer.
//!
//! ```text
//! addresses rise ─►
//!          at          + 1 word                                       at + size
//! used     ┌──────────┬──────────────────────────────────────────────┐
//!          │ size  fu │ payload                                      │
//!          └──────────┴──────────────────────────────────────────────┘
//! free     ┌──────────┬───────┬───────┬─ … ──────────────────┬───────┐
//!          │ size  00 │ left  │ right │                      │ size  │ footer
//!          └──────────┴───────┴───────┴─ … ──────────────────┴───────┘
//!             u: this block is used        f: the block before it is free
//! ```
//!
//! - **block-H1** `at` is one word past a multiple of two words, so that payloads are aligned to two
//!   words; `size` is a multiple of two words and at least [`MIN`].
//! - **block-H2** a free block's two neighbours are used, so its flags are 0 and its header is its size.
//! - **block-H3** a block's flag *f* says whether the block before it is free, and only then is the
//!   word before it that block's footer.
//! - **block-H4** each pool ends in a *sentinel*: a header with size 0 that is used.
//!
//! A [`Block`] stands for a header in memory that the heap owns: making one is where the promise
//! is given, and its methods rely on it.
use core::cell::Cell;
use core::mem::offset_of;
use core::ptr::NonNull;

use base::bits::align_up;

/// A machine word: a header, a link or a footer.
pub(super) const WORD: usize = size_of::<usize>();
/// What sizes are multiples of and payloads are aligned to.
pub(super) const UNIT: usize = 2 * WORD;
/// The smallest block: header, two links and footer.
pub(super) const MIN: usize = size_of::<Node>() + WORD;

const _: () = assert!(MIN == 2 * UNIT && size_of::<Option<Block>>() == WORD);

const USED: usize = 1;
const PREVIOUS_FREE: usize = 2;
const FLAGS: usize = UNIT - 1;

/// The size of a block whose payload holds `size` bytes, at most `isize::MAX`.
#[inline]
pub(super) const fn block_size(size: usize) -> usize {
    let whole = align_up(size + WORD, UNIT);
    if whole < MIN { MIN } else { whole }
}

/// What stands at the beginning of a block; the links only while it is free.
#[repr(C)]
struct Node {
    header: usize,
    left: Option<Block>,
    right: Option<Block>,
}

/// A block, by its address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Block(NonNull<Node>);

impl Block {
    /// The block at `at`.
    /// # Safety
    /// `at` is aligned as block-H1 says, and its [`MIN`] bytes (a sentinel's one word) are the heap's
    /// for as long as the result is used.
    #[inline]
    pub unsafe fn at(at: NonNull<u8>) -> Self {
        Self(at.cast())
    }

    /// The block whose payload this is.
    /// # Safety
    /// It is a live block's.
    #[inline]
    pub unsafe fn of(payload: NonNull<u8>) -> Self {
        // SAFETY: a payload has its header one word before it.
        Self(unsafe { payload.byte_sub(WORD) }.cast())
    }

    /// What the user of the block sees.
    #[inline]
    pub fn payload(self) -> NonNull<u8> {
        // SAFETY: a block is longer than a word.
        unsafe { self.0.byte_add(WORD) }.cast()
    }

    #[inline]
    pub fn address(self) -> usize {
        self.0.addr().get()
    }

    #[inline]
    fn header(self) -> usize {
        // SAFETY: the header is initialised and the heap's.
        unsafe { (*self.0.as_ptr()).header }
    }

    #[inline]
    fn set_header(self, header: usize) {
        // SAFETY: the header is the heap's.
        unsafe { (*self.0.as_ptr()).header = header };
    }

    /// Its bytes, header included; a sentinel's are 0.
    #[inline]
    pub fn size(self) -> usize {
        self.header() & !FLAGS
    }

    /// [`size`](Self::size) of a block that is free (block-H2).
    #[inline]
    pub fn hole_size(self) -> usize {
        debug_assert!(self.is_free(), "block-H2: {:#x} is not free", self.address());
        self.header()
    }

    #[inline]
    pub fn is_used(self) -> bool {
        self.header() & USED != 0
    }

    /// Whether it is free, as block-H2 has it.
    #[inline]
    pub fn is_free(self) -> bool {
        self.header() & FLAGS == 0
    }

    #[inline]
    pub fn is_previous_free(self) -> bool {
        self.header() & PREVIOUS_FREE != 0
    }

    #[inline]
    pub fn end(self) -> usize {
        self.address() + self.size()
    }

    /// What lies `bytes` further: a piece that is about to be cut off, or the next block.
    #[inline]
    pub fn further(self, bytes: usize) -> Self {
        debug_assert!(bytes <= self.size());
        // SAFETY: at most its size, and the next block or the sentinel stands there (block-H4).
        Self(unsafe { self.0.byte_add(bytes) })
    }

    #[inline]
    pub fn next(self) -> Self {
        self.further(self.size())
    }

    /// The block before, which is free.
    #[inline]
    pub fn previous(self) -> Self {
        debug_assert!(self.is_previous_free());
        // SAFETY: by block-H3 the word before is a footer.
        let footer = unsafe { self.0.byte_sub(WORD) }.cast::<usize>();
        // SAFETY: a footer is initialised.
        let size = unsafe { footer.read() };
        // SAFETY: by block-H3 a block of this size ends here.
        Self(unsafe { self.0.byte_sub(size) })
    }

    /// The footer that the block has if it is free: the size once more.
    #[inline]
    pub fn footer(self) -> usize {
        // SAFETY: a block is longer than a word, and ends where its size says.
        let footer = unsafe { self.0.byte_add(self.size() - WORD) }.cast::<usize>();
        // SAFETY: a free block's footer is initialised.
        unsafe { footer.read() }
    }

    /// Makes these bytes a free block, and marks that in the next one. The one before is used.
    #[inline]
    pub fn make_free(self, size: usize) {
        self.make_free_before_known(size);
        let next = self.further(size);
        next.set_header(next.header() | PREVIOUS_FREE);
    }

    /// [`make_free`](Self::make_free) where the next block knows already.
    #[inline]
    pub fn make_free_before_known(self, size: usize) {
        self.set_header(size);
        // SAFETY: the footer is the block's last word.
        let footer = unsafe { self.0.byte_add(size - WORD) }.cast::<usize>();
        // SAFETY: the block's bytes are the heap's.
        unsafe { footer.write(size) };
    }

    /// Makes these bytes a used block behind a used one; the next block is, or will be, one that
    /// does not say *f*.
    #[inline]
    pub fn make_used(self, size: usize) {
        self.set_header(size | USED);
    }

    /// Makes a free block, all of it, a used one and marks that in the next.
    #[inline]
    pub fn use_whole(self) {
        let next = self.next();
        self.set_header(self.header() | USED);
        next.set_header(next.header() & !PREVIOUS_FREE);
    }

    /// Changes a used block's size and keeps its flags.
    #[inline]
    pub fn set_size(self, size: usize) {
        self.set_header(size | self.header() & FLAGS);
    }

    #[inline]
    pub fn set_previous_used(self) {
        self.set_header(self.header() & !PREVIOUS_FREE);
    }

    #[inline]
    pub fn make_sentinel(self) {
        self.set_header(USED);
    }

    /// How far into the block a used one may begin so that its payload is a multiple of `align`:
    /// 0, or enough for a free block in front.
    #[inline]
    pub fn gap(self, align: usize) -> usize {
        let gap = self.payload().addr().get().wrapping_neg() & (align - 1);
        if gap == 0 || gap >= MIN { gap } else { gap + align.max(UNIT) }
    }

    /// Whether a used block of `size` bytes, at most its own, has room behind that gap.
    #[inline]
    pub fn fits(self, size: usize, align: usize) -> bool {
        self.hole_size() - size >= self.gap(align)
    }

    #[inline]
    pub fn left(self) -> Link {
        // SAFETY: a free block has this word.
        Link(unsafe { self.0.byte_add(offset_of!(Node, left)) }.cast())
    }

    #[inline]
    pub fn right(self) -> Link {
        // SAFETY: a free block has this word.
        Link(unsafe { self.0.byte_add(offset_of!(Node, right)) }.cast())
    }
}

/// A word that holds a block or nothing: a link of a free block, or the tree's root.
#[derive(Debug, Clone, Copy)]
pub struct Link(NonNull<Option<Block>>);

impl Link {
    /// The link that `root` is. It is used only while `root` stays where it is.
    #[inline]
    pub fn root(root: &Cell<Option<Block>>) -> Self {
        Self(NonNull::from(root).cast())
    }

    #[inline]
    pub fn get(self) -> Option<Block> {
        // SAFETY: the word is the heap's, and `set` came before.
        unsafe { self.0.read() }
    }

    #[inline]
    pub fn set(self, block: Option<Block>) {
        // SAFETY: the word is the heap's.
        unsafe { self.0.write(block) };
    }
}
