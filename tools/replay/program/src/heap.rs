//! What makes the calls: the process's malloc, plain, timed or verified; or nothing. Another one is in `placed`.

use core::ffi::c_void;
use core::ptr;
use core::sync::atomic::{AtomicPtr, Ordering};

use plan::Call;

use crate::map;
use crate::tail::{self, Kind, Period};
use crate::verify;

/// Where a block is asked for or given back, and which word of the plan says so.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Place {
    pub(crate) thread: u32,
    pub(crate) word: usize,
    pub(crate) slot: usize,
}

/// Makes the calls of one thread.
pub(crate) trait Heap {
    fn new(thread: u32) -> Self;

    /// A new block, or null.
    fn allocate(&mut self, at: Place, call: Call, size: usize, align: usize) -> *mut u8;

    /// # Safety
    ///
    /// `block` is live and this heap's, and of this place's slot.
    unsafe fn free(&mut self, at: Place, block: *mut u8);

    /// # Safety
    ///
    /// `block` is live and this heap's, and of the slot `old`.
    unsafe fn reallocate(&mut self, at: Place, old: usize, block: *mut u8, size: usize) -> *mut u8;

    /// # Safety
    ///
    /// `block` is live and this heap's, and of this place's slot.
    unsafe fn usable(&mut self, at: Place, block: *mut u8);

    /// The block is the slot's from now on, and has been touched.
    ///
    /// # Safety
    ///
    /// `block` is live and has `size` bytes.
    unsafe fn keep(&mut self, _at: Place, _block: *mut u8, _size: usize) {}

    /// The slot has no block, and none was refused.
    fn empty(&self, _at: Place) {}

    /// A period of the thread begins.
    fn mark(&mut self) {}
}

/// The process's malloc.
#[derive(Debug)]
pub(crate) struct Plain;

unsafe extern "C" {
    fn malloc_usable_size(block: *mut c_void) -> usize;
}

#[inline(always)]
fn allocate(call: Call, size: usize, align: usize) -> *mut u8 {
    match call {
        // SAFETY: calloc takes any size.
        Call::Calloc => unsafe { libc::calloc(1, size) }.cast(),
        Call::Aligned => {
            let mut block = ptr::null_mut();
            // SAFETY: the out-pointer is to a live local.
            let refused = unsafe { libc::posix_memalign(&raw mut block, align, size) };
            if refused == 0 { block.cast() } else { ptr::null_mut() }
        }
        // SAFETY: malloc takes any size.
        _ => unsafe { libc::malloc(size) }.cast(),
    }
}

impl Heap for Plain {
    fn new(_: u32) -> Self {
        Self
    }

    #[inline(always)]
    fn allocate(&mut self, _: Place, call: Call, size: usize, align: usize) -> *mut u8 {
        allocate(call, size, align)
    }

    #[inline(always)]
    unsafe fn free(&mut self, _: Place, block: *mut u8) {
        // SAFETY: the caller's promise.
        unsafe { libc::free(block.cast()) };
    }

    #[inline(always)]
    unsafe fn reallocate(&mut self, _: Place, _: usize, block: *mut u8, size: usize) -> *mut u8 {
        // SAFETY: the caller's promise.
        unsafe { libc::realloc(block.cast(), size) }.cast()
    }

    #[inline(always)]
    unsafe fn usable(&mut self, _: Place, block: *mut u8) {
        // SAFETY: the caller's promise.
        core::hint::black_box(unsafe { malloc_usable_size(block.cast()) });
    }
}

/// The process's malloc, each call timed.
#[derive(Debug)]
pub(crate) struct Timed {
    period: Period,
}

impl Heap for Timed {
    fn new(_: u32) -> Self {
        Self { period: Period::default() }
    }

    fn allocate(&mut self, _: Place, call: Call, size: usize, align: usize) -> *mut u8 {
        self.period.timed(Kind::Malloc, size, || allocate(call, size, align))
    }

    unsafe fn free(&mut self, at: Place, block: *mut u8) {
        let size = tail::size_of(at.slot);
        // SAFETY: the caller's promise.
        self.period.timed(Kind::Free, size, || unsafe { libc::free(block.cast()) });
    }

