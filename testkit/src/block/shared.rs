//! `Shared`: a mutex around an allocator, which makes it C's `malloc` and Rust's allocator.
//!
//! ```text
//! with `Free` and `UsableSize`    │ block …                         C's pointer is the block's
//! without                         │ … │ offset │ size │ payload …   two words in front of it
//! ```
//!
//! What a layout-free interface costs a design is part of what the test bodies measure.
use core::alloc::Layout;
use core::ops::Range;
use core::ptr::{NonNull, null_mut};
use std::sync::{Mutex, MutexGuard};

use base::{AddError, AddMemory, BlockAllocator, Broken, Check, Malloc};

use super::kind::Kind;
use super::memory::Memory;
use crate::shadow::DEFAULT_ALIGN;

const PREFIX: usize = 2 * size_of::<usize>();

/// What a test body runs on: both interfaces, and what is left at the end.
pub trait Serve: Malloc {
    /// As [`core::alloc::GlobalAlloc::alloc`].
    fn allocate(&self, layout: Layout) -> *mut u8;
    /// As [`core::alloc::GlobalAlloc::alloc_zeroed`].
    fn allocate_zeroed(&self, layout: Layout) -> *mut u8;
    /// As [`core::alloc::GlobalAlloc::dealloc`].
    /// # Safety
    /// As there.
    unsafe fn deallocate(&self, block: *mut u8, layout: Layout);
    /// As [`core::alloc::GlobalAlloc::realloc`].
    /// # Safety
    /// As there.
    unsafe fn reallocate(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8;
    fn range(&self) -> Range<usize>;
    /// Its structure, and whether its memory is all free again.
    /// Errors: what is broken, or left.
    fn is_whole(&self) -> Result<(), String>;
}

/// An allocator and its memory, behind a mutex.
#[derive(Debug)]
pub struct Shared<A> {
    kind: Kind<A>,
    inner: Mutex<A>,
    memory: Memory,
    used: usize,
}

impl<A: BlockAllocator + AddMemory> Shared<A> {
    /// With `len` bytes of memory that nobody has touched.
    pub fn new(kind: Kind<A>, len: usize) -> Result<Shared<A>, AddError> {
        let memory = Memory::untouched(len, 0);
        let mut allocator = (kind.make)();
        // SAFETY: the memory lives as long as the allocator and is its alone.
        unsafe { allocator.add_memory(memory.start(), len) }?;
        let used = kind.stats.map_or(0, |stats| stats(&allocator).used);
        Ok(Shared { kind, inner: Mutex::new(allocator), memory, used })
    }

    fn lock(&self) -> MutexGuard<'_, A> {
        self.inner.lock().expect("nothing panics under this lock")
    }

    /// Whether a block can be freed and measured by its address alone.
    fn bare(&self) -> bool {
        self.kind.free.is_some() && self.kind.usable.is_some()
    }

    fn c_allocate(&self, size: usize, align: usize, zeroed: bool) -> *mut u8 {
        let align = align.max(DEFAULT_ALIGN);
        let offset = if self.bare() { 0 } else { align.max(PREFIX) };
        let Some(whole) = size.checked_add(offset) else { return null_mut() };
        let Ok(layout) = Layout::from_size_align(whole, align) else { return null_mut() };
        let block = match zeroed {
            false => self.lock().allocate(layout),
            true => self.lock().allocate_zeroed(layout),
        };
        let Some(block) = block else { return null_mut() };
        // SAFETY: the offset is part of the block.
        let payload = unsafe { block.add(offset) }.as_ptr();
        if offset > 0 {
            write_prefix(payload, offset, size);
        }
        payload
    }

    /// The block of a payload and its layout; only where there is a prefix.
    fn prefixed(payload: *mut u8) -> (NonNull<u8>, Layout, usize) {
        let (offset, size) = read_prefix(payload);
        // SAFETY: the prefix says where the block begins.
        let block = unsafe { payload.sub(offset) };
        // SAFETY: it made a layout when it was allocated.
        let layout = unsafe { Layout::from_size_align_unchecked(size + offset, offset) };
        (NonNull::new(block).expect("a block"), layout, size)
    }
}

fn write_prefix(payload: *mut u8, offset: usize, size: usize) {
    // SAFETY: two words in front of the payload are the prefix's.
    let prefix = unsafe { payload.sub(PREFIX) }.cast::<[usize; 2]>();
    // SAFETY: as above; the payload is aligned to two words.
    unsafe { prefix.write([offset, size]) };
}

fn read_prefix(payload: *mut u8) -> (usize, usize) {
    // SAFETY: two words in front of the payload are the prefix's.
    let prefix = unsafe { payload.sub(PREFIX) }.cast::<[usize; 2]>();
    // SAFETY: written when it was allocated.
    let [offset, size] = unsafe { prefix.read() };
    (offset, size)
}

fn pointer(block: Option<NonNull<u8>>) -> *mut u8 {
    block.map_or(null_mut(), NonNull::as_ptr)
}

