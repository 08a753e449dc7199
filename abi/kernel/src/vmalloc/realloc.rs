//! `vrealloc`: an area of another size, whose pages move but not their bytes.
//!
//! ```text
//! own area        larger: its pages elsewhere, and new ones     smaller: in place, the tail's pages are free
//! a parent's      a new area with its bytes; the parent's is left alone
//! closed          larger: as a parent's, which it is from now on
//! ```
use core::ptr::{self, NonNull};

use kernel::vmalloc::VmallocError;

use super::{Instance, State, allocate, enter, free};
use crate::flags::{self, Flags};
use crate::misuse;

impl Instance {
    /// The area in its new size, and its bytes before.
    fn resize(
        &mut self,
        area: NonNull<u8>,
        size: usize,
    ) -> Result<(NonNull<u8>, usize), VmallocError> {
        let old = self.areas.size_of(area.as_ptr())?;
        if self.shown && size < old {
            // Pages that go; the last one that stays has its first bytes in use.
            self.clear_rows(area, size.next_multiple_of(self.areas.page_size()));
        }
        // SAFETY: the caller of the call gives the old area up; what it is not is found.
        let new = unsafe { self.areas.vrealloc(area.as_ptr(), size) }?;
        Ok((new, old))
    }
}

impl State {
    /// As of an [`Instance`]. An area that cannot grow as the program has closed the frames' file is an older one's then.
    fn resize(
        &mut self,
        area: NonNull<u8>,
        size: usize,
    ) -> Result<(NonNull<u8>, usize), VmallocError> {
        let own = self.own().ok_or(VmallocError::Foreign)?;
        let resized = own.resize(area, size);
        if resized == Err(VmallocError::Closed) {
            // Its frames cannot be mapped elsewhere any more, and another instance's hold its bytes as well.
            self.retire();
            return Err(VmallocError::Foreign);
        }
        resized
    }

    /// Bytes of a parent's area.
    fn size_of_older(&self, area: NonNull<u8>) -> Option<usize> {
        let size = core::cell::Cell::new(None);
        self.any_older(|older| {
            size.set(older.areas.size_of(area.as_ptr()).ok());
            size.get().is_some()
        });
        size.get()
    }
}

/// The area with `size` bytes, as its flags say.
pub(crate) fn reallocate(
    function: &'static str,
    area: NonNull<u8>,
    size: usize,
    flags: Flags,
) -> Option<NonNull<u8>> {
    if size == 0 {
        free(function, area);
        return None;
    }
    let mut state = enter();
    let resized = match state.resize(area, size) {
        Err(VmallocError::Foreign) => {
            if let Some(old) = state.size_of_older(area) {
                drop(state);
                return copy(function, area, old.min(size), size, flags);
            }
            Err(VmallocError::Foreign)
        }
        resized => resized,
    };
    let (new, old) = match resized {
        Ok(both) => both,
        Err(
            VmallocError::TooLarge { .. }
            | VmallocError::NoFrames { .. }
            | VmallocError::NoAddresses
            | VmallocError::TooManyMappings { .. }
            | VmallocError::Refused,
        ) => {
            drop(state);
            return flags::granted(flags, function, size, None);
        }
        Err(error) => misuse::end(function, format_args!("{area:p}: {error}")),
    };
    drop(state);
    if flags & flags::ZERO != 0 && size > old {
        // SAFETY: within the area.
        let rest = unsafe { new.add(old) };
        // SAFETY: as above.
        unsafe { rest.write_bytes(0, size - old) };
    }
    Some(new)
}

/// A new area of `size` bytes, the first of which are as those of an old block.
pub(crate) fn copy(
    function: &'static str,
    old: NonNull<u8>,
    kept: usize,
    size: usize,
    flags: Flags,
) -> Option<NonNull<u8>> {
    let new = allocate(function, size, flags)?;
    // SAFETY: the new area has as many bytes, and so has the old block, which lies elsewhere.
    unsafe { new.copy_from_nonoverlapping(old, kept) };
    Some(new)
}

#[unsafe(no_mangle)]
extern "C" fn vrealloc(area: *const u8, size: usize, flags: Flags) -> *mut u8 {
    const ME: &str = "vrealloc";
    let new = match NonNull::new(area.cast_mut()) {
        Some(area) => reallocate(ME, area, size, flags),
        None => allocate(ME, size, flags),
    };
    new.map_or(ptr::null_mut(), NonNull::as_ptr)
}
