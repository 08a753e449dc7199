//! A block allocator behind one lock: all of each function is its fast half.
use core::fmt;
use core::ptr;

use base::Malloc;
use compose::growing::Trim;
use malloc::single_lock as made;
use source::Report;
use source::os::Os;
use source::os::imp::process::process_id;

use super::Info;

/// The heap by its name, for messages and when it begins.
macro_rules! choose {
    ($({
        name: $name:literal, id: $id:ident, about: $about:literal, type: $type:ty, malloc: $malloc:ident
        })*) => {$(
        #[cfg(heap = $name)]
        pub(crate) static HEAP: Whole<made::$id::Malloc> = Whole(made::$id::new());
        #[cfg(heap = $name)]
        const NAME: &str = $name;
    )*};
}

registry::mallocs!(choose);

/// Every size there is: no size takes another path.
pub(crate) const MAX_LINEAR: usize = isize::MAX.cast_unsigned();

/// A malloc without a fast half, under the names that one with two has.
#[derive(Debug)]
pub(crate) struct Whole<M>(M);

impl<M: Malloc> Whole<M> {
    #[inline]
    pub(crate) fn malloc(&self, size: usize) -> *mut u8 {
        self.0.malloc(size)
    }

    #[inline]
    pub(crate) fn malloc_linear(&self, size: usize) -> *mut u8 {
        self.0.malloc(size)
    }

    #[inline]
    pub(crate) fn malloc_fast(&self, size: usize) -> *mut u8 {
        self.0.malloc(size)
    }

    /// The fast half refused, which is final.
    #[inline]
    pub(crate) fn malloc_slow(&self, _size: usize) -> *mut u8 {
        ptr::null_mut()
    }

    #[inline]
    pub(crate) fn calloc(&self, count: usize, size: usize) -> *mut u8 {
        self.0.calloc(count, size)
    }

    #[inline]
    pub(crate) fn aligned_alloc(&self, alignment: usize, size: usize) -> *mut u8 {
        self.0.aligned_alloc(alignment, size)
    }

    /// # Safety
    ///
    /// As [`Malloc::realloc`].
    #[inline]
    pub(crate) unsafe fn resize(&self, ptr: *mut u8, size: usize, _caller: &str) -> *mut u8 {
        // SAFETY: the caller's promise.
        unsafe { self.0.realloc(ptr, size) }
    }

    /// # Safety
    ///
    /// As [`Malloc::free`].
    #[inline]
    pub(crate) unsafe fn free_fast(&self, ptr: *mut u8) -> bool {
        // SAFETY: the caller's promise.
        unsafe { self.0.free(ptr) };
        true
    }

    /// # Safety
    ///
    /// As [`Malloc::free`]; the fast half leaves nothing to do.
    #[inline]
    pub(crate) unsafe fn free_slow(&self, _ptr: *mut u8, _caller: &str) {}

    /// # Safety
    ///
    /// As [`Malloc::free_sized`].
    #[inline]
    pub(crate) unsafe fn free_sized_linear(&self, ptr: *mut u8, _size: usize) -> bool {
        // SAFETY: the caller's promise.
        unsafe { self.free_fast(ptr) }
    }

    /// # Safety
    ///
    /// As [`Malloc::free_sized`].
    #[inline]
    pub(crate) unsafe fn free_sized_fast(&self, ptr: *mut u8, _size: usize) -> bool {
        // SAFETY: the caller's promise.
        unsafe { self.free_fast(ptr) }
    }

    /// # Safety
    ///
    /// As [`Malloc::free_sized`]; the fast half leaves nothing to do.
    #[inline]
    pub(crate) unsafe fn free_sized_slow(&self, _: *mut u8, _: usize, _: usize, _caller: &str) {}

    /// # Safety
    ///
    /// As [`Malloc::usable_size`].
    #[inline]
    pub(crate) unsafe fn usable_size(&self, ptr: *mut u8) -> usize {
        // SAFETY: the caller's promise.
        unsafe { self.0.usable_size(ptr) }
    }

