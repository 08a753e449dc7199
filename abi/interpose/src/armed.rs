//! A recorder that waits: nothing is recorded until another process says so in a file that this one has mapped.
//!
//! ```text
//! NAME-PID.armed   [ n: record │ the last n │ beats │ … │ what is asked for, as in the variable, from byte 64 on ]     a page, shared
//! malloc:          the first word 0: jmp next        a number: begin, and the slots are the recorder's          [entry]
//! ```
//!
//! So it costs a comparison and two jumps a call. The recorder looks at the word again every few kilobytes: another number asks for
//! another recording, and where the one who asked beats no more, it has gone without calling the recording off. When it stops by
//! itself it writes 0.

use core::cell::UnsafeCell;
use core::ffi::CStr;
use core::sync::atomic::{AtomicPtr, AtomicU32, AtomicU64, Ordering};

use recorder::session::Begun;

use crate::errno::Kept;
use crate::text::Text;
use crate::{begin, file, names, session, system};

mod entry;

/// Bytes of the file.
const LENGTH: usize = 4096;
/// Where what is asked for begins.
const ASKED: usize = 64;
/// The word that the one who asked raises again and again.
const BEATS: usize = 2;
/// Nanoseconds without a beat until it has gone: it may be slow, and it may be stopped for a moment.
const PATIENCE: u64 = 10_000_000_000;

struct Path(UnsafeCell<[u8; file::LONGEST]>);

// SAFETY: written once, before there are threads.
unsafe impl Sync for Path {}

static PATH: Path = Path(UnsafeCell::new([0; file::LONGEST]));

/// A word that nobody sets.
static NOTHING: AtomicU32 = AtomicU32::new(0);
/// The file's first word, once there is a file. Each call looks at it while the recorder waits.
static FILE: AtomicPtr<AtomicU32> = AtomicPtr::new((&raw const NOTHING).cast_mut());
/// The number of the recording that is on.
static ASKED_AS: AtomicU32 = AtomicU32::new(0);
/// That number where the program itself began it: nobody else calls it off.
#[cfg(target_arch = "x86_64")]
const BY_ITSELF: u32 = u32::MAX;
/// The beats when they were looked at last, and since when they have been so many.
static HEARD: AtomicU32 = AtomicU32::new(0);
static SINCE: AtomicU64 = AtomicU64::new(0);

fn word() -> &'static AtomicU32 {
    // SAFETY: a static, or a mapping that stays.
    unsafe { &*FILE.load(Ordering::Relaxed) }
}

/// Whether this recorder waits, or did.
pub(crate) fn is_armed() -> bool {
    !core::ptr::eq(word(), &raw const NOTHING)
}

/// The program itself begins a recording. What others ask for meanwhile comes when that has ended.
#[cfg(target_arch = "x86_64")]
pub(crate) fn begin_by_itself() {
    ASKED_AS.store(BY_ITSELF, Ordering::Relaxed);
}

/// Whether the program itself began the recording that is on.
#[cfg(target_arch = "x86_64")]
pub(crate) fn is_by_itself() -> bool {
    ASKED_AS.load(Ordering::Relaxed) == BY_ITSELF
}

/// Why an armed recorder is to stop, if it is; the clock is at `now`.
pub(crate) fn why_to_stop(now: u64) -> Option<&'static [u8]> {
    if !is_armed() {
        return None;
    }
    #[cfg(target_arch = "x86_64")]
    if is_by_itself() {
        return None;
    }
    if word().load(Ordering::Relaxed) != ASKED_AS.load(Ordering::Relaxed) {
        return Some(b"it was called off");
    }
    let beats = word_at(BEATS).load(Ordering::Relaxed);
    if HEARD.swap(beats, Ordering::Relaxed) != beats || beats == 0 {
        SINCE.store(now, Ordering::Relaxed);
        return None;
    }
    let silence = now.saturating_sub(SINCE.load(Ordering::Relaxed));
    (silence > PATIENCE).then_some(b"the command that asked for it has gone")
}

/// A word of the file, once there is one.
fn word_at(index: usize) -> &'static AtomicU32 {
    // SAFETY: inside the mapping.
    let at = unsafe { FILE.load(Ordering::Relaxed).add(index) };
    // SAFETY: a mapping that stays.
    unsafe { &*at }
}

/// Makes the file in the folder that was asked for, and waits. `false`: it cannot be made.
pub(crate) fn arm() -> bool {
    // SAFETY: the first call, before any other.
    let path = unsafe { &mut *PATH.0.get() };
    let folder = session::options().folder();
    let mut own = [0; file::LONGEST];
    let Some(word) = mapped(path, folder).or_else(|| mapped(path, own_folder(folder, &mut own)?))
    else {
        return false;
    };
    FILE.store(word, Ordering::Relaxed);
    names::switch_to(&entry::WAIT);
    true
}

/// The folder of another user's program, which may not write to the one that was asked for: beside it, and called by this user's number.
fn own_folder<'a>(folder: &[u8], own: &'a mut [u8; file::LONGEST]) -> Option<&'a [u8]> {
    let end = folder.iter().rposition(|byte| !byte.is_ascii_digit())?;
    let mut text = Text::new(&mut own[..file::LONGEST - 1]);
    text.add(&folder[..=end]).number(u64::from(system::user()));
    let own = CStr::from_bytes_until_nul(own).ok()?;
    // Who else has made it may remove what is in it, and that is all.
    system::make_folder(own);
    Some(own.to_bytes())
}

fn mapped(path: &mut [u8; file::LONGEST], folder: &[u8]) -> Option<*mut AtomicU32> {
    let file = file::make(file::path_of(path, folder, b".armed", 1)?).ok()?;
    let place = system::grow(file, 0, LENGTH).and_then(|()| system::map(file, 0, LENGTH));
    system::close(file);
    Some(place.ok()?.cast())
}

/// The recorder has stopped, and waits for what is asked for next, which may be there already.
pub(crate) fn rest() {
    is_over(ASKED_AS.load(Ordering::Relaxed));
    names::switch_to(&entry::WAIT);
}

/// What was asked for as this number is over. Another number stays.
fn is_over(number: u32) {
    let _ = word().compare_exchange(number, 0, Ordering::Relaxed, Ordering::Relaxed);
}

/// The word is set: reads what is asked for, and records, unless another thread does. What cannot be done is not tried again.
extern "C" fn begin() {
    let _errno = Kept::now();
    let number = word().load(Ordering::Acquire);
    let page = FILE.load(Ordering::Relaxed).cast::<u8>();
    // SAFETY: inside the mapping.
    let asked = unsafe { page.add(ASKED) };
    // SAFETY: the rest of it, which is written before the word is set.
    let asked = unsafe { core::slice::from_raw_parts(asked, LENGTH - ASKED) };
    let begun = begin::begin_armed(crate::text::before_zero(asked), || {
        ASKED_AS.store(number, Ordering::Relaxed);
        HEARD.store(0, Ordering::Relaxed);
    });
    if begun == Begun::No {
        is_over(number);
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
