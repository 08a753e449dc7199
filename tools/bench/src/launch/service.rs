//! What is done with a server, which does not end by itself.
//!
//! ```text
//! the server starts, and listens ─► CMD, again until it ends well ─► SIGTERM to all of it ─► after a while SIGKILL
//!                                   └ not on the malloc under test, and not below the helper; its time is the run's
//! ```
//!
//! Without CMD the server runs for a time. It is stopped by the parent, which the helper need not know: it waits for the end as
//! of any program.

use core::mem;
use core::time::Duration;
use std::ffi::OsString;
use std::io;
use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::Instant;

use rustix::process::{Pid, Signal, kill_process, kill_process_group};

use super::{Error, TAIL, listens, new_pipe, stream};
use crate::pipe::{Keep, Stream};
use crate::tree;

/// After SIGTERM a server may take this long to end.
const GRACE: Duration = Duration::from_secs(5);

/// CMD is started when the server listens; if that is not seen, after this time.
const UNSEEN: Duration = Duration::from_secs(10);

/// CMD may fail because the server is not ready, and is started again after this time.
const AGAIN: Duration = Duration::from_millis(100);

/// How a server is run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Service {
    /// How long it runs; with a driver, how long that has to end well.
    pub time: Duration,
    /// A command of the shell that uses it.
    pub driver: Option<OsString>,
}

/// A server that runs.
pub(super) struct Serving<'a> {
    service: &'a Service,
    /// What it is below.
    helper: i32,
    began: Instant,
    driver: Option<Driver>,
    /// Whether the server was seen to listen, or is taken to.
    is_ready: bool,
    /// When to start the driver.
    next: Instant,
    /// What the last driver said that failed.
    pub(super) said: String,
    /// How long the run took; it is over then.
    pub(super) took: Option<Duration>,
    /// When a server that was asked to end is killed.
    kill: Option<Instant>,
    /// Processor time of all drivers.
    pub(super) drivers_us: u64,
}

struct Driver {
    child: Child,
    began: Instant,
    said: Stream,
}

impl<'a> Serving<'a> {
    pub(super) fn new(service: &'a Service, helper: i32) -> Self {
        let now = Instant::now();
        Self {
            service,
            helper,
            began: now,
            driver: None,
            is_ready: false,
            next: now,
            said: String::new(),
            took: None,
            kill: None,
            drivers_us: 0,
        }
    }

    /// What to listen to.
    pub(super) fn stream(&self) -> Option<&Stream> {
        self.driver.as_ref().map(|driver| &driver.said)
    }

    /// Does what is due; `false` if the time is over and the driver did not end well.
    pub(super) fn go_on(&mut self) -> Result<bool, Error> {
        let now = Instant::now();
        if self.took.is_some() {
            if self.kill.is_some_and(|at| now >= at) {
                self.signal(Signal::KILL);
                self.kill = None;
            }
            return Ok(true);
        }
        let is_over = now.duration_since(self.began) >= self.service.time;
        let Some(command) = &self.service.driver else {
            if is_over {
                self.stop(now.duration_since(self.began));
            }
            return Ok(true);
        };
        if let Some(driver) = &mut self.driver {
            driver.said.read_what_is_there();
            if let Some((status, us)) =
                driver.ended().map_err(|e| Error::System("wait for the driver", e))?
            {
                let took = driver.began.elapsed();
                self.drivers_us += us;
                self.said = driver.said.text();
                self.driver = None;
                if status.success() {
                    self.stop(took);
                }
                self.next = now + AGAIN;
            }
        } else if !self.is_ready {
            self.is_ready = listens::does(self.helper) || now.duration_since(self.began) >= UNSEEN;
        } else if now >= self.next {
            self.driver = Some(Driver::start(command)?);
        }
        if is_over && self.took.is_none() {
            if !self.is_ready {
                self.said = "the server was not seen to listen on a socket\n".to_owned();
            } else if let Some(text) = self.driver.as_mut().map(|driver| driver.said.text()) {
                // What the one before said, if this one has said nothing yet.
                self.said = if text.is_empty() { mem::take(&mut self.said) } else { text };
                self.said.insert_str(0, "the last one had not ended\n");
            }
            return Ok(false);
        }
        Ok(true)
    }

    fn stop(&mut self, took: Duration) {
        self.took = Some(took);
        self.kill = Some(Instant::now() + GRACE);
        self.signal(Signal::TERM);
    }

    /// To all of its processes, as Ctrl-C does.
    fn signal(&self, signal: Signal) {
        for process in tree::descendants(self.helper).into_iter().filter_map(Pid::from_raw) {
            // An error means that it has ended.
            let _ = kill_process(process, signal);
        }
    }
}

impl Driver {
    fn start(command: &OsString) -> Result<Self, Error> {
        let (said, said_in) = new_pipe()?;
        let began = Instant::now();
        let mut shell = Command::new("/bin/sh");
        shell.arg("-c").arg(command).process_group(0);
        shell.stdin(Stdio::null()).stdout(Stdio::null()).stderr(said_in);
        let child = shell.spawn().map_err(|e| Error::System("start the driver", e))?;
        Ok(Self { child, began, said: stream(said, Keep::Last(TAIL))? })
    }

    /// How it ended, and the processor time of what it waited for.
    fn ended(&self) -> io::Result<Option<(ExitStatus, u64)>> {
        let number = i32::try_from(self.child.id()).unwrap_or(0);
        let mut status = 0;
        // SAFETY: all-zero bytes are a valid `rusage`.
        let mut usage: libc::rusage = unsafe { mem::zeroed() };
        // SAFETY: both out-pointers are to live locals of the right type.
        match unsafe { libc::wait4(number, &raw mut status, libc::WNOHANG, &raw mut usage) } {
            0 => Ok(None),
            1.. => {
                let us = |time: libc::timeval| {
                    u64::try_from(time.tv_sec * 1_000_000 + time.tv_usec).unwrap_or(0)
                };
                Ok(Some((ExitStatus::from_raw(status), us(usage.ru_utime) + us(usage.ru_stime))))
            }
            _ => Err(io::Error::last_os_error()),
        }
    }
}

impl Drop for Driver {
    /// Ends it and what it left in its group, however the run came to its end.
    fn drop(&mut self) {
        if let Some(group) = i32::try_from(self.child.id()).ok().and_then(Pid::from_raw) {
            let _ = kill_process_group(group, Signal::KILL);
        }
        let _ = self.child.wait();
    }
}
