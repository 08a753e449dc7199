//! Being told that a thread ends, by a destructor of a pthread key.
//!
//! A key with a low number needs no memory for its value, which `__cxa_thread_atexit_impl`
//! does. A destructor that runs after ours may allocate again; the value set anew makes the
//! C library call us again, up to PTHREAD_DESTRUCTOR_ITERATIONS (4) times.

use core::ffi::{c_int, c_uint, c_void};
use core::ptr;

use base::sync::{AtomicU32, Ordering};

unsafe extern "C" {
    fn pthread_key_create(key: *mut c_uint, destructor: extern "C" fn(*mut c_void)) -> c_int;
    fn pthread_setspecific(key: c_uint, value: *const c_void) -> c_int;
}

/// No key yet.
const NONE: u32 = u32::MAX;

static KEY: AtomicU32 = AtomicU32::new(NONE);

/// Makes the key whose `destructor` ends threads. Called once; `false` when there is no key.
pub fn prepare(destructor: extern "C" fn(*mut c_void)) -> bool {
    let mut key: c_uint = 0;
    // SAFETY: `key` outlives the call, and the destructor is never unloaded.
    if unsafe { pthread_key_create(&raw mut key, destructor) } != 0 {
        return false;
    }
    KEY.store(key, Ordering::Release);
    true
}

/// Has the destructor called with `value`, which is not 0, when this thread ends.
pub fn watch(value: usize) -> bool {
    let key = KEY.load(Ordering::Acquire);
    // SAFETY: the key exists, and its value is only given back to our destructor.
    key != NONE && unsafe { pthread_setspecific(key, ptr::without_provenance(value)) } == 0
}
