//! The functions behind ours: what the program would have called without the recorder.

use core::ffi::{CStr, c_char, c_int, c_long, c_void};
use core::mem::MaybeUninit;
use core::ptr;
use core::sync::atomic::Ordering;

use crate::names::{self, List, NAMES, Slot, Table};

/// Filled by [`find`]; before that and for a name that no library has, functions that stand in.
pub(crate) static NEXT: Table = STAND_IN;

/// What is called where nothing is recorded: the same, but that blocks of the [`arena`](crate::arena) are kept from it.
pub(crate) static PASS: Table = STAND_IN;

/// The functions behind ours.
#[inline(always)]
pub(crate) fn next() -> &'static Table {
    &NEXT
}

/// Asks the loader for every name.
pub(crate) fn find() {
    for (name, word) in NAMES.iter().zip(names::words(&NEXT)) {
        if let Some(function) = behind(name) {
            word.store(function, Ordering::Relaxed);
        }
    }
    for (pass, word) in names::words(&PASS).iter().zip(names::words(&NEXT)) {
        pass.store(word.load(Ordering::Relaxed), Ordering::Relaxed);
    }
    crate::operators::look_for_missing();
    if crate::arena::is_used() {
        crate::record::keep_arena_apart(&PASS);
    }
}

/// A name was found late.
pub(crate) fn found(at: usize, function: *mut ()) {
    names::words(&NEXT)[at].store(function, Ordering::Relaxed);
    names::words(&PASS)[at].store(function, Ordering::Relaxed);
}

/// The function of this name in the libraries behind this one.
pub(crate) fn behind(name: &CStr) -> Option<*mut ()> {
    // SAFETY: looks a name up.
    let found = unsafe { libc::dlsym(libc::RTLD_NEXT, name.as_ptr()) };
    (!found.is_null()).then_some(found.cast())
}

/// What stands in for the name at this place of a table.
pub(crate) fn stand_in_for(at: usize) -> *mut () {
    static STANDS_IN: Table = STAND_IN;
    names::words(&STANDS_IN)[at].load(Ordering::Relaxed)
}

/// Which file the code at an address is from, and where that begins.
pub(crate) fn object_of(address: *const ()) -> Option<(&'static CStr, usize)> {
    let mut about = MaybeUninit::<libc::Dl_info>::uninit();
    // SAFETY: writes `about` where it finds something.
    if unsafe { libc::dladdr(address.cast(), about.as_mut_ptr()) } == 0 {
        return None;
    }
    // SAFETY: it has found something.
    let about = unsafe { about.assume_init() };
    // SAFETY: the name of a library that is loaded, or null.
    let name = (!about.dli_fname.is_null()).then(|| unsafe { CStr::from_ptr(about.dli_fname) })?;
    Some((name, about.dli_fbase.addr()))
}

/// Whether two functions are of one file.
pub(crate) fn are_together(one: *const (), other: *const ()) -> bool {
    match (object_of(one), object_of(other)) {
        (Some((_, one)), Some((_, other))) => one == other,
        _ => false,
    }
}

/// Where the file that is loaded from this address on ends.
pub(crate) fn end_of(start: usize) -> usize {
    let mut asked = [start, 0];
    // SAFETY: the function below takes what it is passed here.
    unsafe { libc::dl_iterate_phdr(Some(look_for_end), (&raw mut asked).cast()) };
    asked[1]
}

unsafe extern "C" fn look_for_end(
    about: *mut libc::dl_phdr_info,
    _: usize,
    asked: *mut c_void,
) -> c_int {
    // SAFETY: what `end_of` passed.
    let asked = unsafe { &mut *asked.cast::<[usize; 2]>() };
    // SAFETY: the loader's.
    let about = unsafe { &*about };
    // SAFETY: as many as it says.
    let parts = unsafe { core::slice::from_raw_parts(about.dlpi_phdr, about.dlpi_phnum.into()) };
    let loaded = parts.iter().filter(|part| part.p_type == libc::PT_LOAD);
    let base = about.dlpi_addr as usize;
    if loaded.clone().any(|part| (base + part.p_vaddr as usize) & !0xFFF == asked[0]) {
        asked[1] =
            loaded.map(|part| base + (part.p_vaddr + part.p_memsz) as usize).max().unwrap_or(0);
        return 1;
    }
    0
}

macro_rules! stand_in {
    ($($name:ident: $type:ty;)*) => {
        #[expect(clippy::declare_interior_mutable_const, reason = "what a table begins with")]
        const STAND_IN: Table = Table { $($name: Slot::of(stand_in::$name as *const ()),)* };
    };
}
names::each_name!(stand_in);

