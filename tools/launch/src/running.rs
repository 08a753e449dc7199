//! A program that was started: what it says, its end, a limit on its time, and that nothing of it is left.
//!
//! ```text
//! Launch ─spawn─► Running ─ look: waits for what it says, for its end, or for a while
//!                    │      signal
//!                    ├─ wait: to its end; at the deadline None, and it is killed
//!                    └─ kill, drop: ends it; of a group everything, and what is below it too
//! ```
//!
//! - **running-R1** until the program is collected, its number, which is its group's too, is given to no other process: so it is
//!   collected last, after all signals were sent.

use core::mem;
use core::time::Duration;
use std::io;
use std::os::fd::{AsFd as _, OwnedFd};
use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
use std::process::{Child, ChildStdin, Command, ExitStatus};
use std::time::Instant;

use rustix::process::{Pid, PidfdFlags, Signal, WaitId, WaitIdOptions};
use rustix::process::{kill_process, kill_process_group, pidfd_open, waitid};

use crate::pipe::{self, Keep, Stream};
use crate::tree;

/// How often the end is asked for on kernels before 5.3, which do not tell it.
const ASK: Duration = Duration::from_millis(5);

#[derive(Debug)]
pub struct Launch<'a> {
    command: &'a mut Command,
    in_group: bool,
    limit: Option<Duration>,
    keep: [Keep; 2],
}

impl<'a> Launch<'a> {
    /// Whatever `command` starts, with all that is kept of those of its standard output and standard error that are pipes.
    pub fn new(command: &'a mut Command) -> Self {
        Self { command, in_group: false, limit: None, keep: [Keep::ALL; 2] }
    }

    /// In a process group of its own, which does not outlive the program.
    pub fn group(self) -> Self {
        Self { in_group: true, ..self }
    }

    pub fn limit(self, limit: Duration) -> Self {
        Self { limit: Some(limit), ..self }
    }

    pub fn keep(self, stdout: Keep, stderr: Keep) -> Self {
        Self { keep: [stdout, stderr], ..self }
    }

    /// Starts it.
    /// Errors: the system refuses; it says why.
    pub fn spawn(self) -> io::Result<Running> {
        if self.in_group {
            self.command.process_group(0);
        }
        let mut child = self.command.spawn()?;
        let [stdout, stderr] = self.keep;
        let stdout = Stream::new(child.stdout.take().map(OwnedFd::from), stdout);
        let stderr = Stream::new(child.stderr.take().map(OwnedFd::from), stderr);
        let mut running = Running {
            watched: None,
            child,
            in_group: self.in_group,
            // A limit beyond what the clock can say is none.
            deadline: self.limit.and_then(|limit| Instant::now().checked_add(limit)),
            end: None,
            stdout,
            stderr,
        };
        running.watched = watched(running.number());
        Ok(running)
    }
}

/// A program that was started, and is ended when this is dropped.
#[derive(Debug)]
pub struct Running {
    child: Child,
    watched: Option<OwnedFd>,
    in_group: bool,
    deadline: Option<Instant>,
    /// Once it is collected: how it ended, and its processor time.
    end: Option<(ExitStatus, Duration)>,
    pub stdout: Stream,
    pub stderr: Stream,
}

impl Running {
    pub fn number(&self) -> i32 {
        self.child.id().cast_signed()
    }

    fn pid(&self) -> Option<Pid> {
        Pid::from_raw(self.number())
    }

    /// Its standard input, if that is a pipe; the first time.
    pub fn stdin(&mut self) -> Option<ChildStdin> {
        self.child.stdin.take()
    }

    pub fn is_late(&self) -> bool {
        self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }

    pub fn has_ended(&self) -> bool {
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT | WaitIdOptions::NOHANG;
        let runs = |pid| matches!(waitid(WaitId::Pid(pid), options), Ok(None));
        self.end.is_some() || !self.pid().is_some_and(runs)
    }

    /// Waits until it says something, ends, or `most` is over, and reads what it said.
    pub fn look(&mut self, most: Duration) -> io::Result<()> {
        let most = if self.watched.is_some() { most } else { most.min(ASK) };
        let watched = self.watched.as_ref().map(|fd| fd.as_fd());
        pipe::wait_also(watched, &[&self.stdout, &self.stderr], most)?;
        self.read_what_is_there();
        Ok(())
    }

    pub fn read_what_is_there(&mut self) {
        self.stdout.read_what_is_there();
        self.stderr.read_what_is_there();
    }

    /// Waits for its end; what is left of its group ends then. `None`: it was late, and was killed.
    pub fn wait(&mut self) -> io::Result<Option<ExitStatus>> {
        while !self.has_ended() {
            let left = self.deadline.map(|deadline| deadline.duration_since(Instant::now()));
            self.look(left.unwrap_or(Duration::MAX))?;
            if self.is_late() && !self.has_ended() {
                self.kill()?;
                return Ok(None);
            }
        }
        self.kill().map(Some)
    }

    pub fn signal(&self, signal: Signal) {
        if let Some(pid) = self.pid().filter(|_| self.end.is_none()) {
            let _ = kill_process(pid, signal);
        }
    }

    /// Ends what still runs of it, and collects it: how it ended.
    pub fn kill(&mut self) -> io::Result<ExitStatus> {
        if let Some((status, _)) = self.end {
            return Ok(status);
        }
        if self.in_group {
            // A process that has made a session of its own is out of the group's reach.
            let below = tree::descendants(self.number());
            // An error means that none of the group is left.
            let _ = self.pid().map(|pid| kill_process_group(pid, Signal::KILL));
            tree::signal(&below, Signal::KILL);
        } else {
            self.signal(Signal::KILL);
        }
        let end = collected(self.number())?;
        self.end = Some(end);
        self.watched = None;
        self.read_what_is_there();
        Ok(end.0)
    }

    /// The processor time of it and of all that it has waited for, once it is collected.
    pub fn cpu(&self) -> Option<Duration> {
        self.end.map(|(_, cpu)| cpu)
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.kill();
    }
}

fn collected(number: i32) -> io::Result<(ExitStatus, Duration)> {
    let mut status = 0;
    // SAFETY: all-zero bytes are a valid `rusage`.
    let mut usage: libc::rusage = unsafe { mem::zeroed() };
    // SAFETY: both out-pointers are to live locals of the right type.
    while unsafe { libc::wait4(number, &raw mut status, 0, &raw mut usage) } < 0 {
        let error = io::Error::last_os_error();
        if error.kind() != io::ErrorKind::Interrupted {
            return Err(error);
        }
    }
    let micros = |time: libc::timeval| time.tv_sec * 1_000_000 + time.tv_usec;
    let micros = micros(usage.ru_utime) + micros(usage.ru_stime);
    let cpu = Duration::from_micros(u64::try_from(micros).unwrap_or(0));
    Ok((ExitStatus::from_raw(status), cpu))
}

/// A descriptor that becomes readable when the process of this number ends, on kernels since 5.3.
pub fn watched(number: i32) -> Option<OwnedFd> {
    pidfd_open(Pid::from_raw(number)?, PidfdFlags::empty()).ok()
}

#[cfg(test)]
mod tests;
