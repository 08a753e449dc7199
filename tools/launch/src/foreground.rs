//! A program in our place: what comes to us goes to it, it stops and goes on with us, and its end is ours.
//!
//! ```text
//! kill, timeout, systemd ─► heapwright ─► the program        what a terminal sends, the program gets by itself
//!            the shell ◄─ stopped too ◄── stopped            Ctrl-Z, or a program that stops itself for the shell
//!            the shell ─► SIGCONT ──────► goes on
//! ```
//!
//! - **foreground-F1** no signal of the terminal stops this process by itself: only the program's stop does, once it is seen.
//!   Else it would stop a second time after the shell has let it go on.

use core::ffi::{c_int, c_void};
use core::mem::MaybeUninit;
use core::ptr;
use core::sync::atomic::{AtomicI32, Ordering};
use std::io;
use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
use std::process::{Command, ExitCode, ExitStatus};

use rustix::io::retry_on_intr;
use rustix::process::{Pid, Resource, Rlimit, Signal, WaitOptions, waitpid};
use rustix::process::{kill_process, set_parent_process_death_signal, setrlimit};

const STOPS: [c_int; 3] = [libc::SIGTSTP, libc::SIGTTIN, libc::SIGTTOU];

/// What else is passed on: all that ends a program or tells it something, and may be sent to one process only.
const PASSED_ON: [c_int; 7] = [
    libc::SIGHUP,
    libc::SIGINT,
    libc::SIGQUIT,
    libc::SIGTERM,
    libc::SIGUSR1,
    libc::SIGUSR2,
    libc::SIGCONT,
];

static PROGRAM: AtomicI32 = AtomicI32::new(0);
/// A signal that came before.
static EARLY: AtomicI32 = AtomicI32::new(0);

/// What becomes of the program if this process is killed hard.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Killed {
    TakesAlong,
    LeavesIt,
}

/// Starts `command` and waits for its end. Once in a process.
pub fn run(command: &mut Command, killed: Killed) -> io::Result<ExitStatus> {
    if killed == Killed::TakesAlong {
        // SAFETY: the closure makes one system call.
        unsafe {
            command.pre_exec(|| Ok(set_parent_process_death_signal(Some(Signal::KILL))?));
        }
    }
    PASSED_ON.into_iter().chain(STOPS).for_each(catch);
    let child = command.spawn()?;
    PROGRAM.store(child.id().cast_signed(), Ordering::SeqCst);
    send(EARLY.swap(0, Ordering::SeqCst));
    loop {
        let waited = retry_on_intr(|| waitpid(program(), WaitOptions::UNTRACED))?;
        let Some((_, status)) = waited else { continue };
        match status.stopping_signal() {
            Some(signal) if STOPS.contains(&signal) => {
                // This process stops here. It goes on with SIGCONT, which the program may not have got.
                let _ = kill_process(rustix::process::getpid(), Signal::STOP);
                send(libc::SIGCONT);
            }
            // SIGSTOP was sent to the program alone, and so will SIGCONT be.
            Some(_) => {}
            None => return Ok(ExitStatus::from_raw(status.as_raw())),
        }
    }
}

/// The program has ended, and there is more to do: from now on signals are for this process.
pub fn let_go() {
    PROGRAM.store(0, Ordering::SeqCst);
    for signal in PASSED_ON.into_iter().chain(STOPS) {
        if action_of(signal).is_some_and(|a| a.sa_sigaction == pass_on as *const () as usize) {
            // SAFETY: no handler is installed from here on.
            unsafe { libc::signal(signal, libc::SIG_DFL) };
        }
    }
}

/// Ends as the program did; the exit code where that is no signal's.
pub fn end_as(status: ExitStatus) -> ExitCode {
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
    let Some(mut action) = action_of(signal).filter(|a| a.sa_sigaction != libc::SIG_IGN) else {
        return;
    };
    action.sa_sigaction = pass_on as *const () as usize;
    action.sa_flags = libc::SA_SIGINFO | libc::SA_RESTART;
    // SAFETY: the handler makes system calls only; nothing is asked for.
    unsafe { libc::sigaction(signal, &raw const action, ptr::null_mut()) };
}

fn action_of(signal: c_int) -> Option<libc::sigaction> {
    let mut action = MaybeUninit::<libc::sigaction>::uninit();
    // SAFETY: asks only, and writes `action`.
    let asked = unsafe { libc::sigaction(signal, ptr::null(), action.as_mut_ptr()) };
    // SAFETY: it was written.
    (asked == 0).then(|| unsafe { action.assume_init() })
}

extern "C" fn pass_on(signal: c_int, about: *mut libc::siginfo_t, _: *mut c_void) {
    // SAFETY: the kernel passes it to every handler of this kind.
    let code = unsafe { (*about).si_code };
    // What the kernel itself sends, for Ctrl-C, Ctrl-Z or a terminal that closes, goes to all that run in it.
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
    if let (Some(signal), Some(program)) = (Signal::from_named_raw(signal), program()) {
        // It may have ended.
        let _ = kill_process(program, signal);
    }
}

fn program() -> Option<Pid> {
    Pid::from_raw(PROGRAM.load(Ordering::SeqCst))
}
