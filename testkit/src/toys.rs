//! `Toy`: a simple allocator over the system's, right or with one chosen flaw.
//!
//! It keeps a map of its live blocks and a list of spare ones, and panics when it is misused, so
//! the harness is tested with it as well. Layouts are
//! rounded up to powers of two, and a spare block is handed out again for its layout.
use core::alloc::{GlobalAlloc, Layout};
use core::sync::atomic::{AtomicU64, Ordering};
use std::alloc::System;
use std::collections::{BTreeMap, HashMap};
use std::sync::Mutex;

use base::check::ensure;
use base::{Broken, Check, Malloc};

use crate::subject::FaultInjector;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Flaw {
    None,
    /// Every 7th block of 32 bytes or more starts within the one before.
    Overlaps,
    /// Blocks above 1000 bytes are 8 bytes off.
    Misaligned,
    /// `realloc` to another block forgets the last byte.
    ForgetsOnRealloc,
    /// `calloc` of a spare block leaves it as it is.
    DirtyCalloc,
    /// Blocks above 100 bytes say they have one byte less.
    ShortUsable,
    /// Every 3rd free lists the block as spare twice.
    SparesTwice,
    /// Every 3rd free writes into the oldest live block of 8 bytes or more.
    Scribbles,
    /// Blocks of 513 to 520 bytes are refused.
    Refuses,
    /// Sizes that wrap give a block.
    Wraps,
    /// The count of live blocks is wrong after 20 frees.
    Miscounts,
    /// Once the source has failed, every block is refused.
    GivesUp,
    /// A `realloc` that fails changes the old block.
    FailedReallocScribbles,
    /// A failure of the source leaves the count of live blocks wrong.
    FailureMiscounts,
}

/// Changes a byte of a live block to what it was not: any fixed value might be the right one by
/// chance, and undoing it takes 256 times.
fn scribble(byte: *mut u8) {
    // SAFETY: the caller points at a byte of a live block.
    let old = unsafe { byte.read() };
    // SAFETY: as above.
    unsafe { byte.write(old.wrapping_add(0x5D)) };
}

#[derive(Debug, Clone, Copy)]
struct Entry {
    block: *mut u8,
    layout: Layout,
    size: usize,
    number: usize,
    /// Part of another block.
    within: bool,
}

#[derive(Default)]
struct State {
    live: BTreeMap<usize, Entry>,
    spare: HashMap<Layout, Vec<Entry>>,
    /// Every block the system gave, freed when the toy is dropped.
    owned: Vec<Entry>,
    count: usize,
    allocations: usize,
    frees: usize,
    gave_up: bool,
}

// SAFETY: the state is the only account of its blocks.
unsafe impl Send for State {}

/// With room for what flawed toys do to themselves: their misdeeds stay within the system's block.
fn padded(layout: Layout) -> Layout {
    let size = layout.size() + 64;
    Layout::from_size_align(size, layout.align()).expect("the toy refuses sizes near the limit")
}

pub(crate) struct Toy {
    flaw: Flaw,
    state: Mutex<State>,
    calls: AtomicU64,
    failing: AtomicU64,
}

impl Toy {
    pub(crate) fn new(flaw: Flaw) -> Toy {
        Toy { flaw, state: Mutex::default(), calls: AtomicU64::new(0), failing: AtomicU64::new(0) }
    }

    fn with<R>(&self, f: impl FnOnce(&mut State) -> R) -> R {
        f(&mut self.state.lock().expect("no toy panics under its lock"))
    }

    fn is(&self, flaw: Flaw) -> bool {
        self.flaw == flaw
    }

    /// A block from the system, unless this call is to fail.
    fn fresh(&self, state: &mut State, layout: Layout) -> Option<Entry> {
        let call = self.calls.fetch_add(1, Ordering::Relaxed) + 1;
        if call == self.failing.load(Ordering::Relaxed) || state.gave_up {
            state.gave_up = self.is(Flaw::GivesUp);
            state.count += usize::from(self.is(Flaw::FailureMiscounts));
            return None;
        }
        // SAFETY: the layout has at least one byte.
        let block = unsafe { System.alloc(padded(layout)) };
        if block.is_null() {
            return None;
        }
        let entry = Entry { block, layout, size: 0, number: 0, within: false };
        state.owned.push(entry);
        Some(entry)
    }

