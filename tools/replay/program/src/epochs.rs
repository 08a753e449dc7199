//! The conductor: who is last in an epoch opens the next.
//!
//! ```text
//! enter ─► calls ─► leave ─┬─ not the last ─► enter the next epoch that one has a part in: wait to be let in
//!                          └─ the last ─► join who ended, look at the memory, let in or start the next members
//! ```
//!
//! Who has ended cannot wait for its own end: it leaves opening the next epoch to that epoch's first member.

use core::ffi::{c_int, c_void};
use core::fmt::Write;
use core::ptr;
use core::sync::atomic::{AtomicPtr, AtomicUsize, Ordering};

use plan::{Kind, Word, unpair};

use crate::curve::Curve;
use crate::options::Mode;
use crate::out::{Out, end, fail};
use crate::shared::{Thread, refusals, shared};
use crate::{clock, futex, map, memory, run, tail};

/// A thread has as much stack, if the system's least is no more.
const STACK: usize = 256 << 10;

/// How often a thread looks before it sleeps, where each may have a processor.
const LOOKS: u32 = 1000;

/// Members of this epoch that have not left it.
static REMAINING: AtomicUsize = AtomicUsize::new(0);
static CONDUCTOR: AtomicPtr<Conductor> = AtomicPtr::new(ptr::null_mut());
static MEMBERS: AtomicUsize = AtomicUsize::new(0);

/// What only the one that opens an epoch sees, and before it the one thread that ended in the last.
#[derive(Debug)]
struct Conductor {
    /// The next word of its stream.
    at: usize,
    /// The epoch that is opened next.
    epoch: u64,
    /// Who ended in the last one.
    ended: Option<u32>,
    curve: Curve,
    began: u64,
    /// Nanoseconds that are not the replay's: of looks and of pauses.
    beside: u64,
}

/// Opens the first epoch, and plays the plan's first thread. Malloc has so much already.
pub(crate) fn start(malloc_has: u64) -> c_int {
    let shared = shared();
    let place: *mut Conductor = map::zeroed(1);
    let curve = Curve::new(memory::anonymous().saturating_sub(malloc_has));
    let at = usize::try_from(shared.head.conductor / 8).unwrap_or(0);
    let conductor = Conductor { at, epoch: 0, ended: None, curve, began: timing::now(), beside: 0 };
    // SAFETY: the place is mapped for it.
    unsafe { place.write(conductor) };
    CONDUCTOR.store(place, Ordering::Release);
    if let Some(first) = shared.threads.first() {
        first.begun.store(1, Ordering::Relaxed);
    }
    open();
    run::thread(0);
    park()
}

/// Waits until epoch `number` is open.
pub(crate) fn enter(thread: u32, number: u64) {
    let me = &shared().threads[thread as usize];
    let allowed = low(number + 1);
    let may_look = MEMBERS.load(Ordering::Relaxed) <= shared().cpus;
    let mut looks = if may_look { LOOKS } else { 0 };
    loop {
        let seen = me.wake.load(Ordering::SeqCst);
        if me.opens.swap(0, Ordering::AcqRel) == 1 {
            open();
        }
        if me.allowed.load(Ordering::SeqCst) == allowed {
            return;
        }
        if looks > 0 {
            looks -= 1;
            core::hint::spin_loop();
            continue;
        }
        me.asleep.store(1, Ordering::SeqCst);
        if me.wake.load(Ordering::SeqCst) == seen {
            futex::wait(&me.wake, seen);
        }
        me.asleep.store(0, Ordering::SeqCst);
    }
}

/// A member's part is done.
pub(crate) fn leave() {
    if REMAINING.fetch_sub(1, Ordering::AcqRel) == 1 {
        open();
    }
}

/// A member's part is done, and it is about to end.
pub(crate) fn leave_for_good(thread: u32) {
    // SAFETY: one thread ends in an epoch, and nobody else looks before all have left.
    unsafe { (*CONDUCTOR.load(Ordering::Acquire)).ended = Some(thread) };
    if REMAINING.fetch_sub(1, Ordering::AcqRel) == 1 {
        hand_over();
    }
}

/// Sleeps until the process ends.
pub(crate) fn park() -> ! {
    loop {
        // SAFETY: it takes nothing.
        unsafe { libc::pause() };
    }
}

/// The first member of the next epoch is to open it.
fn hand_over() {
    // SAFETY: all have left the last epoch, and nobody is in the next.
    let conductor = unsafe { &*CONDUCTOR.load(Ordering::Acquire) };
    let mut at = conductor.at;
    if head_word(&mut at).kind() != Kind::Epoch {
        return finish();
    }
    let (first, _) = unpair(shared().words[at + 4]);
    let first_one = &shared().threads[first as usize];
    first_one.opens.store(1, Ordering::SeqCst);
    begin_or_wake(first, first_one);
}

/// The first word of the record at `at`, behind jumps.
fn head_word(at: &mut usize) -> Word {
    loop {
        let word = Word(shared().words[*at]);
        if word.kind() != Kind::Jump {
            return word;
        }
        *at = usize::try_from(word.rest() / 8).unwrap_or(0);
    }
}

