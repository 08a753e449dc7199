//! What is held while the process is copied: the list of pools, every pool's lock, and the pages'.
//!
//! ```text
//! LIST ─► pool ◄─► pool ◄─► …   kmalloc   vmalloc   pages    a pool is in the list while it can be called
//!  1       2        3            n − 2     n − 1     n        the order in which their locks are taken
//! ```
//!
//! - **F1** the locks nest in this order: a call holds one pool's lock, kmalloc's or vmalloc's, and within it the pages'.
//! - **F2** the list is changed by who is inside of its lock.
use core::ffi::c_int;
use core::fmt;
use core::ptr::{self, NonNull};

use base::Broken;
use base::lock::Lock;
use base::sync::{AtomicBool, Ordering};
use source::Report;
use source::os::Os;
use source::os::imp::console::Console;
use source::os::imp::fork::{Around, in_children, on_fork};

use crate::guarded::Guarded;
use crate::{kmalloc, pages, vmalloc};

/// A pool's place in the list. It must not move while it is in it.
pub(crate) struct Member {
    before: *mut Member,
    behind: *mut Member,
    pool: Option<NonNull<dyn Pool>>,
}

/// What can be in the list.
pub(crate) trait Pool {
    /// The lock that a call holds.
    fn lock(&self) -> &Lock<Os>;

    /// Walks it, and takes its lock.
    ///
    /// # Errors
    ///
    /// The first invariant that does not hold.
    fn check(&self) -> Result<(), Broken>;

    /// What messages call it.
    fn write_name(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result;

    /// Bytes of the live object at an address, if it is a cache's and this one's. Takes its lock.
    fn size_of(&self, _object: NonNull<u8>) -> Option<usize> {
        None
    }

    /// Frees that object for a function; whether it is this one's. Takes its lock.
    fn try_free(&self, _object: NonNull<u8>, _function: &str) -> bool {
        false
    }

    /// Its line of slabinfo. Takes its lock.
    fn write_info(&self, _to: &mut Console) -> fmt::Result {
        Ok(())
    }
}

/// A pool in a message.
pub(crate) struct Named<'a>(pub(crate) &'a dyn Pool);

impl fmt::Display for Named<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.write_name(f)
    }
}

/// The first member.
struct List(*mut Member);

// SAFETY: members are reached inside of the lock only (F2).
unsafe impl Send for List {}

static LIST: Guarded<List> = Guarded::new(List(ptr::null_mut()));
static WATCHED: AtomicBool = AtomicBool::new(false);

impl Member {
    pub(crate) const fn new() -> Self {
        Self { before: ptr::null_mut(), behind: ptr::null_mut(), pool: None }
    }

    /// Into the list. The first one has the locks held around each fork from then on.
    ///
    /// # Safety
    ///
    /// The member and its pool stay where they are until [`leave`](Self::leave).
    pub(crate) unsafe fn join(member: *mut Self, pool: NonNull<dyn Pool>) {
        watch();
        let mut list = LIST.lock();
        let behind = list.0;
        // SAFETY: the caller's member, which nobody else knows yet.
        unsafe { member.write(Self { before: ptr::null_mut(), behind, pool: Some(pool) }) };
        // SAFETY: null, or in the list, where members are whole (F2).
        if let Some(behind) = unsafe { behind.as_mut() } {
            behind.before = member;
        }
        list.0 = member;
    }

    /// Out of the list.
    ///
    /// # Safety
    ///
    /// It joined, and did not leave.
    pub(crate) unsafe fn leave(member: *const Self) {
        let mut list = LIST.lock();
        // SAFETY: the caller's promise; nobody changes it meanwhile (F2).
        let Self { before, behind, .. } = unsafe { member.read() };
        // SAFETY: null, or in the list (F2).
        match unsafe { before.as_mut() } {
            Some(before) => before.behind = behind,
            None => list.0 = behind,
        }
        // SAFETY: null, or in the list (F2).
        if let Some(behind) = unsafe { behind.as_mut() } {
            behind.before = before;
        }
    }
}

/// Has the locks held around each fork, once.
pub(crate) fn watch() {
    if !WATCHED.swap(true, Ordering::Relaxed) {
        // Refused for want of memory only: then a fork is as it is in any program that does not care.
        let _ = on_fork::<All>() && in_children(vmalloc::note_copy);
    }
}

/// Calls `visit` with every pool while it says to go on.
pub(crate) fn each_pool(visit: &mut dyn FnMut(&dyn Pool) -> bool) -> bool {
    let list = LIST.lock();
    let mut member: *const Member = list.0;
    // SAFETY: null, or in the list, which nobody changes meanwhile (F2).
    while let Some(now) = unsafe { member.as_ref() } {
        // SAFETY: it is there until its member has left.
        if now.pool.is_some_and(|pool| !visit(unsafe { pool.as_ref() })) {
            return false;
        }
        member = now.behind;
    }
    true
}

/// Calls `visit` with every pool's lock while it says to go on.
fn each_member(visit: &mut dyn FnMut(&Lock<Os>) -> bool) -> bool {
    each_pool(&mut |pool| visit(pool.lock()))
}

/// Says what is broken, if anything is.
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
