//! Profiles that the program itself begins and ends, by `heapwright/profile.h`: while the recorder waits.

use core::ffi::{CStr, c_char, c_int};

use crate::errno::Kept;
use crate::text::Text;
use crate::thread::Turn;
use crate::{armed, clock, session};

/// The longest that may be asked for.
const LONGEST: usize = 1900;

/// Begins a profile, with its file in `folder`, which is there. 0, or -1: something is recorded already, or the file cannot be made.
#[unsafe(no_mangle)]
unsafe extern "C" fn heapwright_profile_start(folder: *const c_char, interval: usize) -> c_int {
    let _errno = Kept::now();
    if folder.is_null() || !armed::is_armed() || session::is_on() {
        return -1;
    }
    // SAFETY: the caller's promise: a string.
    let folder = unsafe { CStr::from_ptr(folder) }.to_bytes();
    let mut asked = [0; LONGEST + 100];
    if folder.len() > LONGEST || folder.first() != Some(&b'/') {
        return -1;
    }
    let mut text = Text::new(&mut asked);
    text.add(b"stacks=sampled;events=sampled;interval=").number(interval.max(1) as u64);
    text.add(b";dir=").add(folder);
    armed::begin_by_itself();
    if session::begin_armed(text.bytes()) {
        return 0;
    }
    armed::rest();
    -1
}

/// Ends it, and with it the file. Nothing, where there is none.
#[unsafe(no_mangle)]
extern "C" fn heapwright_profile_stop() {
    let _errno = Kept::now();
    if !armed::is_by_itself() || !session::is_on() {
        return;
    }
    let Some(mut turn) = Turn::to_write() else { return };
    let (thread, time) = (turn.thread, clock::now());
    if let Some(writer) = turn.writer(time) {
        session::stop(thread, writer, time, b"the program ended it");
    }
}
