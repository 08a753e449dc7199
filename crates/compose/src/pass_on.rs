//! Abilities that a layer has because what it holds, its field `inner: A`, has them.

/// `pass_on! { [A, S] Layer<A, S>: Owns Walk }`: each ability named, wherever `A` has it.
macro_rules! pass_on {
    (@Free [$($p:tt)*] $layer:ty) => {
        impl<$($p)*> base::Free for $layer
        where
            A: base::Free,
            Self: base::BlockAllocator,
        {
            #[inline]
            unsafe fn free(&mut self, block: core::ptr::NonNull<u8>) {
                // SAFETY: the caller's promise; blocks are the inner allocator's.
                unsafe { self.inner.free(block) };
            }
        }
    };
    (@UsableSize [$($p:tt)*] $layer:ty) => {
        impl<$($p)*> base::UsableSize for $layer
        where
            A: base::UsableSize,
            Self: base::BlockAllocator,
        {
            #[inline]
            unsafe fn usable_size(&self, block: core::ptr::NonNull<u8>) -> usize {
                // SAFETY: the caller's promise; blocks are the inner allocator's.
                unsafe { self.inner.usable_size(block) }
            }
        }
    };
    (@ResizeInPlace [$($p:tt)*] $layer:ty) => {
        impl<$($p)*> base::ResizeInPlace for $layer
        where
            A: base::ResizeInPlace,
            Self: base::BlockAllocator,
        {
            #[inline]
            unsafe fn resize_in_place(
                &mut self,
                block: core::ptr::NonNull<u8>,
                new_size: usize,
            ) -> bool {
                // SAFETY: the caller's promise; blocks are the inner allocator's.
                unsafe { self.inner.resize_in_place(block, new_size) }
            }
        }
    };
    (@AddMemory [$($p:tt)*] $layer:ty) => {
        impl<$($p)*> base::AddMemory for $layer
        where
            A: base::AddMemory,
        {
            unsafe fn add_memory(
                &mut self,
                start: *mut u8,
                len: usize,
            ) -> Result<(), base::AddError> {
                // SAFETY: the caller's promise.
                unsafe { self.inner.add_memory(start, len) }
            }
        }
    };
    (@RemoveMemory [$($p:tt)*] $layer:ty) => {
        impl<$($p)*> base::RemoveMemory for $layer
        where
            A: base::RemoveMemory,
        {
            fn remove_memory(
                &mut self,
                start: *mut u8,
            ) -> Result<core::ptr::NonNull<[u8]>, base::RemoveError> {
                self.inner.remove_memory(start)
            }
        }
    };
    (@Owns [$($p:tt)*] $layer:ty) => {
        impl<$($p)*> base::Owns for $layer
        where
            A: base::Owns,
        {
            #[inline]
            fn owns(&self, address: *const u8) -> bool {
                self.inner.owns(address)
            }
        }
    };
    (@Reset [$($p:tt)*] $layer:ty) => {
        impl<$($p)*> base::Reset for $layer
        where
            A: base::Reset,
        {
            unsafe fn reset(&mut self) {
                // SAFETY: the caller's promise.
                unsafe { self.inner.reset() };
            }
        }
    };
    (@Walk [$($p:tt)*] $layer:ty) => {
        impl<$($p)*> base::Walk for $layer
        where
            A: base::Walk,
        {
            fn walk(
                &self,
                visit: &mut dyn FnMut(base::Piece) -> core::ops::ControlFlow<()>,
            ) {
                self.inner.walk(visit);
            }
        }
    };
    (@Check [$($p:tt)*] $layer:ty) => {
        impl<$($p)*> base::Check for $layer
        where
            A: base::Check,
        {
            fn check(&self) -> Result<(), base::Broken> {
                self.inner.check()
            }
        }
    };
    (@Stats [$($p:tt)*] $layer:ty) => {
        impl<$($p)*> base::Stats for $layer
        where
            A: base::Stats,
        {
            #[inline]
            fn stats(&self) -> base::BlockStats {
                self.inner.stats()
            }
        }
    };
    ($generics:tt $layer:ty: $($ability:ident)*) => {
        $($crate::pass_on::pass_on! { @$ability $generics $layer })*
    };
}
pub(crate) use pass_on;
