//! A first fit of a hundred lines, slow and plain, with every ability: what the layers' tests hold.
//!
//! ```text
//! piece:  │ size, used │ … │ size, used │ … │        16 bytes of header each, merged when searched
//! ```
extern crate std;

use core::alloc::Layout;
use core::ops::ControlFlow;
use core::ptr::{self, NonNull};
use std::vec::Vec;

use base::bits::align_up;
use base::{
    AddError, AddMemory, AllocatePagesAt, BlockAllocator, BlockStats, Broken, Check, Free, Owns,
    PageAllocator, Piece, RemoveError, RemoveMemory, Reset, ResizeInPlace, Stats, UsableSize, Walk,
    check::ensure,
};

use crate::growing::{AllocateFresh, RoomFor};

const HEADER: usize = 16;

#[repr(C, align(16))]
#[derive(Clone, Copy)]
struct Header {
    len: usize,
    used: bool,
}

/// The toy. It keeps its list of pieces in a `Vec`, so it is nobody's global allocator.
#[derive(Debug, Default)]
pub(crate) struct Toy {
    pieces: Vec<(usize, usize)>,
    used: usize,
    failures: usize,
    /// Whether `reallocate` was called, which `Copying` must not do.
    pub(crate) resized: bool,
}

fn at(address: usize) -> *mut Header {
    ptr::with_exposed_provenance_mut(address)
}

fn read(address: usize) -> Header {
    // SAFETY: a header of a piece that was added.
    unsafe { at(address).read() }
}

fn write(address: usize, len: usize, used: bool) {
    // SAFETY: within a piece that was added, at a multiple of 16.
    unsafe { at(address).write(Header { len, used }) }
}

fn header(block: NonNull<u8>) -> usize {
    block.as_ptr().expose_provenance() - HEADER
}

impl Toy {
    pub(crate) const fn new() -> Self {
        Self { pieces: Vec::new(), used: 0, failures: 0, resized: false }
    }

    /// Merges what is free from `place` on and returns its length.
    fn merged(place: usize, end: usize) -> usize {
        let mut len = read(place).len;
        while place + len < end && !read(place + len).used {
            len += read(place + len).len;
        }
        write(place, len, false);
        len
    }

    fn search(&mut self, layout: Layout) -> Option<NonNull<u8>> {
        let want = align_up(layout.size().max(1), 16) + HEADER;
        for &(start, len) in &self.pieces {
            let (mut place, end) = (start, start + len);
            while place < end {
                if read(place).used {
                    place += read(place).len;
                    continue;
                }
                let free = Self::merged(place, end);
                let block = align_up(place + HEADER, layout.align().max(16));
                let gap = block - HEADER - place;
                if gap + want <= free {
                    if gap > 0 {
                        write(place, gap, false);
                    }
                    let rest = free - gap - want;
                    let used = if rest < HEADER { free - gap } else { want };
                    if used == want && rest > 0 {
                        write(place + gap + want, rest, false);
                    }
                    write(place + gap, used, true);
                    self.used += used;
                    return NonNull::new(ptr::with_exposed_provenance_mut(block));
                }
                place += free;
            }
        }
        None
    }
}

// SAFETY: blocks are disjoint pieces of memory that was added.
unsafe impl BlockAllocator for Toy {
    fn allocate(&mut self, layout: Layout) -> Option<NonNull<u8>> {
        let found = self.search(layout);
        self.failures += usize::from(found.is_none());
        found
    }

    unsafe fn deallocate(&mut self, block: NonNull<u8>, layout: Layout) {
        assert!(block.addr().get().is_multiple_of(layout.align()));
        assert!(read(header(block)).len >= layout.size() + HEADER, "another layout");
        // SAFETY: the caller's promise.
        unsafe { self.free(block) };
    }

    unsafe fn reallocate(
        &mut self,
        block: NonNull<u8>,
        layout: Layout,
        new_size: usize,
    ) -> Option<NonNull<u8>> {
        self.resized = true;
        // SAFETY: the caller's block.
        if unsafe { self.resize_in_place(block, new_size) } {
            return Some(block);
        }
        let new = self.allocate(Layout::from_size_align(new_size, layout.align()).ok()?)?;
        // SAFETY: both are live and apart.
        unsafe { new.copy_from_nonoverlapping(block, layout.size().min(new_size)) };
        // SAFETY: the caller gives it up.
        unsafe { self.free(block) };
        Some(new)
    }
}

impl Free for Toy {
    unsafe fn free(&mut self, block: NonNull<u8>) {
        let Header { len, used } = read(header(block));
        assert!(used, "freed twice");
        self.used -= len;
        write(header(block), len, false);
    }
}

impl UsableSize for Toy {
    unsafe fn usable_size(&self, block: NonNull<u8>) -> usize {
        read(header(block)).len - HEADER
    }
}

impl ResizeInPlace for Toy {
    unsafe fn resize_in_place(&mut self, block: NonNull<u8>, new_size: usize) -> bool {
        new_size <= read(header(block)).len - HEADER
    }
}

impl AddMemory for Toy {
    unsafe fn add_memory(&mut self, start: *mut u8, len: usize) -> Result<(), AddError> {
        if start.is_null() {
            return Err(AddError::Null);
        }
        let end = (start.expose_provenance() + len) & !15;
        let start = align_up(start.addr(), 16);
        if end < start + 2 * HEADER {
            return Err(AddError::TooSmall);
        }
        write(start, end - start, false);
        self.pieces.push((start, end - start));
        Ok(())
    }
}

