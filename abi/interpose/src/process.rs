//! `fork`, `exec` and marks: written, and passed on.

use core::ffi::{CStr, c_char, c_int, c_void};

use trace_format::Event;

use crate::names::List;
use crate::next::next;
use crate::thread::{Thread, Turn};
use crate::{clock, session, stacks};

fn write(event: &Event<'_>) {
    let Some(mut turn) = Turn::to_write() else { return };
    turn.write(clock::now(), false, |writer, time| {
        // SAFETY: there is room.
        unsafe { writer.event(time, event) };
    });
}

/// The child finds by itself that it is one: it has a file of its own.
pub(crate) unsafe extern "C" fn fork() -> c_int {
    // SAFETY: the caller's promise.
    let child = unsafe { next().fork.get()() };
    if child > 0 {
        write(&Event::Fork { child: u64::from(child.cast_unsigned()) });
    } else if child == 0 {
        stacks::forked(Thread::this());
    }
    child
}

/// What comes to the library's place is another one.
pub(crate) unsafe extern "C" fn dlclose(library: *mut c_void) -> c_int {
    // SAFETY: the caller's promise.
    let answer = unsafe { next().dlclose.get()(library) };
    if session::has_stacks() {
        stacks::closed();
    }
    answer
}

/// Writes that this process becomes another program. A child of `vfork` says nothing: it is in its parent's memory.
fn becomes(path: *const c_char) {
    if !path.is_null() && session::is_this_process() {
        // SAFETY: a path of the caller's.
        let path = unsafe { CStr::from_ptr(path) };
        write(&Event::Exec { path: path.to_bytes() });
    }
}

pub(crate) unsafe extern "C" fn execve(path: *const c_char, args: List, env: List) -> c_int {
    becomes(path);
    // SAFETY: the caller's promise.
    unsafe { next().execve.get()(path, args, env) }
}

pub(crate) unsafe extern "C" fn execv(path: *const c_char, args: List) -> c_int {
    becomes(path);
    // SAFETY: the caller's promise.
    unsafe { next().execv.get()(path, args) }
}

pub(crate) unsafe extern "C" fn execvp(path: *const c_char, args: List) -> c_int {
    becomes(path);
    // SAFETY: the caller's promise.
    unsafe { next().execvp.get()(path, args) }
}

pub(crate) unsafe extern "C" fn execvpe(path: *const c_char, args: List, env: List) -> c_int {
    becomes(path);
    // SAFETY: the caller's promise.
    unsafe { next().execvpe.get()(path, args, env) }
}

/// The program says where it is.
pub(crate) unsafe extern "C" fn heapwright_mark(name: *const c_char) {
    if !name.is_null() {
        // SAFETY: a string of the caller's.
        let name = unsafe { CStr::from_ptr(name) };
        write(&Event::Mark { name: name.to_bytes() });
    }
}
