//! TLSF: blocks of any size in constant time, whatever has been allocated and freed before.
//!
//! ```text
//! bitmap  0 0 1 0 0 1 …   one bit a bin: the lowest bin above a size is one instruction away
//!             │     │
//! bins    …   ▼     ▼     eight to a doubling: what is taken is at most an eighth too large
//!           [ 32 ]⇄[ 32 ]   [ 80 ]
//!
//! pool    record │ used │ free │ used │ used │ free │ sentinel     one header word a block
//! ```
//!
//! Invariants block-T1 to T8 stand where they are kept. Layer *block*: no locks, no atomics, nothing
//! allocated. Masmano, Ripoll, Crespo, Real: "TLSF: a new dynamic memory allocator for real-time
//! systems", ECRTS 2004; what is done differently and why: `docs/decisions/0006-tlsf.md`.

mod aligned;
pub mod arena;
mod bins;
mod block;
mod bound;
mod check;
mod control;
mod crumb;
mod geometry;
mod heap;
mod map;
mod placement;
mod pool;
mod resize;
mod tier;

use core::alloc::Layout;
use core::marker::PhantomData;
use core::ops::ControlFlow;
use core::ptr::NonNull;

use base::{
    AddError, AddMemory, BlockAllocator, BlockStats, Broken, Check, Free, Owns, Piece, RemoveError,
    RemoveMemory, Reset, ResizeInPlace, Stats, UsableSize, Walk,
};

use bins::Table;
use block::WORD;

pub use arena::{Arena, Tail};
pub use bound::{Bound, required_heap};
pub use control::{Control, Fixed, Placed};
pub use geometry::{Geometry, Shape};
pub use placement::{GoodFit, Placement, PowersOfTwo};
pub use tier::{Canaries, Misuse, Neighbours, Tier, Unchecked, Walked};

/// Two words: what payloads are aligned to unless the geometry says otherwise.
pub const GRAIN: usize = 2 * WORD;

/// Bitmap words of the default geometry: blocks to 256 GiB, on a 32-bit machine to 2 MiB.
pub const WORDS: usize = 4;

/// TLSF in a `static` or any other value, which may be moved.
///
/// ```
/// use core::alloc::Layout;
/// use base::{AddMemory, BlockAllocator};
/// use heapwright_block::tlsf::Tlsf;
///
/// let mut memory = vec![0u8; 64 << 10];
/// let mut heap: Tlsf = Tlsf::new();
/// // SAFETY: the heap is gone before the memory.
/// unsafe { heap.add_memory(memory.as_mut_ptr(), memory.len()) }?;
/// let layout = Layout::new::<[u32; 7]>();
/// let block = heap.allocate(layout).unwrap();
/// // SAFETY: allocated above, with this layout.
/// unsafe { heap.deallocate(block, layout) };
/// # Ok::<(), base::AddError>(())
/// ```
pub type Tlsf<
    const W: usize = WORDS,
    const STEPS: usize = 8,
    const G: usize = GRAIN,
    T = Unchecked,
> = Heap<Fixed<W, STEPS, G>, GoodFit, T>;

/// TLSF for a machine with little memory: half the bitmap of the default, so the longest path is
/// shorter. Blocks to 4 MiB; on a 32-bit machine, with 4 bins to a doubling, to 1 MiB.
pub type SmallTlsf<const G: usize = GRAIN, T = Unchecked> = Tlsf<2, SMALL_STEPS, G, T>;

/// The bins to a doubling of [`SmallTlsf`].
pub const SMALL_STEPS: usize = if usize::BITS == 64 { 8 } else { 4 };

/// Half-fit: [`Tlsf`] with one bin to a doubling and blocks of powers of two, for a proven bound.
pub type HalfFit<const G: usize = GRAIN, T = Unchecked> = Heap<Fixed<1, 1, G>, PowersOfTwo, T>;

