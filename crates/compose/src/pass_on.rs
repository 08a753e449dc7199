//! Abilities that a layer has because what it holds, its field `inner: A`, has them.

/// `pass_on! { [A, S] Layer<A, S>: Owns Walk }`: each ability named, wherever `A` has it.
macro_rules! pass_on {
    (@Free $of:tt) => {
        $crate::pass_on::pass_on! { @impl Free [Self: base::BlockAllocator] $of
            #[inline]
            unsafe fn free(&mut self, block: core::ptr::NonNull<u8>) {
                // SAFETY: the caller's promise; blocks are the inner allocator's.
                unsafe { self.inner.free(block) };
            }
        }
    };
    (@UsableSize $of:tt) => {
        $crate::pass_on::pass_on! { @impl UsableSize [Self: base::BlockAllocator] $of
            #[inline]
            unsafe fn usable_size(&self, block: core::ptr::NonNull<u8>) -> usize {
                // SAFETY: the caller's promise; blocks are the inner allocator's.
                unsafe { self.inner.usable_size(block) }
            }
        }
    };
    (@ResizeInPlace $of:tt) => {
        $crate::pass_on::pass_on! { @impl ResizeInPlace [Self: base::BlockAllocator] $of
            #[inline]
            unsafe fn resize_in_place(&mut self, block: core::ptr::NonNull<u8>, size: usize) -> bool {
                // SAFETY: the caller's promise; blocks are the inner allocator's.
                unsafe { self.inner.resize_in_place(block, size) }
            }
        }
    };
    (@AddMemory $of:tt) => {
        $crate::pass_on::pass_on! { @impl AddMemory [] $of
            unsafe fn add_memory(&mut self, start: *mut u8, len: usize) -> Result<(), base::AddError> {
                // SAFETY: the caller's promise.
                unsafe { self.inner.add_memory(start, len) }
            }
        }
    };
    (@RemoveMemory $of:tt) => {
        $crate::pass_on::pass_on! { @impl RemoveMemory [] $of
            fn remove_memory(
                &mut self,
                start: *mut u8,
            ) -> Result<core::ptr::NonNull<[u8]>, base::RemoveError> {
                self.inner.remove_memory(start)
            }
        }
    };
    (@Owns $of:tt) => {
        $crate::pass_on::pass_on! { @impl Owns [] $of
            #[inline]
            fn owns(&self, address: *const u8) -> bool { self.inner.owns(address) }
        }
    };
    (@Reset $of:tt) => {
        $crate::pass_on::pass_on! { @impl Reset [] $of
            // SAFETY: the caller's promise.
            unsafe fn reset(&mut self) { unsafe { self.inner.reset() } }
        }
    };
    (@Walk $of:tt) => {
        $crate::pass_on::pass_on! { @impl Walk [] $of
            fn walk(&self, visit: &mut dyn FnMut(base::Piece) -> core::ops::ControlFlow<()>) {
                self.inner.walk(visit);
            }
        }
    };
    (@Check $of:tt) => {
        $crate::pass_on::pass_on! { @impl Check [] $of
            fn check(&self) -> Result<(), base::Broken> { self.inner.check() }
        }
    };
    (@Stats $of:tt) => {
        $crate::pass_on::pass_on! { @impl Stats [] $of
            #[inline]
            fn stats(&self) -> base::BlockStats { self.inner.stats() }
        }
    };
    (@impl $ability:ident [$($bound:tt)*] ([$($p:tt)*] $layer:ty) $($method:tt)*) => {
        impl<$($p)*> base::$ability for $layer where A: base::$ability, $($bound)* { $($method)* }
    };
    ($generics:tt $layer:ty: $($ability:ident)*) => {
        $($crate::pass_on::pass_on! { @$ability ($generics $layer) })*
    };
}
pub(crate) use pass_on;
