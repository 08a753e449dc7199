//! A region allocator behind one lock, as kernels have it: all of its memory is one region, given to it at the start.
//!
//! ```text
//! freed with its size       │ payload …                                    nothing else: 64 bytes are a block of 64
//! freed without, as in C    │ …  │ size │ offset │ payload …               offset = the alignment, at least 16
//! ```
//!
//! These allocators need the layout again when a block is freed. Rust's collections and the workloads in Rust have it; for those
//! in C two words in front of the payload are ours. A block of no bytes is of the second kind.

use core::alloc::Layout;
use core::ptr::{self, NonNull};
use core::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use base::{AddMemory, BlockAllocator};
use blocks::subjects::{self, Visit};
use blocks::tlsf_c;
use registry::{BLOCKS, FORMS, PEERS, TLSF_C};

use super::ALIGN;

#[derive(Debug, Clone, Copy)]
#[repr(C)]
struct Prefix {
    size: usize,
    offset: usize,
}

const PREFIX: usize = size_of::<Prefix>();

static START: AtomicUsize = AtomicUsize::new(0);
static BYTES: AtomicUsize = AtomicUsize::new(0);
static HEAP: Mutex<Option<Heap>> = Mutex::new(None);

struct Heap(Box<dyn BlockAllocator>);

// SAFETY: the allocator and its region are this program's for good, and used under the lock only.
unsafe impl Send for Heap {}

/// Puts the allocator called `name` on a new region of `bytes`; TLSF in C has its library's path behind a colon.
pub(crate) fn start(name: &str, bytes: usize) -> Result<(), String> {
    let name = match name.split_once(':') {
        Some((TLSF_C, path)) => {
            tlsf_c::load(path)?;
            TLSF_C
        }
        _ => name,
    };
    let ours = BLOCKS.iter().map(|block| block.name);
    let names: Vec<&str> = ours.chain(FORMS).chain(PEERS).collect();
    if name != TLSF_C && !names.contains(&name) {
        return Err(format!("no allocator {name}; there are malloc, null, {}", names.join(", ")));
    }
    let memory = map(bytes).ok_or_else(|| format!("cannot map a region of {bytes} bytes"))?;
    let mut maker = Maker { memory, made: None };
    subjects::one(name, &mut maker);
    let heap = maker.made.ok_or_else(|| format!("{name} cannot use a region of {bytes} bytes"))?;
    START.store(memory.addr().get(), Ordering::Relaxed);
    BYTES.store(bytes, Ordering::Relaxed);
    *HEAP.lock().unwrap_or_else(PoisonError::into_inner) = Some(heap);
    Ok(())
}

/// Memory for good, not yet touched.
pub(crate) fn map(bytes: usize) -> Option<NonNull<[u8]>> {
    let (read_write, private) =
        (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
    // SAFETY: a new private mapping touches nothing that is there.
    let at = unsafe {
        libc::mmap(ptr::null_mut(), bytes, read_write, private | libc::MAP_NORESERVE, -1, 0)
    };
    if at == libc::MAP_FAILED {
        return None;
    }
    Some(NonNull::slice_from_raw_parts(NonNull::new(at.cast())?, bytes))
}

struct Maker {
    memory: NonNull<[u8]>,
    made: Option<Heap>,
}

impl Visit for Maker {
    fn visit<A: BlockAllocator + AddMemory + 'static>(&mut self, _: &'static str, make: fn() -> A) {
        // Where it is, is where it stays: some write addresses of themselves into the region.
        let mut heap = Box::new(make());
        // SAFETY: the mapping is ours for good.
        if unsafe { heap.add_memory(self.memory.cast().as_ptr(), self.memory.len()) }.is_ok() {
            self.made = Some(Heap(heap));
        }
    }
}

fn with<T>(f: impl FnOnce(&mut dyn BlockAllocator) -> T) -> Option<T> {
    let mut heap = HEAP.lock().unwrap_or_else(PoisonError::into_inner);
    heap.as_mut().map(|heap| f(&mut *heap.0))
}

