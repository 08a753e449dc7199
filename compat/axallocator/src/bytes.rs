//! A byte allocator out of one of ours: the type and its traits, once for all of them.

/// `$name` around `$inner`, which `$more` gives memory.
macro_rules! byte_allocator {
    ($(#[$about:meta])* $name:ident: $inner:ty, $more:path) => {
        $(#[$about])*
        #[derive(Debug)]
        pub struct $name {
            inner: $inner,
        }

        impl $name {
            /// Without memory.
            #[must_use]
            pub const fn new() -> Self {
                Self { inner: <$inner>::new() }
            }
        }

        impl Default for $name {
            fn default() -> Self {
                Self::new()
            }
        }

        impl $crate::BaseAllocator for $name {
            fn init(&mut self, start: usize, size: usize) {
                // The interface has no way to say no; what comes after fails instead.
                let _ = $crate::BaseAllocator::add_memory(self, start, size);
            }

            fn add_memory(&mut self, start: usize, size: usize) -> $crate::AllocResult {
                let start = core::ptr::with_exposed_provenance_mut(start);
                // SAFETY: the interface's promise; a kernel's memory is one allocation.
                unsafe { $more(&mut self.inner, start, size) }?;
                Ok(())
            }
        }

        impl $crate::ByteAllocator for $name {
            #[inline]
            fn alloc(
                &mut self,
                layout: core::alloc::Layout,
            ) -> $crate::AllocResult<core::ptr::NonNull<u8>> {
                base::BlockAllocator::allocate(&mut self.inner, layout)
                    .ok_or($crate::AllocError::NoMemory)
            }

            #[inline]
            fn dealloc(&mut self, pos: core::ptr::NonNull<u8>, layout: core::alloc::Layout) {
                // SAFETY: the interface's promise: allocated here with this layout, and given up.
                unsafe { base::BlockAllocator::deallocate(&mut self.inner, pos, layout) };
            }

            fn total_bytes(&self) -> usize {
                base::Stats::stats(&self.inner).total
            }

            fn used_bytes(&self) -> usize {
                base::Stats::stats(&self.inner).used
            }

            fn available_bytes(&self) -> usize {
                let stats = base::Stats::stats(&self.inner);
                stats.total - stats.used
            }
        }
    };
}

#[cfg(all(feature = "tlsf", not(feature = "other")))]
byte_allocator! {
    /// TLSF: O(1), a header of one word. Where memory begins at the end of what there is, the two become one: a heap that grows
    /// page by page stays in one piece.
    TlsfByteAllocator: block::tlsf::Tlsf, block::tlsf::Tlsf::append_memory
}
#[cfg(feature = "slab")]
byte_allocator! {
    /// Slabs of one size each, over a buddy system of pages; larger blocks are pages.
    SlabByteAllocator: kernel::size_slabs::SizeSlabs, base::AddMemory::add_memory
}
#[cfg(feature = "buddy")]
byte_allocator! {
    /// Buddy: blocks of powers of two, O(log n) whatever the number of holes.
    BuddyByteAllocator: block::buddy::Buddy, base::AddMemory::add_memory
}
