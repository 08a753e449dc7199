//! A copy of the process at its end, in which the command looks for blocks that nothing points to any more.
//!
//! ```text
//! other threads stop in a handler, registers on their stacks ─► fork ─► they go on ─► `copy=PID ADDRESS THREADS …` in the head
//!                                                                └► the copy: nothing open, no signals, waits to be killed
//! ```
//!
//! Which blocks were live, the copy has in its own table ([`live`]). No debugger's rights are needed, as it lets others read it.

use core::ffi::{CStr, c_int, c_void};
use core::mem::MaybeUninit;
use core::ptr;
use core::slice;
use core::sync::atomic::{AtomicPtr, AtomicU32, Ordering};

use trace_format::{Event, Writer};

use crate::errno::Kept;
use crate::imp;
use crate::text::{self, Text};
use crate::thread::Thread;
use crate::{clock, errno, file, live, stacks, system};

/// Threads that are remembered.
const MOST: usize = 16 << 10;
/// Bytes of the list of threads that are read at once.
const LIST: usize = 32 << 10;
/// A thread that blocks the signal is not waited for any longer, in nanoseconds.
const PATIENCE: u64 = 500_000_000;
/// Nanoseconds from one look to the next.
const PAUSE: i64 = 100_000;
/// A copy that nobody wants any more ends by itself, in seconds.
const LIFE: i64 = 900;

/// What it is called, so that it is known from a process that has got its number later.
const NAME: &CStr = c"heapwright-copy";

/// Where a thread's stack ends now, what it finds its thread-local storage by (0: not known), and its number.
#[repr(C)]
#[derive(Clone, Copy)]
struct Stopped {
    stack: usize,
    thread_pointer: usize,
    thread: usize,
}

/// Room to work in; mapped, zeros at first.
#[repr(C, align(8))]
struct Room {
    asked: [u32; MOST],
    list: [u8; LIST],
}

/// The threads that have stopped: mapped, and never unmapped, as a thread may come into its handler late.
static STOPPED: AtomicPtr<Stopped> = AtomicPtr::new(ptr::null_mut());
/// Places that were taken, and those that are filled.
static PLACES: AtomicU32 = AtomicU32::new(0);
static FILLED: AtomicU32 = AtomicU32::new(0);
/// Threads in their handlers.
static ARRIVED: AtomicU32 = AtomicU32::new(0);
/// Threads may go on.
static OVER: AtomicU32 = AtomicU32::new(0);

/// Makes the copy, and has `writer` say so. What cannot be done is a line of the head.
pub(crate) fn make(writer: &mut Writer) {
    let (stopped, room) =
        (system::memory(size_of::<Stopped>() * MOST), system::memory(size_of::<Room>()));
    let (Ok(stopped), Ok(room)) = (stopped, room) else {
        return file::note(b"no_copy", b"there is no memory for a list of threads");
    };
    STOPPED.store(stopped.cast(), Ordering::Release);
    // What nothing but the kernel points to may be a block, too.
    let registers = (imp::saved_registers(), alternate_stack());
    arrive((&raw const registers).addr());
    // SAFETY: mapped, zeros, which a room may be, and only this function's.
    let Room { asked, list } = unsafe { &mut *room.cast::<Room>() };
    let count = stop_others(asked, list);
    let silent = asked[..count].iter().filter(|thread| !is_found(**thread)).count();
    let copy = fork();
    let filled = u64::from(FILLED.load(Ordering::Acquire)).min(MOST as u64);
    let frames = stacks::frames();
    // Before anything that waits for another thread, which may have stopped with a lock.
    OVER.store(1, Ordering::Release);
    core::hint::black_box(&registers);
    match copy {
        Ok(copy) => {
            // SAFETY: the caller has made room.
            unsafe { writer.event(clock::now(), &Event::Fork { child: copy as u64 }) };
            let mut line = [0; 160];
            let mut text = Text::new(&mut line);
            text.number(copy as u64).add(b" ").number(stopped.addr() as u64).add(b" ");
            text.number(filled).add(b" ").number(silent as u64).add(b" ");
            // What the recorder keeps of a thread has the last block's address in it: the same way from each thread's pointer.
            let block = (&raw const *Thread::this()).addr().wrapping_sub(imp::thread_pointer());
            text.number(block as u64).add(b" ").number(size_of::<Thread>() as u64);
            text.add(b" ").number(live::regions() as u64);
            text.add(b" ").number(frames.into());
            file::note(b"copy", text.bytes());
        }
        Err(libc::EMFILE | libc::ENFILE) => file::note(b"no_copy", b"it had no descriptor left"),
        Err(_) => file::note(
            b"no_copy",
            b"there is no memory for a second process, or no more may be made",
        ),
    }
}