/// TLSF whose control block stands in the memory it manages and is as long as that needs.
pub type PlacedTlsf<
    const W: usize = WORDS,
    const STEPS: usize = 8,
    const G: usize = GRAIN,
    T = Unchecked,
> = Heap<Placed<W, STEPS, G>, GoodFit, T>;

/// The allocator, over a control block `C`, with placement `P` and hardening tier `T`.
///
/// | operation | cost |
/// |---|---|
/// | allocate, deallocate, resize in place | O(1), no loop |
/// | add, remove, extend, truncate memory | O(pools) |
/// | allocate at an address | O(blocks of the pool) |
/// | walk, check, reset | O(blocks) |
#[derive(Debug)]
#[repr(transparent)]
pub struct Heap<C, P = GoodFit, T = Unchecked> {
    control: C,
    kind: PhantomData<(P, T)>,
}

// SAFETY: the pointers in it lead to memory that is its own.
unsafe impl<C, P, T> Send for Heap<C, P, T> {}

impl<const W: usize, const STEPS: usize, const G: usize, P, T> Heap<Fixed<W, STEPS, G>, P, T> {
    /// An allocator without memory.
    #[must_use]
    pub const fn new() -> Self {
        Heap { control: Fixed::new(), kind: PhantomData }
    }
}

impl<const W: usize, const STEPS: usize, const G: usize, P, T> Default
    for Heap<Fixed<W, STEPS, G>, P, T>
{
    fn default() -> Self {
        Self::new()
    }
}

impl<const W: usize, const STEPS: usize, const G: usize, P: Placement, T: Tier>
    Heap<Placed<W, STEPS, G>, P, T>
{
    /// Builds the control block at the start of `[start, start + len)` and takes the rest as
    /// memory. Memory added later is at most as large: its bins are all there are.
    /// Errors: as [`AddMemory::add_memory`].
    /// # Safety
    /// As [`AddMemory::add_memory`].
    pub unsafe fn place(start: *mut u8, len: usize) -> Result<Self, AddError> {
        let start = NonNull::new(start).ok_or(AddError::Null)?;
        start.addr().get().checked_add(len).ok_or(AddError::Wraps)?;
        // A grain in front, in whose last word the largest block is noted.
        let pad = start.align_offset(G).saturating_add(G);
        let room = len.checked_sub(pad).ok_or(AddError::TooSmall)?;
        let largest = room.min(<Placed<W, STEPS, G> as Geometry>::LARGEST);
        let bytes = Self::control_bytes(room);
        let left = room.checked_sub(bytes).ok_or(AddError::TooSmall)?;
        // SAFETY: `pad` is less than `len`.
        let at = unsafe { start.add(pad) };
        // SAFETY: the caller's gift, aligned.
        let control = unsafe { Placed::new(at, bytes, largest) };
        let mut heap = Heap { control, kind: PhantomData };
        // SAFETY: `pad + bytes` is less than `len`.
        let rest = unsafe { at.add(bytes) };
        // SAFETY: the caller's gift.
        unsafe { heap.table().add(rest.as_ptr(), left) }?;
        Ok(heap)
    }

    /// Bytes that the control block takes when `len` bytes are left for it and the pool.
    #[must_use]
    pub const fn control_bytes(len: usize) -> usize {
        let most = <Placed<W, STEPS, G> as Geometry>::LARGEST;
        let largest = if len < most { len } else { most };
        base::bits::align_up(Placed::<W, STEPS, G>::bytes(largest), G)
    }

    /// Where the control block stands; [`found`](Self::found) leads back.
    #[must_use]
    pub fn address(&self) -> NonNull<u8> {
        self.control.address()
    }

    /// The allocator whose control block stands at `at`.
    /// # Safety
    /// [`place`](Self::place) of the same geometry built one there; or a [`Heap`] over a [`Fixed`]
    /// one stands there, and the word below it is `usize::MAX`. Nobody else uses it meanwhile.
    #[must_use]
    pub unsafe fn found(at: NonNull<u8>) -> Self {
        // SAFETY: the caller's promise.
        let control = unsafe { Placed::found(at) };
        Heap { control, kind: PhantomData }
    }
}

