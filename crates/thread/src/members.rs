//! Members: the threads that have a record in one malloc, and the calling one's.
//!
//! ```text
//! thread's word ─► record [ owner │ next │ prev │ … the malloc's ]      owner: which malloc, by number
//! head ─► record ⇄ record ⇄ record                                     guarded by one lock
//! spare ─► record ⇄ record                                             of threads that have ended, and hold something
//! pieces   [ record │ record │ … ]                                     those that hold nothing: their pages go back
//! ```
//!
//! - **members-M1** a record is on the list from its first use to its thread's end, then among the spare ones or free; it is never
//!   unmapped, and what is free is as it was or zeroes.
//! - **members-M2** a record's owner is the number of the malloc that made it, and no two mallocs of a process have the same.
//!
//! So a thread that uses two mallocs (tests do) never takes one's record for the other's; it then has a record of the one
//! that it used last.
//!
//! Layer *thread*. [`current`](Members::current): three loads and a branch.
use core::ffi::c_void;
use core::marker::PhantomData;
use core::ptr;

use base::lock::{Busy, Lock, Park as _};
use base::sync::{AtomicBool, AtomicU32, AtomicUsize, Ordering};
use page::{Pieces, System, try_purging};
use policy::table::MOST_LATE_FREES;
use source::os::Os;
use source::os::imp::thread_end;

use crate::links::{self, Linked, List};
use crate::words::{self, A_FREE, ENDS, RECORD};

/// How often a thread's end may be announced before it goes without a record: destructors that run after ours may allocate, and
/// the C library comes back to us, in four rounds at most. A record of the last round would stay. That is the one after the
/// third end if the thread's destructors were the first to allocate, which nobody tells us.
const MOST_ENDS: usize = 2;
/// Records are whole pages: those of each can go back.
const PAGE: usize = 4096;
/// Bytes of a chunk of records, at least.
const CHUNK: usize = 256 << 10;

/// What a malloc keeps for each of its threads.
/// # Safety
/// It is `#[repr(C)]` and begins with a [`Member`], and memory of zeroes is one.
pub unsafe trait Record: Sync + Sized + 'static {}

/// A malloc that has records of threads.
pub trait ThreadEnds: 'static {
    /// What it keeps for each.
    type Record: Record;

    /// The calling thread, which is inside, ends: `record` is its own.
    fn thread_ended(&'static self, record: &Self::Record);
}

/// Calls the malloc at an address.
type Call = fn(usize, usize);

fn call<M: ThreadEnds>(malloc: usize, record: usize) {
    // SAFETY: the address that `announce` was given, whose contents stay.
    let malloc = unsafe { ptr::with_exposed_provenance::<M>(malloc).as_ref() };
    if let (Some(malloc), Some(record)) = (malloc, record_at(record)) {
        malloc.thread_ended(record);
    }
}

#[inline(always)]
fn record_at<'a, R: Record>(at: usize) -> Option<&'a R> {
    // SAFETY: 0, or the address of a record of this malloc (members-M2), which stays (members-M1).
    unsafe { ptr::with_exposed_provenance::<R>(at).as_ref() }
}

