//! Members: the threads that have a record in one malloc, and the calling one's.
//!
//! ```text
//! thread's word ─► record [ owner │ next │ prev │ … the malloc's ]      owner: which malloc, by number
//! head ─► record ⇄ record ⇄ record                                     guarded by one lock
//! spare ─► record ─► record                                            of threads that have ended
//! ```
//!
//! - **M1** a record is on the list from its first use to its thread's end, then among the spare ones; it is never unmapped.
//! - **M2** a record's owner is the number of the malloc that made it, and no two mallocs of a process have the same.
//!
//! So a thread that uses two mallocs (tests do) never takes one's record for the other's; it then has a record of the one
//! that it used last.
//!
//! Layer *thread*. [`current`](Members::current): three loads and a branch.
use core::ffi::c_void;

use base::lock::Lock;
use base::sync::{AtomicU32, AtomicUsize, OneWriter as _, Ordering};
use page::System;
use source::os::imp::thread_end;

use crate::words::{self, ENDS, RECORD};

/// How often a thread's end may be announced before it goes without a record: destructors that run after ours may
/// allocate, and the C library comes back to us four times.
const MOST_ENDS: usize = 3;

/// A malloc that has records of threads.
pub trait ThreadEnds: 'static {
    /// The calling thread ends: `record` is its own.
    fn thread_ended(&'static self, record: usize);
}

/// Calls the malloc at an address.
type Call = fn(usize, usize);

fn call<M: ThreadEnds>(malloc: usize, record: usize) {
    // SAFETY: the address that `announce` was given, whose contents stay.
    if let Some(malloc) = unsafe { core::ptr::with_exposed_provenance::<M>(malloc).as_ref() } {
        malloc.thread_ended(record);
    }
}

/// Called at a thread's end, for any malloc's record.
extern "C" fn ended(record: *mut c_void) {
    let at = record.expose_provenance();
    // SAFETY: `watch` was given a record, which stays (M1).
    let member = unsafe { Member::at(at) };
    let who = member.ended.load(Ordering::Relaxed);
    // SAFETY: 0, or the address of a constant.
    if let Some(call) = unsafe { core::ptr::with_exposed_provenance::<Call>(who).as_ref() } {
        call(member.malloc.load(Ordering::Relaxed), at);
    }
}

/// What every record begins with.
#[derive(Debug)]
#[repr(C)]
pub struct Member {
    owner: AtomicUsize,
    /// Whom the thread's end is announced to, and for which malloc.
    ended: AtomicUsize,
    malloc: AtomicUsize,
    next: AtomicUsize,
    prev: AtomicUsize,
}

impl Member {
    /// The record at an address.
    ///
    /// # Safety
    ///
    /// `at` is the address of a record (M1).
    #[inline(always)]
    unsafe fn at<'a>(at: usize) -> &'a Self {
        // SAFETY: the caller's promise.
        unsafe { &*core::ptr::with_exposed_provenance(at) }
    }

    fn get<'a>(at: usize) -> Option<&'a Self> {
        // SAFETY: only addresses of records are linked (M1).
        (at != 0).then(|| unsafe { Self::at(at) })
    }
}

/// The list of records.
#[derive(Debug)]
pub struct Members<S> {
    /// This malloc's number (M2); 0 before its first record.
    id: AtomicUsize,
    lock: Lock<S>,
    head: AtomicUsize,
    spare: AtomicUsize,
    live: AtomicU32,
    /// Whom threads' ends are announced to: the address of a [`Call`]; 0: nobody. And for which malloc.
    ended: AtomicUsize,
    malloc: AtomicUsize,
}