/// The stack that this thread has given the kernel for its signal handlers.
fn alternate_stack() -> libc::stack_t {
    let mut stack = MaybeUninit::<libc::stack_t>::zeroed();
    // SAFETY: writes `stack`.
    unsafe { libc::syscall(libc::SYS_sigaltstack, ptr::null::<c_void>(), stack.as_mut_ptr()) };
    // SAFETY: zeros, or what the kernel wrote.
    unsafe { stack.assume_init() }
}

/// Whether a thread has stopped, or waits in the kernel, which says where its stack ends; that is noted then.
fn is_found(thread: u32) -> bool {
    let filled = (FILLED.load(Ordering::Acquire) as usize).min(MOST);
    // SAFETY: these places are filled, and are not written again.
    let stopped = unsafe { slice::from_raw_parts(STOPPED.load(Ordering::Acquire), filled) };
    if stopped.iter().any(|one| one.thread == thread as usize) {
        return true;
    }
    let (mut path, mut words) = ([0; 48], [0; 256]);
    Text::new(&mut path[..47]).add(b"/proc/self/task/").number(u64::from(thread)).add(b"/syscall");
    let Ok(path) = CStr::from_bytes_until_nul(&path) else { return false };
    // `… STACK PROGRAM-COUNTER`, in hexadecimal digits; `running`.
    let words = system::read_file(path, &mut words);
    let stack = words.trim_ascii_end().rsplit(|&byte| byte == b' ').nth(1);
    let stack = stack.and_then(|word| word.strip_prefix(b"0x")).map_or(0, text::hexadecimal);
    if stack != 0 {
        note(Stopped { stack, thread_pointer: 0, thread: thread as usize });
    }
    stack != 0
}

/// Has every other thread stop; returns how many were asked. A thread that begins meanwhile is seen by the next look.
fn stop_others(asked: &mut [u32; MOST], list: &mut [u8; LIST]) -> usize {
    let mut action = MaybeUninit::<libc::sigaction>::zeroed();
    // SAFETY: zeros are a valid action.
    let action = unsafe { action.assume_init_mut() };
    action.sa_sigaction = stops as *const () as usize;
    // A thread may run on a stack that has no room for a handler, and then it has given the kernel another one.
    action.sa_flags = libc::SA_SIGINFO | libc::SA_RESTART | libc::SA_ONSTACK;
    // SAFETY: a handler of ours, for a signal of our own choice.
    if unsafe { libc::sigaction(signal(), action, ptr::null_mut()) } != 0 {
        return 0;
    }
    let mut count = 0;
    let began = system::nanoseconds(libc::CLOCK_MONOTONIC);
    loop {
        let before = count;
        each_thread(list, |thread| {
            if thread == system::thread() || count == MOST || asked[..count].contains(&thread) {
                return;
            }
            // SAFETY: a thread of this process, or none any more.
            let sent =
                unsafe { libc::syscall(libc::SYS_tgkill, system::process(), thread, signal()) };
            // One that gets no signal, as the user has too many waiting, is still there.
            if sent == 0 || errno::get() != libc::ESRCH {
                asked[count] = thread;
                count += 1;
            }
        });
        while (ARRIVED.load(Ordering::Acquire) as usize) < count {
            if system::nanoseconds(libc::CLOCK_MONOTONIC) - began > PATIENCE {
                return count;
            }
            pause();
        }
        if count == before {
            return count;
        }
    }
}

/// A real-time signal that programs hardly use.
fn signal() -> c_int {
    libc::SIGRTMAX() - 3
}

/// The handler: the kernel has put the thread's registers on its stack, or on the one for handlers.
extern "C" fn stops(_: c_int, _: *mut libc::siginfo_t, context: *mut c_void) {
    let _errno = Kept::now();
    let at = context.addr();
    // SAFETY: what the kernel has put there.
    let context = unsafe { &*context.cast::<libc::ucontext_t>() };
    arrive(at);
    let is_for_handlers =
        |at: usize| at.wrapping_sub(context.uc_stack.ss_sp.addr()) < context.uc_stack.ss_size;
    let interrupted = imp::stack_of(context);
    if is_for_handlers(at) && !is_for_handlers(interrupted) {
        arrive(interrupted);
    }
    ARRIVED.fetch_add(1, Ordering::Release);
    while OVER.load(Ordering::Acquire) == 0 {
        pause();
    }
}

