//! A cell for each place where a block may begin: what its bits mean says [`cells`], as who looks for leaks reads them.

use core::sync::atomic::{AtomicBool, AtomicPtr, AtomicU32, Ordering};

use trace_format::cells::{
    CELLS, GONE, REGIONS, RESIZED, UNIT_BYTES, cell, frame_and_size, is_large, is_live, place,
};

use crate::errno::Kept;
use crate::{file, system};

type Cells = AtomicPtr<AtomicU32>;

/// Where the cells of each region are. Mapped, and pages of it that nothing was written to are none.
static TABLE: AtomicPtr<Cells> = AtomicPtr::new(core::ptr::null_mut());
/// Whether it was said that there is no memory for more of it.
static TOLD: AtomicBool = AtomicBool::new(false);

/// Makes the table, if there is none. `false`: there is no memory.
pub(crate) fn begin() -> bool {
    TOLD.store(false, Ordering::Relaxed);
    if TABLE.load(Ordering::Relaxed).is_null() {
        let Ok(table) = system::memory(REGIONS * size_of::<Cells>()) else { return false };
        TABLE.store(table.cast(), Ordering::Relaxed);
    }
    true
}

/// Where the table is.
pub(crate) fn regions() -> usize {
    TABLE.load(Ordering::Relaxed).addr()
}

/// Where the cells of a region are. `None`: no block can be there.
#[inline(always)]
fn region(number: usize) -> Option<&'static Cells> {
    if number >= REGIONS {
        return None;
    }
    // SAFETY: inside the table.
    let cells = unsafe { TABLE.load(Ordering::Relaxed).add(number) };
    // SAFETY: the table stays.
    Some(unsafe { &*cells })
}

/// The cell of an address, if its region has cells.
#[inline(always)]
fn found(address: usize) -> Option<&'static AtomicU32> {
    let (number, at) = place(address as u64);
    let cells = region(number)?.load(Ordering::Acquire);
    if cells.is_null() {
        return None;
    }
    // SAFETY: inside the region's cells.
    let cell = unsafe { cells.add(at) };
    // SAFETY: they stay.
    Some(unsafe { &*cell })
}

/// The same, and the region gets cells if it has none. `None`: there is no memory, which is said.
#[inline(always)]
fn made(address: usize) -> Option<&'static AtomicU32> {
    match found(address) {
        None => make(address),
        found => found,
    }
}

#[cold]
#[inline(never)]
fn make(address: usize) -> Option<&'static AtomicU32> {
    let _errno = Kept::now();
    let len = CELLS * size_of::<AtomicU32>();
    let Ok(new) = system::memory(len) else {
        if !TOLD.swap(true, Ordering::Relaxed) {
            file::note(b"table_full", b"no memory for the table of live blocks");
        }
        return None;
    };
    let region = region(place(address as u64).0)?;
    let none = core::ptr::null_mut();
    if region.compare_exchange(none, new.cast(), Ordering::AcqRel, Ordering::Relaxed).is_err() {
        // Another thread was before.
        // SAFETY: nobody has seen it.
        unsafe { system::unmap(new, len) };
    }
    found(address)
}

/// A block is live.
#[inline(always)]
pub(super) fn put(block: *mut u8, size: usize, frame: u32) {
    let Some(place) = made(block.addr()) else { return };
    let frame = if frame < RESIZED { frame } else { 0 };
    let cell = cell(frame, size as u64);
    if is_large(cell) {
        put_size(block, size as u64);
    }
    place.store(cell, Ordering::Relaxed);
}

/// The two cells behind a block's.
fn behind(block: *mut u8) -> [usize; 2] {
    [1, 2].map(|at| block.addr() + at * UNIT_BYTES as usize)
}

/// A size as its two cells have it.
fn halves(size: u64) -> [u32; 2] {
    [size as u32, (size >> u32::BITS) as u32]
}

#[cold]
#[inline(never)]
fn put_size(block: *mut u8, size: u64) {
    for (at, half) in behind(block).into_iter().zip(halves(size)) {
        if let Some(place) = made(at) {
            place.store(half, Ordering::Relaxed);
        }
    }
}

/// A block is not live any more: its size and its frame. `None`: it was not known.
#[inline(always)]
pub(super) fn take(block: *mut u8) -> Option<(usize, u32)> {
    let place = found(block.addr())?;
    let cell = place.load(Ordering::Relaxed);
    if !is_live(cell) {
        return None;
    }
    place.store(GONE, Ordering::Relaxed);
    let (frame, size) = frame_and_size(cell);
    Some((if is_large(cell) { take_size(block) } else { size as usize }, frame))
}

/// A block is being resized: it lives until it is [let go](let_go), so that a copy of the process does not miss what it points to.
/// Its size and its frame. `None`: it was not known.
pub(super) fn hold(block: *mut u8) -> Option<(usize, u32)> {
    let place = found(block.addr())?;
    let before = place.load(Ordering::Relaxed);
    if !is_live(before) {
        return None;
    }
    let (frame, size) = frame_and_size(before);
    let size = if is_large(before) { size_behind(block) } else { size as usize };
    place.store(cell(RESIZED, size as u64), Ordering::Relaxed);
    Some((size, frame))
}

/// A block that was held is not live any more, unless another thread has got its address meanwhile.
pub(super) fn let_go(block: *mut u8, size: usize) {
    let held = cell(RESIZED, size as u64);
    let Some(place) = found(block.addr()) else { return };
    if place.compare_exchange(held, GONE, Ordering::Relaxed, Ordering::Relaxed).is_ok() {
        forget_size(block, size);
    }
}

/// A block that was held has another size where it was.
pub(super) fn stays(block: *mut u8, size_before: usize, size: usize) {
    if !is_large(cell(0, size as u64)) {
        forget_size(block, size_before);
    }
}

/// The two cells behind a block say no size any more, if they did.
fn forget_size(block: *mut u8, size: usize) {
    if !is_large(cell(0, size as u64)) {
        return;
    }
    for (at, half) in behind(block).into_iter().zip(halves(size as u64)) {
        if let Some(place) = found(at) {
            // Not what they say of another block.
            let _ = place.compare_exchange(half, 0, Ordering::Relaxed, Ordering::Relaxed);
        }
    }
}

/// What the two cells behind say.
fn size_behind(block: *mut u8) -> usize {
    let [low, high] =
        behind(block).map(|at| found(at).map_or(0, |place| place.load(Ordering::Relaxed)));
    (u64::from(high) << u32::BITS | u64::from(low)) as usize
}

/// What the two cells behind say. They are of no block then, as all inside one.
#[cold]
#[inline(never)]
fn take_size(block: *mut u8) -> usize {
    let [low, high] =
        behind(block).map(|at| found(at).map_or(0, |place| place.swap(0, Ordering::Relaxed)));
    (u64::from(high) << u32::BITS | u64::from(low)) as usize
}
