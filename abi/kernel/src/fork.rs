//! What is held while the process is copied: the list of pools, every pool's lock, and the pages'.
//!
//! ```text
//! LIST ─► pool ◄─► pool ◄─► …   kmalloc   vmalloc   pages    a pool is in the list while it can be called
//!  1       2        3            n − 2     n − 1     n        the order in which their locks are taken
//! ```
//!
//! - **fork-F1** the locks nest in this order: a call holds one pool's lock, kmalloc's or vmalloc's, and within it the pages'. A
//!   constructor is called inside of its cache's lock, and what it calls may take one of these within; so a fork takes the
//!   locks of caches with constructors before those of other pools.
//! - **fork-F2** the list is changed by who is inside of its lock.
//! - **fork-F3** nobody takes the list's lock inside of another: a constructor neither makes nor destroys a pool, and whose an
//!   object is says `owners`, without a lock.
//! - **fork-F4** a room that was a pool's stays mapped: the rooms of the dead wait in a list per kind, the oldest is used again.
use core::ffi::c_int;
use core::fmt;
use core::ptr::{self, NonNull};

use base::Broken;
use base::lock::Lock;
use base::sync::{AtomicBool, Ordering};
use source::Report;
use source::os::Os;
use source::os::imp::console::Console;
use source::os::imp::fork::{Around, in_children, in_parents, on_fork};

use crate::guarded::Guarded;
use crate::life::{Kind, Life, Live};
use crate::{kmalloc, pages, vmalloc};

/// The start of a pool's room: its life, and its place in the list. It must not move while it is in it.
#[repr(C)]
pub(crate) struct Member {
    pub(crate) life: Life,
    before: *mut Member,
    behind: *mut Member,
    pool: Option<NonNull<dyn Pool>>,
}

pub(crate) trait Pool {
    /// The lock that a call holds.
    fn lock(&self) -> &Lock<Os>;

    /// Walks it, and takes its lock.
    /// Errors: the first invariant that does not hold.
    fn check(&self) -> Result<(), Broken>;

    fn write_name(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result;

    /// Whether other pools' locks may be taken inside of its own.
    fn has_constructor(&self) -> bool {
        false
    }

    /// Its line of slabinfo. Takes its lock.
    fn write_info(&self, _to: &mut Console) -> fmt::Result {
        Ok(())
    }
}

pub(crate) struct Named<'a>(pub(crate) &'a dyn Pool);

impl fmt::Display for Named<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.write_name(f)
    }
}

/// The first member, and the rooms of the dead.
struct List {
    first: *mut Member,
    dead: [Dead; Kind::COUNT],
}

/// Rooms of one kind whose pools were destroyed, the oldest first; linked by `behind`.
#[derive(Clone, Copy)]
struct Dead {
    oldest: *mut Member,
    newest: *mut Member,
    count: usize,
}

/// Rooms of the dead that are not used again before there are more: who uses one is found as long.
const KEPT: usize = 32;

// SAFETY: members are reached inside of the lock only (fork-F2).
unsafe impl Send for List {}

const NO_DEAD: Dead = Dead { oldest: ptr::null_mut(), newest: ptr::null_mut(), count: 0 };
static LIST: Guarded<List> =
    Guarded::new(List { first: ptr::null_mut(), dead: [NO_DEAD; Kind::COUNT] });
static WATCHED: AtomicBool = AtomicBool::new(false);

impl Dead {
    fn add(&mut self, member: *mut Member) {
        // SAFETY: null, or a room of the dead (fork-F4).
        match unsafe { self.newest.as_mut() } {
            Some(newest) => newest.behind = member,
            None => self.oldest = member,
        }
        self.newest = member;
        self.count += 1;
    }

    fn take(&mut self) -> Option<NonNull<Member>> {
        let oldest = NonNull::new(self.oldest).filter(|_| self.count > KEPT)?;
        // SAFETY: a room of the dead (fork-F4), and more than one are there.
        self.oldest = unsafe { oldest.as_ref() }.behind;
        self.count -= 1;
        Some(oldest)
    }
}

/// Room for a pool, at a page. `None`: there is no memory.
pub(crate) fn room<T: Live>() -> Option<NonNull<T>> {
    let old = LIST.lock().dead[T::KIND.index()].take();
    old.map(NonNull::cast).or_else(pages::room)
}

/// The room of a pool that is no more, or came to nothing. It stays mapped.
/// The caller promises: [`room`] returned it, it begins with a member that is dead and left or never joined, and nobody uses it
/// any more.
pub(crate) unsafe fn bury<T: Live>(room: NonNull<T>) {
    let member = room.cast::<Member>().as_ptr();
    let mut list = LIST.lock();
    // SAFETY: the caller's promise.
    unsafe { (*member).behind = ptr::null_mut() };
    list.dead[T::KIND.index()].add(member);
}

impl Member {
    pub(crate) const fn new(kind: Kind) -> Self {
        let nobody = ptr::null_mut();
        Self { life: Life::new(kind), before: nobody, behind: nobody, pool: None }
    }

