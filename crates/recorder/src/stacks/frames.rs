//! Each frame once: its number by its caller's and its address. Read without a lock; a new one is written under that of [`FRAMES`].
//!
//! ```text
//! (caller, address) ─► place: [ address │ caller, number ]      the second word last: 0, and the place is free
//! frames of a stack have numbers that follow each other, and so near places: a walk goes along the table, not across it
//! half full         ─► a table of twice the size, and zeros in the old one: who still looks there finds nothing, and asks for the lock
//! ```

use core::sync::atomic::{AtomicBool, AtomicPtr, AtomicU32, AtomicU64, Ordering};

use trace_format::Event;

use crate::errno::Kept;
use crate::shared::FRAMES;
use crate::{clock, file, session, system};

/// Places of the first table: 64 KiB. It grows as long as there are frames, so that those of a small program lie close together.
const FIRST: usize = 4 << 10;
/// Places of the last: 16 MiB.
const LAST: usize = 1 << 20;

/// Places near its caller's number where a frame may be; where all are taken it is anywhere.
const NEAR: usize = 8;

struct Place {
    address: AtomicU64,
    link: AtomicU64,
}

/// The table: in front of its first place stands how many there are.
static TABLE: AtomicPtr<Place> = AtomicPtr::new(core::ptr::null_mut());
static COUNT: AtomicU32 = AtomicU32::new(0);
/// Whether it was said that there is no room for more.
static FULL: AtomicBool = AtomicBool::new(false);

/// A table.
#[derive(Clone, Copy)]
struct Table(*mut Place);

impl Table {
    #[inline(always)]
    fn current() -> Self {
        Self(TABLE.load(Ordering::Acquire))
    }

    fn new(places: usize) -> Option<Self> {
        let table = Self(system::memory((places + 1) * size_of::<Place>()).ok()?.cast());
        table.place(0).address.store(places as u64, Ordering::Relaxed);
        Some(table)
    }

    #[inline(always)]
    fn places(self) -> usize {
        self.place(0).address.load(Ordering::Relaxed) as usize
    }

    /// A place; the one before the first has the number of places.
    #[inline(always)]
    fn place(self, at: usize) -> &'static Place {
        // SAFETY: inside the table.
        let place = unsafe { self.0.add(at) };
        // SAFETY: tables stay.
        unsafe { &*place }
    }

    /// The frame's number, or the place where it would be.
    #[inline(always)]
    fn find(self, caller: u32, address: u64) -> Result<u32, &'static Place> {
        let last = self.places() - 1;
        let caller = u64::from(caller);
        let both = (address ^ caller << 40 ^ caller).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        let mut at = caller as usize * 2 + (both >> 61) as usize;
        let mut near = NEAR;
        loop {
            let place = self.place((at & last) + 1);
            let link = place.link.load(Ordering::Acquire);
            if link == 0 {
                return Err(place);
            }
            if link >> 32 == caller && place.address.load(Ordering::Relaxed) == address {
                return Ok(link as u32);
            }
            near = near.wrapping_sub(1);
            at = if near == 0 { (both >> 32) as usize } else { at + 1 };
        }
    }

    /// A table of twice the size with the same frames. `None`: there is none.
    fn grown(self) -> Option<Self> {
        let places = self.places();
        if places == LAST {
            return None;
        }
        let larger = Self::new(places * 2)?;
        for old in (1..=places).map(|at| self.place(at)) {
            let (address, link) =
                (old.address.load(Ordering::Relaxed), old.link.load(Ordering::Relaxed));
            if link != 0
                && let Err(place) = larger.find((link >> 32) as u32, address)
            {
                place.address.store(address, Ordering::Relaxed);
                place.link.store(link, Ordering::Relaxed);
            }
        }
        Some(larger)
    }

    /// Another table has its frames. The number of its places is in the first page and stays, for those who look there now.
    fn give_back(self) {
        const PAGE: usize = 4096;
        let rest = self.0.cast::<u8>().wrapping_add(PAGE);
        system::empty(rest, (self.places() + 1) * size_of::<Place>() - PAGE);
    }

    /// Forgets all frames.
    fn empty(self) {
        for place in (1..=self.places()).map(|at| self.place(at)) {
            place.link.store(0, Ordering::Relaxed);
        }
    }
}

/// Makes the table, or empties it unless it `keeps` what is there. `false`: there is no memory.
pub(super) fn begin(keeps: bool) -> bool {
    // A child's own file says it too.
    FULL.store(false, Ordering::Relaxed);
    let table = Table::current();
    if !table.0.is_null() {
        if !keeps {
            COUNT.store(0, Ordering::Relaxed);
            table.empty();
        }
        return true;
    }
    let Some(table) = Table::new(FIRST) else { return false };
    TABLE.store(table.0, Ordering::Release);
    true
}

/// How many there are.
pub(super) fn count() -> u32 {
    COUNT.load(Ordering::Relaxed)
}

/// Writes all of them in the order of their numbers, each behind what is done with its address.
pub(super) fn tell(mut with: impl FnMut(usize)) {
    let len = (count() as usize + 1) * size_of::<[u64; 2]>();
    let Ok(room) = system::memory(len) else { return };
    // SAFETY: mapped, zeros, and only this function's.
    let frames = unsafe { core::slice::from_raw_parts_mut(room.cast::<[u64; 2]>(), len / 16) };
    let table = Table::current();
    for place in (1..=table.places()).map(|at| table.place(at)) {
        let link = place.link.load(Ordering::Relaxed);
        if let Some(frame) = frames.get_mut(link as u32 as usize) {
            *frame = [link >> 32, place.address.load(Ordering::Relaxed)];
        }
    }
    for (frame, &[caller, ip]) in (0..).zip(&*frames).skip(1) {
        with(ip as usize);
        FRAMES.locked().write(clock::now(), &Event::Frame { frame, caller, ip });
    }
    // SAFETY: nothing points there any more.
    unsafe { system::unmap(room, len) };
}

/// The number of a frame in a recording. `None`: there are too many, or the recording is over, and callers have no numbers any more.
#[inline(always)]
pub(super) fn number(session: u32, caller: u32, address: usize) -> Option<u32> {
    match Table::current().find(caller, address as u64) {
        Ok(number) => Some(number),
        Err(_) => new(session, caller, address as u64),
    }
}

#[cold]
#[inline(never)]
fn new(session: u32, caller: u32, address: u64) -> Option<u32> {
    let _errno = Kept::now();
    let mut out = FRAMES.locked();
    if !session::is_on_as(session) {
        return None;
    }
    let table = Table::current();
    // Another thread may have written it.
    let place = match table.find(caller, address) {
        Ok(number) => return Some(number),
        Err(place) => place,
    };
    let number = COUNT.load(Ordering::Relaxed) + 1;
    // A table that cannot grow keeps free places, at which a search ends.
    if number as usize > table.places() / 4 * 3 {
        if !FULL.swap(true, Ordering::Relaxed) {
            file::note(b"stacks_full", b"no room for further frames");
        }
        return None;
    }
    let event = Event::Frame { frame: number.into(), caller: caller.into(), ip: address };
    if !out.write(clock::now(), &event) {
        return None;
    }
    COUNT.store(number, Ordering::Relaxed);
    place.address.store(address, Ordering::Relaxed);
    place.link.store(u64::from(caller) << 32 | u64::from(number), Ordering::Release);
    if number as usize * 2 > table.places()
        && let Some(larger) = table.grown()
    {
        TABLE.store(larger.0, Ordering::Release);
        table.give_back();
    }
    Some(number)
}
