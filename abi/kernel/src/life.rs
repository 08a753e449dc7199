//! Whether what a caller names is a cache or pool that can be called: the first word of its room says it.
//!
//! ```text
//! room    │ mark │ builder │ list │ …      at a page; never unmapped, so the mark can be read when all else is gone
//!
//! alive ◄──constructor──► building        alive ──destroy──► dead ──room taken again──► alive
//! ```
//!
//! - **life-L1** the mark is the kind's number, and as long as a constructor runs or after it was destroyed what says so.
//!
//! Cost: one load for each call.
use base::lock::Park;
use base::sync::{AtomicU32, AtomicUsize, Ordering};
use source::os::Os;

use crate::fork::{Member, Named, Pool};
use crate::misuse;
use crate::pages::PAGE;

/// A constructor runs, inside of the lock.
const BUILDING: u32 = 1;
/// It was destroyed.
const DEAD: u32 = 2;

/// What a room is for; numbers that no other memory is likely to have there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u32)]
pub(crate) enum Kind {
    Cache = 0x6b6d_6330,
    Zs = 0x7a73_7030,
    Xv = 0x7876_7030,
}

impl Kind {
    pub(crate) const COUNT: usize = 3;

    pub(crate) const fn index(self) -> usize {
        match self {
            Self::Cache => 0,
            Self::Zs => 1,
            Self::Xv => 2,
        }
    }

    const fn noun(self) -> &'static str {
        match self {
            Self::Cache => "cache",
            Self::Zs | Self::Xv => "pool",
        }
    }
}

/// Whether it can be called.
#[repr(C)]
pub(crate) struct Life {
    mark: AtomicU32,
    /// The thread whose constructor runs.
    builder: AtomicUsize,
}

impl Life {
    pub(crate) const fn new(kind: Kind) -> Self {
        Self { mark: AtomicU32::new(kind as u32), builder: AtomicUsize::new(0) }
    }

    /// Dead from now on; whether it was alive.
    pub(crate) fn end(&self, kind: Kind) -> bool {
        self.mark.swap(kind as u32 | DEAD, Ordering::AcqRel) != kind as u32 | DEAD
    }

    pub(crate) fn is_over(&self, kind: Kind) -> bool {
        self.mark.load(Ordering::Acquire) == kind as u32 | DEAD
    }

    /// Runs a constructor, inside of the lock.
    pub(crate) fn build(&self, kind: Kind, constructor: impl FnOnce()) {
        let (alive, building) = (kind as u32, kind as u32 | BUILDING);
        self.builder.store(Os::me(), Ordering::Relaxed);
        self.mark.store(building, Ordering::Release);
        constructor();
        // Not where the constructor had another thread destroy it.
        let _ = self.mark.compare_exchange(building, alive, Ordering::Relaxed, Ordering::Relaxed);
    }

    /// Whether the calling thread is in a constructor of it.
    pub(crate) fn is_built_here(&self, kind: Kind) -> bool {
        self.mark.load(Ordering::Acquire) == kind as u32 | BUILDING
            && self.builder.load(Ordering::Relaxed) == Os::me()
    }
}

/// What has a life, at the start of a page.
pub(crate) trait Live: Pool + Sized + 'static {
    const KIND: Kind;

    fn member(&self) -> &Member;

    fn life(&self) -> &Life {
        &self.member().life
    }
}

/// What a call names, or the end.
/// The caller promises: `at` is null, or there is memory.
#[inline]
pub(crate) unsafe fn open<'a, T: Live>(at: *const T, function: &str) -> &'a T {
    if !at.addr().is_multiple_of(PAGE) {
        none(at, function);
    }
    // SAFETY: the caller's promise, and at a multiple of a page everything is aligned.
    match unsafe { at.as_ref() } {
        Some(it) if it.life().mark.load(Ordering::Relaxed) == T::KIND as u32 => it,
        Some(it) => look(it, function),
        None => misuse::end(function, format_args!("the {} is NULL", T::KIND.noun())),
    }
}

/// The same, and it is dead from now on.
/// The caller promises: as [`open`].
pub(crate) unsafe fn end<'a, T: Live>(at: *const T, function: &str) -> &'a T {
    // SAFETY: the caller's promise.
    let it = unsafe { open(at, function) };
    if !it.life().end(T::KIND) {
        look(it, function);
    }
    it
}

#[cold]
fn none<T: Live>(at: *const T, function: &str) -> ! {
    misuse::end(function, format_args!("{at:p} is no {}", T::KIND.noun()))
}

/// The same where it is not simply alive.
#[cold]
fn look<'a, T: Live>(it: &'a T, function: &str) -> &'a T {
    match it.life().mark.load(Ordering::Relaxed) ^ T::KIND as u32 {
        // Another thread's constructor, which may have ended meanwhile.
        0 | BUILDING => expect_unbuilt(it, function),
        DEAD => misuse::end(function, format_args!("{} was destroyed", Named(it))),
        _ => none(it, function),
    }
    it
}

/// Ends the program where a constructor uses what it is run by.
pub(crate) fn expect_unbuilt<T: Live>(it: &T, function: &str) {
    if it.life().is_built_here(T::KIND) {
        misuse::end(function, format_args!("{}: its constructor uses it", Named(it)));
    }
}