/// Notes where this thread's stack ends.
fn arrive(stack: usize) {
    if OVER.load(Ordering::Acquire) == 0 {
        let thread = system::thread() as usize;
        note(Stopped { stack, thread_pointer: imp::thread_pointer(), thread });
    }
}

fn note(stopped: Stopped) {
    let place = PLACES.fetch_add(1, Ordering::Relaxed) as usize;
    if place < MOST {
        let place = STOPPED.load(Ordering::Acquire).wrapping_add(place);
        // SAFETY: the place is this caller's alone, in a mapping that stays.
        unsafe { place.write(stopped) };
    }
    FILLED.fetch_add(1, Ordering::Release);
}

/// Gives each thread of the process to `each`.
fn each_thread(list: &mut [u8; LIST], mut each: impl FnMut(u32)) {
    /// Where a name begins in an entry, and where its length stands.
    const NAME: usize = 19;
    const LEN: usize = 16;
    let Ok(folder) = system::open(c"/proc/self/task", libc::O_RDONLY | libc::O_DIRECTORY) else {
        return;
    };
    loop {
        let (place, room) = (list.as_mut_ptr(), list.len());
        // SAFETY: writes into the list.
        let read = unsafe { libc::syscall(libc::SYS_getdents64, folder, place, room) };
        let Ok(read @ 1..) = usize::try_from(read) else { break };
        let mut rest = &list[..read];
        while let Some(len) = rest.get(LEN..).and_then(<[u8]>::first_chunk) {
            let len = usize::from(u16::from_le_bytes(*len));
            let Some((entry, behind)) = rest.split_at_checked(len) else { break };
            let name = entry.get(NAME..).unwrap_or_default();
            if name.first().is_some_and(u8::is_ascii_digit) {
                each(text::number(name) as u32);
            }
            rest = behind;
        }
    }
    system::close(folder);
}

/// The C library's own `fork` would take locks that stopped threads hold, and call the program's handlers. Returns the copy's number
/// when it can be read; in the copy, never.
fn fork() -> Result<usize, system::Error> {
    let mut ends = [-1; 2];
    // SAFETY: writes two descriptors.
    if unsafe { libc::syscall(libc::SYS_pipe2, ends.as_mut_ptr(), libc::O_CLOEXEC) } != 0 {
        return Err(errno::get());
    }
    let [read, write] = ends;
    // No signal tells of the copy's end, so the program's `wait` does not see it.
    // SAFETY: the child does nothing but wait.
    let child = unsafe { libc::syscall(libc::SYS_clone, 0, 0, 0, 0, 0) };
    let error = errno::get();
    if child == 0 {
        wait();
    }
    system::close(write);
    if child > 0 {
        let mut byte = 0_u8;
        // It ends when the copy has closed everything.
        // SAFETY: writes the byte.
        unsafe { libc::syscall(libc::SYS_read, read, &raw mut byte, 1) };
    }
    system::close(read);
    if child < 0 { Err(error) } else { Ok(child.cast_unsigned() as usize) }
}

/// The copy: takes no signal, lets itself be read, and holds nothing open that others wait for.
fn wait() -> ! {
    let mut all = MaybeUninit::<libc::sigset_t>::zeroed();
    // SAFETY: writes the set.
    unsafe { libc::sigfillset(all.as_mut_ptr()) };
    // SAFETY: reads the set.
    unsafe { libc::sigprocmask(libc::SIG_SETMASK, all.as_ptr(), ptr::null_mut()) };
    // SAFETY: reads the name.
    unsafe { libc::syscall(libc::SYS_prctl, libc::PR_SET_NAME, NAME.as_ptr()) };
    // SAFETY: changes who may read this process.
    unsafe { libc::syscall(libc::SYS_prctl, libc::PR_SET_PTRACER, libc::PR_SET_PTRACER_ANY) };
    // SAFETY: the copy uses no file.
    if unsafe { libc::syscall(libc::SYS_close_range, 0, u32::MAX, 0) } != 0 {
        (0..4096).for_each(system::close);
    }
    sleep(LIFE, 0);
    loop {
        // SAFETY: ends the copy.
        unsafe { libc::syscall(libc::SYS_exit_group, 0) };
    }
}

fn pause() {
    sleep(0, PAUSE);
}

fn sleep(tv_sec: i64, tv_nsec: i64) {
    let time = libc::timespec { tv_sec, tv_nsec };
    // SAFETY: reads the time.
    unsafe { libc::syscall(libc::SYS_nanosleep, &raw const time, ptr::null::<c_void>()) };
}
