//! A malloc of the registry.
use core::fmt::{self, Write as _};
use core::ptr;

use base::live::Table;
use base::lock::Park as _;
use malloc::heapwright::Block;
use malloc::interrupted::{NO_STATS, Spare, end_for_no_block};
use malloc::{DropIn, Figures};
use source::os::Os;
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
        pub(crate) static HEAP: Whole<$($module)*::Malloc> =
            Whole { malloc: $($module)*::new(), spare: Spare::new() };
        #[cfg(heap = $name)]
        const NAME: &str = $name;
        #[cfg(heap = $name)]
        const SETTINGS: &[&str] = &[$($setting),*];
    )*};
}

registry::mallocs!(choose);

/// What is shown to who reads the process from outside: the design's name.
static TABLE: Table = Table::new(NAME);

/// Up to this size every design finds its class by the shortest way.
pub(crate) const MAX_LINEAR: usize = 1024;

/// A malloc, under the names that the flagship has for its parts.
///
/// - **whole-W1** a thread that is busy ([`Os::is_busy`]) calls nothing of the malloc's that takes a lock or changes a structure: it is
///   in a signal handler that interrupted the malloc, gets spare blocks, and what it frees stays taken.
#[derive(Debug)]
pub(crate) struct Whole<M> {
    malloc: M,
    /// For signal handlers that interrupted it.
    spare: Spare,
}

impl<M: DropIn> Whole<M> {
    #[inline]
    pub(crate) fn malloc(&self, size: usize) -> *mut u8 {
        let block = self.malloc_fast(size);
        if block.is_null() { self.malloc_slow(size) } else { block }
    }

    #[inline]
    pub(crate) fn malloc_linear(&self, size: usize) -> *mut u8 {
        self.malloc_fast(size)
    }

    #[inline]
    pub(crate) fn malloc_fast(&self, size: usize) -> *mut u8 {
        if M::IS_LOCKED && Os::is_busy() {
            return ptr::null_mut();
        }
        self.malloc.malloc_fast(size)
    }

    #[inline]
    pub(crate) fn malloc_slow(&self, size: usize) -> *mut u8 {
        if Os::is_busy() { self.spare_block(size, 1) } else { self.malloc.malloc_slow(size) }
    }

    #[inline]
    pub(crate) fn calloc(&self, count: usize, size: usize) -> *mut u8 {
        if Os::is_busy() { self.spare_zeroes(count, size) } else { self.malloc.calloc(count, size) }
    }

    #[inline]
    pub(crate) fn aligned_alloc(&self, alignment: usize, size: usize) -> *mut u8 {
        if Os::is_busy() {
            return self.spare_block(size, alignment);
        }
        self.malloc.aligned_alloc(alignment, size)
    }

    /// The block stays taken. What is surely none ends the process.
    #[cold]
    fn free_later(&self, address: usize, caller: &str) {
        if address != 0 && self.malloc.size_in_handler(address) == Some(None) {
            end_for_no_block::<Os>(caller, address);
        }
    }

    #[cold]
    fn spare_block(&self, size: usize, alignment: usize) -> *mut u8 {
        ptr::with_exposed_provenance_mut(self.spare.allocate(&Os, size, alignment).unwrap_or(0))
    }

    #[cold]
    fn spare_zeroes(&self, count: usize, size: usize) -> *mut u8 {
        let Some(size) = count.checked_mul(size) else { return ptr::null_mut() };
        let block = self.spare_block(size, 1);
        if !block.is_null() {
            // SAFETY: just allocated, at least `size` bytes.
            unsafe { block.write_bytes(0, size) };
        }
        block
    }

    /// The caller promises: as [`Malloc::realloc`].
    #[inline]
    pub(crate) unsafe fn resize(&self, ptr: *mut u8, size: usize, _caller: &str) -> *mut u8 {
        if Os::is_busy() || self.spare.has(ptr.addr()) {
            // SAFETY: the caller's promise.
            return unsafe { self.resize_by_copy(ptr, size) };
        }
        // SAFETY: the caller's promise.
        unsafe { self.malloc.realloc(ptr, size) }
    }

