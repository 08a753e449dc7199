//! `Shelter`: a global allocator for the harness itself, apart from the malloc under test.
//!
//! A test binary's own maps and vectors would otherwise lie among the blocks it tests, and be the
//! first victims of what it looks for. Powers of two from 16 bytes to 64 KiB are carved from 1 MiB
//! mappings and go back on a free list each; the rest is mapped and unmapped.
use core::alloc::{GlobalAlloc, Layout};
use core::cell::UnsafeCell;
use core::ptr::null_mut;
use core::sync::atomic::{AtomicBool, Ordering};

const LOWEST: u32 = 4;
const HIGHEST: u32 = 16;
const LISTS: usize = (HIGHEST - LOWEST + 1) as usize;
const CHUNK: usize = 1 << 20;
/// Mappings are aligned to at least this.
const PAGE: usize = 4096;

struct Node {
    next: *mut Node,
}

struct Lists {
    free: [*mut Node; LISTS],
    /// What is left of the current chunk.
    from: *mut u8,
    left: usize,
}

/// Memory of the harness's own; one lock around everything.
pub struct Shelter {
    locked: AtomicBool,
    lists: UnsafeCell<Lists>,
}

// SAFETY: `lists` is only reached with `locked` held.
unsafe impl Sync for Shelter {}

impl Shelter {
    pub const fn new() -> Shelter {
        let lists = Lists { free: [null_mut(); LISTS], from: null_mut(), left: 0 };
        Shelter { locked: AtomicBool::new(false), lists: UnsafeCell::new(lists) }
    }

    fn with<R>(&self, f: impl FnOnce(&mut Lists) -> R) -> R {
        while self.locked.swap(true, Ordering::Acquire) {
            std::thread::yield_now();
        }
        // SAFETY: the lock is held, and `f` cannot call back.
        let result = f(unsafe { &mut *self.lists.get() });
        self.locked.store(false, Ordering::Release);
        result
    }
}

impl core::fmt::Debug for Shelter {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Shelter").finish_non_exhaustive()
    }
}

impl Lists {
    fn take(&mut self, list: usize) -> *mut u8 {
        let node = self.free[list];
        if !node.is_null() {
            // SAFETY: nodes on the list are ours and were written by `give`.
            self.free[list] = unsafe { (*node).next };
            return node.cast();
        }
        let size = 1usize << (list + LOWEST as usize);
        if self.left < size {
            self.from = map(CHUNK);
            self.left = if self.from.is_null() { 0 } else { CHUNK };
        }
        if self.left < size {
            return null_mut();
        }
        // Carved from the end, so that every block is aligned to its size or to a page.
        self.left = (self.left - size) & !(size - 1);
        // SAFETY: `left + size` is within the chunk.
        unsafe { self.from.add(self.left) }
    }

    fn give(&mut self, block: *mut u8, list: usize) {
        let node = block.cast::<Node>();
        // SAFETY: the block is at least 16 bytes, aligned, and given up by its owner.
        unsafe { node.write(Node { next: self.free[list] }) };
        self.free[list] = node;
    }
}

/// The list for `layout`; `None` for what gets a mapping of its own.
fn list(layout: Layout) -> Option<usize> {
    if layout.align() > PAGE {
        return None;
    }
    let size = layout.size().max(layout.align()).max(1 << LOWEST).next_power_of_two();
    (size <= 1 << HIGHEST).then(|| (size.ilog2() - LOWEST) as usize)
}

fn map(size: usize) -> *mut u8 {
    let access = libc::PROT_READ | libc::PROT_WRITE;
    let kind = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
    // SAFETY: a fresh anonymous mapping touches nothing.
    let block = unsafe { libc::mmap(null_mut(), size, access, kind, -1, 0) };
    if block == libc::MAP_FAILED { null_mut() } else { block.cast() }
}

// SAFETY: blocks are disjoint, of at least the size asked for; mappings are page-aligned, and a
// larger alignment is refused.
unsafe impl GlobalAlloc for Shelter {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        match list(layout) {
            Some(list) => self.with(|lists| lists.take(list)),
            None if layout.align() <= PAGE => map(layout.size()),
            None => null_mut(),
        }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        match list(layout) {
            Some(list) => self.with(|lists| lists.give(block, list)),
            None => {
                // SAFETY: the block is a mapping of this size; rounding up to pages is the kernel's.
                unsafe { libc::munmap(block.cast(), layout.size()) };
            }
        }
    }
}