/// A block that is freed with its size and alignment.
pub(crate) fn allocate(align: usize, size: usize) -> *mut u8 {
    if size == 0 {
        return allocate_unsized(align, size);
    }
    let Some(layout) = layout(size, align) else { return ptr::null_mut() };
    with(|heap| heap.allocate(layout)).flatten().map_or(ptr::null_mut(), NonNull::as_ptr)
}

/// A block that is freed without.
pub(crate) fn allocate_unsized(align: usize, size: usize) -> *mut u8 {
    let offset = align.max(PREFIX);
    let Some(layout) = prefixed(size, offset) else { return ptr::null_mut() };
    let Some(Some(start)) = with(|heap| heap.allocate(layout)) else { return ptr::null_mut() };
    // SAFETY: `offset` bytes and more were asked for.
    let payload = unsafe { start.add(offset) };
    // SAFETY: `offset` is at least a prefix's length.
    let prefix = unsafe { payload.cast::<Prefix>().sub(1) };
    // SAFETY: these bytes are the block's, and 8-aligned.
    unsafe { prefix.write(Prefix { size, offset }) };
    payload.as_ptr()
}

/// A size of 0 says that neither it nor the alignment is known.
/// The caller promises: a live block from here of this size and alignment, or null.
pub(crate) unsafe fn free(block: *mut u8, size: usize, align: usize) {
    let Some(payload) = NonNull::new(block) else { return };
    if size > 0 {
        let Some(layout) = layout(size, align) else { return };
        // SAFETY: it was allocated with this layout.
        with(|heap| unsafe { heap.deallocate(payload, layout) });
        return;
    }
    // SAFETY: the caller's promise.
    let Prefix { size, offset } = unsafe { prefix(block) };
    let Some(layout) = prefixed(size, offset) else { return };
    // SAFETY: the block's start is `offset` before its payload.
    let start = unsafe { payload.sub(offset) };
    // SAFETY: it was allocated with this layout.
    with(|heap| unsafe { heap.deallocate(start, layout) });
}

/// The size asked for, which is `known` unless that is 0.
/// The caller promises: a live block from here.
pub(crate) unsafe fn size(block: *mut u8, known: usize) -> usize {
    if known > 0 {
        return known;
    }
    // SAFETY: the caller's promise; without a size it has a prefix.
    unsafe { prefix(block) }.size
}

pub(crate) fn owns(block: *mut u8) -> bool {
    block.addr().wrapping_sub(START.load(Ordering::Relaxed)) < BYTES.load(Ordering::Relaxed)
}

/// The caller promises: a live block from here that has one.
unsafe fn prefix(block: *mut u8) -> Prefix {
    // SAFETY: a block has a prefix.
    let prefix = unsafe { block.cast::<Prefix>().sub(1) };
    // SAFETY: as above.
    unsafe { prefix.read() }
}

/// Aligned as C would, or more.
fn layout(size: usize, align: usize) -> Option<Layout> {
    Layout::from_size_align(size, align.max(ALIGN)).ok()
}

fn prefixed(size: usize, offset: usize) -> Option<Layout> {
    Layout::from_size_align(size.checked_add(offset)?, offset).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn powers_of_two_are_doubled_only_where_the_size_is_not_given_back() {
        const SIZE: usize = 64;
        start("buddy", 1 << 20).unwrap();
        let fill = |allocate: &dyn Fn() -> *mut u8| -> Vec<*mut u8> {
            core::iter::from_fn(|| Some(allocate()).filter(|block| !block.is_null())).collect()
        };
        let sized = fill(&|| allocate(ALIGN, SIZE));
        assert!(sized.len() > (1 << 20) / SIZE * 9 / 10, "{} blocks", sized.len());
        for block in sized {
            // SAFETY: live, of this size.
            unsafe { free(block, SIZE, ALIGN) };
        }
        let unsized_ = fill(&|| allocate_unsized(ALIGN, SIZE));
        assert!(unsized_.len() < (1 << 20) / SIZE / 2, "{} blocks", unsized_.len());
        for block in unsized_ {
            // SAFETY: live, with a prefix.
            assert_eq!(unsafe { size(block, 0) }, SIZE);
            // SAFETY: as above.
            unsafe { free(block, 0, 0) };
        }
        assert!(!allocate(4096, 100_000).is_null(), "all came back");
    }
}
