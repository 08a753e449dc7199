//! The arena in storage of the caller's, over memory whose end a function of the caller's moves.

use core::alloc::Layout;
use core::ffi::{c_int, c_void};
use core::ptr::{self, NonNull};

use base::{BlockAllocator, Free};
use block::tlsf::{self, Tail};

use super::{WORD, Whole, heapwright_tlsf_block_size};
use crate::call;
use crate::error;
use crate::records::{self, ALL, CBroken, CStats, Visit};

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
    /// Where the end is.
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

/// `HEAPWRIGHT_TLSF_ARENA_WORDS`: enough on each machine with words of so many bits.
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

#[unsafe(no_mangle)]
unsafe extern "C" fn heapwright_tlsf_arena_malloc(arena: *mut Arena, size: usize) -> *mut u8 {
    // SAFETY: the caller's promise.
    unsafe { heapwright_tlsf_arena_memalign(arena, 1, size) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn heapwright_tlsf_arena_calloc(
    arena: *mut Arena,
    count: usize,
    size: usize,
) -> *mut u8 {
    let bytes = count.saturating_mul(size);
    // SAFETY: the caller's promise.
    let block = unsafe { heapwright_tlsf_arena_malloc(arena, bytes) };
    // SAFETY: just allocated with this size.
    unsafe { call::zeroed(block, bytes) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn heapwright_tlsf_arena_memalign(
    arena: *mut Arena,
    alignment: usize,
    size: usize,
) -> *mut u8 {
    // SAFETY: what the header asks of the caller.
    let Some(arena) = (unsafe { arena.as_mut() }) else { return ptr::null_mut() };
    call::memalign(arena, alignment, size)
}

impl call::Heap for *mut Arena {
    #[inline(always)]
    fn exists(self) -> bool {
        !self.is_null()
    }

    #[inline(always)]
    unsafe fn memalign(self, alignment: usize, size: usize) -> *mut u8 {
        if alignment == 1 {
            // SAFETY: the caller's promise.
            return unsafe { heapwright_tlsf_arena_malloc(self, size) };
        }
        // SAFETY: as above.
        unsafe { heapwright_tlsf_arena_memalign(self, alignment, size) }
    }

    #[inline(always)]
    unsafe fn free(self, block: *mut u8) {
        // SAFETY: the caller's promise.
        unsafe { heapwright_tlsf_arena_free(self, block) }
    }

    #[inline(always)]
    unsafe fn reallocate(self, block: NonNull<u8>, old: Layout, size: usize) -> *mut u8 {
        // SAFETY: the caller's promise.
        let Some(heap) = (unsafe { self.as_mut() }) else { return ptr::null_mut() };
        // SAFETY: as above.
        call::pointer(unsafe { heap.reallocate(block, old, size) })
    }

    #[inline(always)]
    unsafe fn usable(self, block: NonNull<u8>) -> usize {
        // SAFETY: the caller's promise.
        unsafe { heapwright_tlsf_block_size(block.as_ptr()) }
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn heapwright_tlsf_arena_realloc(
    arena: *mut Arena,
    block: *mut u8,
    size: usize,
) -> *mut u8 {
    // SAFETY: what the header asks of the caller.
    unsafe { call::realloc(arena, block, 1, size) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn heapwright_tlsf_arena_free(arena: *mut Arena, block: *mut u8) {
    let Some(block) = NonNull::new(block) else { return };
    // SAFETY: what the header asks of the caller.
    if let Some(arena) = unsafe { arena.as_mut() } {
        // SAFETY: the block is live, and dead afterwards.
        unsafe { arena.free(block) }
    }
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

#[unsafe(no_mangle)]
unsafe extern "C" fn heapwright_tlsf_arena_stats(arena: *const Arena, out: *mut CStats) -> c_int {
    // SAFETY: what the header asks of the caller.
    let Some(arena) = (unsafe { arena.as_ref() }) else { return error::NULL };
    // SAFETY: as above.
    unsafe { records::stats(arena, out) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn heapwright_tlsf_arena_check(arena: *const Arena, out: *mut CBroken) -> c_int {
    // SAFETY: what the header asks of the caller.
    let Some(arena) = (unsafe { arena.as_ref() }) else { return error::NULL };
    // SAFETY: as above.
    unsafe { records::check(arena, out) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn heapwright_tlsf_arena_walk(
    arena: *const Arena,
    visit: Option<Visit>,
    user: *mut c_void,
) -> c_int {
    // SAFETY: what the header asks of the caller.
    let Some(arena) = (unsafe { arena.as_ref() }) else { return error::NULL };
    // SAFETY: as above.
    unsafe { records::walk(arena, ALL, WORD, visit, user) }
}
