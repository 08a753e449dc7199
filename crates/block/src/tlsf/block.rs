//! One block: a header word, then the payload; a free one keeps its links and size in the payload.
//!
//! ```text
//! used  [ size,U ┼ payload …………………………………… ]
//! free  [ size   ┼ next ┼ prev ┼ ……… ┼ size ]     the next header: P set
//!         word 0   1      2           last
//! crumb [ next   ┼ prev ]                         free, two words: the header is a link
//! ```
//!
//! - **block-T1** the header holds the block's size in bytes, header included, a multiple of the
//!   grain; bit `USED` says the block is in use, bit `PREV_FREE` that the one below it is free.
//! - **block-T2** a free block's last word is its size, and no two free blocks are neighbours: so a
//!   free block's header is its size and nothing else.
//!
//! - **block-T8** a free block of two words, a crumb, has its links in the place of header and size. The
//!   grain is two words then, so headers lie at odd words, and the bit `CRUMB`, which is a word's
//!   worth, is set in a link and clear in a size.
//!
//! A header is one word and the payload follows it, so a payload aligned to two words means a
//! header one word below such a multiple. The last word of a used block is payload: whether it
//! is a size is known from `PREV_FREE` alone (Knuth, TAOCP 1, 2.5; Lea, "A memory allocator").

use super::tier::Tier;

/// Bytes in a word, which is all a block in use costs.
pub(super) const WORD: usize = size_of::<usize>();
pub(super) const USED: usize = 1;
/// The header's bit: the block below is free, and the word below the header is its size.
pub(super) const PREV_FREE: usize = 2;
/// The header's bits that are not size.
pub(super) const FLAGS: usize = USED | PREV_FREE;

/// The bit that tells a link from a size where both may stand (block-T8).
pub(super) const CRUMB: usize = WORD;
/// A crumb's link to nothing. As a size it would be enough for any request.
pub(super) const END: usize = !FLAGS;

/// The smallest free block that is not a crumb, in whole grains.
pub(super) const fn smallest_listed(grain: usize) -> usize {
    base::bits::align_up(4 * WORD, grain)
}

/// A block's header word, by address.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(transparent)]
pub(super) struct Block(pub(super) *mut usize);

impl Block {
    pub(super) const NONE: Block = Block(core::ptr::null_mut());

    /// The head of a bin in the place of the block before the first: its number, not an address.
    #[inline(always)]
    pub(super) const fn bin(number: usize) -> Block {
        Block(core::ptr::without_provenance_mut(number))
    }

    #[inline(always)]
    pub(super) fn of(payload: *mut u8) -> Block {
        Block(payload.wrapping_sub(WORD).cast())
    }

    #[inline(always)]
    pub(super) fn payload(self) -> *mut u8 {
        self.0.wrapping_add(1).cast()
    }

    #[inline(always)]
    pub(super) fn address(self) -> usize {
        self.0.addr()
    }

    #[inline(always)]
    pub(super) fn is_none(self) -> bool {
        self.0.is_null()
    }

    #[inline(always)]
    pub(super) fn above(self, bytes: usize) -> Block {
        Block(self.0.wrapping_byte_add(bytes))
    }

    #[inline(always)]
    pub(super) fn below(self, bytes: usize) -> Block {
        Block(self.0.wrapping_byte_sub(bytes))
    }

    /// Word `at` of the block.
    /// The caller promises: the word lies in memory of the allocator's.
    #[inline(always)]
    unsafe fn word(self, at: usize) -> usize {
        // SAFETY: the caller's promise.
        unsafe { self.0.wrapping_add(at).read() }
    }

    /// Link `at` of the block.
    /// The caller promises: as [`word`](Self::word), and the block is free (block-T1).
    #[inline(always)]
    pub(super) unsafe fn link(self, at: usize) -> Block {
        // SAFETY: the caller's promise; a `Block` is a transparent pointer of a word's size.
        unsafe { self.0.wrapping_add(at).cast::<Block>().read() }
    }

    /// The caller promises: as [`link`](Self::link).
    #[inline(always)]
    pub(super) unsafe fn set_link(self, at: usize, to: Block) {
        // SAFETY: the caller's promise.
        unsafe { self.0.wrapping_add(at).cast::<Block>().write(to) }
    }

    /// The header: size and flags.
    /// The caller promises: a header is here, written by [`set_header`](Self::set_header) with the same tier.
    #[inline(always)]
    pub(super) unsafe fn header<T: Tier>(self) -> usize {
        // SAFETY: the caller's promise.
        let word = unsafe { self.word(0) };
        T::open(self.address(), word)
    }

    /// Writes size and flags.
    /// The caller promises: the word is the allocator's, and block-T1 holds of `header` once the operation is over.
    #[inline(always)]
    pub(super) unsafe fn set_header<T: Tier>(self, header: usize) {
        let word = T::seal(self.address(), header);
        // SAFETY: the caller's promise.
        unsafe { self.0.write(word) }
    }

    /// The last word of the free block that ends here: its size, or a crumb's link.
    /// The caller promises: this block's header says `PREV_FREE`.
    #[inline(always)]
    pub(super) unsafe fn word_below(self) -> usize {
        // SAFETY: by block-T2 the word below is the free block's last.
        unsafe { self.0.wrapping_sub(1).read() }
    }

    /// Notes below this block that a free one of `size` bytes ends here.
    /// The caller promises: it does.
    #[inline(always)]
    pub(super) unsafe fn set_size_below(self, size: usize) {
        // SAFETY: the word below is the last of a free block (block-T2).
        unsafe { self.0.wrapping_sub(1).write(size) }
    }

    #[inline(always)]
    pub(super) fn next_at(self) -> *mut Block {
        self.0.wrapping_add(1).cast()
    }

    /// The next free block of its bin.
    /// The caller promises: this block is free and in a bin.
    #[inline(always)]
    pub(super) unsafe fn next(self) -> Block {
        // SAFETY: the caller's promise.
        unsafe { self.link(1) }
    }

    /// The caller promises: this block is free.
    #[inline(always)]
    pub(super) unsafe fn set_next(self, next: Block) {
        // SAFETY: the caller's promise.
        unsafe { self.set_link(1, next) }
    }

    /// The free block before it in its bin, or the bin's number.
    /// The caller promises: this block is free and in a bin.
    #[inline(always)]
    pub(super) unsafe fn prev(self) -> Block {
        // SAFETY: the caller's promise.
        unsafe { self.link(2) }
    }

    /// The caller promises: this block is free.
    #[inline(always)]
    pub(super) unsafe fn set_prev(self, prev: Block) {
        // SAFETY: the caller's promise.
        unsafe { self.set_link(2, prev) }
    }
}
