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

/// No key yet, and: there is none to be had.
const NONE: u32 = u32::MAX;
const REFUSED: u32 = u32::MAX - 1;

static KEY: AtomicU32 = AtomicU32::new(NONE);

/// Has `ended` called with `value`, which is not 0, when this thread ends. `ended` is the
/// same in every call. `false`: there is no key for it.
pub fn watch(ended: extern "C" fn(*mut c_void), value: usize) -> bool {
    let key = match KEY.load(Ordering::Acquire) {
        NONE => make_key(ended),
        key => key,
    };
    let value = ptr::without_provenance(value);
    // SAFETY: the key exists, and its value is only given back to our destructor.
    key != REFUSED && unsafe { pthread_setspecific(key, value) } == 0
}

/// Makes the key; of several threads that try at once, the first wins and the others' keys
/// stay unused.
#[cold]
fn make_key(ended: extern "C" fn(*mut c_void)) -> u32 {
    let mut key: c_uint = 0;
    // SAFETY: `key` outlives the call, and the destructor is never unloaded.
    let refused = unsafe { pthread_key_create(&raw mut key, ended) } != 0;
    let made = if refused { REFUSED } else { key };
    match KEY.compare_exchange(NONE, made, Ordering::AcqRel, Ordering::Acquire) {
        Ok(_) => made,
        Err(first) => first,
    }
}