/// Called at a thread's end, for any malloc's record.
extern "C" fn ended(record: *mut c_void) {
    let at = record.expose_provenance();
    let Some(member) = Member::get(at) else { return };
    if Os::is_busy() {
        // It ends in a signal handler that interrupted a malloc: what it has stays.
        return;
    }
    let _busy = Busy::<Os>::new();
    let who = member.ended.load(Ordering::Relaxed);
    // SAFETY: 0, or the address of a constant.
    if let Some(call) = unsafe { ptr::with_exposed_provenance::<Call>(who).as_ref() } {
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
    links: [AtomicUsize; 2],
}

// SAFETY: records are never unmapped (members-M1).
unsafe impl Linked for Member {
    fn links(&self) -> &[AtomicUsize; 2] {
        &self.links
    }
}

impl Member {
    #[inline(always)]
    fn get<'a>(at: usize) -> Option<&'a Self> {
        // SAFETY: 0, or the address of a record (members-M1), which begins with one of these.
        unsafe { ptr::with_exposed_provenance::<Self>(at).as_ref() }
    }
}

/// The list of records, each an `R`.
#[derive(Debug)]
pub struct Members<S, R> {
    /// This malloc's number (members-M2); 0 before its first record.
    id: AtomicUsize,
    lock: Lock<S>,
    head: List<Member>,
    spare: List<Member>,
    pieces: Pieces,
    live: AtomicU32,
    were_two: AtomicBool,
    /// Whom threads' ends are announced to: the address of a [`Call`]; 0: nobody. And for which malloc.
    ended: AtomicUsize,
    malloc: AtomicUsize,
    of: PhantomData<fn(R)>,
}

impl<S: System, R: Record> Members<S, R> {
    const SIZE: usize = size_of::<R>().next_multiple_of(PAGE);

    /// No thread yet.
    pub const fn new() -> Self {
        Self {
            id: AtomicUsize::new(0),
            lock: Lock::new(),
            head: List::new(),
            spare: List::new(),
            pieces: const {
                let few = (4 * Self::SIZE).next_power_of_two();
                Pieces::new(Self::SIZE, if few > CHUNK { few } else { CHUNK })
            },
            live: AtomicU32::new(0),
            were_two: AtomicBool::new(false),
            ended: AtomicUsize::new(0),
            malloc: AtomicUsize::new(0),
            of: PhantomData,
        }
    }

    /// From now on threads' ends are announced to the malloc that this is a part of.
    pub fn announce<M: ThreadEnds<Record = R>>(&self, malloc: &'static M) {
        thread_end::prepare(ended);
        let call: &'static Call = const { &(call::<M> as Call) };
        self.malloc.store(ptr::from_ref(malloc).expose_provenance(), Ordering::Relaxed);
        self.ended.store(ptr::from_ref(call).expose_provenance(), Ordering::Release);
        // Who allocated before this was not watched: there was nobody to tell.
        if let Some(mine) = self.current() {
            self.watch(ptr::from_ref(mine).expose_provenance());
        }
    }

    /// The lock, for `fork`.
    pub fn lock_for_fork(&self) -> &Lock<S> {
        &self.lock
    }

    /// Bytes of records that cost memory.
    pub fn costing_bytes(&self) -> usize {
        self.pieces.costing_bytes()
    }

    /// Threads that have a record now.
    pub fn live(&self) -> u32 {
        self.live.load(Ordering::Relaxed)
    }

    /// The calling thread's record, if it has one here.
    #[inline(always)]
    pub fn current(&self) -> Option<&R> {
        let at = words::load(RECORD);
        let owner = Member::get(at)?.owner.load(Ordering::Relaxed);
        if owner == self.id.load(Ordering::Relaxed) { record_at(at) } else { None }
    }

    /// The calling thread's record, if it is the one at `at`. Two loads and a branch.
    /// # Safety
    /// `at` is 0 or the address of a record of this malloc.
    #[inline(always)]
    pub unsafe fn current_if(&self, at: usize) -> Option<&R> {
        if at == words::load(RECORD) { record_at(at) } else { None }
    }

    /// A thread without a record frees a block: whether it gets one for that. Not for its first blocks, and not once its end was
    /// announced: they may be what the C library frees last (`strerror`'s buffer, or what it made for a detached thread), when
    /// nobody comes back to us, and a record made then would stay.
    pub fn note_free(&self) -> bool {
        let ends = words::load(ENDS);
        let is_worth_it = ends / A_FREE >= MOST_LATE_FREES;
        if !is_worth_it {
            words::store(ENDS, ends + A_FREE);
        }
        is_worth_it && ends.is_multiple_of(A_FREE)
    }

    /// The calling thread's record: its own, or a spare one, or a free one. `taken` is called with what was not the thread's
    /// before, under the lock, and then `ready` without it, before the thread sees it. `None`: no memory, or the thread is as good
    /// as ended.
    #[cold]
    pub fn current_or_new(
        &self,
        source: &S,
        taken: impl Fn(&R),
        ready: impl FnOnce(&R),
    ) -> Option<&R> {
        if let Some(mine) = self.current() {
            return Some(mine);
        }
        if words::load(ENDS) % A_FREE > MOST_ENDS {
            return None;
        }
        let busy = Busy::<S>::new();
        let record = self.take_spare(&taken).or_else(|| self.take_free(source, &taken))?;
        if self.live() >= 2 && !self.were_two.swap(true, Ordering::Relaxed) {
            try_purging(source);
        }
        ready(record);
        let at = ptr::from_ref(record).expose_provenance();
        words::store(RECORD, at);
        drop(busy);
        self.watch(at);
        Some(record)
    }

    fn take_spare(&self, taken: &impl Fn(&R)) -> Option<&R> {
        let _inside = self.lock.lock();
        let record = record_at(links::address(self.spare.pop()?))?;
        taken(record);
        self.enter(record);
        Some(record)
    }

    /// A free record, on the list. Neither is a chunk mapped under the lock, nor a page of one touched first: a thread that waits
    /// for the system there would hold up all that begin.
    fn take_free(&self, source: &S, taken: &impl Fn(&R)) -> Option<&R> {
        let free = || {
            let _inside = self.lock.lock();
            self.pieces.take()
        };
        let at = free().or_else(|| {
            let chunk = self.pieces.map(source)?;
            let _inside = self.lock.lock();
            // SAFETY: mapped for it now.
            unsafe { self.pieces.add(chunk) };
            self.pieces.take()
        })?;
        Member::get(at)?.owner.store(0, Ordering::Relaxed);
        let record = record_at(at)?;
        let _inside = self.lock.lock();
        taken(record);
        self.enter(record);
        Some(record)
    }

    /// Puts a record on the list. Under the lock.
    fn enter(&self, record: &R) {
        let Some(member) = Self::member(record) else { return };
        member.owner.store(self.number(), Ordering::Relaxed);
        self.head.push(member);
        self.live.fetch_add(1, Ordering::Relaxed);
    }

    /// This malloc's number (members-M2). Under the lock.
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
        if let Some(member) = Member::get(at).filter(|_| who != 0) {
            member.malloc.store(self.malloc.load(Ordering::Relaxed), Ordering::Relaxed);
            member.ended.store(who, Ordering::Relaxed);
            thread_end::watch(ended, at);
        }
    }

    /// The calling thread ends, whose record was announced: it is a spare one once `last` was done, under the lock; or free if that
    /// answers that it holds nothing.
    pub fn leave(&self, record: &R, last: impl FnOnce() -> bool) {
        words::store(ENDS, words::load(ENDS) + 1);
        if self.current().is_some_and(|mine| ptr::eq(mine, record)) {
            words::store(RECORD, 0);
        }
        let _inside = self.lock.lock();
        let is_bare = last();
        self.end(record);
        if is_bare { self.free(record) } else { self.spare(record) }
    }

    /// A record is no thread's any more. Under the lock.
    fn end(&self, record: &R) {
        let Some(member) = Self::member(record) else { return };
        self.head.remove(member);
        member.owner.store(0, Ordering::Relaxed);
        self.live.fetch_sub(1, Ordering::Relaxed);
    }

    /// A record that holds something may be another thread's. Under the lock.
    fn spare(&self, record: &R) {
        if let Some(member) = Self::member(record) {
            self.spare.push(member);
        }
    }

    /// A record holds nothing. Under the lock.
    fn free(&self, record: &R) {
        // SAFETY: it came from there, is on no list, and no thread's word has it.
        unsafe { self.pieces.put(ptr::from_ref(record).expose_provenance()) };
    }

    fn member(record: &R) -> Option<&Member> {
        Member::get(ptr::from_ref(record).expose_provenance())
    }

    /// Calls `visit` with every record, under the lock.
    pub fn each(&self, visit: impl FnMut(&R)) {
        let _inside = self.lock.lock();
        Self::walk(&self.head, visit);
    }

    /// Calls `visit` with every record that no thread has and that holds something, under the lock. It answers whether one holds
    /// nothing any more.
    pub fn each_spare(&self, mut visit: impl FnMut(&R) -> bool) {
        let _inside = self.lock.lock();
        Self::walk(&self.spare, |record| {
            if visit(record) {
                self.end_spare(record);
            }
        });
    }

    /// A spare record holds nothing any more. Under the lock.
    fn end_spare(&self, record: &R) {
        if let Some(member) = Self::member(record) {
            self.spare.remove(member);
            self.free(record);
        }
    }

    /// Calls `visit` with each record of a list. It may be taken off meanwhile.
    fn walk(list: &List<Member>, visit: impl FnMut(&R)) {
        list.iter().filter_map(|member| record_at(links::address(member))).for_each(visit);
    }

    /// Does something with a record while no thread comes or goes. `work` answers whether it is a spare one, and holds nothing any
    /// more.
    pub fn settle(&self, record: &R, work: impl FnOnce() -> bool) {
        let _inside = self.lock.lock();
        if work() {
            self.end_spare(record);
        }
    }

    /// A look at the clock, which says `now`: free records that nobody has taken for a second go back, a part of them.
    #[inline]
    pub fn look(&self, source: &S, now: u32) {
        if self.pieces.wants_look(now)
            && let Some(_inside) = self.lock.try_lock()
        {
            self.pieces.look(source, now);
        }
    }

    /// Gives back all free records; the bytes. Others go on meanwhile.
    pub fn trim(&self, source: &S) -> usize {
        let some = || {
            let _inside = self.lock.lock();
            self.pieces.trim(source)
        };
        core::iter::from_fn(some).sum()
    }

    /// In the child of a fork, whose only thread is the calling one: the others' records are `taken`, which answers whether
    /// one may be used again.
    pub fn only_me(&self, mut taken: impl FnMut(&R) -> bool) {
        let mine = self.current().map(ptr::from_ref);
        let _inside = self.lock.lock();
        Self::walk(&self.head, |record| {
            if mine == Some(ptr::from_ref(record)) {
                return;
            }
            let is_spare = taken(record);
            self.end(record);
            if is_spare {
                self.spare(record);
            }
        });
    }
}