impl<A: BlockAllocator + AddMemory + Send> Serve for Shared<A> {
    fn allocate(&self, layout: Layout) -> *mut u8 {
        pointer(self.lock().allocate(layout))
    }

    fn allocate_zeroed(&self, layout: Layout) -> *mut u8 {
        pointer(self.lock().allocate_zeroed(layout))
    }

    unsafe fn deallocate(&self, block: *mut u8, layout: Layout) {
        let block = NonNull::new(block).expect("a live block");
        // SAFETY: the caller's promise.
        unsafe { self.lock().deallocate(block, layout) };
    }

    unsafe fn reallocate(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        let block = NonNull::new(block).expect("a live block");
        // SAFETY: the caller's promise.
        pointer(unsafe { self.lock().reallocate(block, layout, size) })
    }

    fn range(&self) -> Range<usize> {
        let start = self.memory.start().addr();
        start..start + self.memory.len()
    }

    fn is_whole(&self) -> Result<(), String> {
        self.memory.check()?;
        self.check().map_err(|broken| broken.to_string())?;
        let used = self.kind.stats.map_or(self.used, |stats| stats(&self.lock()).used);
        if self.kind.recovers && used != self.used {
            return Err(format!("{} bytes are still in use", used - self.used));
        }
        Ok(())
    }
}

impl<A: BlockAllocator + AddMemory + Send> Check for Shared<A> {
    fn check(&self) -> Result<(), Broken> {
        self.kind.check.map_or(Ok(()), |check| check(&self.lock()))
    }
}

// SAFETY: the allocator's own promise, at 16 bytes or the alignment asked for, under a lock.
unsafe impl<A: BlockAllocator + AddMemory + Send> Malloc for Shared<A> {
    fn malloc(&self, size: usize) -> *mut u8 {
        self.c_allocate(size, DEFAULT_ALIGN, false)
    }

    fn calloc(&self, count: usize, size: usize) -> *mut u8 {
        let bytes = count.checked_mul(size);
        bytes.map_or(null_mut(), |bytes| self.c_allocate(bytes, DEFAULT_ALIGN, true))
    }

    fn aligned_alloc(&self, align: usize, size: usize) -> *mut u8 {
        self.c_allocate(size, align, false)
    }

    unsafe fn realloc(&self, ptr: *mut u8, size: usize) -> *mut u8 {
        if ptr.is_null() {
            return self.malloc(size);
        }
        // SAFETY: the caller's promise.
        let old = unsafe { self.usable_size(ptr) };
        if Layout::from_size_align(size, DEFAULT_ALIGN).is_err() {
            return null_mut();
        }
        if self.bare() {
            let block = NonNull::new(ptr).expect("not null");
            // SAFETY: the block has its usable bytes.
            let layout = unsafe { Layout::from_size_align_unchecked(old, DEFAULT_ALIGN) };
            // SAFETY: the caller's promise.
            return pointer(unsafe { self.lock().reallocate(block, layout, size) });
        }
        let (block, layout, _) = Self::prefixed(ptr);
        let offset = layout.align();
        let Some(whole) = size.checked_add(offset) else { return null_mut() };
        if Layout::from_size_align(whole, offset).is_err() {
            return null_mut();
        }
        // SAFETY: the caller's promise, and the new size makes a layout.
        let Some(new) = (unsafe { self.lock().reallocate(block, layout, whole) }) else {
            return null_mut();
        };
        // SAFETY: the offset is part of the block.
        let payload = unsafe { new.add(offset) }.as_ptr();
        write_prefix(payload, offset, size);
        payload
    }

    unsafe fn free(&self, ptr: *mut u8) {
        let Some(block) = NonNull::new(ptr) else { return };
        match self.kind.free {
            // SAFETY: the caller's promise.
            Some(free) if self.bare() => unsafe { free(&mut self.lock(), block) },
            _ => {
                let (block, layout, _) = Self::prefixed(ptr);
                // SAFETY: the caller's promise, and the prefix's layout.
                unsafe { self.lock().deallocate(block, layout) };
            }
        }
    }

    unsafe fn free_sized(&self, ptr: *mut u8, size: usize) {
        match NonNull::new(ptr) {
            Some(block) if self.bare() => {
                // SAFETY: the size was asked for with the default alignment.
                let layout = unsafe { Layout::from_size_align_unchecked(size, DEFAULT_ALIGN) };
                // SAFETY: the caller's promise.
                unsafe { self.lock().deallocate(block, layout) };
            }
            // SAFETY: as above.
            _ => unsafe { self.free(ptr) },
        }
    }

    unsafe fn usable_size(&self, ptr: *mut u8) -> usize {
        let Some(block) = NonNull::new(ptr) else { return 0 };
        match self.kind.usable {
            // SAFETY: the caller's promise.
            Some(usable) if self.bare() => unsafe { usable(&self.lock(), block) },
            _ => Self::prefixed(ptr).2,
        }
    }
}
