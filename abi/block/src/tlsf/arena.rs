//! The arena in storage of the caller's, over memory whose end a function of the caller's moves.

use core::ffi::{c_int, c_void};
use core::ptr::NonNull;

use base::{BlockAllocator, Free};
use block::tlsf::{self, Tail};

use super::{WORD, Whole, heapwright_tlsf_block_size};
use crate::common::{self, with_it};
use crate::error;

/// `heapwright_tlsf_resize`.
type ResizeTo = unsafe extern "C" fn(*mut c_void, usize) -> c_int;

/// Memory whose end `resize` moves.
///
/// A source that cannot take memory back leaves the end above what the arena uses; that much is
/// there when the arena grows again, and nobody is asked.
struct Moved {
    base: *mut u8,
    step: usize,
    resize: ResizeTo,
    context: *mut c_void,
    end: usize,
    /// Up to where the arena uses it: `end` at most.
    used: usize,
}

// SAFETY: the header asks of `resize` what the trait asks.
unsafe impl Tail for Moved {
    fn base(&self) -> *mut u8 {
        self.base
    }

    fn step(&self) -> usize {
        self.step
    }

    fn resize(&mut self, len: usize) -> bool {
        let grows = len > self.used;
        if grows && len <= self.end {
            self.used = len;
            return true;
        }
        // SAFETY: the program says that this function may be called so.
        let moved = unsafe { (self.resize)(self.context, len) == 0 };
        if moved {
            self.end = len;
        }
        if moved || !grows {
            self.used = len;
        }
        moved
    }
}

type Arena = tlsf::Arena<Whole, Moved>;

/// `HEAPWRIGHT_TLSF_ARENA_WORDS`: enough on each machine with words of 64 bits, or of 32.
const ARENA_WORDS: usize = if usize::BITS == 64 { 280 } else { 184 };
const _: () = assert!(size_of::<Arena>() <= ARENA_WORDS * size_of::<usize>());
const _: () = assert!(align_of::<Arena>() == align_of::<usize>());

#[unsafe(no_mangle)]
extern "C" fn heapwright_tlsf_arena_size() -> usize {
    size_of::<Arena>()
}

#[unsafe(no_mangle)]
unsafe extern "C" fn heapwright_tlsf_arena_init(
    arena: *mut Arena,
    base: *mut u8,
    step: usize,
    resize: Option<ResizeTo>,
    context: *mut c_void,
) -> c_int {
    let Some(resize) = resize.filter(|_| !arena.is_null() && !base.is_null()) else {
        return error::NULL;
    };
    if !step.is_power_of_two() {
        return error::STEP;
    }
    let tail = Moved { base, step, resize, context, end: 0, used: 0 };
    // SAFETY: the caller's storage, of this size and alignment.
    unsafe { arena.write(Arena::new(Whole::new(), tail)) };
    error::OK
}

/// The arena, if there is one.
/// The caller promises: `arena` is null or was made by `heapwright_tlsf_arena_init`, and nobody else uses it.
#[inline(always)]
unsafe fn open<'a>(arena: *mut Arena) -> Option<&'a mut Arena> {
    // SAFETY: the caller's promise.
    unsafe { arena.as_mut() }
}

common::allocating! {
    Arena, open, with_it; heapwright_tlsf_arena_malloc heapwright_tlsf_arena_calloc heapwright_tlsf_arena_memalign
}
common::resizing! {
    // SAFETY: the caller's promise.
    Arena, open, with_it, |_, block: NonNull<u8>| unsafe { heapwright_tlsf_block_size(block.as_ptr()) };
    heapwright_tlsf_arena_malloc heapwright_tlsf_arena_memalign heapwright_tlsf_arena_realloc heapwright_tlsf_arena_free
}
common::looking! {
    Arena, open, with_it, WORD; heapwright_tlsf_arena_stats heapwright_tlsf_arena_check heapwright_tlsf_arena_walk
}

#[unsafe(no_mangle)]
unsafe extern "C" fn heapwright_tlsf_arena_shrink(arena: *mut Arena) -> usize {
    // SAFETY: what the header asks of the caller.
    unsafe { arena.as_mut() }.filter(|arena| !arena.is_empty()).map_or(0, Arena::shrink)
}

#[unsafe(no_mangle)]
unsafe extern "C" fn heapwright_tlsf_arena_bytes(arena: *const Arena) -> usize {
    // SAFETY: what the header asks of the caller.
    unsafe { arena.as_ref() }.map_or(0, |arena| arena.tail().end)
}
