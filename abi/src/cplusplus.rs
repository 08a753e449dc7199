//! The C++ operators new and delete in all their forms (ISO C++ \[new.delete\]).
//!
//! A program may replace any of them. By the standard the array, sized and nothrow forms
//! then call the plain form it replaced, so ours jump to it through the global offset table,
//! where the loader has put the program's.
//!
//! A program that replaces any and links the static library, whose operators are one object
//! file with malloc, links with `-Wl,--allow-multiple-definition` behind its own objects.
//!
//! A plain new that fails calls the program's new-handler, or throws `std::bad_alloc`; both
//! may unwind, so the loop around them is assembly: no Rust frame is ever unwound.
use core::ffi::{CStr, c_char, c_int, c_void};
use core::ptr;

use source::Report;
use source::os::Os;
use source::os::imp::stay::library_of;

use crate::dlopen;
use crate::family::{allocate_aligned_for_new, allocate_for_new};
use crate::heap::{HEAP, MAX_LINEAR};

unsafe extern "C" {
    fn dlsym(library: *mut c_void, name: *const c_char) -> *mut c_void;
    fn dlclose(library: *mut c_void) -> c_int;
}

const RTLD_NEXT: *mut c_void = ptr::without_provenance_mut(usize::MAX);
const RTLD_LAZY_NOLOAD: c_int = 5;

/// As [`reached`] for a name that may be missing: 0 then. A mark "weak" holds in its own object
/// file alone, so it stands beside the reference.
macro_rules! linked {
    ($name:literal) => {{
        // SAFETY: no instruction.
        unsafe {
            core::arch::asm!(concat!(".weak ", $name), options(nomem, nostack, preserves_flags));
        }
        $crate::cplusplus::reached!($name)
    }};
}
pub(crate) use linked;

/// Marks what throws `std::bad_alloc` by hand as [`linked`] does, for the assembly that calls it.
macro_rules! weak_thrower {
    () => {
        ".weak __cxa_allocate_exception
        .weak __cxa_throw
        .weak _ZTVSt9bad_alloc
        .weak _ZTISt9bad_alloc
        .weak _ZNSt9bad_allocD1Ev"
    };
}

/// A function of the C++ run-time library: `linked` if the linker or loader found it, else
/// wherever the library has been loaded since. Null: it has not.
fn runtime(linked: usize, name: &CStr) -> *mut c_void {
    if linked != 0 {
        return ptr::with_exposed_provenance_mut(linked);
    }
    // SAFETY: looks a name up.
    let found = unsafe { dlsym(ptr::null_mut(), name.as_ptr()) };
    if !found.is_null() {
        return found;
    }
    for library in [c"libstdc++.so.6", c"libc++abi.so.1", c"libc++.so.1"] {
        // SAFETY: only finds a library that is loaded already.
        let library = unsafe { dlopen::own(library.as_ptr(), RTLD_LAZY_NOLOAD) };
        if !library.is_null() {
            // SAFETY: looks a name up.
            let found = unsafe { dlsym(library, name.as_ptr()) };
            if !found.is_null() {
                return found;
            }
        }
    }
    ptr::null_mut()
}

/// The program's new-handler; null when it has set none.
extern "C" fn new_handler() -> *mut c_void {
    let get = runtime(linked!("_ZSt15get_new_handlerv"), c"_ZSt15get_new_handlerv");
    if get.is_null() {
        return get;
    }
    // SAFETY: the address is `std::get_new_handler`'s, whose type this is.
    let get = unsafe { *(&raw const get).cast::<extern "C" fn() -> *mut c_void>() };
    get()
}

/// What throws `std::bad_alloc` by hand; null when a part of it is not linked.
fn thrower() -> *mut c_void {
    let parts = [
        linked!("__cxa_allocate_exception"),
        linked!("__cxa_throw"),
        linked!("_ZTVSt9bad_alloc"),
        linked!("_ZTISt9bad_alloc"),
        linked!("_ZNSt9bad_allocD1Ev"),
    ];
    if parts.contains(&0) {
        return ptr::null_mut();
    }
    (imp::throw_bad_alloc as extern "C" fn() as *mut ()).cast()
}

/// The operator new of the library that `caller` lies in, or of one that it depends on: a plugin's C++ library may be
/// linked into it, where nobody else finds what it throws. Null: it has none but ours.
fn own_new(caller: *const (), alignment: usize) -> *mut c_void {
    let nothing = ptr::null_mut();
    let Some((path, _)) = library_of(caller) else { return nothing };
    // SAFETY: only finds the library that called us, whose path is a C string.
    let handle = unsafe { dlopen::own(path, RTLD_LAZY_NOLOAD) };
    if handle.is_null() {
        return nothing;
    }
    let (name, ours) = if alignment > 16 {
        (c"_ZnwmSt11align_val_t", ours!("_ZnwmSt11align_val_t"))
    } else {
        (c"_Znwm", ours!("_Znwm"))
    };
    // SAFETY: looks a name up.
    let found = unsafe { dlsym(handle, name.as_ptr()) };
    // SAFETY: opened above; the caller's code keeps it loaded.
    unsafe { dlclose(handle) };
    if found.addr() == ours { nothing } else { found }
}