    fn allocate(&self, size: usize, align: usize, zeroed: bool) -> *mut u8 {
        let wraps = size > isize::MAX as usize - 64 - align.max(16);
        let size = if self.is(Flaw::Wraps) && wraps { 16 } else { size };
        let refused = self.is(Flaw::Refuses) && (513..=520).contains(&size);
        if wraps && !self.is(Flaw::Wraps) {
            return core::ptr::null_mut();
        }
        let Ok(layout) = Layout::from_size_align(size.max(16).next_power_of_two(), align.max(16))
        else {
            return core::ptr::null_mut();
        };
        self.with(|state| {
            if refused {
                return core::ptr::null_mut();
            }
            state.allocations += 1;
            if self.is(Flaw::Overlaps)
                && state.allocations.is_multiple_of(7)
                && size < 500
                && align <= 64
            {
                let large = state.live.values().filter(|entry| entry.size > 1024);
                let within = large.min_by_key(|entry| entry.number).copied();
                if let Some(entry) = within {
                    let block = entry.block.wrapping_add(align.max(16));
                    state.live.insert(block.addr(), Entry { block, size, within: true, ..entry });
                    state.count = state.live.len();
                    return block;
                }
            }
            let spare = state.spare.get_mut(&layout).and_then(Vec::pop);
            let Some(mut entry) = spare.or_else(|| self.fresh(state, layout)) else {
                return core::ptr::null_mut();
            };
            if zeroed && !(spare.is_some() && self.is(Flaw::DirtyCalloc)) {
                // SAFETY: the block is ours and has the layout's size.
                unsafe { entry.block.write_bytes(0, layout.size()) };
            }
            if self.is(Flaw::Misaligned) && size > 1000 && entry.block.addr().is_multiple_of(16) {
                entry.block = entry.block.wrapping_add(8);
            }
            entry.size = size;
            entry.number = state.allocations;
            state.live.insert(entry.block.addr(), entry);
            state.count += 1;
            entry.block
        })
    }

    fn release(&self, ptr: *mut u8, size: Option<usize>) {
        if ptr.is_null() {
            return;
        }
        self.with(|state| {
            let entry = state.live.remove(&ptr.addr());
            if matches!(self.flaw, Flaw::SparesTwice | Flaw::Overlaps) && entry.is_none() {
                return;
            }
            let entry = entry.expect("only live blocks are freed");
            assert!(size.is_none_or(|size| size == entry.size), "{size:?} is not the block's size");
            state.frees += 1;
            state.count -= 1;
            if !entry.within {
                state.spare.entry(entry.layout).or_default().push(entry);
            }
            let third = state.frees.is_multiple_of(3);
            if third && self.is(Flaw::SparesTwice) {
                state.spare.entry(entry.layout).or_default().push(entry);
            }
            if third && self.is(Flaw::Scribbles) {
                let large = state.live.values().filter(|entry| entry.size >= 8);
                let victim = large.min_by_key(|entry| entry.number);
                let byte = victim.map(|entry| entry.block.wrapping_add(7));
                byte.inspect(|&byte| scribble(byte));
            }
            state.count += usize::from(self.is(Flaw::Miscounts) && state.frees == 20);
        });
    }

    fn entry(&self, ptr: *mut u8) -> Entry {
        self.with(|state| *state.live.get(&ptr.addr()).expect("the block is live"))
    }
}

// SAFETY: blocks are the system's, kept apart by the map; what a flaw breaks, tests are meant to find.
unsafe impl Malloc for Toy {
    fn malloc(&self, size: usize) -> *mut u8 {
        self.allocate(size, 16, false)
    }

    fn calloc(&self, count: usize, size: usize) -> *mut u8 {
        count
            .checked_mul(size)
            .map_or(core::ptr::null_mut(), |bytes| self.allocate(bytes, 16, true))
    }

    fn aligned_alloc(&self, align: usize, size: usize) -> *mut u8 {
        self.allocate(size, align, false)
    }

    unsafe fn realloc(&self, ptr: *mut u8, size: usize) -> *mut u8 {
        if ptr.is_null() {
            return self.malloc(size);
        }
        let old = self.entry(ptr);
        let block = self.malloc(size);
        if block.is_null() {
            if self.is(Flaw::FailedReallocScribbles) && old.size > 0 && size < usize::MAX / 2 {
                scribble(ptr);
            }
            return block;
        }
        let forgotten = usize::from(self.is(Flaw::ForgetsOnRealloc));
        let kept = old.size.min(self.entry(block).size).saturating_sub(forgotten);
        // SAFETY: both blocks are live and have this many bytes.
        unsafe { ptr.copy_to(block, kept) };
        self.release(ptr, None);
        block
    }

    unsafe fn free(&self, ptr: *mut u8) {
        self.release(ptr, None);
    }

    unsafe fn free_sized(&self, ptr: *mut u8, size: usize) {
        self.release(ptr, Some(size));
    }

    unsafe fn usable_size(&self, ptr: *mut u8) -> usize {
        if ptr.is_null() {
            return 0;
        }
        let size = self.entry(ptr).size;
        size - usize::from(self.is(Flaw::ShortUsable) && size > 100)
    }
}

impl Check for Toy {
    fn check(&self) -> Result<(), Broken> {
        self.with(|state| {
            ensure(state.count == state.live.len(), "T1: the count is the map's", state.count)
        })
    }
}

impl FaultInjector for Toy {
    fn fail_nth(&self, n: u64) {
        self.failing.store(n, Ordering::Relaxed);
        self.calls.store(0, Ordering::Relaxed);
    }

    fn calls(&self) -> u64 {
        self.calls.load(Ordering::Relaxed)
    }
}

impl Drop for Toy {
    fn drop(&mut self) {
        self.with(|state| {
            for entry in state.owned.drain(..) {
                // SAFETY: the system gave it with this layout, and the toy ends here.
                unsafe { System.dealloc(entry.block, padded(entry.layout)) };
            }
        });
    }
}

mod tests;
