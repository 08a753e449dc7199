//! Starting a thread of ours in a program that knows nothing of it: no signal of the program's comes to it.
//!
//! The C library makes it, so that `setuid`, debuggers and `exit` know of it. That allocates, through whoever is
//! malloc.

use core::ffi::{c_int, c_ulong, c_void};
use core::mem::MaybeUninit;
use core::ptr;

/// What a thread does.
pub type Body = extern "C" fn(*mut c_void) -> *mut c_void;

/// `pthread_attr_t`, at least as large as any C library's.
type Attributes = MaybeUninit<[u64; 16]>;
/// `sigset_t` of glibc and musl.
type Signals = [u64; 16];

const DETACHED: c_int = 1;
const SIG_SETMASK: c_int = 2;

unsafe extern "C" {
    fn pthread_attr_init(attributes: *mut Attributes) -> c_int;
    fn pthread_attr_setdetachstate(attributes: *mut Attributes, state: c_int) -> c_int;
    fn pthread_attr_destroy(attributes: *mut Attributes) -> c_int;
    fn pthread_create(
        thread: *mut c_ulong,
        attributes: *const Attributes,
        body: Body,
        argument: *mut c_void,
    ) -> c_int;
    /// All but those that the C library needs for itself, as for `setuid`.
    fn sigfillset(signals: *mut Signals) -> c_int;
    fn pthread_sigmask(how: c_int, new: *const Signals, old: *mut Signals) -> c_int;
}

/// Starts a detached thread. `false`: refused.
pub fn start(body: Body) -> bool {
    let (mut all, mut before) = ([0; 16], [0; 16]);
    // SAFETY: room for a set of signals.
    unsafe { sigfillset(&raw mut all) };
    // SAFETY: two sets of signals. A new thread inherits what is blocked.
    unsafe { pthread_sigmask(SIG_SETMASK, &raw const all, &raw mut before) };
    let started = create(body);
    // SAFETY: the set that was there before.
    unsafe { pthread_sigmask(SIG_SETMASK, &raw const before, ptr::null_mut()) };
    started
}

/// The calling thread, which is about to end, takes all signals: it may be the last, on which exit handlers run.
pub fn take_signals() {
    let none = [0; 16];
    // SAFETY: a set of signals.
    unsafe { pthread_sigmask(SIG_SETMASK, &raw const none, ptr::null_mut()) };
}

fn create(body: Body) -> bool {
    let mut attributes = Attributes::uninit();
    // SAFETY: room for attributes.
    if unsafe { pthread_attr_init(&raw mut attributes) } != 0 {
        return false;
    }
    // SAFETY: initialised above.
    unsafe { pthread_attr_setdetachstate(&raw mut attributes, DETACHED) };
    let mut thread = 0;
    let attributes = &raw mut attributes;
    // SAFETY: attributes from above, and a function that lives as long as the library.
    let refused = unsafe { pthread_create(&raw mut thread, attributes, body, ptr::null_mut()) };
    // SAFETY: initialised above.
    unsafe { pthread_attr_destroy(attributes) };
    refused == 0
}
