//! TLSF in C, Matthew Conte's, as the text on ArceOS' allocators has it: a library that is loaded by its path.
//!
//! `cargo xtask peers` makes it from a package of cargo's registry that brings its source; nothing of it is in this tree. Its
//! blocks are aligned to a word, so whatever asks for more goes through its `memalign`.
use core::alloc::Layout;
use core::ffi::{CStr, c_void};
use core::ptr::{self, NonNull};
use std::ffi::CString;
use std::sync::OnceLock;

use base::{AddError, AddMemory, BlockAllocator};

macro_rules! library {
    ($($function:ident = $name:literal: $type:ty;)*) => {
        #[derive(Clone, Copy)]
        struct Library {
            $($function: $type,)*
        }

        impl Library {
            #[expect(clippy::disallowed_methods, reason = "the only way from dlsym to a function")]
            fn of(symbol: impl Fn(&CStr) -> Result<*mut c_void, String>) -> Result<Self, String> {
                Ok(Self { $(
                    // SAFETY: the library's header declares it so.
                    $function: unsafe { core::mem::transmute::<*mut c_void, $type>(symbol($name)?) },
                )* })
            }
        }
    };
}

library! {
    create = c"lv_tlsf_create_with_pool": unsafe extern "C" fn(*mut c_void, usize) -> *mut c_void;
    add_pool = c"lv_tlsf_add_pool": unsafe extern "C" fn(*mut c_void, *mut c_void, usize) -> *mut c_void;
    malloc = c"lv_tlsf_malloc": unsafe extern "C" fn(*mut c_void, usize) -> *mut c_void;
    memalign = c"lv_tlsf_memalign": unsafe extern "C" fn(*mut c_void, usize, usize) -> *mut c_void;
    free = c"lv_tlsf_free": unsafe extern "C" fn(*mut c_void, *const c_void) -> usize;
}

static LIBRARY: OnceLock<Library> = OnceLock::new();

/// Alignment of its blocks.
const WORD: usize = size_of::<usize>();

/// Loads it; once for the process.
pub fn load(path: &str) -> Result<(), String> {
    let refused = |what: &str| format!("{path}: {what}; cargo xtask peers makes it");
    let name = CString::new(path).map_err(|_| refused("is no path"))?;
    // SAFETY: a library whose start does nothing.
    let handle = unsafe { libc::dlopen(name.as_ptr(), libc::RTLD_NOW | libc::RTLD_LOCAL) };
    if handle.is_null() {
        return Err(refused("cannot be loaded"));
    }
    let symbol = |name: &CStr| {
        // SAFETY: the handle is open, and never closed.
        let found = unsafe { libc::dlsym(handle, name.as_ptr()) };
        if found.is_null() { Err(refused("is another library")) } else { Ok(found) }
    };
    let _ = LIBRARY.set(Library::of(symbol)?);
    Ok(())
}

/// A heap of it; without the library it takes no memory.
pub struct TlsfC {
    heap: *mut c_void,
}

impl TlsfC {
    pub fn new() -> Self {
        Self { heap: ptr::null_mut() }
    }
}

// SAFETY: the heap is this value's alone.
unsafe impl Send for TlsfC {}

impl AddMemory for TlsfC {
    unsafe fn add_memory(&mut self, start: *mut u8, len: usize) -> Result<(), AddError> {
        let library = LIBRARY.get().ok_or(AddError::TooSmall)?;
        let lost = start.align_offset(WORD);
        let (start, len) =
            (start.wrapping_add(lost).cast(), len.saturating_sub(lost) & !(WORD - 1));
        let added = if self.heap.is_null() {
            // SAFETY: the caller gives the memory.
            self.heap = unsafe { (library.create)(start, len) };
            self.heap
        } else {
            // SAFETY: as above, to a heap of it.
            unsafe { (library.add_pool)(self.heap, start, len) }
        };
        if added.is_null() { Err(AddError::TooSmall) } else { Ok(()) }
    }
}

// SAFETY: the library's own promise.
unsafe impl BlockAllocator for TlsfC {
    #[inline]
    fn allocate(&mut self, layout: Layout) -> Option<NonNull<u8>> {
        let library = LIBRARY.get().filter(|_| !self.heap.is_null())?;
        let size = layout.size().max(1);
        let block = if layout.align() <= WORD {
            // SAFETY: a heap of it takes any size.
            unsafe { (library.malloc)(self.heap, size) }
        } else {
            // SAFETY: as above; the alignment is a power of two.
            unsafe { (library.memalign)(self.heap, layout.align(), size) }
        };
        NonNull::new(block.cast())
    }

    #[inline]
    unsafe fn deallocate(&mut self, block: NonNull<u8>, _: Layout) {
        if let Some(library) = LIBRARY.get() {
            // SAFETY: the caller's promise.
            unsafe { (library.free)(self.heap, block.as_ptr().cast()) };
        }
    }
}