impl<S: System> Members<S> {
    /// No thread yet.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            id: AtomicUsize::new(0),
            lock: Lock::new(),
            head: AtomicUsize::new(0),
            spare: AtomicUsize::new(0),
            live: AtomicU32::new(0),
            ended: AtomicUsize::new(0),
            malloc: AtomicUsize::new(0),
        }
    }

    /// From now on threads' ends are announced to the malloc that this is a part of.
    pub fn announce<M: ThreadEnds>(&self, malloc: &'static M) {
        thread_end::prepare(ended);
        let call: &'static Call = const { &(call::<M> as Call) };
        self.malloc.store(core::ptr::from_ref(malloc).expose_provenance(), Ordering::Relaxed);
        self.ended.store(core::ptr::from_ref(call).expose_provenance(), Ordering::Release);
    }

    /// The lock, for `fork`.
    pub fn lock_for_fork(&self) -> &Lock<S> {
        &self.lock
    }

    /// Threads that have a record now.
    pub fn live(&self) -> u32 {
        self.live.load(Ordering::Relaxed)
    }

    /// The address of the calling thread's record; 0: it has none here.
    #[inline(always)]
    pub fn current(&self) -> usize {
        let at = words::load(RECORD);
        if at == 0 {
            return 0;
        }
        // SAFETY: the word holds 0 or a record (M1).
        let owner = unsafe { Member::at(at) }.owner.load(Ordering::Relaxed);
        if owner == self.id.load(Ordering::Relaxed) { at } else { 0 }
    }

    /// Makes the calling thread a member: with a spare record, or one that `fresh` gives, of zeroes. 0: no memory, or the
    /// thread is as good as ended. `ready` is called with a record before anybody sees it.
    pub fn enter(&self, fresh: impl FnOnce() -> Option<usize>, ready: impl FnOnce(usize)) -> usize {
        if words::load(ENDS) > MOST_ENDS {
            return 0;
        }
        let inside = self.lock.lock();
        let spare = self.spare.load(Ordering::Relaxed);
        let at = match Member::get(spare) {
            Some(record) => self.spare.replace(record.next.load(Ordering::Relaxed)),
            None => fresh().unwrap_or(0),
        };
        let Some(record) = Member::get(at) else { return 0 };
        ready(at);
        record.owner.store(self.number(), Ordering::Relaxed);
        record.prev.store(0, Ordering::Relaxed);
        let old = self.head.replace(at);
        record.next.store(old, Ordering::Relaxed);
        if let Some(old) = Member::get(old) {
            old.prev.store(at, Ordering::Relaxed);
        }
        self.live.fetch_add(1, Ordering::Relaxed);
        drop(inside);
        words::store(RECORD, at);
        self.watch(at);
        at
    }

    /// This malloc's number (M2). Under the lock.
    fn number(&self) -> usize {
        static LAST: AtomicUsize = AtomicUsize::new(0);
        if self.id.load(Ordering::Relaxed) == 0 {
            self.id.store(LAST.fetch_add(1, Ordering::Relaxed) + 1, Ordering::Relaxed);
        }
        self.id.load(Ordering::Relaxed)
    }

    /// Has the thread's end announced. It may allocate, and finds the record.
    fn watch(&self, at: usize) {
        let who = self.ended.load(Ordering::Acquire);
        if who != 0
            && let Some(member) = Member::get(at)
        {
            member.malloc.store(self.malloc.load(Ordering::Relaxed), Ordering::Relaxed);
            member.ended.store(who, Ordering::Relaxed);
            thread_end::watch(ended, at);
        }
    }

    /// The calling thread ends: what it kept is `taken`, under the lock, and the record is a spare one. For an announced
    /// record.
    pub fn leave(&self, at: usize, taken: impl FnOnce(usize)) {
        words::store(ENDS, words::load(ENDS) + 1);
        if self.current() == at {
            words::store(RECORD, 0);
        }
        let _inside = self.lock.lock();
        taken(at);
        self.unlink(at);
        self.spare(at);
    }

    /// A record may be another thread's. Under the lock.
    fn spare(&self, at: usize) {
        if let Some(record) = Member::get(at) {
            record.next.store(self.spare.replace(at), Ordering::Relaxed);
        }
    }

    /// Takes a record off the list. Under the lock.
    fn unlink(&self, at: usize) {
        let Some(record) = Member::get(at) else { return };
        let (next, prev) =
            (record.next.load(Ordering::Relaxed), record.prev.load(Ordering::Relaxed));
        Member::get(prev).map_or(&self.head, |prev| &prev.next).store(next, Ordering::Relaxed);
        if let Some(next) = Member::get(next) {
            next.prev.store(prev, Ordering::Relaxed);
        }
        record.owner.store(0, Ordering::Relaxed);
        self.live.fetch_sub(1, Ordering::Relaxed);
    }

    /// Calls `visit` with every record, under the lock.
    pub fn each(&self, mut visit: impl FnMut(usize)) {
        let _inside = self.lock.lock();
        let mut at = self.head.load(Ordering::Relaxed);
        while let Some(record) = Member::get(at) {
            let next = record.next.load(Ordering::Relaxed);
            visit(at);
            at = next;
        }
    }

    /// Does something while no thread comes or goes.
    pub fn inside(&self, work: impl FnOnce()) {
        let _inside = self.lock.lock();
        work();
    }

    /// Calls `visit` with every record that no thread has, under the lock.
    pub fn each_spare(&self, mut visit: impl FnMut(usize)) {
        let _inside = self.lock.lock();
        let mut at = self.spare.load(Ordering::Relaxed);
        while let Some(record) = Member::get(at) {
            visit(at);
            at = record.next.load(Ordering::Relaxed);
        }
    }

    /// In the child of a fork, whose only thread is the calling one: the others' records are `taken`, which answers whether
    /// one may be used again.
    pub fn only_me(&self, mut taken: impl FnMut(usize) -> bool) {
        let mine = self.current();
        let _inside = self.lock.lock();
        let mut at = self.head.load(Ordering::Relaxed);
        while let Some(record) = Member::get(at) {
            let next = record.next.load(Ordering::Relaxed);
            if at != mine {
                let is_spare = taken(at);
                self.unlink(at);
                if is_spare {
                    self.spare(at);
                }
            }
            at = next;
        }
    }
}

impl<S: System> Default for Members<S> {
    fn default() -> Self {
        Self::new()
    }
}
