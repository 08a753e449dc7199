//! What transfers: objects between magazines and the slabs, half a magazine at a time.
//!
//! ```text
//! empty [             ] ─refill─► [ 63 claimed │      ]     full [ 126 ] ─flush─► [ 64 newest │      ]
//! ```
//!
//! Layer *thread*, inside a pass of the thread's account (cache-N5). O(objects moved).
use core::mem::MaybeUninit;

use base::sync::OneWriter as _;
use object::central::Fault;
use object::shelf::Share;
use object::size_class::CLASSES;
use page::System;
use policy::caches;
use policy::table::REPORT;

use super::{Backend, ThreadCache, WORD};
use crate::magazine::{MAX_CAPACITY, pop, push, word};
use crate::tls::Tls;

impl ThreadCache {
    /// Slow path of malloc: an object of `class`, and more of them in the magazine.
    /// 0: out of memory.
    #[cold]
    #[inline(never)]
    pub fn refill<S: System, T: Tls>(
        &self,
        backend: Backend<'_, S>,
        tls: &T,
        class: usize,
    ) -> usize {
        self.account.pass::<S, _>(|| self.refill_inside(backend, tls, class))
    }

    fn refill_inside<S: System, T: Tls>(
        &self,
        backend: Backend<'_, S>,
        tls: &T,
        class: usize,
    ) -> usize {
        self.drop_nulls(tls, class);
        // SAFETY: the calling thread's magazine.
        let left = unsafe { pop(tls, class) };
        if left != 0 {
            return left;
        }
        let before = self.capacity(class);
        let Some(bottom) = self.grow_empty(backend.supply, tls, class) else {
            let mut one = [0];
            self.claim(backend, class, Share::Lines, &mut one);
            return one[0];
        };
        let put_away = self.take_put_away(tls, class, bottom);
        if put_away != 0 {
            return put_away;
        }
        let half = caches::refill(self.capacity(class));
        let share = self.share(class, before);
        let want =
            if let Share::NoLine(mates) = share { half - half % mates as usize } else { half };
        // SAFETY: the magazine is empty, so these words of its cell are free (cache-N1).
        let out = unsafe { core::slice::from_raw_parts_mut(word(bottom), want) };
        let got = self.claim(backend, class, share, out);
        if got == 0 {
            return 0;
        }
        if got < want {
            out.copy_within(want - got.., 0);
        }
        self.refills.raise(1);
        self.depot.was_missed(class);
        tls.store(class, bottom + (got - 1) * WORD);
        out[got - 1]
    }

    /// Slow path of free: makes room for `object`, or gives it back directly.
    /// Errors: something in the magazine was no live object.
    #[cold]
    #[inline(never)]
    pub fn flush<S: System, T: Tls>(
        &self,
        backend: Backend<'_, S>,
        tls: &T,
        class: usize,
        object: usize,
    ) -> Result<(), Fault> {
        self.account.pass::<S, _>(|| self.flush_inside(backend, tls, class, object))
    }

    fn flush_inside<S: System, T: Tls>(
        &self,
        backend: Backend<'_, S>,
        tls: &T,
        class: usize,
        object: usize,
    ) -> Result<(), Fault> {
        if self.capacity(class) == 0 {
            let keep = !self.is_stray(class);
            if !keep || self.grow_empty(backend.supply, tls, class).is_none() {
                return self.give_back(backend, &[object]).answer();
            }
        }
        // A sized free comes here because another class's magazine was full.
        // SAFETY: the caller gave the object up.
        if unsafe { push(tls, class, object) } {
            return Ok(());
        }
        let answer = if self.grow_full(tls, class) {
            Ok(())
        } else {
            let mut answer = Ok(());
            if caches::lets_go(self.flushes.raise(1)) {
                answer = self.give_back_bundle(backend).unwrap_or(answer);
            }
            let count = caches::flush(self.capacity(class));
            let (is_away, made_room) = self.put_away(backend, tls, class, count);
            answer = answer.and(made_room);
            if !is_away {
                self.depot.gave_back(class);
                answer = answer.and(self.give_back_oldest(backend, tls, class, count));
            }
            answer.and(self.after_giving_back(backend, tls))
        };
        // SAFETY: room was made; the caller gave the object up.
        let kept = unsafe { push(tls, class, object) };
        debug_assert!(kept, "magazine-A2: a flushed magazine has room");
        answer
    }

