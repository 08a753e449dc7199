//! What all threads see: the plan, the slots, and of each thread whether it may go on.

use core::ptr;
use core::sync::atomic::{AtomicPtr, AtomicU32, AtomicU64, AtomicUsize, Ordering};

use plan::Head;

use crate::heap::{self, NULL_BYTES};
use crate::options::{Mode, Options};
use crate::out::fail;
use crate::touch::Toucher;
use crate::{map, memory, placed, tail, verify};

/// A slot whose request was refused: there is nothing to free.
pub(crate) const REFUSED: usize = 1;

/// One thread of the plan, on a cache line of its own.
#[derive(Debug)]
#[repr(C, align(64))]
pub(crate) struct Thread {
    /// One more than the last epoch that it was let into, in 32 bits.
    pub(crate) allowed: AtomicU32,
    /// Changes whenever it is to look again.
    pub(crate) wake: AtomicU32,
    /// It sleeps, or is about to.
    pub(crate) asleep: AtomicU32,
    /// It is to open the next epoch itself.
    pub(crate) opens: AtomicU32,
    /// It has been started.
    pub(crate) begun: AtomicU32,
    /// What pthread knows it by.
    pub(crate) handle: AtomicU64,
}

/// What does not change during a run.
#[derive(Debug)]
pub(crate) struct Shared {
    pub(crate) options: Options,
    pub(crate) words: &'static [u64],
    pub(crate) head: Head,
    pub(crate) slots: *const AtomicUsize,
    pub(crate) threads: &'static [Thread],
    pub(crate) toucher: Toucher,
    /// Processors that this process may use.
    pub(crate) cpus: usize,
}

static SHARED: AtomicPtr<Shared> = AtomicPtr::new(ptr::null_mut());
static REFUSALS: AtomicU64 = AtomicU64::new(0);

/// Maps the plan and all that its threads need.
pub(crate) fn prepare(options: Options) {
    let words = map::file(options.plan);
    let Some(head) = Head::of(words).filter(|head| is_whole(head, words.len())) else {
        fail(2, format_args!("this is no plan of this version of heapwright"));
    };
    let count = |n: u64| usize::try_from(n).unwrap_or(usize::MAX);
    let slots: *mut AtomicUsize = map::zeroed(count(head.slots));
    let all: *mut Thread = map::zeroed(count(head.threads));
    // SAFETY: so many were mapped, and zero is a value of each field.
    let threads = unsafe { core::slice::from_raw_parts(all, count(head.threads)) };
    let most = match head.most_touched {
        0 => usize::MAX,
        most => count(most),
    };
    let most = if options.mode == Mode::Null { most.min(NULL_BYTES) } else { most };
    // SAFETY: it takes a number and returns one.
    let cpus = unsafe { libc::sysconf(libc::_SC_NPROCESSORS_ONLN) };
    let shared = Shared {
        options,
        words,
        head,
        slots,
        threads,
        toucher: Toucher { how: options.touch, most },
        cpus: usize::try_from(cpus).unwrap_or(1),
    };
    match options.mode {
        Mode::Verified => verify::prepare(count(head.slots)),
        Mode::Null => heap::prepare_null(),
        Mode::Placed => placed::prepare(options.places.unwrap_or_default(), words.len()),
        Mode::Timed => tail::prepare(count(head.slots), options.limit),
        Mode::Plain => {}
    }
    let place: *mut Shared = map::zeroed(1);
    // SAFETY: the place is mapped for it.
    unsafe { place.write(shared) };
    SHARED.store(place, Ordering::Release);
    memory::open();
}

fn is_whole(head: &Head, words: usize) -> bool {
    let words = words as u64;
    let end = (head.table / 8).checked_add(head.threads);
    end.is_some_and(|end| end <= words) && head.conductor / 8 < words
}

/// What was prepared.
#[inline]
pub(crate) fn shared() -> &'static Shared {
    // SAFETY: it was stored before the first thread began, and stays.
    unsafe { &*SHARED.load(Ordering::Relaxed) }
}

#[cold]
pub(crate) fn refused() {
    REFUSALS.fetch_add(1, Ordering::Relaxed);
}

pub(crate) fn refusals() -> u64 {
    REFUSALS.load(Ordering::Relaxed)
}
