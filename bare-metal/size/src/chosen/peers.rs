//! Those compared with, as their documentation has them used, and the frame alone.

use super::Subject;
use core::alloc::Layout;
use core::ptr::NonNull;

#[cfg(not(any(
    feature = "rlsf",
    feature = "talc",
    feature = "linked-list",
    feature = "buddy-system"
)))]
mod nothing {
    use super::*;

    /// No allocator.
    pub(crate) struct Chosen;

    impl Subject for Chosen {
        const NEW: Self = Chosen;

        #[inline(always)]
        unsafe fn init(&mut self, _: *mut u8, _: usize) -> bool {
            true
        }

        #[inline(always)]
        fn alloc(&mut self, _: Layout) -> *mut u8 {
            core::ptr::null_mut()
        }

        #[inline(always)]
        unsafe fn free(&mut self, _: NonNull<u8>, _: Layout) {}

        #[inline(always)]
        unsafe fn realloc(&mut self, _: NonNull<u8>, _: Layout, _: usize) -> *mut u8 {
            core::ptr::null_mut()
        }
    }
}
#[cfg(not(any(
    feature = "rlsf",
    feature = "talc",
    feature = "linked-list",
    feature = "buddy-system"
)))]
pub(crate) use nothing::Chosen;

#[cfg(feature = "rlsf")]
mod rlsf_ {
    use super::super::address;
    use super::*;

    /// In the geometry of its published figures.
    pub(crate) type Chosen = rlsf::Tlsf<'static, u16, u16, 16, 16>;

    impl Subject for Chosen {
        const NEW: Self = Chosen::new();

        #[inline(always)]
        unsafe fn init(&mut self, start: *mut u8, len: usize) -> bool {
            let Some(start) = NonNull::new(start) else { return false };
            let memory = NonNull::slice_from_raw_parts(start, len);
            // SAFETY: the caller's gift.
            unsafe { self.insert_free_block_ptr(memory) }.is_some()
        }

        #[inline(always)]
        fn alloc(&mut self, layout: Layout) -> *mut u8 {
            address(self.allocate(layout))
        }

        #[inline(always)]
        unsafe fn free(&mut self, block: NonNull<u8>, layout: Layout) {
            // SAFETY: the caller's promise.
            unsafe { self.deallocate(block, layout.align()) }
        }

        #[inline(always)]
        unsafe fn realloc(&mut self, block: NonNull<u8>, layout: Layout, new: usize) -> *mut u8 {
            // SAFETY: the caller passes a size that makes a layout.
            let wanted = unsafe { Layout::from_size_align_unchecked(new, layout.align()) };
            // SAFETY: the caller's promise.
            address(unsafe { self.reallocate(block, wanted) })
        }
    }
}
#[cfg(feature = "rlsf")]
pub(crate) use rlsf_::Chosen;

#[cfg(feature = "talc")]
mod talc_ {
    use super::super::address;
    use super::*;

    /// Given its memory by hand.
    pub(crate) type Chosen = talc::base::Talc<talc::source::Manual, talc::DefaultBinning>;

    impl Subject for Chosen {
        const NEW: Self = Chosen::new(talc::source::Manual);

        #[inline(always)]
        unsafe fn init(&mut self, start: *mut u8, len: usize) -> bool {
            // SAFETY: the caller's gift.
            unsafe { self.claim(start, len) }.is_some()
        }

        #[inline(always)]
        fn alloc(&mut self, layout: Layout) -> *mut u8 {
            // SAFETY: firmware asks for at least a byte.
            address(unsafe { self.allocate(layout) })
        }

        #[inline(always)]
        unsafe fn free(&mut self, block: NonNull<u8>, layout: Layout) {
            // SAFETY: the caller's promise.
            unsafe { self.deallocate(block.as_ptr(), layout) }
        }

        #[inline(always)]
        unsafe fn realloc(&mut self, block: NonNull<u8>, layout: Layout, new: usize) -> *mut u8 {
            // SAFETY: the caller's promise.
            if unsafe { self.try_realloc_in_place(block.as_ptr(), layout, new) } {
                return block.as_ptr();
            }
            // SAFETY: the caller passes a size that makes a layout.
            let wanted = unsafe { Layout::from_size_align_unchecked(new, layout.align()) };
            let Some(to) = NonNull::new(self.alloc(wanted)) else { return core::ptr::null_mut() };
            // SAFETY: both are live, the new one is the larger, and they are apart.
            unsafe { to.copy_from_nonoverlapping(block, layout.size()) };
            // SAFETY: the caller gives it up.
            unsafe { self.free(block, layout) };
            to.as_ptr()
        }
    }
}
#[cfg(feature = "talc")]
pub(crate) use talc_::Chosen;

#[cfg(feature = "linked-list")]
mod linked_list {
    use super::super::address;
    use super::*;

    /// First fit over a list in address order.
    pub(crate) type Chosen = linked_list_allocator::Heap;

    impl Subject for Chosen {
        const NEW: Self = Chosen::empty();

        #[inline(always)]
        unsafe fn init(&mut self, start: *mut u8, len: usize) -> bool {
            // SAFETY: the caller's gift.
            unsafe { linked_list_allocator::Heap::init(self, start, len) };
            true
        }

        #[inline(always)]
        fn alloc(&mut self, layout: Layout) -> *mut u8 {
            address(self.allocate_first_fit(layout).ok())
        }

        #[inline(always)]
        unsafe fn free(&mut self, block: NonNull<u8>, layout: Layout) {
            // SAFETY: the caller's promise.
            unsafe { self.deallocate(block, layout) }
        }
    }
}
#[cfg(feature = "linked-list")]
pub(crate) use linked_list::Chosen;

#[cfg(feature = "buddy-system")]
mod buddy_system {
    use super::super::address;
    use super::*;

    /// Up to 16 MiB.
    pub(crate) type Chosen = buddy_system_allocator::Heap<24>;

    impl Subject for Chosen {
        const NEW: Self = Chosen::new();

        #[inline(always)]
        unsafe fn init(&mut self, start: *mut u8, len: usize) -> bool {
            // SAFETY: the caller's gift.
            unsafe { buddy_system_allocator::Heap::init(self, start.addr(), len) };
            true
        }

        #[inline(always)]
        fn alloc(&mut self, layout: Layout) -> *mut u8 {
            address(buddy_system_allocator::Heap::alloc(self, layout).ok())
        }

        #[inline(always)]
        unsafe fn free(&mut self, block: NonNull<u8>, layout: Layout) {
            // SAFETY: the caller's promise.
            unsafe { self.dealloc(block, layout) }
        }
    }
}
#[cfg(feature = "buddy-system")]
pub(crate) use buddy_system::Chosen;
