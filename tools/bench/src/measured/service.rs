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
use std::process::{Command, Stdio};
use std::time::Instant;

use launch::pipe::{Keep, Stream};
use launch::{Launch, Running, tree};
use rustix::process::Signal;

use super::{Error, TAIL, listens};

/// After SIGTERM a server may take this long to end.
const GRACE: Duration = Duration::from_secs(5);

/// CMD is started when the server listens; if that is not seen, after this time.
const UNSEEN: Duration = Duration::from_secs(10);

/// CMD may fail because the server is not ready, and is started again after this time.
const AGAIN: Duration = Duration::from_millis(100);

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Service {
    /// How long it runs; with a driver, how long that has to end well.
    pub time: Duration,
    /// A command of the shell that uses it.
    pub driver: Option<OsString>,
}

pub(super) struct Serving<'a> {
    service: &'a Service,
    helper: i32,
    began: Instant,
    /// In a group of its own, which ends with it, and since when.
    driver: Option<(Running, Instant)>,
    /// Whether the server was seen to listen, or is taken to.
    is_ready: bool,
    next: Instant,
    pub(super) said: String,
    /// How long the run took; it is over then.
    pub(super) took: Option<Duration>,
    kill: Option<Instant>,
    pub(super) drivers_us: u64,
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

    pub(super) fn stream(&self) -> Option<&Stream> {
        self.driver.as_ref().map(|(driver, _)| &driver.stderr)
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
        if let Some((driver, began)) = &mut self.driver {
            driver.read_what_is_there();
            if driver.has_ended() {
                let took = began.elapsed();
                let status = driver.kill().map_err(|e| Error::System("end the driver", e))?;
                let cpu = driver.cpu().unwrap_or_default();
                self.drivers_us += u64::try_from(cpu.as_micros()).unwrap_or(0);
                self.said = driver.stderr.text();
                self.driver = None;
                if status.success() {
                    self.stop(took);
                }
                self.next = now + AGAIN;
            }
        } else if !self.is_ready {
            self.is_ready = listens::does(self.helper) || now.duration_since(self.began) >= UNSEEN;
        } else if now >= self.next {
            self.driver = Some((start(command)?, now));
        }
        if is_over && self.took.is_none() {
            if !self.is_ready {
                self.said = "the server was not seen to listen on a socket\n".to_owned();
            } else if let Some(text) = self.driver.as_mut().map(|(driver, _)| driver.stderr.text())
            {
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
        tree::signal(&tree::descendants(self.helper), signal);
    }
}

fn start(command: &OsString) -> Result<Running, Error> {
    let mut shell = Command::new("/bin/sh");
    shell.arg("-c").arg(command);
    shell.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
    let launch = Launch::new(&mut shell).group().keep(Keep::ALL, Keep::Last(TAIL));
    launch.spawn().map_err(|e| Error::System("start the driver", e))
}
