//! The order in which a fresh slab is handed out when it is to be hard to guess: one shuffled order a cache, begun anywhere.
//!
//! ```text
//! order  [ 5 │ 0 │ 7 │ 2 │ 6 │ 1 │ 4 │ 3 ]       a slab that begins at 3: 2 6 1 4 3 5 0 7
//! ```
//!
//! As the kernel's `SLAB_FREELIST_RANDOM`; the numbers are xorshift's (Marsaglia, 2003), no secret is made with them.
use core::ptr::NonNull;

use base::bits::low16;

/// The order, when there is memory for it.
#[derive(Debug)]
pub(super) struct Shuffle {
    order: Option<NonNull<u16>>,
    len: usize,
    state: u64,
}

impl Shuffle {
    pub(super) const fn new(seed: u64) -> Self {
        let state = match seed ^ 0x9e37_79b9_7f4a_7c15 {
            // Nothing but 0 would follow.
            0 => 1,
            state => state,
        };
        Self { order: None, len: 0, state }
    }

    pub(super) const fn is_ready(&self) -> bool {
        self.order.is_some()
    }

    /// Makes the order of `len` objects in a piece that is long enough for a descriptor of as many.
    pub(super) fn prepare(&mut self, len: usize, piece: NonNull<u8>) {
        let order = piece.cast::<u16>();
        for index in 0..len {
            // SAFETY: within the piece.
            let at = unsafe { order.add(index) };
            // SAFETY: ours.
            unsafe { at.write(low16(index)) };
        }
        (self.order, self.len) = (Some(order), len);
        for index in (1..len).rev() {
            let other = self.below(index + 1);
            let (a, b) = (self.nth(index), self.nth(other));
            self.set(index, b);
            self.set(other, a);
        }
    }

    /// The piece, when the order is not needed any more.
    pub(super) fn take_piece(&mut self) -> Option<NonNull<u8>> {
        self.order.take().map(NonNull::cast)
    }

    fn nth(&self, index: usize) -> u16 {
        debug_assert!(index < self.len);
        // SAFETY: there are `len` of them.
        let at = self.order.map(|order| unsafe { order.add(index) });
        // SAFETY: `prepare` wrote it.
        at.map_or(0, |at| unsafe { at.read() })
    }

    fn set(&mut self, index: usize, to: u16) {
        if let Some(order) = self.order {
            // SAFETY: `index` is below `len`.
            let at = unsafe { order.add(index) };
            // SAFETY: ours.
            unsafe { at.write(to) };
        }
    }

    fn below(&mut self, bound: usize) -> usize {
        self.state ^= self.state << 13;
        self.state ^= self.state >> 7;
        self.state ^= self.state << 17;
        #[expect(clippy::cast_possible_truncation, reason = "below `bound`")]
        let number = (self.state % bound as u64) as usize;
        number
    }

    pub(super) fn order(&mut self, objects: usize) -> impl Iterator<Item = u16> {
        let first = self.below(self.len.max(1));
        let this = &*self;
        (0..this.len)
            .map(move |index| this.nth((first + index) % this.len))
            .filter(move |&index| usize::from(index) < objects)
    }
}
