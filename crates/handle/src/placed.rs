//! What each heap does with the place of an object's bytes, once its `make` has one for a new object and its `place` finds that of a
//! live one; `is_pinned` says of a live one whether it may be changed.

/// The methods of [`HandleAllocator`](base::HandleAllocator) that make and read objects.
macro_rules! placed {
    () => {
        fn allocate(&mut self, len: usize) -> Result<Handle, HandleError> {
            let (handle, bytes) = self.make(len)?;
            // SAFETY: the new object's own bytes.
            unsafe { bytes.write_bytes(0, len) };
            Ok(handle)
        }

        unsafe fn allocate_unwritten(&mut self, len: usize) -> Result<Handle, HandleError> {
            Ok(self.make(len)?.0)
        }

        fn store(&mut self, bytes: &[u8]) -> Result<Handle, HandleError> {
            let (handle, start) = self.make(bytes.len())?;
            // SAFETY: the new object's own bytes, and as many; `bytes` are the caller's, and elsewhere.
            unsafe { start.copy_from_nonoverlapping(NonNull::from(bytes).cast(), bytes.len()) };
            Ok(handle)
        }

        fn len_of(&self, handle: Handle) -> Result<usize, HandleError> {
            Ok(self.place(handle)?.len())
        }

        fn bytes(&self, handle: Handle) -> Result<&[u8], HandleError> {
            let bytes = self.place(handle)?;
            // SAFETY: written when the object was made, and the borrow is the heap's.
            Ok(unsafe { bytes.as_ref() })
        }
    };
}

/// [`Map`](base::Map) of a heap over pages of `P`.
macro_rules! map_placed {
    ($heap:ident) => {
        impl<P: PageAllocator> base::Map for $heap<P> {
            fn bytes_mut(&mut self, handle: Handle) -> Result<&mut [u8], HandleError> {
                let mut bytes = self.place(handle)?;
                if self.is_pinned(handle) {
                    return Err(HandleError::Pinned);
                }
                // SAFETY: written when the object was made, and the borrow is the heap's.
                Ok(unsafe { bytes.as_mut() })
            }
        }
    };
}

/// [`Pin`](base::Pin) of a heap over pages of `P` whose objects never move: `pins` counts, by what `key` makes of a handle.
macro_rules! pin_placed {
    ($heap:ident, $key:path) => {
        // SAFETY: nothing ever moves; `free`, `write` and `bytes_mut` refuse an object with a pin.
        unsafe impl<P: PageAllocator> base::Pin for $heap<P> {
            fn pin(&mut self, handle: Handle) -> Result<NonNull<[u8]>, HandleError> {
                let bytes = self.place(handle)?;
                self.pins.add($key(handle)).ok_or(HandleError::TooManyPins)?;
                Ok(bytes)
            }

            unsafe fn unpin(&mut self, handle: Handle) {
                self.pins.remove($key(handle));
            }
        }
    };
}

pub(crate) use {map_placed, pin_placed, placed};