    /// There is no safe mode: every free is checked.
    #[expect(clippy::unused_self, reason = "as the flagship's")]
    pub(crate) fn is_safe(&self) -> bool {
        false
    }

    /// Gives back what is empty; the bytes.
    pub(crate) fn purge(&self) -> usize {
        HEAP.0.heap().with(Trim::trim)
    }

    /// One line of figures to standard error.
    pub(crate) fn print_stats(&self, _fd: usize) {
        let stats = HEAP.0.stats();
        Os::print(format_args!(
            "heapwright-{NAME}[{}]: {} bytes in use, {} at most, {} mapped, {} in the largest free block, {} requests refused\n",
            process_id(),
            stats.used,
            stats.peak,
            stats.total,
            stats.largest_free,
            stats.failures
        ));
    }
}

/// No size classes.
#[derive(Debug)]
pub(crate) struct Sizes;

impl Sizes {
    #[expect(clippy::unused_self, reason = "as the flagship's")]
    pub(super) fn write(&self, _out: &mut impl fmt::Write) -> fmt::Result {
        Ok(())
    }
}

pub(crate) fn info() -> Info {
    let stats = HEAP.0.stats();
    Info {
        committed: stats.total,
        live: stats.used,
        cached: 0,
        dirty: stats.total - stats.used,
        huge: (0, 0),
        sizes: Sizes,
    }
}

/// What happens when the process begins, forks and ends.
pub(crate) mod global {
    use core::ffi::c_char;

    use base::Check;
    use base::sync::{AtomicBool, Ordering};
    use malloc::heapwright::options::{Mistake, Options, variable};
    use source::Report;
    use source::os::Os;
    use source::os::imp::fork;

    use super::{HEAP, NAME};

    static STATS_AT_EXIT: AtomicBool = AtomicBool::new(false);
    static CHECK_AT_EXIT: AtomicBool = AtomicBool::new(false);

    /// Once, before `main`.
    pub(crate) fn begun() {
        // Refused only when out of memory; then a fork is as unsafe as it is without us.
        fork::on_fork::<Forking>();
    }

    /// One lock: held around a fork.
    struct Forking;

    impl fork::Around for Forking {
        fn before(timeout_ms: u32, last: bool) -> bool {
            HEAP.0.before_fork(timeout_ms) || last
        }

        fn in_parent() {
            HEAP.0.after_fork();
        }

        fn in_child() {
            HEAP.0.after_fork();
        }
    }

    /// Applies the variable `HEAPWRIGHT`: `stats` and `check`.
    ///
    /// # Safety
    ///
    /// `environment` is null or a null-terminated array of C strings.
    pub(crate) unsafe fn configure(environment: *const *const c_char) {
        // SAFETY: the caller's promise.
        let Some(text) = (unsafe { variable(environment) }) else { return };
        let options = Options::parse(text, |mistake| match mistake {
            Mistake::Key(key) => unknown(key),
            Mistake::Value(key, value) => Os::print(format_args!(
                "heapwright: HEAPWRIGHT: {value:?} is no value of {key:?}; it keeps its default\n"
            )),
        });
        STATS_AT_EXIT.store(options.stats == Some(true), Ordering::Relaxed);
        CHECK_AT_EXIT.store(options.check == Some(true), Ordering::Relaxed);
        for (is_set, key) in [
            (options.safe.is_some(), "safe"),
            (options.huge_from.is_some(), "hugepages"),
            (options.keep.is_some(), "keep"),
        ] {
            if is_set {
                unknown(key);
            }
        }
    }

    fn unknown(key: &str) {
        Os::print(format_args!(
            "heapwright: HEAPWRIGHT has no key {key:?} for {NAME}; there are stats, check, deepbind\n"
        ));
    }

    /// What the options asked for.
    pub(crate) fn at_exit() {
        if STATS_AT_EXIT.load(Ordering::Relaxed) {
            HEAP.print_stats(2);
        }
        if CHECK_AT_EXIT.load(Ordering::Relaxed)
            && let Err(broken) = HEAP.0.check()
        {
            Os::fatal(format_args!("check at exit: {broken}"));
        }
    }
}
