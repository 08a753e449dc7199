//! A magazine: an array of free objects, last in, first out; the kernel's sheaf.
//!
//! ```text
//! ┌ len ┬ capacity ┬─ unused ─┬────────┬────────┬─ … ─┐
//! │  2  │    60    │ 24 bytes │ object │ object │     │      512 bytes for 60 rounds
//! └─────┴──────────┴──────────┴────────┴────────┴─ … ─┘
//! ```
//!
//! - **sheaf-F1** the first `len` rounds are objects that nobody else has; `len` is at most `capacity`.
//!
//! The one that everybody without a magazine points at has capacity 0: it is empty and full, and never written. The head has the
//! kernel's length, so that magazines have its rounds. Layer *kernel*. O(1).
use core::ptr::NonNull;
use core::sync::atomic::{AtomicU32, Ordering};

use base::bits::low32;

#[derive(Debug)]
#[repr(C, align(32))]
struct Header {
    /// Atomic, as the one with no room is everybody's.
    len: AtomicU32,
    capacity: u32,
}

impl Header {
    const fn new(capacity: u32) -> Self {
        Self { len: AtomicU32::new(0), capacity }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Sheaf(NonNull<Header>);

static NONE: Header = Header::new(0);

/// Bytes of a magazine with this many rounds.
pub(super) const fn bytes(capacity: usize) -> usize {
    size_of::<Header>() + capacity * size_of::<usize>()
}

impl Sheaf {
    /// The one with no room.
    pub(super) fn none() -> Self {
        Self(NonNull::from(&NONE))
    }

    /// An empty magazine in `piece`.
    /// The caller promises: `piece` is aligned to a line, has [`bytes`] for `capacity`, and is nobody else's.
    pub(super) unsafe fn create(piece: NonNull<u8>, capacity: usize) -> Self {
        let at = piece.cast::<Header>();
        // SAFETY: the caller grants it.
        unsafe { at.write(Header::new(low32(capacity))) };
        Self(at)
    }

    /// The piece it lies in, which is no magazine any more.
    pub(super) fn into_piece(self) -> NonNull<u8> {
        self.0.cast()
    }

    #[inline(always)]
    fn header(&self) -> &Header {
        // SAFETY: `create` wrote it, and it is in use; or the static one.
        unsafe { self.0.as_ref() }
    }

    #[inline(always)]
    fn round(self, index: usize) -> NonNull<NonNull<u8>> {
        // SAFETY: the rounds follow the header.
        let rounds = unsafe { self.0.add(1) }.cast::<NonNull<u8>>();
        // SAFETY: `index` is below the capacity.
        unsafe { rounds.add(index) }
    }

    #[inline(always)]
    pub(super) fn len(self) -> usize {
        self.header().len.load(Ordering::Relaxed) as usize
    }

    #[inline(always)]
    fn set_len(self, len: usize) {
        self.header().len.store(low32(len), Ordering::Relaxed);
    }

    #[inline(always)]
    pub(super) fn capacity(self) -> usize {
        self.header().capacity as usize
    }

    pub(super) fn is_empty(self) -> bool {
        self.len() == 0
    }

    pub(super) fn is_none(self) -> bool {
        self.capacity() == 0
    }

    #[inline(always)]
    pub(super) fn pop(self) -> Option<NonNull<u8>> {
        let len = self.len().checked_sub(1)?;
        self.set_len(len);
        // SAFETY: a round that `push` wrote (sheaf-F1).
        Some(unsafe { self.round(len).read() })
    }

    /// Puts an object in; whether there was room.
    #[inline(always)]
    pub(super) fn push(self, object: NonNull<u8>) -> bool {
        let len = self.len();
        if len == self.capacity() {
            return false;
        }
        // SAFETY: a round below the capacity.
        unsafe { self.round(len).write(object) };
        self.set_len(len + 1);
        true
    }

    #[inline(always)]
    pub(super) fn top(self) -> Option<NonNull<u8>> {
        // SAFETY: a round that `push` wrote (sheaf-F1).
        self.len().checked_sub(1).map(|last| unsafe { self.round(last).read() })
    }

    /// Takes the last `out.len()` objects, or as many as there are, in the order in which they came; how many.
    pub(super) fn take(self, out: &mut [Option<NonNull<u8>>]) -> usize {
        let len = self.len();
        let count = out.len().min(len);
        if count > 0 {
            let from = self.round(len - count).cast::<Option<NonNull<u8>>>().as_ptr();
            // SAFETY: rounds that `push` wrote (sheaf-F1), and as many places; an optional pointer has a pointer's form.
            unsafe { from.copy_to_nonoverlapping(out.as_mut_ptr(), count) };
        }
        self.set_len(len - count);
        count
    }

    /// Puts all of `objects` in; whether there was room.
    #[inline(always)]
    pub(super) fn put(self, objects: &[NonNull<u8>]) -> bool {
        let len = self.len();
        if objects.len() > self.capacity() - len {
            return false;
        }
        if !objects.is_empty() {
            let to = self.round(len).as_ptr();
            // SAFETY: rounds below the capacity; a magazine is nobody's slice.
            unsafe { objects.as_ptr().copy_to_nonoverlapping(to, objects.len()) };
        }
        self.set_len(len + objects.len());
        true
    }

    /// Shows the objects from the last to the first; each leaves when the next is asked for, so that none is lost if what is done
    /// with it panics.
    pub(super) fn leave(self) -> impl Iterator<Item = NonNull<u8>> {
        let mut shown = false;
        core::iter::from_fn(move || {
            if core::mem::take(&mut shown) {
                self.pop();
            }
            let top = self.top();
            shown = top.is_some();
            top
        })
    }

    /// Whether this object is in it. O(rounds).
    pub(super) fn has(self, object: NonNull<u8>) -> bool {
        self.iter().any(|one| one == object)
    }

    /// All objects in it, in the order in which they came.
    pub(super) fn iter(self) -> impl DoubleEndedIterator<Item = NonNull<u8>> {
        // SAFETY: rounds that `push` wrote (sheaf-F1).
        (0..self.len()).map(move |index| unsafe { self.round(index).read() })
    }
}
