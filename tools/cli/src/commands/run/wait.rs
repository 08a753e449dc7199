//! The program as a child: what comes to us goes to it, and its end is ours.
//!
//! ```text
//! kill, timeout, systemd ─► heapwright ─► the program        what a terminal sends, the program gets by itself
//! ```

use core::ffi::{c_int, c_void};
use core::mem::MaybeUninit;
use core::ptr;
use core::sync::atomic::{AtomicI32, Ordering};
use std::io;
use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
use std::process::{Command, ExitCode, ExitStatus};

use rustix::process::{Pid, Resource, Rlimit, Signal};
use rustix::process::{kill_process, set_parent_process_death_signal, setrlimit};

/// What is passed on: all that ends a program or tells it something, and may be sent to one process only.
const PASSED_ON: [c_int; 6] =
    [libc::SIGHUP, libc::SIGINT, libc::SIGQUIT, libc::SIGTERM, libc::SIGUSR1, libc::SIGUSR2];

/// The program's number, once it is there.
static PROGRAM: AtomicI32 = AtomicI32::new(0);
/// A signal that came before.
static EARLY: AtomicI32 = AtomicI32::new(0);

/// Starts `command` and waits for its end.
pub(super) fn run(command: &mut Command) -> io::Result<ExitStatus> {
    // SAFETY: the closure makes one system call. Who is killed hard here takes the program along.
    unsafe {
        command.pre_exec(|| Ok(set_parent_process_death_signal(Some(Signal::KILL))?));
    }
    PASSED_ON.into_iter().for_each(catch);
    let mut child = command.spawn()?;
    PROGRAM.store(child.id().cast_signed(), Ordering::SeqCst);
    send(EARLY.swap(0, Ordering::SeqCst));
    child.wait()
}

/// Ends as the program did; the exit code where that is no signal's.
pub(super) fn end_as(status: ExitStatus) -> ExitCode {
    if let Some(signal) = status.signal() {
        // The program has left a core file, if one is wanted.
        let _ = setrlimit(Resource::Core, Rlimit { current: Some(0), maximum: Some(0) });
        // SAFETY: no handler is installed.
        unsafe { libc::signal(signal, libc::SIG_DFL) };
        // SAFETY: sends a signal to this thread.
        unsafe { libc::raise(signal) };
    }
    let code = status.code().or(status.signal().map(|signal| 128 + signal));
    ExitCode::from(u8::try_from(code.unwrap_or(1)).unwrap_or(1))
}

/// Has `signal` passed on, unless it is ignored: `nohup` means the program.
fn catch(signal: c_int) {
    let mut before = MaybeUninit::<libc::sigaction>::uninit();
    // SAFETY: asks only, and writes `before`.
    if unsafe { libc::sigaction(signal, ptr::null(), before.as_mut_ptr()) } != 0 {
        return;
    }
    // SAFETY: it was written.
    let mut action = unsafe { before.assume_init() };
    if action.sa_sigaction == libc::SIG_IGN {
        return;
    }
    action.sa_sigaction = pass_on as *const () as usize;
    action.sa_flags = libc::SA_SIGINFO | libc::SA_RESTART;
    // SAFETY: the handler makes system calls only; nothing is asked for.
    unsafe { libc::sigaction(signal, &raw const action, ptr::null_mut()) };
}

extern "C" fn pass_on(signal: c_int, about: *mut libc::siginfo_t, _: *mut c_void) {
    // SAFETY: the kernel passes it to every handler of this kind.
    let code = unsafe { (*about).si_code };
    // What the kernel itself sends, for Ctrl-C or a terminal that closes, goes to all that run in it.
    if code > 0 {
        return;
    }
    EARLY.store(signal, Ordering::SeqCst);
    if PROGRAM.load(Ordering::SeqCst) != 0 {
        send(EARLY.swap(0, Ordering::SeqCst));
    }
}

/// Sends a signal to the program; 0 is none.
fn send(signal: c_int) {
    if let (Some(signal), Some(program)) =
        (Signal::from_named_raw(signal), Pid::from_raw(PROGRAM.load(Ordering::SeqCst)))
    {
        // It may have ended.
        let _ = kill_process(program, signal);
    }
}
