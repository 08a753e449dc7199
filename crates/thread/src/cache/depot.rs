//! A thread's depot: full cells of a class below the one in use.
//!
//! ```text
//! slot ─► cell [ below │ 0 │ object │ object │ top          ]     in use
//!                  └──► cell [ below │ 0 │ 126 objects     ]     full
//!                                └──► cell [ … │ 126 objects]     full
//! ```
//!
//! - **D1** a class has `stacked` cells below the one in use; each is full, and the first word of a cell
//!   names the next one below.
//! - **D2** only cells whose objects lie close to each other are stacked, at most 128 KiB of objects and
//!   cells whatever their classes. Scattered objects would each hold the slab that they are in.
//! - **D3** a flush gives back the older half of the lowest cell, which then is the one in use; or, when
//!   the cell in use is full of scattered objects, the whole lowest cell besides. So nothing stays for
//!   good: what was freed twice is found while the program goes on freeing.
//!
//! Small objects that a program frees by the thousand and allocates again never leave the thread then.
//! After Bonwick and Adams, "Magazines and Vmem", USENIX 2001 (section 3; there the depot is shared).
//!
//! Layer *thread*. O(1): two words are written and a slot is turned to another cell; at most a piece of
//! metadata is taken or given back. A flush reads the way to the lowest cell, at most 32 words.
use core::mem::MaybeUninit;

use base::sync::{OneWriter as _, Ordering};
use object::shelf::Supply;
use object::size_class::info;
use page::geometry::GRANULE_SHIFT;
use page::{Pool, System};

use super::{ThreadCache, WORD};
use crate::magazine::{CELL, MAX_CAPACITY, end_of, word};
use crate::tls::Tls;

const _: () = assert!(CELL == (2 + MAX_CAPACITY) * WORD, "two words and the objects");

/// Bytes of a thread's depot (D2).
pub(super) const BYTES: usize = 128 << 10;
/// Every eighth object of a full cell is looked at, and all that are may lie in four granules (D2).
const SAMPLE: usize = 8;
const GRANULES: usize = 4;

impl ThreadCache {
    /// How many cells of a class are below the one in use.
    pub(crate) fn stacked(&self, class: usize) -> usize {
        usize::from(self.stacked[class].load(Ordering::Relaxed))
    }

    /// Whether the objects of the full cell in use lie close to each other (D2).
    pub(super) fn is_close<T: Tls>(&self, tls: &T, class: usize) -> bool {
        let top = tls.load(class);
        let mut seen = [0; GRANULES];
        (self.bottom(top, class)..top).step_by(SAMPLE * WORD).all(|at| {
            // SAFETY: a word of the magazine.
            let granule = unsafe { word(at).read() } >> GRANULE_SHIFT;
            let slot = seen.iter_mut().find(|slot| **slot == granule || **slot == 0);
            slot.map(|slot| *slot = granule).is_some()
        })
    }

    /// Puts an empty cell on top of the full one in use. `false`: there are enough, or no memory.
    pub(super) fn stack<S: System, T: Tls>(
        &self,
        supply: Supply<'_, S>,
        tls: &T,
        class: usize,
    ) -> bool {
        let bytes = self.depot_bytes.load(Ordering::Relaxed) + stacked_bytes(class);
        if bytes > BYTES || (info(class).capacity as usize) < MAX_CAPACITY {
            return false;
        }
        let cell = match self.spare.replace(0) {
            0 => supply.meta.allocate(supply.pages, Pool::Cell).unwrap_or(0),
            spare => spare,
        };
        if cell == 0 {
            return false;
        }
        // SAFETY: the cell is ours, and has two words below the bottom of a full capacity (A1).
        unsafe { word(cell).write(end_of(tls.load(class)) - CELL) };
        // SAFETY: as above; the word below the bottom is 0 (N1).
        unsafe { word(cell + WORD).write(0) };
        self.stacked[class].raise(1);
        self.depot_bytes.store(bytes, Ordering::Relaxed);
        tls.store(class, cell + 2 * WORD);
        true
    }

