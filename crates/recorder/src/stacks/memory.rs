//! What of a stack may be read without a fault.
//!
//! ```text
//! own stack       sp ░░░░░░░░░░░░░░░░░░░░ top     top: what the kernel or the C library put above it, which stays as long as the thread.
//!                                                Each page between is asked for once, and remembered.
//! any other       sp ░░░░│░░░░│               a coroutine's, a signal handler's: each page is asked for whenever it is read
//! ```

use core::cell::Cell;
use core::sync::atomic::{AtomicBool, Ordering};

use crate::errno::Kept;
use crate::{system, tls};

const PAGE: usize = 4096;
/// The largest stack that is taken for a thread's own.
const LARGEST: usize = 64 << 20;

/// Whether the kernel says of a page if it can be read.
static SAYS: AtomicBool = AtomicBool::new(false);

/// Asks the kernel for a page that is there, and for one that is not.
pub(super) fn begin() {
    let here = 0usize;
    SAYS.store(true, Ordering::Relaxed);
    let says = is_readable((&raw const here).addr()) && !is_readable(0);
    SAYS.store(says, Ordering::Relaxed);
}

/// Whether the eight bytes at an address can be read: the kernel is asked for something that it does not know, and looks at
/// them first.
fn is_readable(at: usize) -> bool {
    const NO_SUCH_WAY: i32 = -1;
    const SET: usize = 8;
    if !SAYS.load(Ordering::Relaxed) {
        return false;
    }
    let nothing = core::ptr::null::<u8>();
    // SAFETY: changes nothing, as there is no such way to change the set of signals.
    let answer = unsafe { libc::syscall(libc::SYS_rt_sigprocmask, NO_SUCH_WAY, at, nothing, SET) };
    answer == -1 && crate::errno::get() == libc::EINVAL
}

/// What is known of a thread's stacks. Zeros at first.
#[repr(C)]
pub(crate) struct Known {
    /// Of its own stack: what can be read.
    own: Cell<[usize; 2]>,
    /// Of another one: from where no way leads to the top.
    other: Cell<[usize; 2]>,
}

/// A stack that is read from `sp` on.
#[derive(Clone, Copy)]
pub(super) struct Memory {
    begin: usize,
    end: usize,
    /// It ends there; else its next page can be asked for.
    pub(super) is_own: bool,
}

impl Memory {
    /// The stack that `sp` is on.
    #[inline(always)]
    pub(super) fn of(known: &Known, sp: usize) -> Self {
        let [begin, end] = known.own.get();
        if (begin..end).contains(&sp) {
            return Self { begin: sp, end, is_own: true };
        }
        Self::look(known, sp)
    }

    #[cold]
    fn look(known: &Known, sp: usize) -> Self {
        let first = sp & !(PAGE - 1);
        let other = Self { begin: sp, end: first, is_own: false };
        let [begin, end] = known.other.get();
        if (begin..end).contains(&sp) {
            return other;
        }
        let _errno = Kept::now();
        let top = top();
        if sp >= top || top - sp > LARGEST {
            return other;
        }
        let [begin, end] = known.own.get();
        let until = if end == top { begin } else { top };
        if let Some(gap) = (first..until).step_by(PAGE).find(|&page| !is_readable(page)) {
            known.other.set([first, gap]);
            return other;
        }
        known.own.set([first, top]);
        Self { begin: sp, end: top, is_own: true }
    }

    /// The word at an address, if it is on this stack.
    #[inline(always)]
    pub(super) fn read(&mut self, at: usize) -> Option<usize> {
        if at < self.begin || !at.is_multiple_of(8) {
            return None;
        }
        if at >= self.end && !self.grows_to(at) {
            return None;
        }
        let word = core::ptr::with_exposed_provenance::<usize>(at);
        // SAFETY: aligned, and in a page of the stack that can be read.
        Some(unsafe { word.read() })
    }

    /// Asks for further pages of a stack that is not the thread's own.
    #[cold]
    fn grows_to(&mut self, at: usize) -> bool {
        const FURTHEST: usize = 1 << 20;
        if self.is_own || at - self.end > FURTHEST {
            return false;
        }
        let _errno = Kept::now();
        while self.end <= at && is_readable(self.end) {
            self.end += PAGE;
        }
        self.end > at
    }
}

/// Where the thread's own stack cannot go on: at the name of the program, which the kernel put there, or in other threads at their
/// thread-local storage, which the C library put there.
fn top() -> usize {
    let top = if system::thread() == system::process() {
        // SAFETY: asks only.
        unsafe { libc::getauxval(libc::AT_EXECFN) as usize }
    } else {
        tls::block().addr()
    };
    top & !7
}