    unsafe fn reallocate(&mut self, _: Place, _: usize, block: *mut u8, size: usize) -> *mut u8 {
        // SAFETY: the caller's promise.
        self.period
            .timed(Kind::Malloc, size, || unsafe { libc::realloc(block.cast(), size) })
            .cast()
    }

    unsafe fn keep(&mut self, at: Place, _: *mut u8, size: usize) {
        tail::keep_size(at.slot, size);
    }

    fn mark(&mut self) {
        self.period.begin();
    }

    unsafe fn usable(&mut self, _: Place, block: *mut u8) {
        // SAFETY: the caller's promise.
        core::hint::black_box(unsafe { malloc_usable_size(block.cast()) });
    }
}

/// Nothing: the next place of a piece of memory that stays in the first cache, whatever the size, which takes nothing back.
#[derive(Debug)]
pub(crate) struct Null {
    piece: *mut u8,
    at: usize,
}

/// Where blocks begin: small enough for a first-level cache.
const BEGIN: usize = 16 << 10;
/// From a block to the next one; they overlap, for what is in them means nothing.
const STEP: usize = 64;

/// No more of a block is touched.
pub(crate) const NULL_BYTES: usize = 512 << 10;
/// More threads than this share.
const PIECES: usize = 64;

static MEMORY: AtomicPtr<u8> = AtomicPtr::new(ptr::null_mut());

/// Maps the pieces.
pub(crate) fn prepare_null() {
    MEMORY.store(map::zeroed(PIECES * (BEGIN + NULL_BYTES)), Ordering::Relaxed);
}

impl Heap for Null {
    fn new(thread: u32) -> Self {
        let piece = thread as usize % PIECES * (BEGIN + NULL_BYTES);
        Self { piece: MEMORY.load(Ordering::Relaxed).wrapping_add(piece), at: 0 }
    }

    #[inline(always)]
    fn allocate(&mut self, _: Place, _: Call, _: usize, _: usize) -> *mut u8 {
        self.at = (self.at + STEP) % BEGIN;
        self.piece.wrapping_add(self.at)
    }

    #[inline(always)]
    unsafe fn free(&mut self, _: Place, _: *mut u8) {}

    #[inline(always)]
    unsafe fn reallocate(&mut self, at: Place, _: usize, _: *mut u8, size: usize) -> *mut u8 {
        self.allocate(at, Call::Malloc, size, 1)
    }

    #[inline(always)]
    unsafe fn usable(&mut self, _: Place, _: *mut u8) {}
}

/// The process's malloc, each block filled and checked.
#[derive(Debug)]
pub(crate) struct Verified;

impl Heap for Verified {
    fn new(_: u32) -> Self {
        Self
    }

    fn empty(&self, at: Place) {
        verify::empty(at);
    }

    fn allocate(&mut self, at: Place, call: Call, size: usize, align: usize) -> *mut u8 {
        let block = allocate(call, size, align);
        if !block.is_null() {
            // SAFETY: it is new and has `size` bytes.
            unsafe { verify::new(at, call, block, size, align) };
        }
        block
    }

    unsafe fn free(&mut self, at: Place, block: *mut u8) {
        // SAFETY: the caller's promise.
        unsafe { verify::kept(at, at.slot, block, "at its free") };
        // SAFETY: the caller's promise.
        unsafe { libc::free(block.cast()) };
    }

    unsafe fn reallocate(&mut self, at: Place, old: usize, block: *mut u8, size: usize) -> *mut u8 {
        // SAFETY: the caller's promise.
        unsafe { verify::kept(at, old, block, "at its realloc") };
        // SAFETY: the caller's promise.
        let new: *mut u8 = unsafe { libc::realloc(block.cast(), size) }.cast();
        if !new.is_null() {
            // SAFETY: it is new, has `size` bytes, and in them what the slot's block had.
            unsafe { verify::moved(at, old, new, size) };
        } else {
            verify::stays(at, old);
        }
        new
    }

    unsafe fn usable(&mut self, at: Place, block: *mut u8) {
        // SAFETY: the caller's promise.
        let usable = unsafe { malloc_usable_size(block.cast()) };
        verify::usable(at, block, usable);
    }

    unsafe fn keep(&mut self, at: Place, block: *mut u8, size: usize) {
        // SAFETY: the caller's promise.
        unsafe { verify::fill(at, block, size) };
    }
}
