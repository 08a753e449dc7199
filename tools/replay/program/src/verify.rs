//! Every block filled with words of its own, which are looked for when it ends.
//!
//! A block that lies over another, that was moved without its contents, or that the allocator wrote into, is found by that; and
//! a `calloc` that is not zero, an address that is not aligned, a usable size below the size.

use core::fmt;
use core::sync::atomic::{AtomicPtr, Ordering};

use plan::Call;

use crate::heap::Place;
use crate::map;
use crate::out::fail;

/// What is known of a slot's block.
#[derive(Debug, Clone, Copy)]
struct Known {
    size: usize,
    /// Its words are made of this.
    seed: u64,
}

static KNOWN: AtomicPtr<Known> = AtomicPtr::new(core::ptr::null_mut());

/// C's guarantee on this machine, for a block that has room for it.
const ALIGN: usize = 16;

/// Makes room for what is known.
pub(crate) fn prepare(slots: usize) {
    KNOWN.store(map::zeroed(slots), Ordering::Relaxed);
}

fn known(slot: usize) -> *mut Known {
    KNOWN.load(Ordering::Relaxed).wrapping_add(slot)
}

fn read(slot: usize) -> Known {
    // SAFETY: the plan has such a slot, and the thread that uses it is the only one that does.
    unsafe { known(slot).read() }
}

/// The word at `at` bytes of a block.
fn word(seed: u64, at: usize) -> u64 {
    (seed ^ at as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1
}

fn wrong(at: Place, what: fmt::Arguments<'_>) -> ! {
    fail(1, format_args!("wrong: {what} (thread {}, word {} of the plan)", at.thread, at.word))
}

/// A slot is empty. At the end, where all that is left is freed, that is so; a thread that finds it is too early or too late, as the
/// plan lacks a wait.
pub(crate) fn empty(at: Place) {
    if at.word != 0 {
        let Place { thread, word, .. } = at;
        fail(
            3,
            format_args!("thread {thread} finds no block in its slot (word {word} of the plan)"),
        );
    }
}

/// Looks at a new block.
///
/// # Safety
///
/// `block` is live and has `size` bytes.
pub(crate) unsafe fn new(at: Place, call: Call, block: *mut u8, size: usize, align: usize) {
    let least = match call {
        Call::Aligned => align,
        _ if size >= ALIGN => ALIGN,
        _ => 1,
    };
    if !block.addr().is_multiple_of(least) {
        wrong(at, format_args!("a block of {size} bytes at {block:p} is not aligned to {least}"));
    }
    if call == Call::Calloc {
        // SAFETY: the caller's promise; calloc has written all of it.
        let bytes = unsafe { core::slice::from_raw_parts(block, size) };
        if let Some(place) = bytes.iter().position(|byte| *byte != 0) {
            let byte = bytes[place];
            wrong(
                at,
                format_args!("calloc of {size} bytes: byte {place} is {byte:#04x}, not zero"),
            );
        }
    }
}

/// Fills the slot's block.
///
/// # Safety
///
/// `block` is live and has `size` bytes.
pub(crate) unsafe fn fill(at: Place, block: *mut u8, size: usize) {
    let seed = (u64::from(at.thread) << 48 ^ at.word as u64).wrapping_mul(0xd6e8_feb8_6659_fd93);
    // SAFETY: the plan has such a slot, and the thread that uses it is the only one that does.
    unsafe { known(at.slot).write(Known { size, seed }) };
    for from in (0..size).step_by(8) {
        let bytes = word(seed, from).to_ne_bytes();
        let len = (size - from).min(8);
        // SAFETY: it is below the size.
        let to = unsafe { block.add(from) };
        // SAFETY: so many bytes of the block follow.
        unsafe { to.copy_from_nonoverlapping(bytes.as_ptr(), len) };
    }
}

/// Sees that the slot's block has what it was filled with.
///
/// # Safety
///
/// `block` is live and of this slot.
pub(crate) unsafe fn kept(at: Place, slot: usize, block: *mut u8, when: &str) {
    let known = read(slot);
    // SAFETY: the caller's promise.
    unsafe { has(at, known, block, known.size, when) };
}

/// # Safety
///
/// `block` is live and has `len` bytes.
unsafe fn has(at: Place, known: Known, block: *mut u8, len: usize, when: &str) {
    let Known { size, seed } = known;
    for from in (0..len).step_by(8) {
        let mut bytes = [0; 8];
        let part = (len - from).min(8);
        // SAFETY: it is below the length.
        let of = unsafe { block.add(from) };
        // SAFETY: so many bytes of the block follow.
        unsafe { of.copy_to_nonoverlapping(bytes.as_mut_ptr(), part) };
        let expected = word(seed, from).to_ne_bytes();
        if let Some(i) = (0..part).find(|&i| bytes[i] != expected[i]) {
            let (byte, is, was) = (from + i, bytes[i], expected[i]);
            wrong(
                at,
                format_args!(
                    "a block of {size} bytes at {block:p} has changed {when}: byte {byte} is {is:#04x} and was {was:#04x}"
                ),
            );
        }
    }
}

/// Sees that a block that `realloc` returned has what the slot's had.
///
/// # Safety
///
/// `block` is live and has `size` bytes.
pub(crate) unsafe fn moved(at: Place, old: usize, block: *mut u8, size: usize) {
    if size >= ALIGN && !block.addr().is_multiple_of(ALIGN) {
        wrong(at, format_args!("realloc to {size} bytes at {block:p} is not aligned to {ALIGN}"));
    }
    let known = read(old);
    // SAFETY: the caller's promise.
    unsafe { has(at, known, block, known.size.min(size), "in its realloc") };
}

/// A refused `realloc` leaves the old slot's block to the new slot.
pub(crate) fn stays(at: Place, old: usize) {
    // SAFETY: the plan has such a slot, and the thread that uses it is the only one that does.
    unsafe { known(at.slot).write(read(old)) };
}

/// Looks at what `malloc_usable_size` said of the slot's block.
pub(crate) fn usable(at: Place, block: *mut u8, usable: usize) {
    let size = read(at.slot).size;
    if usable < size {
        wrong(
            at,
            format_args!("the usable size of a block of {size} bytes at {block:p} is {usable}"),
        );
    }
}
