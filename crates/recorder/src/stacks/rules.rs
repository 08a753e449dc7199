//! The rules of the instructions that were met, in one table of the process without a lock.
//!
//! ```text
//! address ─► place in the table: [ address ^ rule │ rule ]     the address comes out, or the place is another's or half written
//! ```

use core::sync::atomic::{AtomicPtr, AtomicU32, AtomicU64, Ordering};

use super::rule::Rule;
use super::{cfi, modules, object::Object};
use crate::system;

/// Places of the table: 256 KiB.
const PLACES: usize = 16 << 10;

struct Place(AtomicU64, AtomicU64);

static TABLE: AtomicPtr<Place> = AtomicPtr::new(core::ptr::null_mut());

/// How often code has gone that rules were of.
static CODE: AtomicU32 = AtomicU32::new(0);

/// Which code there is: another number, and what is known of its frames may be true no more.
#[inline(always)]
pub(super) fn code() -> u32 {
    CODE.load(Ordering::Relaxed)
}

/// Makes the table, or empties it. `false`: there is no memory.
pub(super) fn begin() -> bool {
    if !TABLE.load(Ordering::Relaxed).is_null() {
        forget();
        return true;
    }
    let Ok(table) = system::memory(PLACES * size_of::<Place>()) else { return false };
    TABLE.store(table.cast(), Ordering::Relaxed);
    true
}

#[inline(always)]
fn place(at: usize) -> &'static Place {
    // SAFETY: inside the table.
    let place = unsafe { TABLE.load(Ordering::Relaxed).add(at % PLACES) };
    // SAFETY: the table stays.
    unsafe { &*place }
}

/// A library is gone, and another may come to its place.
pub(super) fn forget() {
    CODE.fetch_add(1, Ordering::Relaxed);
    for place in (0..PLACES).map(place) {
        place.0.store(0, Ordering::Relaxed);
        place.1.store(0, Ordering::Relaxed);
    }
}

/// The rule of the instruction at an address.
#[inline(always)]
pub(super) fn of(address: usize) -> Rule {
    let hash = (address as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> (64 - PLACES.ilog2());
    let place = place(hash as usize);
    let rule = place.1.load(Ordering::Relaxed);
    if place.0.load(Ordering::Relaxed) ^ rule == address as u64 && rule != 0 {
        return Rule::from_word(rule);
    }
    look_up(address, place)
}

#[cold]
#[inline(never)]
fn look_up(address: usize, place: &Place) -> Rule {
    let object = Object::around(address);
    if let Some(object) = &object {
        modules::met(object);
    }
    let rule = object.and_then(|object| cfi::rule(&object, address)).unwrap_or(Rule::Untold);
    let word = rule.to_word();
    place.1.store(word, Ordering::Relaxed);
    place.0.store(address as u64 ^ word, Ordering::Relaxed);
    rule
}
