//! What runs around `fork`: every lock is held while the process is copied.
//!
//! ```text
//! fork ─► others' prepare ─► ours ─► (copied) ─► ours ─► others' parent, child
//!                            stdio's list, our turn, the malloc's locks; then back
//! ```
//!
//! - **fork-O1** our handlers are registered before anybody else's, so ours run next to the copying:
//!   what others lock in theirs, they lock before us, and their threads get their memory.
//! - **fork-O2** one thread at a time has `TURN` and all that follows it. Nothing of ours is changed
//!   by a handler with signals unblocked, so a signal handler that forks finds it whole.
//! - **fork-O3** a fork inside a fork, by a signal handler on the same thread, takes nothing and
//!   releases nothing. A child that it makes goes on with the outer fork: as a parent by name,
//!   but its other threads do not exist, which `COPIES` tells.
//! - **fork-O4** whoever waits for a lock here gives up after a while, releases everything and begins
//!   again: the lock may be that of a thread which, interrupted by a signal handler that forks,
//!   waits for us. glibc 2.36 holds a lock of its own while handlers run, which such a thread
//!   waits for too; so after `TRIES` a fork goes on without what it cannot have.
//! - **fork-O5** while the process has one thread nothing is locked: a signal handler that interrupted
//!   malloc may fork, and the child goes on where malloc was interrupted.
//!
//! Where the C library does not say how many threads there are, there may be several; then a
//! lock that the interrupted thread is inside of is left as it is
//! ([`Lock::hold`](base::lock::Lock::hold)).

use core::ffi::c_int;

use base::lock::Lock;
use base::sync::{AtomicUsize, Ordering};

use super::Os;
use super::process::{is_only_thread, process_id, shares_memory};
use super::signals::Blocked;
use super::stdio;

/// What a malloc does around `fork`. Signals are blocked in each but one.
pub trait Around {
    /// Before it: nobody is inside any structure when this returns `true`. `false`: some thread
    /// still was after `timeout_ms`, and nothing is held; the `last` time what can be
    /// had is held then, and the answer is `true`.
    fn before(timeout_ms: u32, last: bool) -> bool;

    /// Instead, in a process with one thread: nothing is held, and signals are not blocked (fork-O5).
    fn before_alone() {}

    /// After it, in the parent.
    fn in_parent();

    /// After it, in the child.
    fn in_child();
}

/// Milliseconds until one begins again (fork-O4): few, as signals wait; and longer than any thread is
/// inside a lock on a machine that is not overloaded.
const TIMEOUT_MS: u32 = 20;

/// How often one begins, of which each takes [`TIMEOUT_MS`] at most: thirty seconds. A thread that a
/// signal handler keeps inside a lock for longer leaves a child that may wait for it for ever.
const TRIES: u32 = 1500;

/// Held from before a fork until after it.
static TURN: Lock<Os> = Lock::new();
/// Forks that the thread with the turn is in.
static DEPTH: AtomicUsize = AtomicUsize::new(0);
/// How often this process is a copy: its parent's number, plus 1.
static COPIES: AtomicUsize = AtomicUsize::new(0);
/// The process whose memory this is.
static PROCESS: AtomicUsize = AtomicUsize::new(0);
/// [`COPIES`] when the turn was taken.
static COPIES_BEFORE: AtomicUsize = AtomicUsize::new(0);

unsafe extern "C" {
    fn pthread_atfork(
        prepare: Option<extern "C" fn()>,
        parent: Option<extern "C" fn()>,
        child: Option<extern "C" fn()>,
    ) -> c_int;
}

/// Whether the calling process is the one that this memory belongs to, and not its `vfork` child.
/// A child that was made by a bare system call is asked after: it has this memory as its own.
pub fn is_own_process() -> bool {
    let (known, now) = (PROCESS.load(Ordering::Relaxed), process_id());
    let own = known == now || shares_memory(now, known) == Some(false);
    if own {
        PROCESS.store(now, Ordering::Relaxed);
    }
    own
}

/// Has `A` called around each fork. `false`: refused.
pub fn on_fork<A: Around>() -> bool {
    PROCESS.store(process_id(), Ordering::Relaxed);
    // SAFETY: three functions that live as long as the library, which is never unloaded.
    unsafe { pthread_atfork(Some(prepare::<A>), Some(parent::<A>), Some(child::<A>)) == 0 }
}

/// Has `note` called in each child of a fork. `false`: refused.
pub fn in_children(note: extern "C" fn()) -> bool {
    // SAFETY: a function that lives as long as the library, which is never unloaded.
    unsafe { pthread_atfork(None, None, Some(note)) == 0 }
}

/// Has `note` called in the parent after each fork, also after one that failed. Those registered first come first: with
/// [`on_fork`] behind it, what that holds is still held. `false`: refused.
pub fn in_parents(note: extern "C" fn()) -> bool {
    // SAFETY: a function that lives as long as the library, which is never unloaded.
    unsafe { pthread_atfork(None, Some(note), None) == 0 }
}

extern "C" fn prepare<A: Around>() {
    if TURN.is_held() {
        DEPTH.fetch_add(1, Ordering::Relaxed);
        return;
    }
    if is_only_thread() == Some(true) {
        A::before_alone();
        return;
    }
    let mut tries = 1;
    while !take_turn::<A>(tries >= TRIES) {
        tries += 1;
    }
}

/// Takes everything, or nothing: `false`.
fn take_turn<A: Around>(last: bool) -> bool {
    let copies = COPIES.load(Ordering::Relaxed);
    // Waiting for stdio may take long, so signals come meanwhile.
    stdio::lock();
    let blocked = Blocked::new();
    if copies != COPIES.load(Ordering::Relaxed) {
        // A handler has forked, this is the child, and stdio's list is free here.
        return false;
    }
    let held = TURN.hold(&mut { TIMEOUT_MS }) && A::before(TIMEOUT_MS, last);
    if held {
        DEPTH.store(1, Ordering::Relaxed);
        COPIES_BEFORE.store(copies, Ordering::Relaxed);
    } else {
        TURN.release();
        stdio::unlock();
    }
    drop(blocked);
    held
}

extern "C" fn parent<A: Around>() {
    if TURN.is_held() {
        leave::<A>();
    }
}

extern "C" fn child<A: Around>() {
    COPIES.fetch_add(1, Ordering::Relaxed);
    PROCESS.store(process_id(), Ordering::Relaxed);
    if TURN.is_held() {
        leave::<A>();
    }
}

/// Ends what [`prepare`] began.
fn leave<A: Around>() {
    let blocked = Blocked::new();
    let is_inner = DEPTH.fetch_sub(1, Ordering::Relaxed) > 1;
    if is_inner {
        return;
    }
    if COPIES.load(Ordering::Relaxed) == COPIES_BEFORE.load(Ordering::Relaxed) {
        A::in_parent();
        TURN.release();
        stdio::unlock();
    } else {
        A::in_child();
        TURN.release();
        stdio::reset();
    }
    drop(blocked);
}
