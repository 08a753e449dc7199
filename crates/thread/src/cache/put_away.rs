//! What is put away: halves of magazines, in the thread's depot.
//!
//! ```text
//! full [ 62 oldest │ 64 newest ] ─put away─► bundle ─taken─► empty [ 62 │      ]
//! ```
//!
//! Objects that lie scattered are not put away: each would keep a slab from being given back. Nor are those of a thread
//! that only frees, which has missed none (D4).
//!
//! Layer *thread*, inside a pass of the thread's account (N5). O(objects of a bundle), and as much again for a bundle
//! that has to make room.
use core::slice;

use base::sync::OneWriter as _;
use object::central::Fault;
use object::size_class::info;
use page::{GRANULE, System};
use policy::caches;
use policy::table::DEPOT;

use super::{Backend, ThreadCache, WORD};
use crate::depot::MOST;
use crate::magazine::{pop, word};
use crate::tls::Tls;

impl ThreadCache {
    /// Puts up to `count` of the oldest objects of a full magazine away. `None`: they shall go back to the slabs.
    pub(super) fn put_away<S: System, T: Tls>(
        &self,
        backend: Backend<'_, S>,
        tls: &T,
        class: usize,
        count: usize,
    ) -> Option<Result<(), Fault>> {
        let size = info(class).size as usize;
        let count = count.min(self.depot.share(class)).min(MOST);
        if count == 0 || !caches::is_put_away(size) {
            return None;
        }
        let top = tls.load(class);
        let bottom = self.bottom(top, class);
        // SAFETY: the magazine is full, so at least `count` words from the bottom on are its objects (N1).
        let oldest = unsafe { slice::from_raw_parts(word(bottom), count) };
        if !caches::lie_together(granules_of(oldest), count * size, GRANULE) {
            return None;
        }
        let answer = self.make_room(backend, count * size);
        let Some(room) = self.depot.room(|| self.cells.take(backend.supply)) else {
            return answer.err().map(Err);
        };
        // SAFETY: a bundle has room for `MOST` words.
        unsafe { room.copy_from_nonoverlapping(oldest.as_ptr(), count) };
        // SAFETY: the rest moves down within the magazine.
        unsafe { word(bottom + count * WORD).copy_to(word(bottom), (top - bottom) / WORD - count) };
        tls.store(class, top - count * WORD);
        self.depot.put(class, count);
        Some(answer)
    }

    /// Gives the oldest bundles back until the next may be put, of so many bytes.
    fn make_room<S: System>(&self, backend: Backend<'_, S>, bytes: usize) -> Result<(), Fault> {
        let mut answer = Ok(());
        while self.depot.is_full() || self.depot.bytes() + bytes > DEPOT {
            let Some(objects) = self.depot.take_oldest() else { break };
            answer = answer.and(self.give_back(backend, objects).answer());
        }
        answer
    }

    /// Puts the newest bundle of a class into its magazine, which is empty, and takes an object; 0: there is none.
    pub(super) fn take_put_away<T: Tls>(&self, tls: &T, class: usize, bottom: usize) -> usize {
        while let Some(objects) = self.depot.take(class) {
            // SAFETY: a bundle was half of this class's magazine, whose capacity is no smaller now.
            unsafe { word(bottom).copy_from_nonoverlapping(objects.as_ptr(), objects.len()) };
            tls.store(class, bottom + objects.len() * WORD);
            self.drop_nulls(tls, class);
            // SAFETY: the calling thread's magazine.
            let object = unsafe { pop(tls, class) };
            if object != 0 {
                self.refills.raise(1);
                return object;
            }
        }
        0
    }

    /// Gives back what was put away.
    pub(super) fn empty_depot<S: System>(&self, backend: Backend<'_, S>) -> Result<(), Fault> {
        let mut answer = Ok(());
        while let Some(objects) = self.depot.take_oldest() {
            answer = answer.and(self.give_back(backend, objects).answer());
        }
        answer
    }
}

/// How many granules every other of these objects lies in; of 64 and more apart some may count as one.
fn granules_of(objects: &[usize]) -> u32 {
    let bits = objects.iter().step_by(2).map(|object| 1u64 << (object / GRANULE % 64));
    bits.fold(0, |all, bit| all | bit).count_ones()
}