    /// Drops the nulls that sized frees have left on top (magazine-A4).
    pub(super) fn drop_nulls<T: Tls>(&self, tls: &T, class: usize) {
        let mut top = tls.load(class);
        let bottom = self.bottom(top, class);
        // SAFETY: words from `bottom` to `top` are the magazine's.
        while top > bottom && unsafe { word(top - WORD).read() } == 0 {
            top -= WORD;
        }
        tls.store(class, top);
    }

    fn give_back_oldest<S: System, T: Tls>(
        &self,
        backend: Backend<'_, S>,
        tls: &T,
        class: usize,
        count: usize,
    ) -> Result<(), Fault> {
        let mut room = [MaybeUninit::uninit(); MAX_CAPACITY];
        let oldest = self.take_oldest(tls, class, count, &mut room);
        self.give_back(backend, oldest).answer()
    }

    /// Reports what came to enough by now.
    fn after_giving_back<S: System, T: Tls>(
        &self,
        backend: Backend<'_, S>,
        tls: &T,
    ) -> Result<(), Fault> {
        if self.account.given_back() < REPORT {
            return Ok(());
        }
        self.report_and_empty(backend, tls)
    }

    /// Takes the `count` oldest objects out of a magazine, or as many as there are, into `room`,
    /// of which nothing else is written: it is as large as the largest magazine.
    #[inline]
    fn take_oldest<'a, T: Tls>(
        &self,
        tls: &T,
        class: usize,
        count: usize,
        room: &'a mut [MaybeUninit<usize>; MAX_CAPACITY],
    ) -> &'a [usize] {
        let top = tls.load(class);
        let bottom = self.bottom(top, class);
        let held = (top - bottom) / WORD;
        let count = count.min(held);
        let oldest = room.as_mut_ptr().cast::<usize>();
        // SAFETY: a magazine holds at most `room`'s length (cache-N1).
        unsafe { self.move_oldest(tls, class, count, oldest) };
        // SAFETY: `count` words were written above.
        unsafe { core::slice::from_raw_parts(oldest, count) }
    }

    /// Moves the `count` oldest objects of a magazine `to` somewhere else. Meanwhile it looks empty (cache-N3).
    /// The caller promises: the magazine has as many, and `to` room for them.
    #[inline]
    pub(super) unsafe fn move_oldest<T: Tls>(
        &self,
        tls: &T,
        class: usize,
        count: usize,
        to: *mut usize,
    ) {
        let top = tls.load(class);
        let bottom = self.bottom(top, class);
        tls.store(class, bottom);
        // SAFETY: the caller's promise; nothing but a magazine lies in its cell.
        unsafe { word(bottom).copy_to_nonoverlapping(to, count) };
        // SAFETY: the rest moves down within the magazine.
        unsafe { word(bottom + count * WORD).copy_to(word(bottom), (top - bottom) / WORD - count) };
        tls.store(class, top - count * WORD);
    }

    /// Gives back every object and run this thread keeps; cells stay.
    /// Errors: something in a magazine was no live object.
    pub fn empty_all<S: System, T: Tls>(
        &self,
        backend: Backend<'_, S>,
        tls: &T,
    ) -> Result<(), Fault> {
        self.account.pass::<S, _>(|| {
            let answer = self.empty_magazines(backend, tls);
            self.drop_runs(backend);
            self.report(backend);
            answer
        })
    }

    /// Gives back every object of every magazine and of the depot, also behind one that is none.
    pub(super) fn empty_magazines<S: System, T: Tls>(
        &self,
        backend: Backend<'_, S>,
        tls: &T,
    ) -> Result<(), Fault> {
        let mut answer = self.empty_depot(backend);
        for class in (1..CLASSES).filter(|&class| self.capacity(class) != 0) {
            let mut room = [MaybeUninit::uninit(); MAX_CAPACITY];
            let oldest = self.take_oldest(tls, class, MAX_CAPACITY, &mut room);
            answer = answer.and(self.give_back(backend, oldest).answer());
        }
        answer
    }

    /// Gives back the runs that this thread keeps, or one that is gone.
    pub(super) fn drop_runs<S: System>(&self, backend: Backend<'_, S>) {
        self.give_back_runs(backend);
        self.runs.forget();
    }

    /// Gives back the runs that a thread keeps, any thread, which goes on (runs-K1).
    pub fn give_back_runs<S: System>(&self, backend: Backend<'_, S>) {
        let pages = backend.supply.pages;
        self.runs.take_each(|at, count| {
            if let Some(granule) = pages.region.granule_of(at)
                && pages.region.end_kept(granule, count)
            {
                pages.deallocate(at, count);
            }
        });
    }
}
