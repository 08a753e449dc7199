//! Being told that a thread ends, by a destructor of a pthread key.
//!
//! A key with a low number needs no memory for its value, so the key is made as early as
//! possible. A destructor that runs after ours may allocate again; the value set anew makes the
//! C library call us again, up to PTHREAD_DESTRUCTOR_ITERATIONS (4) times.
//!
//! Where all keys are taken (a plugin in a program that has 1,024), the C library is asked for
//! what C++'s `thread_local` stands on; that allocates a record for each thread.

use core::ffi::{c_int, c_uint, c_void};
use core::ptr;

use base::sync::{AtomicU32, AtomicUsize, Ordering};

use super::weak::{self, address_of};

/// Called at a thread's end.
pub type Ended = extern "C" fn(*mut c_void);

type AtThreadExit = unsafe extern "C" fn(Ended, *mut c_void, *const c_void) -> c_int;

unsafe extern "C" {
    fn pthread_key_create(key: *mut c_uint, destructor: Ended) -> c_int;
    fn pthread_setspecific(key: c_uint, value: *const c_void) -> c_int;
}

/// No key yet, and: there is none to be had.
const NONE: u32 = u32::MAX;
const REFUSED: u32 = u32::MAX - 1;

static KEY: AtomicU32 = AtomicU32::new(NONE);
static WHOSE: AtomicUsize = AtomicUsize::new(0);

/// Makes the key now.
pub fn prepare(ended: Ended) {
    key(ended);
}

/// Has `ended` called with `value`, which is not 0, when this thread ends. The key is for the
/// first `ended` there is; another, as a second malloc in one process has it, goes the way without a
/// key. `false`: nobody would call it. It may allocate.
pub fn watch(ended: Ended, value: usize) -> bool {
    let value = ptr::without_provenance_mut(value);
    match key(ended) {
        _ if WHOSE.load(Ordering::Relaxed) != ended as usize => at_thread_exit(ended, value),
        REFUSED => at_thread_exit(ended, value),
        // SAFETY: the key exists, and its value is only given back to our destructor.
        key => unsafe { pthread_setspecific(key, value) == 0 },
    }
}

fn key(ended: Ended) -> u32 {
    match KEY.load(Ordering::Acquire) {
        NONE => make_key(ended),
        key => key,
    }
}

/// Makes the key; of several threads that try at once, the first wins and the others' keys
/// stay unused.
#[cold]
fn make_key(ended: Ended) -> u32 {
    let mut key: c_uint = 0;
    // SAFETY: `key` outlives the call, and the destructor is never unloaded.
    let refused = unsafe { pthread_key_create(&raw mut key, ended) } != 0;
    let made = if refused { REFUSED } else { key };
    match KEY.compare_exchange(NONE, made, Ordering::AcqRel, Ordering::Acquire) {
        Ok(_) => {
            WHOSE.store(ended as usize, Ordering::Relaxed);
            made
        }
        Err(first) => first,
    }
}

/// The way without a key.
#[cold]
fn at_thread_exit(ended: Ended, value: *mut c_void) -> bool {
    let address = address_of!("__cxa_thread_atexit_impl");
    // SAFETY: glibc's function has this type.
    let function = unsafe { weak::function::<AtThreadExit>(address) };
    let library = (&raw const KEY).cast();
    // SAFETY: the address of something of ours tells the C library whose function it is.
    function.is_some_and(|function| unsafe { function(ended, value, library) } == 0)
}
