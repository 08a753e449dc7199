//! A malloc of the registry.
use core::fmt::{self, Write as _};

use malloc::{DropIn, Figures};
use source::os::imp::console::Console;
use source::os::imp::process::process_id;

use super::Info;

/// The heap by its name, for messages and when it begins.
macro_rules! choose {
    ($({
        name: $name:literal, id: $id:ident, about: $about:literal,
        module: [$($module:tt)*], settings: [$($setting:literal)*], abilities: $abilities:tt,
    })*) => {$(
        #[cfg(heap = $name)]
        pub(crate) static HEAP: Whole<$($module)*::Malloc> = Whole($($module)*::new());
        #[cfg(heap = $name)]
        const NAME: &str = $name;
        #[cfg(heap = $name)]
        const SETTINGS: &[&str] = &[$($setting),*];
    )*};
}

registry::mallocs!(choose);

/// Every size there is: no size takes another path.
pub(crate) const MAX_LINEAR: usize = isize::MAX.cast_unsigned();

/// A malloc, under the names that the flagship has for its parts.
#[derive(Debug)]
pub(crate) struct Whole<M>(M);

impl<M: DropIn> Whole<M> {
    #[inline]
    pub(crate) fn malloc(&self, size: usize) -> *mut u8 {
        self.0.malloc(size)
    }

    #[inline]
    pub(crate) fn malloc_linear(&self, size: usize) -> *mut u8 {
        self.0.malloc_fast(size)
    }

    #[inline]
    pub(crate) fn malloc_fast(&self, size: usize) -> *mut u8 {
        self.0.malloc_fast(size)
    }

    #[inline]
    pub(crate) fn malloc_slow(&self, size: usize) -> *mut u8 {
        self.0.malloc_slow(size)
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
        unsafe { self.0.free_fast(ptr) }
    }

    /// # Safety
    ///
    /// As [`Malloc::free`], which the fast half refused.
    #[inline]
    pub(crate) unsafe fn free_slow(&self, ptr: *mut u8, _caller: &str) {
        // SAFETY: the caller's promise.
        unsafe { self.0.free_slow(ptr) };
    }

    /// Addresses are looked up anyway.
    #[expect(clippy::unused_self, reason = "as the flagship's")]
    pub(crate) fn had_own_heaps(&self) -> bool {
        false
    }

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
    /// As [`Malloc::free_sized`], which the fast half refused.
    #[inline]
    pub(crate) unsafe fn free_sized_slow(&self, ptr: *mut u8, _: usize, _: usize, _caller: &str) {
        // SAFETY: the caller's promise.
        unsafe { self.0.free_slow(ptr) };
    }

    /// # Safety
    ///
    /// As [`Malloc::usable_size`].
    #[inline]
    pub(crate) unsafe fn usable_size(&self, ptr: *mut u8) -> usize {
        // SAFETY: the caller's promise.
        unsafe { self.0.usable_size(ptr) }
    }

    /// There is no safe mode.
    #[expect(clippy::unused_self, reason = "as the flagship's")]
    pub(crate) fn is_safe(&self) -> bool {
        false
    }

    pub(crate) fn before_confinement(&self) {
        self.0.before_confinement();
    }

    /// Gives back what is empty; the bytes.
    pub(crate) fn purge(&self) -> usize {
        self.0.trim()
    }

    /// One line of figures to a file descriptor.
    pub(crate) fn print_stats(&self, fd: usize) {
        // A console never fails to take text, and there is nobody to report to.
        let _ =
            writeln!(Console::new(fd), "heapwright-{NAME}[{}]: {}", process_id(), Line(&self.0));
    }
}

impl<M: DropIn> Whole<M> {
    /// The fields of the file of `stats=/PATH`.
    fn record(&self, out: &mut Console) -> fmt::Result {
        let Figures { committed, live, .. } = self.0.figures();
        write!(
            out,
            ",\"obtained\":{committed},\"live\":{live},\"held\":{committed},\"line\":\"{}\"",
            Line(&self.0)
        )
    }
}