impl RemoveMemory for Toy {
    fn remove_memory(&mut self, start: *mut u8) -> Result<NonNull<[u8]>, RemoveError> {
        let known = self.pieces.iter().position(|piece| piece.0 == start.addr());
        let index = known.ok_or(RemoveError::Unknown)?;
        let (place, len) = self.pieces[index];
        if read(place).used || Self::merged(place, place + len) < len {
            return Err(RemoveError::InUse);
        }
        self.pieces.remove(index);
        let start = NonNull::new(start).ok_or(RemoveError::Unknown)?;
        Ok(NonNull::slice_from_raw_parts(start, len))
    }
}

impl AllocateFresh for Toy {}

impl RoomFor for Toy {
    const EDGE: usize = HEADER;

    fn room_for(&self, layout: Layout) -> Option<Layout> {
        let size = align_up(layout.size().max(1), 16).checked_add(HEADER)?;
        let size = if layout.align() > 16 { size.checked_add(layout.align())? } else { size };
        Layout::from_size_align(size.max(2 * HEADER), 16).ok()
    }
}

impl Owns for Toy {
    fn owns(&self, address: *const u8) -> bool {
        self.pieces.iter().any(|&(start, len)| (start..start + len).contains(&address.addr()))
    }
}

impl Reset for Toy {
    unsafe fn reset(&mut self) {
        for &(start, len) in &self.pieces {
            write(start, len, false);
        }
        self.used = 0;
    }
}

impl Walk for Toy {
    fn walk(&self, visit: &mut dyn FnMut(Piece) -> ControlFlow<()>) {
        for &(start, len) in &self.pieces {
            let mut place = start;
            while place < start + len {
                let Header { len, used } = read(place);
                if visit(Piece { at: place, len, used }).is_break() {
                    return;
                }
                place += len;
            }
        }
    }
}

impl Check for Toy {
    fn check(&self) -> Result<(), Broken> {
        let mut used = 0;
        self.walk(&mut |piece| {
            used += if piece.used { piece.len } else { 0 };
            ControlFlow::Continue(())
        });
        ensure(used == self.used, "the bytes in use add up", used)
    }
}

impl Stats for Toy {
    fn stats(&self) -> BlockStats {
        let total = self.pieces.iter().map(|piece| piece.1).sum();
        BlockStats {
            total,
            used: self.used,
            peak: self.used,
            largest_free: 0,
            failures: self.failures,
        }
    }
}

/// Byte `index` of a live block.
pub(crate) fn byte(block: impl Into<Option<NonNull<u8>>>, index: usize) -> u8 {
    let place = block.into().unwrap().as_ptr().wrapping_add(index);
    // SAFETY: the tests ask within live blocks.
    unsafe { place.read() }
}

/// Writes byte `index` of a live block.
pub(crate) fn touch(block: NonNull<u8>, index: usize) {
    // SAFETY: the tests write within live blocks.
    unsafe { block.as_ptr().wrapping_add(index).write(1) };
}

/// Bytes in a page of [`ToyPages`].
pub(crate) const PAGE: usize = 4096;

/// Pages out of one piece of memory, a `bool` for each.
#[derive(Debug, Default)]
pub(crate) struct ToyPages {
    start: usize,
    taken: Vec<bool>,
}

// SAFETY: pages are handed out when they are not taken.
unsafe impl PageAllocator for ToyPages {
    fn page_size(&self) -> usize {
        PAGE
    }

    fn allocate_pages(&mut self, pages: usize, align: usize) -> Option<NonNull<u8>> {
        let (first, last) = (self.start, (self.taken.len() + 1).checked_sub(pages)?);
        (0..last)
            .map(|index| first + index * PAGE)
            .filter(|at| at.is_multiple_of(align) && pages > 0)
            .map(ptr::with_exposed_provenance_mut)
            .find(|at| self.allocate_pages_at(*at, pages))
            .and_then(NonNull::new)
    }

    unsafe fn deallocate_pages(&mut self, start: NonNull<u8>, pages: usize) {
        let first = (start.addr().get() - self.start) / PAGE;
        for taken in &mut self.taken[first..first + pages] {
            assert!(*taken, "freed twice");
            *taken = false;
        }
    }
}

impl AllocatePagesAt for ToyPages {
    fn allocate_pages_at(&mut self, start: *mut u8, pages: usize) -> bool {
        let Some(from) = start.addr().checked_sub(self.start) else { return false };
        let first = from / PAGE;
        let Some(range) = self.taken.get_mut(first..first + pages) else { return false };
        let free = range.iter().all(|taken| !taken);
        if free {
            range.fill(true);
        }
        free
    }
}

impl AddMemory for ToyPages {
    unsafe fn add_memory(&mut self, start: *mut u8, len: usize) -> Result<(), AddError> {
        if !self.taken.is_empty() {
            return Err(AddError::Full);
        }
        self.start = align_up(start.expose_provenance(), PAGE);
        self.taken.resize((start.addr() + len - self.start) / PAGE, false);
        Ok(())
    }
}

impl Stats for ToyPages {
    fn stats(&self) -> BlockStats {
        let used = self.taken.iter().filter(|taken| **taken).count() * PAGE;
        BlockStats { total: self.taken.len() * PAGE, used, ..BlockStats::default() }
    }
}
