//! `Malloc`: what a whole program's allocator offers to any thread.

/// The C allocator's operations on `&self`, callable from any thread.
///
/// A null pointer is the only failure; nothing here sets `errno` (the C ABI does).
/// # Safety
/// An implementer returns memory that is valid for the size asked, aligned to
/// at least 16 bytes (or to the alignment asked; a block of less than 16 bytes
/// perhaps to 8), and not handed out again before it is freed.
pub unsafe trait Malloc: Sync {
    /// `size` bytes, uninitialised; size 0 gives a unique pointer. Null: out of memory.
    fn malloc(&self, size: usize) -> *mut u8;

    /// `count * size` zeroed bytes. Null: out of memory, or the product overflows.
    fn calloc(&self, count: usize, size: usize) -> *mut u8;

    /// `size` bytes aligned to `align`, a power of two. Null: out of memory.
    fn aligned_alloc(&self, align: usize, size: usize) -> *mut u8;

    /// The block at `ptr`, resized to `size` bytes and perhaps moved; a null `ptr` allocates.
    /// Null: out of memory, and the old block stays as it was.
    /// # Safety
    /// `ptr` is null or a live pointer of this allocator; it is dead once another is returned.
    unsafe fn realloc(&self, ptr: *mut u8, size: usize) -> *mut u8;

    /// Gives the block at `ptr` back; null is ignored.
    /// # Safety
    /// `ptr` is null or a live pointer of this allocator, and dead afterwards.
    unsafe fn free(&self, ptr: *mut u8);

    /// Gives back a block whose size the caller knows; null is ignored.
    /// # Safety
    /// As [`free`](Self::free); `size` is the size asked for with the default alignment.
    unsafe fn free_sized(&self, ptr: *mut u8, size: usize);

    /// How many bytes at `ptr` may be used: at least the size asked for; 0 for null.
    /// # Safety
    /// `ptr` is null or a live pointer of this allocator.
    unsafe fn usable_size(&self, ptr: *mut u8) -> usize;
}