/// What the malloc says of itself, to be printed.
struct Line<'a, M>(&'a M);

impl<M: DropIn> fmt::Display for Line<'_, M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.write_stats(f)
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
    let Figures { committed, live, cached, huge } = HEAP.0.figures();
    let dirty = committed.saturating_sub(live + cached);
    Info { held: committed, live, cached, dirty, huge, sizes: Sizes }
}

/// What happens when the process begins, forks and ends.
pub(crate) mod global {
    use core::ffi::c_char;
    use core::fmt;

    use base::Check;
    use base::sync::{AtomicBool, Ordering};
    use malloc::heapwright::options::{Mistake, Mistakes, items, switch, variable};
    use malloc::{DropIn, record};
    use source::Report;
    use source::os::Os;
    use source::os::imp::{fork, stderr};

    use super::{HEAP, NAME, SETTINGS};

    static STATS_AT_EXIT: AtomicBool = AtomicBool::new(false);
    static CHECK_AT_EXIT: AtomicBool = AtomicBool::new(false);

    /// Once, before `main`.
    pub(crate) fn begun() {
        stderr::begin();
        HEAP.0.begin();
        // Refused only when out of memory; then a fork is as unsafe as it is without us.
        fork::on_fork::<Forking>();
    }

    struct Forking;

    impl fork::Around for Forking {
        fn before(timeout_ms: u32, last: bool) -> bool {
            HEAP.0.before_fork(timeout_ms, last)
        }

        fn before_alone() {
            HEAP.0.make_way_for_fork();
        }

        fn in_parent() {
            HEAP.0.after_fork(false);
        }

        fn in_child() {
            HEAP.0.after_fork(true);
        }
    }

    /// Applies the variable `HEAPWRIGHT`: `stats`, `check`, and what the malloc's row has. `deepbind` is `dlopen`'s.
    ///
    /// # Safety
    ///
    /// `environment` is null or a null-terminated array of C strings.
    pub(crate) unsafe fn configure(environment: *const *const c_char) {
        // SAFETY: the caller's promise.
        let Some(text) = (unsafe { variable(environment) }) else { return };
        let mut mistakes = Mistakes::default();
        for (key, value) in items(text) {
            let known = match key {
                "stats" if value.starts_with('/') => {
                    record::name(value);
                    Some(())
                }
                "stats" => switch(value).map(|on| {
                    STATS_AT_EXIT.store(on, Ordering::Relaxed);
                    if on {
                        stderr::keep();
                    }
                }),
                "check" => switch(value).map(|on| CHECK_AT_EXIT.store(on, Ordering::Relaxed)),
                "deepbind" => switch(value).map(|_| ()),
                _ if SETTINGS.contains(&key) => HEAP.0.set(key, value).then_some(()),
                _ => {
                    mistakes.note(Mistake::Key(key));
                    continue;
                }
            };
            if known.is_none() {
                mistakes.note(Mistake::Value(key, value));
            }
        }
        mistakes.print::<Os>(ThereAre);
    }

    /// The keys there are, as a line that goes on: everybody's, then the malloc's own.
    struct ThereAre;

    impl fmt::Display for ThereAre {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            write!(f, " for {NAME}; there are stats, check, deepbind")?;
            SETTINGS.iter().try_for_each(|key| write!(f, ", {key}"))
        }
    }

    /// Sizes say nothing here.
    #[inline]
    pub(crate) fn is_freed_by_size(_size: usize) -> bool {
        true
    }

    /// What the options asked for.
    pub(crate) fn at_exit() {
        record::write(NAME, true, |out| HEAP.record(out));
        if STATS_AT_EXIT.load(Ordering::Relaxed) {
            HEAP.print_stats(stderr::descriptor());
        }
        if CHECK_AT_EXIT.load(Ordering::Relaxed)
            && let Err(broken) = HEAP.0.check()
        {
            Os::fatal(format_args!("check at exit: {broken}"));
        }
    }
}
