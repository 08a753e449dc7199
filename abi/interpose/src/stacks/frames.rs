//! Each frame once: its number by its caller's and its address. Read without a lock; a new one is written under that of [`Out`].
//!
//! ```text
//! (caller, address) ─► place: [ address │ caller, number ]     the second word last: 0, and the place is free
//! ```

use core::sync::atomic::{AtomicPtr, AtomicU32, AtomicU64, Ordering};

use trace_format::Event;

use super::out::Out;
use crate::{file, system};

/// Places of the table: 16 MiB, of which what is used is there.
const PLACES: usize = 1 << 20;
/// The most frames of a recording: a table that is full is slow.
const MOST: u32 = (PLACES / 4 * 3) as u32;

struct Place {
    address: AtomicU64,
    link: AtomicU64,
}

static TABLE: AtomicPtr<Place> = AtomicPtr::new(core::ptr::null_mut());
static COUNT: AtomicU32 = AtomicU32::new(0);

/// Makes the table, or empties it. `false`: there is no memory.
pub(super) fn begin() -> bool {
    const BYTES: usize = PLACES * size_of::<Place>();
    COUNT.store(0, Ordering::Relaxed);
    let table = TABLE.load(Ordering::Relaxed);
    if !table.is_null() {
        system::empty(table.cast(), BYTES);
        return true;
    }
    let Ok(table) = system::memory(BYTES) else { return false };
    TABLE.store(table.cast(), Ordering::Relaxed);
    true
}

#[inline(always)]
fn place(at: usize) -> &'static Place {
    // SAFETY: inside the table, which stays.
    unsafe { &*TABLE.load(Ordering::Relaxed).add(at % PLACES) }
}

/// The frame's number, or the place where it would be.
#[inline(always)]
fn find(caller: u32, address: u64) -> Result<u32, usize> {
    let both =
        (address ^ u64::from(caller) << 40 ^ u64::from(caller)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    let mut at = (both >> (64 - PLACES.ilog2())) as usize;
    loop {
        let place = place(at);
        let link = place.link.load(Ordering::Acquire);
        if link == 0 {
            return Err(at % PLACES);
        }
        if link >> 32 == u64::from(caller) && place.address.load(Ordering::Relaxed) == address {
            return Ok(link as u32);
        }
        at += 1;
    }
}

/// The number of a frame. `None`: there are too many, or nothing is recorded any more.
#[inline(always)]
pub(super) fn number(caller: u32, address: usize, time: u64) -> Option<u32> {
    match find(caller, address as u64) {
        Ok(number) => Some(number),
        Err(_) => new(caller, address as u64, time),
    }
}

#[cold]
#[inline(never)]
fn new(caller: u32, address: u64, time: u64) -> Option<u32> {
    let mut out = Out::locked();
    // Another thread may have written it.
    let at = match find(caller, address) {
        Ok(number) => return Some(number),
        Err(at) => at,
    };
    let number = COUNT.load(Ordering::Relaxed) + 1;
    if number >= MOST {
        if number == MOST {
            COUNT.store(number, Ordering::Relaxed);
            file::note(b"stacks_full", b"no room for further frames");
        }
        return None;
    }
    let event = Event::Frame { frame: number.into(), caller: caller.into(), ip: address };
    if !out.write(time, &event) {
        return None;
    }
    COUNT.store(number, Ordering::Relaxed);
    let place = place(at);
    place.address.store(address, Ordering::Relaxed);
    place.link.store(u64::from(caller) << 32 | u64::from(number), Ordering::Release);
    Some(number)
}