    /// The same block if it is large enough, else a copy; null if nobody knows how large it is.
    /// The caller promises: as [`Malloc::realloc`].
    #[cold]
    unsafe fn resize_by_copy(&self, ptr: *mut u8, size: usize) -> *mut u8 {
        if ptr.is_null() {
            return self.malloc(size);
        }
        // SAFETY: the caller's promise.
        let held = unsafe { self.usable_size(ptr) };
        if held == 0 || size <= held {
            return if held == 0 { ptr::null_mut() } else { ptr };
        }
        let new = self.malloc(size);
        if !new.is_null() {
            // SAFETY: both are live, of at least `held` bytes, and apart.
            unsafe { new.copy_from_nonoverlapping(ptr, held) };
            // SAFETY: the caller gives it up.
            unsafe { self.free_slow(ptr, "realloc()") };
        }
        new
    }

    /// The caller promises: as [`Malloc::free`].
    #[inline(always)]
    pub(crate) unsafe fn free_fast(&self, ptr: *mut u8) -> bool {
        if M::IS_LOCKED && (Os::is_busy() || self.spare.has(ptr.addr())) {
            return false;
        }
        // SAFETY: the caller's promise.
        unsafe { self.malloc.free_fast(ptr) }
    }

    /// The caller promises: as [`Malloc::free`], which the fast half refused.
    #[cold]
    #[inline(never)]
    pub(crate) unsafe fn free_slow(&self, ptr: *mut u8, caller: &str) {
        if self.spare.free(ptr.addr()) {
            return;
        }
        if Os::is_busy() {
            return self.free_later(ptr.addr(), caller);
        }
        // SAFETY: the caller's promise.
        unsafe { self.malloc.free_slow(ptr) };
    }

    /// Addresses are looked up anyway.
    #[expect(clippy::unused_self, reason = "as the flagship's")]
    pub(crate) fn had_own_heaps(&self) -> bool {
        false
    }

    /// The caller promises: as [`Malloc::free_sized`].
    #[inline]
    pub(crate) unsafe fn free_sized_linear(&self, ptr: *mut u8, _size: usize) -> bool {
        // SAFETY: the caller's promise.
        unsafe { self.free_fast(ptr) }
    }

    /// The caller promises: as [`Malloc::free_sized`].
    #[inline]
    pub(crate) unsafe fn free_sized_fast(&self, ptr: *mut u8, _size: usize) -> bool {
        // SAFETY: the caller's promise.
        unsafe { self.free_fast(ptr) }
    }

    /// The caller promises: as [`Malloc::free_sized`], which the fast half refused.
    #[inline]
    pub(crate) unsafe fn free_sized_slow(&self, ptr: *mut u8, _: usize, _: usize, caller: &str) {
        // SAFETY: the caller's promise.
        unsafe { self.free_slow(ptr, caller) };
    }

    /// The caller promises: as [`Malloc::usable_size`].
    #[inline]
    pub(crate) unsafe fn usable_size(&self, ptr: *mut u8) -> usize {
        if let Some(len) = self.spare.len_of(ptr.addr()) {
            return len;
        }
        if Os::is_busy() {
            return self.malloc.size_in_handler(ptr.addr()).flatten().unwrap_or(0);
        }
        // SAFETY: the caller's promise.
        unsafe { self.malloc.usable_size(ptr) }
    }

    /// There is no safe mode.
    #[expect(clippy::unused_self, reason = "as the flagship's")]
    pub(crate) fn is_safe(&self) -> bool {
        false
    }

    pub(crate) fn before_confinement(&self) {
        self.malloc.before_confinement();
    }

    /// Gives back what is empty; the bytes.
    pub(crate) fn purge(&self) -> usize {
        if Os::is_busy() { 0 } else { self.malloc.trim() }
    }

    /// Shows each block and what it is to `visit`; `false` where they cannot be seen.
    pub(crate) fn walk(&self, mut visit: impl FnMut(usize, usize, Block)) -> bool {
        !Os::is_busy() && self.malloc.walk(&mut visit)
    }

    /// One line of figures to a file descriptor.
    pub(crate) fn print_stats(&self, fd: usize) {
        let mut out = Console::new(fd);
        // A console never fails to take text, and there is nobody to report to.
        let _ = if Os::is_busy() {
            out.write_str(NO_STATS)
        } else {
            writeln!(out, "heapwright-{NAME}[{}]: {}", process_id(), Line(&self.malloc))
        };
    }
}