/// Opens the next epoch.
fn open() {
    // SAFETY: all have left the last epoch, and nobody is in the next.
    let conductor = unsafe { &mut *CONDUCTOR.load(Ordering::Acquire) };
    let shared = shared();
    if let Some(ended) = conductor.ended.take() {
        join(&shared.threads[ended as usize]);
    }
    let mut at = conductor.at;
    let word = head_word(&mut at);
    let [time, events, live] = [1, 2, 3].map(|i| shared.words[at + i]);
    look(conductor, events, live);
    tail::after(events);
    if word.kind() != Kind::Epoch {
        return finish();
    }
    if shared.options.is_timed {
        let before = timing::now();
        clock::sleep_until(conductor.began + time);
        conductor.beside += timing::now() - before;
    }
    let count = usize::try_from(word.rest()).unwrap_or(0);
    let members = &shared.words[at + 4..at + 4 + count.div_ceil(2)];
    let allowed = low(conductor.epoch + 1);
    conductor.at = at + 4 + members.len();
    conductor.epoch += 1;
    MEMBERS.store(count, Ordering::Relaxed);
    REMAINING.store(count, Ordering::Release);
    // From the first that is let in on, another one may be the conductor.
    for i in 0..count {
        let (first, second) = unpair(members[i / 2]);
        let member = if i % 2 == 0 { first } else { second };
        let thread = &shared.threads[member as usize];
        thread.allowed.store(allowed, Ordering::SeqCst);
        begin_or_wake(member, thread);
    }
}

fn look(conductor: &mut Conductor, events: u64, live: u64) {
    let before = timing::now();
    conductor.curve.look(events, live, memory::anonymous());
    conductor.beside += timing::now() - before;
}

fn begin_or_wake(number: u32, thread: &Thread) {
    if thread.begun.swap(1, Ordering::SeqCst) == 0 {
        return begin(number);
    }
    thread.wake.fetch_add(1, Ordering::SeqCst);
    if thread.asleep.load(Ordering::SeqCst) == 1 {
        futex::wake(&thread.wake);
    }
}

/// Starts a thread.
fn begin(number: u32) {
    let mut attributes = core::mem::MaybeUninit::uninit();
    // SAFETY: the out-pointer is to a live local.
    unsafe { libc::pthread_attr_init(attributes.as_mut_ptr()) };
    // SAFETY: it was initialised.
    unsafe { libc::pthread_attr_setstacksize(attributes.as_mut_ptr(), STACK) };
    let mut handle = core::mem::MaybeUninit::uninit();
    let argument = ptr::without_provenance_mut(number as usize);
    // SAFETY: both are live locals; the argument is a number.
    let refused =
        unsafe { libc::pthread_create(handle.as_mut_ptr(), attributes.as_ptr(), body, argument) };
    if refused != 0 {
        fail(3, format_args!("cannot start thread {number} of the recording (errno {refused})"));
    }
}

extern "C" fn body(argument: *mut c_void) -> *mut c_void {
    let number = u32::try_from(argument.addr()).unwrap_or(0);
    // SAFETY: it takes nothing.
    let own = unsafe { libc::pthread_self() };
    shared().threads[number as usize].handle.store(own, Ordering::Release);
    run::thread(number);
    ptr::null_mut()
}

/// Waits until a thread that ended is gone, with all that it kept.
fn join(thread: &Thread) {
    let handle = thread.handle.load(Ordering::Acquire);
    // SAFETY: it has ended or is about to, and is joined once.
    unsafe { libc::pthread_join(handle, ptr::null_mut()) };
}

/// Frees what is left, prints, and ends the process.
fn finish() {
    // SAFETY: all have left the last epoch, and there is none after it.
    let conductor = unsafe { &mut *CONDUCTOR.load(Ordering::Acquire) };
    let took = (timing::now() - conductor.began).saturating_sub(conductor.beside);
    let shared = shared();
    let mode = shared.options.mode;
    if mode != Mode::Null {
        run::free_all();
    }
    let freed = memory::anonymous().saturating_sub(conductor.curve.base);
    let mut out = Out::new(1);
    let curve = &mut conductor.curve;
    let _ =
        writeln!(out, "ops {}\nns {took}\npeak_live {}", shared.head.events, shared.head.peak_live);
    if mode != Mode::Null {
        let _ = writeln!(out, "peak_resident {}", curve.peak);
        let _ = writeln!(out, "value resident.mean {:.0} bytes", curve.mean());
        let _ = writeln!(out, "value resident.end {} bytes", curve.end());
        let _ = writeln!(out, "value resident.freed {freed} bytes");
        curve.write(&mut out);
    }
    let _ = writeln!(out, "refused {}", refusals());
    if mode == Mode::Timed {
        tail::write(&mut out);
    }
    out.flush();
    end(0)
}

/// A number's low half; epochs that are so far apart do not meet.
#[expect(clippy::cast_possible_truncation, reason = "it says so")]
const fn low(number: u64) -> u32 {
    number as u32
}
