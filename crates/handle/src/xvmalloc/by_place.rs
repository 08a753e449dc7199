//! Objects named by where they are, for callers that keep a page and an offset, or a bare pointer.

use core::ptr::NonNull;

use base::{HandleError, PageAllocator};

use super::block::Head;
use super::{HEAD, Handle, XvMalloc};
use crate::PAGE;

impl<P: PageAllocator> XvMalloc<P> {
    /// The handle of the live object whose bytes begin `offset` bytes into a page. O(1).
    /// Errors: [`Unknown`](HandleError::Unknown): nothing can begin there. [`Stale`](HandleError::Stale): nothing live
    /// does.
    pub fn handle_at(&self, page: u32, offset: usize) -> Result<Handle, HandleError> {
        let at = offset.checked_sub(HEAD).filter(|at| *at < PAGE && at.is_multiple_of(HEAD));
        let at = at.ok_or(HandleError::Unknown)?;
        let block = self.pages.get(page)?;
        // Where no head is, nobody may have written anything yet.
        if !self.pages.is_start(page, at) || block.head(at).is_free() {
            return Err(HandleError::Stale);
        }
        let generation = block.head(at).generation();
        Ok(Handle { page, offset: base::bits::low16(at), generation })
    }
}

/// Exactly how many bytes the live object at `object` was made with. O(1), whatever heap it is of.
/// # Safety
/// `object` is where a live object of an [`XvMalloc`] begins.
#[must_use]
pub unsafe fn len_at(object: NonNull<u8>) -> usize {
    // SAFETY: a head stands in front of every object.
    let head = unsafe { object.sub(HEAD) }.cast::<Head>();
    // SAFETY: it was written there, aligned as all heads are.
    unsafe { head.read() }.size()
}

#[cfg(test)]
mod tests;
