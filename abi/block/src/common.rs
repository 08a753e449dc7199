//! What the C functions of all heaps have in common, written once.
//!
//! A macro and not a generic function: each has a name of its own in C, and opens its handle in its own way.
//!
//! - `$open` makes of a handle an `Option` of the heap; `$with!(heap, it => …)` does something with the allocator
//!   in it.
//! - What the header asks of the caller is the reason for each `unsafe` here: the handle is null or was made by the
//!   header's own functions, nobody else uses it, and a block is null or live.

/// A heap whose handle stands in front of its first pool: the handle, `open` and `create`, which makes it and is null where the
/// memory is too small or there is no heap; and `add_pool`, `remove_pool`, `get_pool` and `size`.
macro_rules! pooled {
    ($heap:ty, $with:ident; $add:ident $remove:ident $get:ident $size:ident) => {
        struct Handle {
            heap: $heap,
            /// The first pool begins behind it.
            end: *mut u8,
        }

        /// The heap, if there is one.
        /// The caller promises: `heap` is null or was made by `create`, and nobody else uses it.
        #[inline(always)]
        unsafe fn open<'a>(heap: *mut Handle) -> Option<&'a mut $heap> {
            // SAFETY: the caller's promise.
            Some(&mut unsafe { heap.as_mut() }?.heap)
        }

        /// The caller promises: the memory is the heap's from now on.
        unsafe fn create(memory: *mut u8, bytes: usize, heap: Option<$heap>) -> *mut Handle {
            let at = crate::call::records_at::<Handle>(memory, bytes, align_of::<Handle>());
            let (Some((at, left)), Some(mut heap)) = (at, heap) else {
                return core::ptr::null_mut();
            };
            // SAFETY: `left` is enough for the handle.
            let pool = unsafe { at.add(1) }.cast::<u8>().as_ptr();
            let rest = left - size_of::<Handle>();
            let add = |heap: &mut $heap| {
                // SAFETY: the caller's gift.
                $with!(heap, it => unsafe { it.add_memory(pool, rest) })
            };
            if add(&mut heap).is_err() {
                return core::ptr::null_mut();
            }
            // SAFETY: the caller's gift, aligned.
            unsafe { at.write(Handle { heap, end: pool }) };
            at.as_ptr()
        }

        #[unsafe(no_mangle)]
        unsafe extern "C" fn $add(
            heap: *mut Handle,
            memory: *mut u8,
            bytes: usize,
        ) -> core::ffi::c_int {
            let own = heap.cast_const().cast();
            // SAFETY: what the header asks of the caller.
            let heap = unsafe { open(heap) };
            let Some(heap) = heap else { return crate::error::NULL };
            let allowed = crate::call::addable(memory, bytes, own, size_of::<Handle>());
            crate::error::added(allowed.and_then(|()| {
                // SAFETY: the caller gives the memory.
                $with!(heap, it => unsafe { it.add_memory(memory, bytes) })
            }))
        }

        #[unsafe(no_mangle)]
        unsafe extern "C" fn $remove(heap: *mut Handle, pool: *mut u8) -> core::ffi::c_int {
            // SAFETY: what the header asks of the caller.
            let heap = unsafe { open(heap) };
            let Some(heap) = heap else { return crate::error::NULL };
            crate::error::removed($with!(heap, it => it.remove_memory(pool)))
        }

        #[unsafe(no_mangle)]
        unsafe extern "C" fn $get(heap: *const Handle) -> *mut u8 {
            // SAFETY: what the header asks of the caller.
            unsafe { heap.as_ref() }.map_or(core::ptr::null_mut(), |handle| handle.end)
        }

        #[unsafe(no_mangle)]
        extern "C" fn $size() -> usize {
            size_of::<Handle>()
        }
    };
}

/// `malloc` through `memalign`, `calloc` and `memalign`.
macro_rules! allocating {
    ($handle:ty, $open:path, $with:ident; $malloc:ident $calloc:ident $memalign:ident) => {
        crate::common::through_memalign! { $handle; $malloc $memalign }
        crate::common::clearing! { $handle, $open, $with; $malloc $calloc $memalign }
    };
}

/// `malloc` as `memalign` at alignment 1.
macro_rules! through_memalign {
    ($handle:ty; $malloc:ident $memalign:ident) => {
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $malloc(heap: *mut $handle, size: usize) -> *mut u8 {
            // SAFETY: the caller's promise.
            unsafe { $memalign(heap, 1, size) }
        }
    };
}

/// `calloc` through `malloc`, and `memalign`.
macro_rules! clearing {
    ($handle:ty, $open:path, $with:ident; $malloc:ident $calloc:ident $memalign:ident) => {
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $calloc(heap: *mut $handle, count: usize, size: usize) -> *mut u8 {
            let bytes = count.saturating_mul(size);
            // SAFETY: the caller's promise.
            let block = unsafe { $malloc(heap, bytes) };
            // SAFETY: just allocated with this size.
            unsafe { crate::call::zeroed(block, bytes) }
        }

        #[unsafe(no_mangle)]
        unsafe extern "C" fn $memalign(
            heap: *mut $handle,
            alignment: usize,
            size: usize,
        ) -> *mut u8 {
            // SAFETY: what the header asks of the caller.
            let opened = unsafe { $open(heap) };
            let Some(heap) = opened else { return core::ptr::null_mut() };
            $with!(heap, it => crate::call::memalign(it, alignment, size))
        }
    };
}

