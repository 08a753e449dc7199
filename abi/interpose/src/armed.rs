//! A recorder that waits: nothing is recorded until another process says so in a file that this one has mapped.
//!
//! ```text
//! NAME-PID.armed   [ 1: record │ … │ what is asked for, as in the variable, from byte 64 on ]     a page, shared
//! malloc:          the first word 0: jmp next        1: begin, and the slots are the recorder's
//! ```
//!
//! So it costs a comparison and a jump a call. The recorder looks at the word again every few kilobytes, and writes 0 there
//! when it stops by itself.

use core::cell::UnsafeCell;
use core::ffi::CStr;
use core::sync::atomic::{AtomicPtr, AtomicU32, Ordering};

use crate::errno::Kept;
use crate::{file, session, system};

/// Bytes of the file.
const LENGTH: usize = 4096;
/// Where what is asked for begins.
const ASKED: usize = 64;

struct Path(UnsafeCell<[u8; file::LONGEST]>);

// SAFETY: written once, before there are threads.
unsafe impl Sync for Path {}

static PATH: Path = Path(UnsafeCell::new([0; file::LONGEST]));

/// A word that nobody sets.
static NOTHING: AtomicU32 = AtomicU32::new(0);
/// The file's first word, once there is a file.
static FILE: AtomicPtr<AtomicU32> = AtomicPtr::new((&raw const NOTHING).cast_mut());
/// The word that each call looks at: the file's while the recorder waits.
pub(crate) static WORD: AtomicPtr<AtomicU32> = AtomicPtr::new((&raw const NOTHING).cast_mut());

fn word() -> &'static AtomicU32 {
    // SAFETY: a static, or a mapping that stays.
    unsafe { &*FILE.load(Ordering::Relaxed) }
}

/// Whether this recorder waits, or did.
pub(crate) fn is_armed() -> bool {
    !core::ptr::eq(word(), &raw const NOTHING)
}

/// Whether an armed recorder is to stop.
pub(crate) fn is_called_off() -> bool {
    is_armed() && word().load(Ordering::Relaxed) == 0
}

/// Makes the file in the folder that was asked for, and waits. `false`: it cannot be made.
pub(crate) fn arm() -> bool {
    // SAFETY: the first call, before any other.
    let path = unsafe { &mut *PATH.0.get() };
    let Some(path) = file::path_of(path, b".armed", 1) else { return false };
    let Some(word) = mapped(path) else { return false };
    FILE.store(word, Ordering::Relaxed);
    wait();
    true
}

fn mapped(path: &CStr) -> Option<*mut AtomicU32> {
    let file = system::open(path, libc::O_RDWR | libc::O_CREAT | libc::O_EXCL).ok()?;
    let place = system::grow(file, 0, LENGTH).and_then(|()| system::map(file, 0, LENGTH));
    system::close(file);
    Some(place.ok()?.cast())
}

/// From now on the next functions are called, until the word is set.
fn wait() {
    session::pass_by();
    WORD.store(FILE.load(Ordering::Relaxed), Ordering::Relaxed);
}

/// The recorder has stopped by itself.
pub(crate) fn rest() {
    word().store(0, Ordering::Relaxed);
    wait();
}

/// The word is set: reads what is asked for, and records. What cannot be done is not tried again.
pub(crate) extern "C" fn begin() {
    let _errno = Kept::now();
    WORD.store((&raw const NOTHING).cast_mut(), Ordering::Relaxed);
    let page = FILE.load(Ordering::Relaxed).cast::<u8>();
    // SAFETY: inside the mapping.
    let asked = unsafe { page.add(ASKED) };
    // SAFETY: the rest of it, which is written before the word is set.
    let asked = unsafe { core::slice::from_raw_parts(asked, LENGTH - ASKED) };
    if !session::begin_armed(crate::text::before_zero(asked)) {
        rest();
    }
}

/// The process ends, and its file with it.
pub(crate) fn end() {
    // SAFETY: it is not written any more.
    let path = unsafe { &*PATH.0.get() };
    if is_armed()
        && session::is_this_process()
        && let Ok(path) = CStr::from_bytes_until_nul(path)
    {
        system::remove(path);
    }
}