    /// Takes the empty cell in use off the full one below. `false`: there is none below.
    pub(super) fn unstack<S: System, T: Tls>(
        &self,
        supply: Supply<'_, S>,
        tls: &T,
        class: usize,
    ) -> bool {
        if self.stacked(class) == 0 {
            return false;
        }
        let cell = end_of(tls.load(class)) - CELL;
        // SAFETY: by D1 the cell names the one below.
        let below = unsafe { word(cell).read() };
        tls.store(class, below + CELL);
        self.end_cell(supply, class, cell);
        true
    }

    /// The cells of a class below the one that `top` points into.
    pub(crate) fn below(&self, top: usize, class: usize) -> impl Iterator<Item = usize> {
        // SAFETY: by D1 a cell with others below names the next.
        let next = |cell: &usize| Some(unsafe { word(*cell).read() });
        let first = end_of(top) - CELL;
        core::iter::successors(Some(first), next).skip(1).take(self.stacked(class))
    }

    /// Puts the lowest cell, of which there is one, on top of the full one in use, and takes its older
    /// half out of it, into `room` (D3).
    pub(super) fn rotate<'a, T: Tls>(
        &self,
        tls: &T,
        class: usize,
        room: &'a mut [MaybeUninit<usize>; MAX_CAPACITY],
    ) -> &'a [usize] {
        const HALF: usize = MAX_CAPACITY / 2;
        let top = tls.load(class);
        let Some(lowest) = self.below(top, class).last() else { return &[] };
        let bottom = lowest + 2 * WORD;
        let older = room.as_mut_ptr().cast::<usize>();
        // SAFETY: by D1 the cell is full, and it is the calling thread's.
        unsafe { word(bottom).copy_to_nonoverlapping(older, HALF) };
        // SAFETY: the other half, of which each word moves down within the cell.
        unsafe { word(bottom + HALF * WORD).copy_to(word(bottom), HALF) };
        // SAFETY: the cell's first word, which nobody needs while it is the lowest.
        unsafe { word(lowest).write(end_of(top) - CELL) };
        tls.store(class, bottom + HALF * WORD);
        // SAFETY: that many words were written above.
        unsafe { core::slice::from_raw_parts(older, HALF) }
    }

    /// Takes all objects of the lowest cell, if there is one, into `room`, and has a cell less (D3).
    pub(super) fn take_lowest<'a, S: System, T: Tls>(
        &self,
        supply: Supply<'_, S>,
        tls: &T,
        class: usize,
        room: &'a mut [MaybeUninit<usize>; MAX_CAPACITY],
    ) -> &'a [usize] {
        let Some(lowest) = self.below(tls.load(class), class).last() else { return &[] };
        let objects = room.as_mut_ptr().cast::<usize>();
        // SAFETY: by D1 the cell is full, and it is the calling thread's.
        unsafe { word(lowest + 2 * WORD).copy_to_nonoverlapping(objects, MAX_CAPACITY) };
        self.end_cell(supply, class, lowest);
        // SAFETY: all words were written above.
        unsafe { core::slice::from_raw_parts(objects, MAX_CAPACITY) }
    }

    /// A cell of the stack is empty now and not in it any more.
    fn end_cell<S: System>(&self, supply: Supply<'_, S>, class: usize, cell: usize) {
        self.stacked[class].lower(1);
        self.depot_bytes.lower(stacked_bytes(class));
        if self.spare.load(Ordering::Relaxed) == 0 {
            self.spare.store(cell, Ordering::Relaxed);
        } else {
            // SAFETY: the cell came from this pool, and no slot names it.
            unsafe { supply.meta.deallocate(Pool::Cell, cell) };
        }
    }

    /// Gives the cell back that is kept for the next [`stack`](Self::stack).
    pub(super) fn drop_spare<S: System>(&self, supply: Supply<'_, S>) {
        let spare = self.spare.replace(0);
        if spare != 0 {
            // SAFETY: the cell came from this pool, and no slot names it.
            unsafe { supply.meta.deallocate(Pool::Cell, spare) };
        }
    }
}

/// Bytes of a full cell and its objects.
fn stacked_bytes(class: usize) -> usize {
    CELL + MAX_CAPACITY * info(class).size as usize
}