impl<C: Control, P: Placement, T: Tier> Heap<C, P, T> {
    #[inline(always)]
    fn table(&mut self) -> Table<C, T> {
        let table = Table::new(self.control.at());
        if T::WALKED {
            walked(table);
        }
        table
    }

    #[inline(always)]
    fn view(&self) -> Table<C, T> {
        Table::new(self.control.view())
    }

    /// A block with `size` bytes, aligned to the grain: what C's `malloc` asks. O(1).
    #[inline(always)]
    pub fn allocate_bytes(&mut self, size: usize) -> Option<NonNull<u8>> {
        self.table().allocate_bytes::<P>(size)
    }

    /// A block with `size` bytes that begins at `at`, a multiple of the grain; `None` when the
    /// memory there is not free, or what is below it is too small to be a free block.
    pub fn allocate_at(&mut self, at: *mut u8, size: usize) -> Option<NonNull<u8>> {
        self.table().allocate_at::<P>(at, size)
    }

    /// C's `realloc` for a live block whose layout is not known: contents kept, alignment the
    /// grain's. `None`: the block stays as it was.
    /// # Safety
    /// `block` was allocated here, is live, and is dead once another address is returned.
    pub unsafe fn reallocate_bytes(
        &mut self,
        block: NonNull<u8>,
        align: usize,
        size: usize,
    ) -> Option<NonNull<u8>> {
        let table = self.table();
        // SAFETY: the caller's promise.
        let kept = unsafe { table.usable(block) };
        // SAFETY: as above.
        unsafe { table.reallocate::<P>(block, kept, align, size) }
    }

    /// Makes the memory added at `start` longer, to `len` bytes. The free block at its end grows.
    /// Errors: `Null` when no memory was added at `start`; `TooSmall` when the growth is less than a block; otherwise
    /// as [`AddMemory::add_memory`]. Nothing has changed then.
    /// # Safety
    /// As [`AddMemory::add_memory`] for what is new; `start` is valid for all `len` bytes.
    pub unsafe fn extend_memory(&mut self, start: *mut u8, len: usize) -> Result<(), AddError> {
        // SAFETY: the caller's promise.
        unsafe { self.table().extend(start, len) }
    }

    /// Adds memory, as part of the memory that ends where it begins if there is one and the two
    /// together are not too large.
    /// Errors: as [`AddMemory::add_memory`].
    /// # Safety
    /// As [`AddMemory::add_memory`]; memory that ends at `start` is of one allocation with it.
    pub unsafe fn append_memory(&mut self, start: *mut u8, len: usize) -> Result<(), AddError> {
        let table = self.table();
        let below = table.pools().find(|pool| pool.end() == start.addr() && !start.is_null());
        if let Some(pool) = below {
            // SAFETY: the caller's promise.
            let extended = unsafe { table.extend(pool.start(), pool.len().saturating_add(len)) };
            if extended != Err(AddError::TooLarge) {
                return extended;
            }
        }
        // SAFETY: the caller's promise.
        unsafe { table.add(start, len) }
    }

    /// Makes the memory added at `start` shorter, to `len` bytes or to as few as the blocks in
    /// use allow; says to how many. What is behind them is the caller's again.
    /// Errors: `Unknown`: no memory was added at `start`.
    pub fn truncate_memory(&mut self, start: *mut u8, len: usize) -> Result<usize, RemoveError> {
        self.table().truncate(start, len)
    }

    /// Bytes of memory that surely suffice to add for one block of this layout, pools' own records included.
    /// `None`: the geometry has no block that large.
    #[must_use]
    pub fn size_for(layout: Layout) -> Option<usize> {
        let block = P::block_size::<C>(layout.size(), C::LISTED)?;
        let slack = if layout.align() > C::GRAIN { layout.align() + C::LISTED } else { 0 };
        block.checked_add(slack)?.checked_add(8 * WORD + 4 * C::GRAIN)
    }
}

