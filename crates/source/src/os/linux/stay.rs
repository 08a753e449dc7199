//! A library that is closed stays where it is: what the C library was given of it, to be called when a thread ends or around
//! `fork`, outlives the program's wish to unload it.
use core::ffi::{c_char, c_int, c_void};
use core::ptr;

use super::process::program_headers;
use super::weak::{self, address_of};

const RTLD_LAZY_NOLOAD_NODELETE: c_int = 0x1005;

/// `Dl_info` of <dlfcn.h>.
#[repr(C)]
struct Library {
    path: *const c_char,
    base: usize,
    symbol: *const c_char,
    symbol_at: usize,
}

type Dladdr = unsafe extern "C" fn(*const c_void, *mut Library) -> c_int;
type Dlsym = unsafe extern "C" fn(*mut c_void, *const c_char) -> *mut c_void;
type Dlopen = unsafe extern "C" fn(*const c_char, c_int) -> *mut c_void;

/// The library that an address lies in: its path, and where it begins. `None`: there is none, or the C library does not say.
pub fn library_of(address: *const ()) -> Option<(*const c_char, usize)> {
    let dladdr = address_of!("dladdr");
    // SAFETY: the C library's function has this type.
    let dladdr = unsafe { weak::function::<Dladdr>(dladdr) }?;
    let mut library = Library { path: ptr::null(), base: 0, symbol: ptr::null(), symbol_at: 0 };
    // SAFETY: `library` is valid for writing.
    let is_known = unsafe { dladdr(address.cast(), &raw mut library) } != 0;
    (is_known && !library.path.is_null()).then_some((library.path, library.base))
}

/// The library that this is linked into is never unloaded from now on. For a constructor, where the loader's lock is the
/// caller's. The program itself, and a static one, stays in any case.
pub fn stay_loaded() {
    let Some((path, base)) = library_of(stay_loaded as fn() as *const ()) else { return };
    // The headers of the program are in its first page.
    if program_headers() & !0xfff == base {
        return;
    }
    let dlsym = address_of!("dlsym");
    // SAFETY: the C library's function has this type.
    let Some(dlsym) = (unsafe { weak::function::<Dlsym>(dlsym) }) else { return };
    // By name: in a static program the linker warns of `dlopen`.
    // SAFETY: looks a name up.
    let dlopen = unsafe { dlsym(ptr::null_mut(), c"dlopen".as_ptr()) }.expose_provenance();
    // SAFETY: the C library's function has this type.
    let Some(dlopen) = (unsafe { weak::function::<Dlopen>(dlopen) }) else { return };
    // SAFETY: only finds a library that is loaded already; its path is a C string.
    unsafe { dlopen(path, RTLD_LAZY_NOLOAD_NODELETE) };
}
