//! `HEAPWRIGHT=background=1`: a thread that looks at the heap while the program does not call malloc.
//!
//! ```text
//! OFF ──configure──► WAITING ──large enough──► STARTING ─┬─► RUNNING ──nobody allocates──► WAITING
//!  ▲                    ▲                                └─ refused ─► OFF
//!  └─ confined          └── child of a fork ── any but OFF, unless it was announced (background-B5)
//! ```
//!
//! - **background-B1** it begins in a slow call that allocates, before that call's work: no lock of ours is held, and none of the C
//!   library's that `pthread_create` takes. In calls that free one may be: glibc frees the memory of
//!   ended threads under the lock of its stacks. What `pthread_create` itself allocates finds STARTING.
//! - **background-B2** it begins when the heap first passes [`LARGE`]: before that there is little to give back, and a shell or
//!   a small tool that forks and executes at once never has it. In a child of `fork` it waits for
//!   [`CALLS_IN_CHILD`] slow calls more, which one that executes does not make.
//! - **background-B3** it allocates nothing, has no cache, and takes no signal of the program's.
//! - **background-B4** it is there only while a thread has a cache, and another thread lives: one that ended by a bare
//!   system call has left its cache. So a process whose main thread has left by `pthread_exit`, or by such a
//!   call, ends soon after its last one; any other end does not wait for it.
//! - **background-B5** it does not begin in a process that has announced that it will confine itself: a filter may end the
//!   process for a new thread. Where that is not announced by `prctl` of ours, nobody can know.
//!
//! The decision is docs/decisions/0020-a-thread-if-asked.md. Costs a load and a branch in slow paths, else nothing.
use core::ffi::{c_char, c_void};
use core::ptr;

use base::sync::{AtomicBool, AtomicU32, Ordering};
use malloc::HEAP;
use malloc::heapwright::options::{Options, variable};
use source::os::imp::process::{end_as_first_thread, is_last_thread, prctl};
use source::os::imp::{fork, futex, thread_start};

use crate::errno::{errno, set_errno};

/// What is kept in any case: a heap that was never larger keeps no more.
const LARGE: usize = 12 << 20;
/// Each moves dozens of objects, or is for a large block.
const CALLS_IN_CHILD: u32 = 1024;
/// Between two looks: as long as a block that became empty is kept.
const SECONDS: u64 = 1;
const PR_SET_NAME: usize = 15;

mod state {
    pub(super) const OFF: u32 = 0;
    pub(super) const WAITING: u32 = 1;
    pub(super) const STARTING: u32 = 2;
    pub(super) const RUNNING: u32 = 3;
}

static STATE: AtomicU32 = AtomicU32::new(state::OFF);
/// The process, or one that it is a child of, has announced that it will confine itself (background-B5): a thread that was there then is
/// the last one.
static NEVER: AtomicBool = AtomicBool::new(false);
/// Slow calls to wait for (background-B2).
static LEFT: AtomicU32 = AtomicU32::new(0);

/// Applies the option of an environment, once the process is ready for threads.
/// The caller promises: `environment` is null or a null-terminated array of C strings.
pub(crate) unsafe fn configure(environment: *const *const c_char) {
    // SAFETY: the caller's promise.
    let text = unsafe { variable(environment) }.unwrap_or_default();
    let is_asked_for = Options::parse(text, |_| ()).background == Some(true);
    if is_asked_for && fork::in_children(in_child) {
        STATE.store(state::WAITING, Ordering::Relaxed);
        HEAP.on_slow_calls(&(begin_if_large as fn()));
    }
}

/// The process is about to be confined (background-B5).
pub(crate) fn never_from_now_on() {
    NEVER.store(true, Ordering::Relaxed);
    let _ = change(state::WAITING, state::OFF);
}

/// In a slow call that allocates.
fn begin_if_large() {
    let is_waiting = STATE.load(Ordering::Relaxed) == state::WAITING;
    if !is_waiting || HEAP.committed_bytes() <= LARGE || !HEAP.has_caches() {
        return;
    }
    let left = LEFT.load(Ordering::Relaxed);
    if left > 0 {
        // Threads at once may count less.
        LEFT.store(left - 1, Ordering::Relaxed);
        return;
    }
    // Not in a child of `vfork`, whose memory is its parent's.
    if !fork::is_own_process() || !change(state::WAITING, state::STARTING) {
        return;
    }
    // The caller's call may succeed, and must not change it then.
    let before = errno();
    let started = thread_start::start(body);
    set_errno(before);
    // The thread may have ended already: then it is WAITING.
    let _ = change(state::STARTING, if started { state::RUNNING } else { state::OFF });
}

fn change(from: u32, to: u32) -> bool {
    STATE.compare_exchange(from, to, Ordering::Relaxed, Ordering::Relaxed).is_ok()
}

extern "C" fn in_child() {
    if STATE.load(Ordering::Relaxed) != state::OFF {
        wait_again();
    }
}

fn wait_again() {
    LEFT.store(CALLS_IN_CHILD, Ordering::Relaxed);
    let next = if NEVER.load(Ordering::Relaxed) { state::OFF } else { state::WAITING };
    STATE.store(next, Ordering::Relaxed);
}

extern "C" fn body(_argument: *mut c_void) -> *mut c_void {
    let name = c"heapwright".as_ptr().addr();
    // SAFETY: gives the calling thread a name; the kernel copies the text.
    let _ = unsafe { prctl(PR_SET_NAME, [name, 0, 0, 0]) };
    loop {
        futex::sleep(SECONDS);
        while HEAP.look() {}
        HEAP.record_in_time();
        if !HEAP.has_caches() {
            wait_again();
            thread_start::take_signals();
            return ptr::null_mut();
        }
        if is_last_thread() {
            end_as_first_thread();
        }
    }
}