impl<M: DropIn> Whole<M> {
    /// The fields of the file of `stats=/PATH`.
    fn record(&self, out: &mut Console) -> fmt::Result {
        let Figures { committed, live, .. } = self.malloc.figures();
        write!(
            out,
            ",\"obtained\":{committed},\"live\":{live},\"held\":{committed},\"line\":\"{}\"",
            Line(&self.malloc)
        )?;
        self.malloc.write_fields(out)
    }
}

/// What the malloc says of itself, to be printed.
struct Line<'a, M>(&'a M);

impl<M: DropIn> fmt::Display for Line<'_, M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.write_stats(f)
    }
}

pub(crate) fn info() -> Info {
    let figures = if Os::is_busy() { Figures::default() } else { HEAP.malloc.figures() };
    let Figures { committed, live, cached, huge } = figures;
    let dirty = committed.saturating_sub(live + cached);
    Info { held: committed, live, cached, dirty, huge, sizes: None }
}

/// What happens when the process begins, forks and ends.
pub(crate) mod global {
    use core::ffi::c_char;
    use core::fmt;

    use base::Check;
    use base::lock::Park as _;
    use base::sync::{AtomicBool, Ordering};
    use malloc::heapwright::options::{Mistake, Mistakes, file, items, switch, variable};
    use malloc::interrupted::NOT_CHECKED;
    use malloc::{DropIn, record};
    use source::Report;
    use source::os::Os;
    use source::os::imp::{fork, stderr};

    use super::{HEAP, NAME, SETTINGS, TABLE};

    static STATS_AT_EXIT: AtomicBool = AtomicBool::new(false);
    static CHECK_AT_EXIT: AtomicBool = AtomicBool::new(false);

    /// Has the note be in the library.
    #[inline(never)]
    fn show() {
        base::live_note!(TABLE, show);
    }

    /// Once, before `main`.
    pub(crate) fn begun() {
        show();
        stderr::begin();
        HEAP.malloc.begin();
        // Refused only when out of memory; then a fork is as unsafe as it is without us.
        fork::on_fork::<Forking>();
    }

    struct Forking;

    impl fork::Around for Forking {
        fn before(timeout_ms: u32, last: bool) -> bool {
            HEAP.malloc.before_fork(timeout_ms, last)
        }

        fn before_alone() {
            HEAP.malloc.make_way_for_fork();
        }

        fn in_parent() {
            HEAP.malloc.after_fork(false);
        }

        fn in_child() {
            HEAP.malloc.after_fork(true);
        }
    }

    /// Applies the variable `HEAPWRIGHT`: `stats`, `check`, and what the malloc's row has. `deepbind` is `dlopen`'s.
    /// The caller promises: `environment` is null or a null-terminated array of C strings.
    pub(crate) unsafe fn configure(environment: *const *const c_char) {
        // SAFETY: the caller's promise.
        let Some(text) = (unsafe { variable(environment) }) else { return };
        let mut mistakes = Mistakes::default();
        for (key, value) in items(text) {
            let known = match key {
                "stats" => match (file(value), switch(value)) {
                    // Written at the end only.
                    (Some((_, path)), _) => {
                        record::name(path);
                        Some(())
                    }
                    (None, on) => on.map(|on| {
                        STATS_AT_EXIT.store(on, Ordering::Relaxed);
                        if on {
                            stderr::keep();
                        }
                    }),
                },
                "check" => switch(value).map(|on| CHECK_AT_EXIT.store(on, Ordering::Relaxed)),
                "deepbind" => switch(value).map(|_| ()),
                _ if SETTINGS.contains(&key) => HEAP.malloc.set(key, value).then_some(()),
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
        if CHECK_AT_EXIT.load(Ordering::Relaxed) {
            if Os::is_busy() {
                Os::print(format_args!("{NOT_CHECKED}"));
            } else if let Err(broken) = HEAP.malloc.check() {
                Os::fatal(format_args!("check at exit: {broken}"));
            }
        }
    }
}