/// What a C library without a function leaves to us, and what the recorder begins with: see `arena`.
#[allow(non_snake_case, reason = "the names of C++")]
pub(crate) mod stand_in {
    use super::*;
    pub(super) use crate::operators::stand_in::*;
    use crate::{arena, errno};

    pub(super) unsafe extern "C" fn malloc(size: usize) -> *mut u8 {
        arena::allocate(size, 16)
    }

    pub(super) unsafe extern "C" fn free(_: *mut u8) {}

    pub(super) unsafe extern "C" fn calloc(count: usize, size: usize) -> *mut u8 {
        arena::allocate(count.saturating_mul(size), 16)
    }

    pub(super) unsafe extern "C" fn realloc(block: *mut u8, size: usize) -> *mut u8 {
        arena::grow(block, size, arena::allocate(size, 16))
    }

    pub(super) unsafe extern "C" fn reallocarray(
        block: *mut u8,
        count: usize,
        size: usize,
    ) -> *mut u8 {
        // SAFETY: the caller's promise.
        unsafe { next().realloc.get()(block, count.saturating_mul(size)) }
    }

    pub(super) unsafe extern "C" fn memalign(align: usize, size: usize) -> *mut u8 {
        arena::allocate(size, align)
    }

    pub(super) unsafe extern "C" fn aligned_alloc(align: usize, size: usize) -> *mut u8 {
        // SAFETY: the caller's promise.
        unsafe { next().memalign.get()(align, size) }
    }

    pub(super) unsafe extern "C" fn posix_memalign(
        out: *mut *mut u8,
        align: usize,
        size: usize,
    ) -> c_int {
        // SAFETY: the caller's promise.
        let block = unsafe { next().memalign.get()(align, size) };
        if block.is_null() {
            return libc::ENOMEM;
        }
        // SAFETY: the caller's promise.
        unsafe { out.write(block) };
        0
    }

    pub(super) unsafe extern "C" fn valloc(size: usize) -> *mut u8 {
        // SAFETY: the caller's promise.
        unsafe { next().memalign.get()(crate::system::page_size(), size) }
    }

    pub(super) unsafe extern "C" fn pvalloc(size: usize) -> *mut u8 {
        let size = size.next_multiple_of(crate::system::page_size());
        // SAFETY: the caller's promise.
        unsafe { next().valloc.get()(size) }
    }

    pub(super) unsafe extern "C" fn malloc_usable_size(_: *mut u8) -> usize {
        0
    }

    pub(super) unsafe extern "C" fn cfree(block: *mut u8) {
        // SAFETY: the caller's promise.
        unsafe { next().free.get()(block) }
    }

    pub(super) unsafe extern "C" fn free_sized(block: *mut u8, _: usize) {
        // SAFETY: the caller's promise.
        unsafe { next().free.get()(block) }
    }

    pub(super) unsafe extern "C" fn free_aligned_sized(block: *mut u8, _: usize, _: usize) {
        // SAFETY: the caller's promise.
        unsafe { next().free.get()(block) }
    }

    pub(crate) unsafe extern "C" fn mmap(
        at: *mut c_void,
        len: usize,
        protection: c_int,
        flags: c_int,
        file: c_int,
        offset: c_long,
    ) -> *mut c_void {
        // SAFETY: the caller's promise.
        let at = unsafe { libc::syscall(libc::SYS_mmap, at, len, protection, flags, file, offset) };
        ptr::with_exposed_provenance_mut(at.cast_unsigned() as usize)
    }

    pub(super) use mmap as mmap64;

    pub(crate) unsafe extern "C" fn munmap(at: *mut c_void, len: usize) -> c_int {
        // SAFETY: the caller's promise.
        unsafe { libc::syscall(libc::SYS_munmap, at, len) as c_int }
    }

    fn missing() -> c_int {
        errno::set(libc::ENOSYS);
        -1
    }

    pub(super) unsafe extern "C" fn fork() -> c_int {
        missing()
    }

    pub(super) unsafe extern "C" fn dlclose(_: *mut c_void) -> c_int {
        missing()
    }

    pub(super) unsafe extern "C" fn execve(path: *const c_char, args: List, env: List) -> c_int {
        // SAFETY: the caller's promise.
        unsafe { libc::syscall(libc::SYS_execve, path, args, env) as c_int }
    }

    pub(super) unsafe extern "C" fn execv(_: *const c_char, _: List) -> c_int {
        missing()
    }

    pub(super) unsafe extern "C" fn execvp(_: *const c_char, _: List) -> c_int {
        missing()
    }

    pub(super) unsafe extern "C" fn execvpe(_: *const c_char, _: List, _: List) -> c_int {
        missing()
    }

    /// Nobody else has it: without a recording a mark is nothing.
    pub(super) unsafe extern "C" fn heapwright_mark(_: *const c_char) {}
}
