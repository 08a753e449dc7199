//! What is put away: halves of magazines, in the thread's depot.
//!
//! ```text
//! full [ 62 oldest │ 64 newest ] ─put away─► bundle ─taken─► empty [ 62 │      ]
//! ```
//!
//! Objects that lie scattered are not put away: each would keep a slab from being given back. Nor are those of a thread
//! that only frees, which has missed none (depot-D4). Each 64th flush gives the oldest bundle back, so that what circulates reaches
//! its slabs now and then: there a double free is noticed.
//!
//! Layer *thread*, inside a pass of the thread's account (cache-N5). O(objects of a bundle), and as much again for each of up to
//! [`MOST_IN_THE_WAY`] bundles that make room.
use core::slice;

use base::sync::OneWriter as _;
use object::central::Fault;
use object::size_class::info;
use page::{GRANULE, System};
use policy::caches;
use policy::table::MOST_IN_THE_WAY;

use super::{Backend, ThreadCache, WORD};
use crate::depot::MOST;
use crate::magazine::{pop, word};
use crate::tls::Tls;

impl ThreadCache {
    /// Puts up to `count` of the oldest objects of a full magazine away. `false`: they shall go back to the slabs.
    /// Errors: something that made room for them was no live object.
    pub(super) fn put_away<S: System, T: Tls>(
        &self,
        backend: Backend<'_, S>,
        tls: &T,
        class: usize,
        count: usize,
    ) -> (bool, Result<(), Fault>) {
        let size = info(class).size as usize;
        let count = count.min(self.depot.most(class)).min(MOST);
        if count == 0 || !caches::is_put_away(size) {
            return (false, Ok(()));
        }
        let bottom = self.bottom(tls.load(class), class);
        // SAFETY: the magazine is full, so at least `count` words from the bottom on are its objects (cache-N1).
        let oldest = unsafe { slice::from_raw_parts(word(bottom), count) };
        if !lie_together(oldest, caches::granules_together(count * size, GRANULE)) {
            return (false, Ok(()));
        }
        let room = caches::depot(backend.threads).saturating_sub(count * size);
        let answer = self.make_room(backend, room);
        if self.depot.most(class) == 0 || self.depot.is_full() || self.depot.bytes() > room {
            return (false, answer);
        }
        let Some(bundle) = self.depot.room(|| self.cells.take(backend.supply)) else {
            self.depot.less_missed(class);
            return (false, answer);
        };
        // SAFETY: the magazine is full, and a bundle has room for `MOST` words.
        unsafe { self.move_oldest(tls, class, count, bundle) };
        self.depot.put(class, count);
        (true, answer)
    }

    /// Gives the oldest bundles back until a place is free and no more than `most` bytes are put away, or until it is enough.
    fn make_room<S: System>(&self, backend: Backend<'_, S>, most: usize) -> Result<(), Fault> {
        let mut answer = Ok(());
        for _ in 0..MOST_IN_THE_WAY {
            if !self.depot.is_full() && self.depot.bytes() <= most {
                break;
            }
            let Some((class, objects)) = self.depot.take_oldest() else { break };
            answer = answer.and(self.give_back(backend, objects).answer());
            self.depot.less_missed(class);
        }
        answer
    }

    pub(super) fn give_back_bundle<S: System>(
        &self,
        backend: Backend<'_, S>,
    ) -> Option<Result<(), Fault>> {
        let (_, objects) = self.depot.take_oldest()?;
        Some(self.give_back(backend, objects).answer())
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
        while let Some(of_one) = self.give_back_bundle(backend) {
            answer = answer.and(of_one);
        }
        answer
    }
}

/// Whether every third of the objects lies in no more than `most` granules, as far as 64 bits can tell them apart.
fn lie_together(objects: &[usize], most: usize) -> bool {
    // An odd number near 2^64 divided by the golden ratio: what is apart by any step differs in its highest bits.
    const MIX: u64 = 0x9e37_79b9_7f4a_7c15;
    let bit = |object: &usize| 1u64 << (((object / GRANULE) as u64).wrapping_mul(MIX) >> 58);
    let seen = objects.iter().step_by(3).fold(0, |all, object| all | bit(object));
    seen.count_ones() as usize <= most
}