    /// A pool into its room, and its member into the list. The first one has the locks held around each fork from then on.
    /// The caller promises: [`room`] returned it, and the pool stays there until [`leave`](Self::leave).
    pub(crate) unsafe fn join<T: Live + Pool + 'static>(room: NonNull<T>, pool: T) {
        // SAFETY: room for it.
        unsafe { room.write(pool) };
        watch();
        let member = room.cast::<Self>().as_ptr();
        let mut list = LIST.lock();
        let behind = list.first;
        // SAFETY: a pool begins with its member, which nobody else knows yet.
        let new = unsafe { &mut *member };
        (new.before, new.behind) = (ptr::null_mut(), behind);
        new.pool = Some(room);
        // SAFETY: null, or in the list, where members are whole (fork-F2).
        if let Some(behind) = unsafe { behind.as_mut() } {
            behind.before = member;
        }
        list.first = member;
    }

    /// Out of the list.
    /// The caller promises: it joined, and did not leave.
    pub(crate) unsafe fn leave(member: *const Self) {
        let mut list = LIST.lock();
        // SAFETY: the caller's promise; nobody changes it meanwhile (fork-F2).
        let Self { before, behind, .. } = *unsafe { &*member };
        // SAFETY: null, or in the list (fork-F2).
        match unsafe { before.as_mut() } {
            Some(before) => before.behind = behind,
            None => list.first = behind,
        }
        // SAFETY: null, or in the list (fork-F2).
        if let Some(behind) = unsafe { behind.as_mut() } {
            behind.before = before;
        }
    }
}

/// Has the locks held around each fork, once.
pub(crate) fn watch() {
    if !WATCHED.swap(true, Ordering::Relaxed) {
        // Refused for want of memory only: then a fork is as it is in any program that does not care.
        // The parent's note comes before the locks are released: nothing live at the fork is freed in between.
        let _ =
            in_parents(vmalloc::note_fork) && on_fork::<All>() && in_children(vmalloc::note_copy);
    }
}

/// Calls `visit` with every pool while it says to go on.
pub(crate) fn each_pool(visit: &mut dyn FnMut(&dyn Pool) -> bool) -> bool {
    let list = LIST.lock();
    let mut member: *const Member = list.first;
    // SAFETY: null, or in the list, which nobody changes meanwhile (fork-F2).
    while let Some(now) = unsafe { member.as_ref() } {
        // SAFETY: it is there until its member has left.
        if now.pool.is_some_and(|pool| !visit(unsafe { pool.as_ref() })) {
            return false;
        }
        member = now.behind;
    }
    true
}

/// Calls `visit` with every pool's lock while it says to go on: first those within which others may be taken.
fn each_member(visit: &mut dyn FnMut(&Lock<Os>) -> bool) -> bool {
    [true, false].into_iter().all(|constructor| {
        each_pool(&mut |pool| pool.has_constructor() != constructor || visit(pool.lock()))
    })
}

fn report(whose: impl fmt::Display, found: Result<(), Broken>) -> bool {
    if let Err(broken) = found {
        Os::print(format_args!("heapwright: {whose}: {broken}\n"));
    }
    found.is_ok()
}

#[unsafe(no_mangle)]
extern "C" fn heapwright_kernel_check() -> c_int {
    let whole = each_pool(&mut |pool| report(Named(pool), pool.check()));
    let whole = whole && report("kmalloc", kmalloc::check());
    let whole = whole && report("vmalloc", vmalloc::check());
    let whole = whole && report("pages", pages::check());
    if whole { 0 } else { -1 }
}

/// Calls `visit` with every lock, in their order, while it says to go on. Where the list could not be had, without members.
fn each(visit: &mut dyn FnMut(&Lock<Os>) -> bool) -> bool {
    visit(LIST.bare())
        && (!LIST.bare().is_held() || each_member(visit))
        && visit(kmalloc::lock())
        && visit(vmalloc::lock())
        && pages::each_lock(visit)
}

/// All of them, around a fork.
struct All;

impl Around for All {
    fn before(timeout_ms: u32, last: bool) -> bool {
        let mut left = timeout_ms;
        let mut interrupted = LIST.bare().is_interrupted();
        let list = LIST.bare().hold(&mut left);
        if list {
            each(&mut |lock| {
                interrupted |= lock.is_interrupted();
                true
            });
        }
        // A signal handler that interrupted a call goes on without what it cannot have: nobody would ever leave it.
        let go_on = interrupted || last;
        let held = (list || go_on) && each(&mut |lock| lock.hold(&mut left) || go_on);
        if !held {
            Self::in_parent();
        }
        held
    }

    fn in_parent() {
        let mut release = |lock: &Lock<Os>| {
            lock.release();
            lock.nudge();
            true
        };
        pages::each_lock(&mut release);
        release(vmalloc::lock());
        release(kmalloc::lock());
        if LIST.bare().is_held() {
            each_member(&mut release);
        }
        release(LIST.bare());
    }

    fn in_child() {
        Self::in_parent();
    }
}
