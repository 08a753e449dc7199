//! Objects where they lie: changed there, or pinned to be read there.

use core::ptr::NonNull;

use base::{HandleError, PageAllocator, Pin};

use super::{Handle, ZsMalloc};
use crate::placed::map_placed;

impl<P: PageAllocator> ZsMalloc<P> {
    /// How often an object is pinned.
    /// Errors: as [`HandleAllocator::len_of`](base::HandleAllocator::len_of).
    pub fn pins(&self, handle: Handle) -> Result<usize, HandleError> {
        Ok(self.slots.find(handle)?.pins as usize)
    }

    fn is_pinned(&self, handle: Handle) -> bool {
        self.pins(handle) != Ok(0)
    }
}

map_placed!(ZsMalloc);

// SAFETY: `compact` passes zspages with pins by; `free`, `write` and `bytes_mut` refuse the object.
unsafe impl<P: PageAllocator> Pin for ZsMalloc<P> {
    fn pin(&mut self, handle: Handle) -> Result<NonNull<[u8]>, HandleError> {
        let slot = self.slots.find_mut(handle)?;
        if slot.pins >= u32::from(u16::MAX) {
            return Err(HandleError::TooManyPins);
        }
        slot.pins += 1;
        let slot = *slot;
        if slot.pins == 1 {
            self.zspage_mut(slot.place().zspage).pinned += 1;
        }
        Ok(self.payload_of(slot.place(), slot.len()))
    }

    unsafe fn unpin(&mut self, handle: Handle) {
        let Ok(slot) = self.slots.find_mut(handle) else { return };
        slot.pins -= 1;
        let slot = *slot;
        if slot.pins == 0 {
            self.zspage_mut(slot.place().zspage).pinned -= 1;
        }
    }
}