/// `realloc` and `free` of blocks that know their size; `$usable` is given the handle and the block.
macro_rules! resizing {
    (
        $handle:ty, $open:path, $with:ident, $usable:expr;
        $malloc:ident $memalign:ident $realloc:ident $free:ident
    ) => {
        impl crate::call::Heap for *mut $handle {
            #[inline(always)]
            fn exists(self) -> bool {
                !self.is_null()
            }

            #[inline(always)]
            unsafe fn memalign(self, alignment: usize, size: usize) -> *mut u8 {
                if alignment == 1 {
                    // SAFETY: the caller's promise.
                    return unsafe { $malloc(self, size) };
                }
                // SAFETY: as above.
                unsafe { $memalign(self, alignment, size) }
            }

            #[inline(always)]
            unsafe fn free(self, block: *mut u8) {
                // SAFETY: the caller's promise.
                unsafe { $free(self, block) }
            }

            #[inline(always)]
            unsafe fn reallocate(
                self,
                block: core::ptr::NonNull<u8>,
                old: core::alloc::Layout,
                size: usize,
            ) -> *mut u8 {
                // SAFETY: the caller's promise.
                let opened = unsafe { $open(self) };
                let Some(heap) = opened else { return core::ptr::null_mut() };
                $with!(heap, it => {
                    // SAFETY: as above.
                    let block = unsafe { it.reallocate(block, old, size) };
                    crate::call::pointer(block)
                })
            }

            #[inline(always)]
            unsafe fn usable(self, block: core::ptr::NonNull<u8>) -> usize {
                $usable(self, block)
            }
        }

        #[unsafe(no_mangle)]
        unsafe extern "C" fn $realloc(heap: *mut $handle, block: *mut u8, size: usize) -> *mut u8 {
            // SAFETY: what the header asks of the caller.
            unsafe { crate::call::realloc(heap, block, 1, size) }
        }

        #[unsafe(no_mangle)]
        unsafe extern "C" fn $free(heap: *mut $handle, block: *mut u8) {
            let Some(block) = core::ptr::NonNull::new(block) else { return };
            // SAFETY: what the header asks of the caller.
            if let Some(heap) = unsafe { $open(heap) } {
                $with!(heap, it => {
                    // SAFETY: the block is live, and dead afterwards.
                    unsafe { it.free(block) }
                });
            }
        }
    };
}

/// `realloc_aligned`.
macro_rules! resizing_aligned {
    ($handle:ty; $realloc_aligned:ident) => {
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $realloc_aligned(
            heap: *mut $handle,
            block: *mut u8,
            alignment: usize,
            size: usize,
        ) -> *mut u8 {
            // SAFETY: what the header asks of the caller.
            unsafe { crate::call::realloc(heap, block, alignment, size) }
        }
    };
}

/// `reset` and `owns`.
macro_rules! placed {
    ($handle:ty, $open:path, $with:ident; $reset:ident $owns:ident) => {
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $reset(heap: *mut $handle) {
            // SAFETY: what the header asks of the caller.
            if let Some(heap) = unsafe { $open(heap) } {
                $with!(heap, it => {
                    // SAFETY: no block is used afterwards.
                    unsafe { it.reset() }
                });
            }
        }

        #[unsafe(no_mangle)]
        unsafe extern "C" fn $owns(heap: *const $handle, address: *const u8) -> core::ffi::c_int {
            // SAFETY: what the header asks of the caller.
            let opened = unsafe { $open(heap.cast_mut()) };
            let Some(heap) = opened else { return 0 };
            core::ffi::c_int::from($with!(heap, it => it.owns(address)))
        }
    };
}

/// `stats`, `check` and `walk`; blocks have `$header` bytes in front.
macro_rules! looking {
    ($handle:ty, $open:path, $with:ident, $header:expr; $stats:ident $check:ident $walk:ident) => {
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $stats(
            heap: *const $handle,
            out: *mut crate::records::CStats,
        ) -> core::ffi::c_int {
            // SAFETY: what the header asks of the caller.
            let opened = unsafe { $open(heap.cast_mut()) };
            let Some(heap) = opened else { return crate::error::NULL };
            $with!(heap, it => {
                // SAFETY: as above.
                unsafe { crate::records::stats(it, out) }
            })
        }

        #[unsafe(no_mangle)]
        unsafe extern "C" fn $check(
            heap: *const $handle,
            out: *mut crate::records::CBroken,
        ) -> core::ffi::c_int {
            // SAFETY: what the header asks of the caller.
            let opened = unsafe { $open(heap.cast_mut()) };
            let Some(heap) = opened else { return crate::error::NULL };
            $with!(heap, it => {
                // SAFETY: as above.
                unsafe { crate::records::check(it, out) }
            })
        }

        #[unsafe(no_mangle)]
        unsafe extern "C" fn $walk(
            heap: *const $handle,
            visit: Option<crate::records::Visit>,
            user: *mut core::ffi::c_void,
        ) -> core::ffi::c_int {
            // SAFETY: what the header asks of the caller.
            let opened = unsafe { $open(heap.cast_mut()) };
            let Some(heap) = opened else { return crate::error::NULL };
            let all = crate::records::ALL;
            $with!(heap, it => {
                // SAFETY: as above.
                unsafe { crate::records::walk(it, all, $header, visit, user) }
            })
        }
    };
}

/// `$with` for a handle that has one allocator, which is opened as a reference.
macro_rules! with_it {
    ($heap:expr, $it:ident => $what:expr) => {{
        let $it = $heap;
        $what
    }};
}

pub(crate) use {
    allocating, clearing, looking, placed, pooled, resizing, resizing_aligned, through_memalign,
    with_it,
};
