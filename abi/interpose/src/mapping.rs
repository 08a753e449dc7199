//! Mappings of the program itself: resident memory that is no malloc's. Those of the next malloc are told by who calls.

use core::ffi::{c_int, c_long, c_void};
use core::sync::atomic::{AtomicUsize, Ordering};

use trace_format::Event;

use crate::errno::Kept;
use crate::next::{self, next};
use crate::session::Now;
use crate::thread::Turn;
use crate::{clock, samples};

/// The file that the next malloc is in: from where to where.
static START: AtomicUsize = AtomicUsize::new(0);
static END: AtomicUsize = AtomicUsize::new(0);

/// Finds where the next malloc's code is.
pub(crate) fn find_malloc() {
    let malloc = next().malloc.address();
    let Some((_, start)) = next::object_of(malloc) else { return };
    START.store(start, Ordering::Relaxed);
    END.store(next::end_of(start), Ordering::Relaxed);
}

fn is_malloc(caller: usize) -> bool {
    (START.load(Ordering::Relaxed)..END.load(Ordering::Relaxed)).contains(&caller)
}

#[unsafe(naked)]
pub(crate) unsafe extern "C" fn mmap() {
    crate::imp::with_caller!(map)
}

unsafe extern "C" fn map(
    at: *mut c_void,
    len: usize,
    protection: c_int,
    flags: c_int,
    file: c_int,
    offset: c_long,
    caller: usize,
) -> *mut c_void {
    // SAFETY: the caller's promise.
    let mapped = unsafe { next().mmap.get()(at, len, protection, flags, file, offset) };
    if mapped != libc::MAP_FAILED && !is_malloc(caller) {
        write(&Event::Map { at: mapped.addr() as u64, len: len as u64 });
    }
    mapped
}

#[unsafe(naked)]
pub(crate) unsafe extern "C" fn munmap() {
    crate::imp::with_caller!(unmap)
}

unsafe extern "C" fn unmap(
    at: *mut c_void,
    len: usize,
    _: usize,
    _: usize,
    _: usize,
    _: usize,
    caller: usize,
) -> c_int {
    if !is_malloc(caller) {
        write(&Event::Unmap { at: at.addr() as u64, len: len as u64 });
    }
    // SAFETY: the caller's promise.
    unsafe { next().munmap.get()(at, len) }
}

/// Writes it, and how much is resident: a program with a heap of its own may call malloc hardly ever.
fn write(event: &Event<'_>) {
    let Some(mut turn) = Turn::to_write() else { return };
    turn.write(clock::now(), false, |writer, time| {
        // SAFETY: there is room.
        unsafe { writer.event(time, event) };
        let _errno = Kept::now();
        samples::note(writer, &Now::read());
    });
}