/// What is called after new has failed; in two registers on every processor we know.
#[derive(Debug)]
#[repr(C)]
struct Next {
    call: *mut c_void,
    /// It is an operator new, whose answer is ours.
    is_new: usize,
}

/// What to call when new has failed: the new-handler, else what throws `std::bad_alloc`.
extern "C" fn after_failure(size: usize, alignment: usize, caller: *const ()) -> Next {
    let handler = new_handler();
    if !handler.is_null() {
        return Next { call: handler, is_new: 0 };
    }
    let throw = runtime(linked!("_ZSt17__throw_bad_allocv"), c"_ZSt17__throw_bad_allocv");
    let throw = if throw.is_null() { thrower() } else { throw };
    if !throw.is_null() {
        return Next { call: throw, is_new: 0 };
    }
    let call = own_new(caller, alignment);
    if call.is_null() {
        Os::fatal(format_args!(
            "operator new: out of memory for {size} bytes, and no C++ library to throw"
        ));
    }
    Next { call, is_new: 1 }
}

/// What `operator new(size_t)` is.
extern "C" fn new_plain(size: usize) -> *mut u8 {
    if size > MAX_LINEAR {
        return new_medium(size);
    }
    let block = HEAP.malloc_linear(size);
    if block.is_null() { new_slow(size) } else { block }
}

/// Sizes whose class comes from a table: apart, so that smaller ones fall through.
#[inline(never)]
extern "C" fn new_medium(size: usize) -> *mut u8 {
    let block = HEAP.malloc_fast(size);
    if block.is_null() { new_slow(size) } else { block }
}

/// What `operator new(size_t, align_val_t)` is.
extern "C" fn new_aligned(size: usize, alignment: usize) -> *mut u8 {
    let block = allocate_aligned_for_new(size, alignment);
    if block.is_null() { new_aligned_slow(size, alignment) } else { block }
}

#[cfg(target_arch = "x86_64")]
mod x86_64;
#[cfg(target_arch = "x86_64")]
use x86_64 as imp;

#[cfg(target_arch = "aarch64")]
mod aarch64;
#[cfg(target_arch = "aarch64")]
use aarch64 as imp;

mod sized;
pub(crate) use sized::pass_sizes;

pub(crate) use imp::reached;
use imp::{jump, jump_sized, jump_to, new_aligned_slow, new_or_null, new_slow, ours};

/// A hidden name of an operator, by which it knows its own address.
macro_rules! hidden {
    ($name:ident) => {
        concat!(
            ".globl heapwright",
            stringify!($name),
            "
            .hidden heapwright",
            stringify!($name),
            "
            heapwright",
            stringify!($name),
            ":"
        )
    };
}

/// Operators that are one jump: to a function of this library, to what the program's calls of another operator reach, or through
/// a word of [`sized`].
macro_rules! operators {
    (@one $name:ident $doc:literal $code:tt) => {
        #[doc = $doc]
        /// The caller promises: as what it jumps to.
        #[unsafe(no_mangle)]
        #[unsafe(naked)]
        unsafe extern "C" fn $name() {
            core::arch::naked_asm! $code;
        }
    };
    ($($name:ident => fn $target:ident, $doc:literal;)*) => {
        $(operators! { @one $name $doc (hidden!($name), jump_to!(), target = sym $target) })*
    };
    ($($name:ident => $target:literal, $doc:literal;)*) => {
        $(operators! { @one $name $doc (hidden!($name), jump!($target)) })*
    };
    ($($name:ident => word $word:literal, $doc:literal;)*) => {
        $(operators! { @one $name $doc (jump_sized!($word)) })*
    };
}

operators! {
    _Znwm => fn new_plain, "`operator new(size_t)`.";
    _ZnwmSt11align_val_t => fn new_aligned, "`operator new(size_t, align_val_t)`.";
}

operators! {
    _Znam => "_Znwm", "`operator new[](size_t)`.";
    _ZnamSt11align_val_t => "_ZnwmSt11align_val_t", "`operator new[](size_t, align_val_t)`.";
    _ZdaPv => "_ZdlPv", "`operator delete[](void*)`.";
    _ZdlPvRKSt9nothrow_t => "_ZdlPv", "`operator delete(void*, nothrow_t)`.";
    _ZdaPvRKSt9nothrow_t => "_ZdaPv", "`operator delete[](void*, nothrow_t)`.";
    _ZdaPvSt11align_val_t => "_ZdlPvSt11align_val_t", "`operator delete[](void*, align_val_t)`.";
    _ZdlPvSt11align_val_tRKSt9nothrow_t => "_ZdlPvSt11align_val_t",
        "`operator delete(void*, align_val_t, nothrow_t)`.";
    _ZdaPvSt11align_val_tRKSt9nothrow_t => "_ZdaPvSt11align_val_t",
        "`operator delete[](void*, align_val_t, nothrow_t)`.";
}

