//! The one instance that a process's malloc is.
//!
//! Nothing here needs a constructor: the first request, from whichever code runs first,
//! finds a usable `static`. What can wait (options, fork handlers) is done when the first
//! thread gets its cache, and options once more when the environment is known.
use core::ffi::{c_char, c_void};

use base::lock::Park;
use base::sync::{AtomicBool, Ordering};
use base::{Broken, Check};
use source::Report;
use source::os::Os;
use source::os::imp::{fork, stderr, thread_end};
use thread::tls::ElfTls;

use super::options::{KEYS, Mistakes, Options, Stats, variable};
use super::{Flagship, live};
use crate::interrupted::NOT_CHECKED;
use crate::record;

/// The process's malloc.
pub static HEAP: Flagship<Os, ElfTls> = Flagship::new(Os, ElfTls { begun, ended });

static STATS_AT_EXIT: AtomicBool = AtomicBool::new(false);
static CHECK_AT_EXIT: AtomicBool = AtomicBool::new(false);

unsafe extern "C" {
    static environ: *const *const c_char;
}

/// What can wait until the first thread's cache is used, or a constructor runs. Once.
pub fn begun() {
    static BEGUN: AtomicBool = AtomicBool::new(false);
    if BEGUN.swap(true, Ordering::Relaxed) {
        return;
    }
    live::show();
    stderr::begin();
    // Before other libraries' are there: later handlers then run outside of ours, and keys run out.
    // Refused only when out of memory; then a fork is as unsafe as it is without us.
    fork::on_fork::<Forking>();
    thread_end::prepare(ended);
    // SAFETY: a word of the C library, null until it has started.
    let environment = unsafe { environ };
    // SAFETY: null or the C library's environment.
    unsafe { configure(environment) };
}

extern "C" fn ended(_cache: *mut c_void) {
    HEAP.thread_ended();
}

/// The process's malloc around a fork.
struct Forking;

impl fork::Around for Forking {
    fn before(timeout_ms: u32, last: bool) -> bool {
        HEAP.before_fork(timeout_ms, last)
    }

    fn before_alone() {
        HEAP.make_way_for_fork();
    }

    fn in_parent() {
        HEAP.after_fork_in_parent();
    }

    fn in_child() {
        HEAP.after_fork_in_child();
    }
}

/// Applies the variable `HEAPWRIGHT` of an environment; a null one, and that of a set-uid
/// program, says nothing.
/// # Safety
/// `environment` is null or a null-terminated array of C strings.
pub unsafe fn configure(environment: *const *const c_char) {
    // SAFETY: the caller's promise.
    if let Some(text) = unsafe { variable(environment) } {
        apply(text);
    }
}

/// Applies options; said once, however often it is called.
fn apply(text: &str) {
    static SAID: AtomicBool = AtomicBool::new(false);
    let mut mistakes = Mistakes::default();
    let options = Options::parse(text, |mistake| mistakes.note(mistake));
    if !SAID.swap(true, Ordering::Relaxed) {
        mistakes.print::<Os>(format_args!("; there are {KEYS}"));
    }
    if let Some(stats) = options.stats {
        STATS_AT_EXIT.store(stats != Stats::Off, Ordering::Relaxed);
        if stats != Stats::Off {
            stderr::keep();
        }
    }
    if let Some(path) = options.file {
        record::name(path);
    }
    if options.stats.is_some() || options.file.is_some() {
        let every = options.every.filter(|_| record::is_asked());
        let is_near_peak = record::is_asked() && every.is_none();
        HEAP.peak.watch(options.stats == Some(Stats::Peak) || is_near_peak, every.unwrap_or(0));
    }
    if let Some(on) = options.check {
        CHECK_AT_EXIT.store(on, Ordering::Relaxed);
    }
    if let Some(on) = options.safe {
        HEAP.set_safe(on);
    }
    if let Some(bytes) = options.huge_from {
        HEAP.pages.set_huge_from(bytes);
    }
    if let Some(bytes) = options.keep {
        HEAP.pages.set_floor(bytes);
    }
}

/// Whether a block of `size` is freed by its size alone: of up to [`MAX_LINEAR`], as long as there was no heap of its
/// own (own-heap-W5). C's `free_sized` asks, whose fast path this is: the limit is compared where it lies, in one instruction, as the
/// constant was. Of an atomic load a compiler makes two.
///
/// [`MAX_LINEAR`]: object::size_class::MAX_LINEAR
#[inline(always)]
#[cfg(target_arch = "x86_64")]
pub fn is_freed_by_size(size: usize) -> bool {
    // SAFETY: reads one word of the process's malloc, which changes as a whole.
    unsafe {
        core::arch::asm!(
            "cmp {size}, qword ptr [rip + {heap} + {limit}]",
            "ja {above}",
            size = in(reg) size,
            heap = sym HEAP,
            limit = const core::mem::offset_of!(Flagship<Os, ElfTls>, freed_by_size),
            above = label { return false },
            options(readonly, nostack),
        );
    }
    true
}

/// As on x86-64, in the compiler's instructions.
#[inline(always)]
#[cfg(not(target_arch = "x86_64"))]
pub fn is_freed_by_size(size: usize) -> bool {
    size <= HEAP.freed_by_size.load(Ordering::Relaxed)
}

/// At the process's end: what the options asked for.
pub fn at_exit() {
    HEAP.record(true);
    if STATS_AT_EXIT.load(Ordering::Relaxed) {
        HEAP.print_stats(stderr::descriptor());
    }
    if CHECK_AT_EXIT.load(Ordering::Relaxed) {
        if Os::is_busy() {
            return Os::print(format_args!("{NOT_CHECKED}"));
        }
        // What this thread freed and nobody has looked at yet.
        HEAP.empty_magazines("check at exit");
        if let Err(broken) = check() {
            Os::fatal(format_args!("check at exit: {broken}"));
        }
    }
}

/// Walks every structure of the process's malloc.
/// Errors: the first broken invariant.
pub fn check() -> Result<(), Broken> {
    HEAP.check()
}