/// What the strictest tier does before each call.
#[cold]
#[inline(never)]
fn walked<C: Control, T: Tier>(table: Table<C, T>) {
    if let Err(Broken { invariant, at }) = table.check() {
        tier::misused(Misuse::Broken(invariant), at);
    }
}

// SAFETY: block-T1 to T8: a block handed out is in no bin and no other block shares its bytes.
unsafe impl<C: Control, P: Placement, T: Tier> BlockAllocator for Heap<C, P, T> {
    #[inline(always)]
    fn allocate(&mut self, layout: Layout) -> Option<NonNull<u8>> {
        self.table().allocate::<P>(layout)
    }

    #[inline(always)]
    unsafe fn deallocate(&mut self, block: NonNull<u8>, layout: Layout) {
        // SAFETY: the caller's promise.
        unsafe { self.table().free_sized::<P>(block, layout) }
    }

    unsafe fn reallocate(
        &mut self,
        block: NonNull<u8>,
        layout: Layout,
        new_size: usize,
    ) -> Option<NonNull<u8>> {
        // SAFETY: the caller's promise.
        unsafe { self.table().reallocate::<P>(block, layout.size(), layout.align(), new_size) }
    }
}

impl<C: Control, P: Placement, T: Tier> AddMemory for Heap<C, P, T> {
    unsafe fn add_memory(&mut self, start: *mut u8, len: usize) -> Result<(), AddError> {
        // SAFETY: the caller's promise.
        unsafe { self.table().add(start, len) }
    }
}

impl<C: Control, P: Placement, T: Tier> RemoveMemory for Heap<C, P, T> {
    fn remove_memory(&mut self, start: *mut u8) -> Result<NonNull<[u8]>, RemoveError> {
        self.table().remove(start)
    }
}

impl<C: Control, P: Placement, T: Tier> Free for Heap<C, P, T> {
    #[inline(always)]
    unsafe fn free(&mut self, block: NonNull<u8>) {
        // SAFETY: the caller's promise.
        unsafe { self.table().free(block) }
    }
}

impl<C: Control, P: Placement, T: Tier> UsableSize for Heap<C, P, T> {
    #[inline]
    unsafe fn usable_size(&self, block: NonNull<u8>) -> usize {
        // SAFETY: the caller's promise.
        unsafe { self.view().usable(block) }
    }
}

impl<C: Control, P: Placement, T: Tier> ResizeInPlace for Heap<C, P, T> {
    unsafe fn resize_in_place(&mut self, block: NonNull<u8>, new_size: usize) -> bool {
        // SAFETY: the caller's promise.
        unsafe { self.table().resize::<P>(block, new_size) }
    }
}

impl<C: Control, P: Placement, T: Tier> Owns for Heap<C, P, T> {
    fn owns(&self, address: *const u8) -> bool {
        self.view().pools().any(|pool| pool.contains(address.addr()))
    }
}

impl<C: Control, P: Placement, T: Tier> Reset for Heap<C, P, T> {
    unsafe fn reset(&mut self) {
        self.table().reset();
    }
}

impl<C: Control, P: Placement, T: Tier> Walk for Heap<C, P, T> {
    fn walk(&self, visit: &mut dyn FnMut(Piece) -> ControlFlow<()>) {
        self.view().walk(visit);
    }
}

impl<C: Control, P: Placement, T: Tier> Check for Heap<C, P, T> {
    fn check(&self) -> Result<(), Broken> {
        self.view().check()
    }
}

impl<C: Control, P: Placement, T: Tier> Stats for Heap<C, P, T> {
    fn stats(&self) -> BlockStats {
        let table = self.view();
        // SAFETY: the control block is ours, and only read.
        let head = unsafe { &*table.head() };
        BlockStats {
            total: head.total,
            used: head.used,
            peak: head.peak.max(head.used),
            largest_free: table.largest_free::<P>(),
            failures: head.failures,
        }
    }
}

#[cfg(test)]
mod tests;
