//! The allocator that a feature has chosen.

use core::alloc::Layout;
use core::ptr::NonNull;

#[cfg_attr(feature = "nothing", path = "chosen/nothing.rs")]
#[cfg_attr(feature = "ours", path = "chosen/ours.rs")]
#[cfg_attr(feature = "rlsf", path = "chosen/rlsf.rs")]
#[cfg_attr(feature = "talc", path = "chosen/talc.rs")]
#[cfg_attr(feature = "linked-list", path = "chosen/linked_list.rs")]
#[cfg_attr(feature = "buddy-system", path = "chosen/buddy_system.rs")]
mod one;

pub(crate) use one::Chosen;

pub(crate) trait Subject {
    const NEW: Self;

    /// Gives it its memory; whether it took it.
    unsafe fn init(&mut self, start: *mut u8, len: usize) -> bool;

    /// Null when there is none.
    fn alloc(&mut self, layout: Layout) -> *mut u8;

    /// A block that was allocated with this layout.
    unsafe fn free(&mut self, block: NonNull<u8>, layout: Layout);

    #[cfg_attr(not(feature = "realloc"), expect(dead_code, reason = "counted without it too"))]
    /// In place where the allocator can do that, else by copying; null: it stays as it was.
    #[inline(always)]
    unsafe fn realloc(&mut self, block: NonNull<u8>, layout: Layout, new: usize) -> *mut u8 {
        // SAFETY: the caller passes a size that makes a layout.
        let wanted = unsafe { Layout::from_size_align_unchecked(new, layout.align()) };
        let Some(to) = NonNull::new(self.alloc(wanted)) else { return core::ptr::null_mut() };
        // SAFETY: both are live, of at least so many bytes, and apart.
        unsafe { to.copy_from_nonoverlapping(block, layout.size().min(new)) };
        // SAFETY: the caller gives it up.
        unsafe { self.free(block, layout) };
        to.as_ptr()
    }
}

#[inline(always)]
fn address(block: Option<NonNull<u8>>) -> *mut u8 {
    block.map_or(core::ptr::null_mut(), NonNull::as_ptr)
}
