//! A byte allocator out of one of ours: the traits, once for all of them.

/// Implements the traits for a type with a field `inner`, and with a method `more` that gives it memory.
macro_rules! byte_allocator {
    ($name:ident) => {
        impl Default for $name {
            fn default() -> Self {
                Self::new()
            }
        }

        impl $crate::BaseAllocator for $name {
            fn init(&mut self, start: usize, size: usize) {
                // The interface has no way to say no; what comes after fails instead.
                let _ = self.more(start, size);
            }

            fn add_memory(&mut self, start: usize, size: usize) -> $crate::AllocResult {
                self.more(start, size)
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