operators! {
    _ZdlPvm => word "0", "`operator delete(void*, size_t)`.";
    _ZdaPvm => word "1", "`operator delete[](void*, size_t)`.";
    _ZdlPvmSt11align_val_t => word "2", "`operator delete(void*, size_t, align_val_t)`.";
    _ZdaPvmSt11align_val_t => word "3", "`operator delete[](void*, size_t, align_val_t)`.";
}

/// `operator delete(void*)`. What else is there says something only with the mark (see `sized`).
/// The caller promises: `ptr` is null or a live block, and dead afterwards.
#[unsafe(no_mangle)]
unsafe extern "C" fn _ZdlPv(ptr: *mut u8, size: usize, alignment: usize, mark: usize) {
    // SAFETY: the caller's promise.
    if !unsafe { HEAP.free_fast(ptr) } {
        // SAFETY: the caller's promise.
        unsafe { sized::delete_slow(ptr, size, alignment, mark) }
    }
}

/// `operator delete(void*, align_val_t)`. What else is there says something only with the mark.
/// The caller promises: `ptr` is null or a live block, and dead afterwards.
#[unsafe(no_mangle)]
unsafe extern "C" fn _ZdlPvSt11align_val_t(
    ptr: *mut u8,
    alignment: usize,
    size: usize,
    mark: usize,
) {
    // SAFETY: the caller's promise.
    if !unsafe { HEAP.free_fast(ptr) } {
        // SAFETY: the caller's promise.
        unsafe { sized::delete_slow(ptr, size, alignment, mark) }
    }
}

/// The C++ library's own form of an operator, which catches what the program's operators and
/// new-handler throw. Null: there is no such library.
fn nothrow_behind_us<F: Copy>(name: &CStr) -> Option<F> {
    const { assert!(size_of::<F>() == size_of::<*mut c_void>(), "a function's address") };
    // SAFETY: looks a name up behind this library.
    let next = unsafe { dlsym(RTLD_NEXT, name.as_ptr()) };
    // SAFETY: the caller names an operator of the type F.
    (!next.is_null()).then(|| unsafe { *(&raw const next).cast::<F>() })
}

type Nothrow = extern "C" fn(usize, *const c_void) -> *mut u8;
type NothrowAligned = extern "C" fn(usize, usize, *const c_void) -> *mut u8;

/// `operator new(size_t, nothrow_t)`: null instead of an exception.
#[unsafe(no_mangle)]
extern "C" fn _ZnwmRKSt9nothrow_t(size: usize, tag: *const c_void) -> *mut u8 {
    if reached!("_Znwm") == ours!("_Znwm") {
        let block = allocate_for_new(size);
        if !block.is_null() || new_handler().is_null() {
            return block;
        }
    }
    match nothrow_behind_us::<Nothrow>(c"_ZnwmRKSt9nothrow_t") {
        Some(next) => next(size, tag),
        None => new_or_null(size, 16),
    }
}

/// `operator new[](size_t, nothrow_t)`: null instead of an exception.
#[unsafe(no_mangle)]
extern "C" fn _ZnamRKSt9nothrow_t(size: usize, tag: *const c_void) -> *mut u8 {
    if reached!("_Znam") == ours!("_Znam") {
        return _ZnwmRKSt9nothrow_t(size, tag);
    }
    match nothrow_behind_us::<Nothrow>(c"_ZnamRKSt9nothrow_t") {
        Some(next) => next(size, tag),
        None => new_or_null(size, 16),
    }
}

/// `operator new(size_t, align_val_t, nothrow_t)`: null instead of an exception.
#[unsafe(no_mangle)]
extern "C" fn _ZnwmSt11align_val_tRKSt9nothrow_t(
    size: usize,
    alignment: usize,
    tag: *const c_void,
) -> *mut u8 {
    if reached!("_ZnwmSt11align_val_t") == ours!("_ZnwmSt11align_val_t") {
        let block = allocate_aligned_for_new(size, alignment);
        if !block.is_null() || new_handler().is_null() {
            return block;
        }
    }
    match nothrow_behind_us::<NothrowAligned>(c"_ZnwmSt11align_val_tRKSt9nothrow_t") {
        Some(next) => next(size, alignment, tag),
        None => new_or_null(size, alignment),
    }
}

/// `operator new[](size_t, align_val_t, nothrow_t)`: null instead of an exception.
#[unsafe(no_mangle)]
extern "C" fn _ZnamSt11align_val_tRKSt9nothrow_t(
    size: usize,
    alignment: usize,
    tag: *const c_void,
) -> *mut u8 {
    if reached!("_ZnamSt11align_val_t") == ours!("_ZnamSt11align_val_t") {
        return _ZnwmSt11align_val_tRKSt9nothrow_t(size, alignment, tag);
    }
    match nothrow_behind_us::<NothrowAligned>(c"_ZnamSt11align_val_tRKSt9nothrow_t") {
        Some(next) => next(size, alignment, tag),
        None => new_or_null(size, alignment),
    }
}
