//! Functions that not every process has.
use core::ffi::{CStr, c_void};

/// A pointer to a C function; the type says which.
pub(super) trait Function: Copy {
    /// The function at `address`.
    /// # Safety
    /// A function of this type is there.
    unsafe fn at(address: *mut c_void) -> Self;
}

pub(super) fn find<F: Function>(name: &CStr) -> Option<F> {
    // SAFETY: the name is a C string; the look-up touches nothing of ours.
    let found = unsafe { libc::dlsym(libc::RTLD_DEFAULT, name.as_ptr()) };
    // SAFETY: whoever asks knows the signature that the header gives the name.
    (!found.is_null()).then(|| unsafe { F::at(found) })
}

/// Makes a function pointer type one that can be looked up.
macro_rules! function {
    ($($type:ty),* $(,)?) => {$(
        impl Function for $type {
            unsafe fn at(address: *mut c_void) -> Self {
                #[expect(clippy::disallowed_methods, reason = "an address becomes its function")]
                // SAFETY: the caller says so.
                unsafe {
                    core::mem::transmute::<*mut c_void, Self>(address)
                }
            }
        }
    )*};
}

function! {
    unsafe extern "C" fn(*mut c_void, usize),
    unsafe extern "C" fn() -> core::ffi::c_int,
    unsafe extern "C" fn() -> *mut c_void,
    unsafe extern "C" fn(*mut c_void),
    unsafe extern "C" fn(*mut c_void, usize) -> *mut c_void,
    unsafe extern "C" fn(*mut c_void, usize, usize) -> *mut c_void,
}
