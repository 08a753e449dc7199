//! Starting a thread of ours in a program that knows nothing of it: no signal of the program's comes to it.
//!
//! The C library makes it, so that `setuid`, debuggers and `exit` know of it. That allocates, through whoever is
//! malloc.

use core::ffi::{c_int, c_ulong, c_void};
use core::mem::MaybeUninit;
use core::ptr;

use super::signals::{self, Blocked};

/// What a thread does.
pub type Body = extern "C" fn(*mut c_void) -> *mut c_void;

/// `pthread_attr_t`, at least as large as any C library's.
type Attributes = MaybeUninit<[u64; 16]>;

const DETACHED: c_int = 1;

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
}

/// Starts a detached thread. `false`: refused.
pub fn start(body: Body) -> bool {
    let _blocked = Blocked::inherited();
    create(body)
}

/// The calling thread, which is about to end, takes all signals: it may be the last, on which exit handlers run.
pub fn take_signals() {
    signals::take_all();
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
