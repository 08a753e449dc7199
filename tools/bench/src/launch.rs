//! The parent's side of one measured run: starts the helper, listens, and turns its line into figures.
//!
//! Standard input of the program is `/dev/null`. Its output is discarded, but the end of what it said on standard
//! error is kept for the case that it fails. Everything the run started is one process group, and what is left of
//! it is killed when the run is over: the next run shall have the machine to itself.

use core::sync::atomic::{AtomicBool, Ordering};
use core::time::Duration;
use std::collections::VecDeque;
use std::ffi::OsString;
use std::io;
use std::os::fd::{AsFd, AsRawFd as _, BorrowedFd, OwnedFd};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Instant;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};
use rustix::io::{Errno, FdFlags, fcntl_setfd, read};
use rustix::pipe::{PipeFlags, pipe_with};
use rustix::process::{Pid, Signal, kill_process_group};
use serde::{Deserialize, Serialize};

use crate::{helper, warm};

/// So much of a failing program's standard error is kept.
const TAIL: usize = 4096;

/// How often a waiting parent looks at the clock and at Ctrl-C.
const TICK: Timespec = Timespec { tv_sec: 0, tv_nsec: 50_000_000 };

/// What to run.
#[derive(Debug, Clone)]
pub struct Job<'a> {
    /// The file to execute.
    pub file: &'a Path,
    /// Its arguments, `argv[0]` included.
    pub argv: &'a [OsString],
    /// Variables that replace or extend the inherited environment.
    pub environment: &'a [(OsString, OsString)],
    /// Let the program's output through instead of discarding it.
    pub show_output: bool,
    /// Kill it after so long.
    pub timeout: Option<Duration>,
    /// The processors it may use; none: all.
    pub cpus: &'a [usize],
    /// Look at the memory of all its processes so often.
    pub sample: Option<Duration>,
    /// Keep what it prints on standard output.
    pub capture: bool,
}

/// How a program ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Exit {
    /// With this exit code.
    Code(i32),
    /// By this signal.
    Signal(i32),
}

/// The figures of one run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Figures {
    /// From exec to exit, by the monotonic clock.
    pub wall_ns: u64,
    /// User time of the program and the children it waited for.
    pub user_us: u64,
    /// System time of the same.
    pub system_us: u64,
    /// The largest resident set any process of the run had.
    pub peak_rss_bytes: u64,
    /// Peaks below this would not be seen: what the fork touched before exec.
    pub peak_rss_floor_bytes: u64,
    /// Page faults served without I/O.
    pub minor_faults: u64,
    /// Page faults that waited for I/O.
    pub major_faults: u64,
    /// Times the program gave the processor up.
    pub voluntary_switches: u64,
    /// Times the processor was taken from it.
    pub involuntary_switches: u64,
    /// How it ended.
    pub exit: Exit,
    /// Processor time that others, a hypervisor included, took from this run's processors meanwhile.
    pub others_us: Option<u64>,
}

/// The resident memory of all processes of a run, at one time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sample {
    /// Since exec.
    pub ns: u64,
    /// Of all processes together; pages they share count once for each.
    pub rss_bytes: u64,
}

/// A run that came to some end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ran {
    /// What was measured.
    pub figures: Figures,
    /// When it began, by the monotonic clock.
    pub began_ns: u64,
    /// What it last said on standard error, if that was kept.
    pub said: String,
    /// What it printed, if that was to be kept.
    pub printed: String,
    /// Its memory over time, if that was to be looked at.
    pub samples: Vec<Sample>,
}

/// What came of one run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// It ran to some end.
    Ran(Box<Ran>),
    /// `execve` refused with this errno.
    NotStarted(i32),
    /// It was killed at the time limit.
    TimedOut(String),
    /// It was killed because the user interrupted.
    Interrupted,
}

/// A failure of heapwright itself, not of the program.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The system refused something the launcher needs.
    #[error("cannot {0}: {1}")]
    System(&'static str, #[source] io::Error),
    /// The helper process ended without a line of figures.
    #[error("the measuring helper failed: {0}")]
    Helper(String),
}

/// Starts helpers.
#[derive(Debug, Clone)]
pub struct Launcher {
    executable: PathBuf,
}

impl Launcher {
    /// A launcher whose helper is `executable` with the argument [`helper::SUBCOMMAND`].
    #[must_use]
    pub fn new(executable: impl Into<PathBuf>) -> Self {
        Self { executable: executable.into() }
    }

    /// Has a process touch so many bytes and waits for its end; see [`warm`].
    ///
    /// # Errors
    ///
    /// The process cannot be started.
    pub fn warm(&self, bytes: u64) -> Result<(), Error> {
        let mut command = Command::new(&self.executable);
        command.arg(warm::SUBCOMMAND).arg(bytes.to_string()).stdin(Stdio::null());
        command.status().map_err(|e| Error::System("start the process that warms memory", e))?;
        Ok(())
    }

    /// Runs `job` once and waits for its end, the time limit, or `interrupted`.
    ///
    /// # Errors
    ///
    /// Only when heapwright itself cannot do its part; whatever the program does is an [`Outcome`].
    pub fn run(&self, job: &Job<'_>, interrupted: &AtomicBool) -> Result<Outcome, Error> {
        let (figures, figures_in) = new_pipe()?;
        let (said, said_in) = new_pipe()?;
        fcntl_setfd(&figures_in, FdFlags::empty())
            .map_err(|e| Error::System("share a pipe", e.into()))?;
        let mut command = Command::new(&self.executable);
        command.arg(helper::SUBCOMMAND).arg(figures_in.as_raw_fd().to_string());
        for (key, value) in job.environment {
            let mut entry = key.clone();
            entry.push("=");
            entry.push(value);
            command.arg(entry);
        }
        command.arg("--").arg(job.file).args(job.argv).stdin(Stdio::null()).process_group(0);
        if job.show_output {
            command.stdout(io::stderr()).stderr(Stdio::inherit());
            drop(said_in);
        } else {
            command.stdout(Stdio::null()).stderr(said_in);
        }
        let child = command.spawn().map_err(|e| Error::System("start the helper", e))?;
        let mut group = Group { child };
        // `command` holds the write end of `said`.
        drop((figures_in, command));
        let mut run = Listening {
            figures: Stream::new(figures)?,
            said: Stream::new(said)?,
            deadline: job.timeout.map(|t| Instant::now() + t),
        };
        let ended = run.until_the_line(interrupted)?;
        group.kill();
        let tail = run.said.tail();
        match ended {
            Ended::Line(line) => parse(&line, tail),
            Ended::TimedOut => Ok(Outcome::TimedOut(tail)),
            Ended::Interrupted => Ok(Outcome::Interrupted),
        }
    }
}

/// The helper and whatever it started.
struct Group {
    child: Child,
}

impl Group {
    /// Ends what still runs, then collects the helper; until that its number cannot mean anyone else.
    fn kill(&mut self) {
        if let Some(pid) = i32::try_from(self.child.id()).ok().and_then(Pid::from_raw) {
            // An error means that nothing was left.
            let _ = kill_process_group(pid, Signal::KILL);
        }
        let _ = self.child.wait();
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        if matches!(self.child.try_wait(), Ok(None)) {
            self.kill();
        }
    }
}

enum Ended {
    Line(String),
    TimedOut,
    Interrupted,
}

/// Both pipes of a run.
struct Listening {
    figures: Stream,
    said: Stream,
    deadline: Option<Instant>,
}

impl Listening {
    fn until_the_line(&mut self, interrupted: &AtomicBool) -> Result<Ended, Error> {
        loop {
            if interrupted.load(Ordering::Relaxed) {
                return Ok(Ended::Interrupted);
            }
            if self.deadline.is_some_and(|d| Instant::now() >= d) {
                return Ok(Ended::TimedOut);
            }
            self.wait_for_news()?;
            self.said.read_all(TAIL);
            self.figures.read_all(TAIL);
            if self.figures.closed || self.figures.held.back() == Some(&b'\n') {
                // What was said before the end is in the pipe by now.
                self.said.read_all(TAIL);
                return Ok(Ended::Line(self.figures.tail()));
            }
        }
    }

    fn wait_for_news(&self) -> Result<(), Error> {
        let mut fds = vec![PollFd::from_borrowed_fd(self.figures.fd(), PollFlags::IN)];
        if !self.said.closed {
            fds.push(PollFd::from_borrowed_fd(self.said.fd(), PollFlags::IN));
        }
        match poll(&mut fds, Some(&TICK)) {
            Ok(_) | Err(Errno::INTR) => Ok(()),
            Err(error) => Err(Error::System("wait for the helper", error.into())),
        }
    }
}

/// The read end of a pipe, of which only the last bytes are kept.
struct Stream {
    fd: OwnedFd,
    held: VecDeque<u8>,
    closed: bool,
}

impl Stream {
    fn new(fd: OwnedFd) -> Result<Self, Error> {
        let flags = fcntl_getfl(&fd).map_err(|e| Error::System("read pipe flags", e.into()))?;
        fcntl_setfl(&fd, flags | OFlags::NONBLOCK)
            .map_err(|e| Error::System("set pipe flags", e.into()))?;
        Ok(Self { fd, held: VecDeque::new(), closed: false })
    }

    fn fd(&self) -> BorrowedFd<'_> {
        self.fd.as_fd()
    }

    /// Reads what is there; keeps the last `keep` bytes.
    fn read_all(&mut self, keep: usize) {
        let mut buffer = [0_u8; 4096];
        while !self.closed {
            match read(&self.fd, &mut buffer) {
                Ok(0) => self.closed = true,
                Ok(n) => {
                    self.held.extend(&buffer[..n]);
                    let excess = self.held.len().saturating_sub(keep);
                    self.held.drain(..excess);
                }
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) => return,
                Err(_) => self.closed = true,
            }
        }
    }

    fn tail(&mut self) -> String {
        String::from_utf8_lossy(self.held.make_contiguous()).into_owned()
    }
}

fn new_pipe() -> Result<(OwnedFd, OwnedFd), Error> {
    pipe_with(PipeFlags::CLOEXEC).map_err(|e| Error::System("make a pipe", e.into()))
}

/// Reads the helper's line.
fn parse(line: &str, tail: String) -> Result<Outcome, Error> {
    let wrong =
        || Error::Helper(if line.is_empty() { "no answer" } else { line.trim() }.to_owned());
    let mut words = line.split_whitespace();
    let kind = words.next().ok_or_else(wrong)?;
    let numbers: Vec<u64> = words.map_while(|w| w.parse().ok()).collect();
    match (kind, numbers.as_slice()) {
        ("exec", [errno]) => Ok(Outcome::NotStarted(i32::try_from(*errno).unwrap_or(0))),
        ("ran", &[wall_ns, user_us, system_us, peak, floor, minor, major, gave, taken, status]) => {
            let figures = Figures {
                wall_ns,
                user_us,
                system_us,
                peak_rss_bytes: peak * 1024,
                peak_rss_floor_bytes: floor * 1024,
                minor_faults: minor,
                major_faults: major,
                voluntary_switches: gave,
                involuntary_switches: taken,
                exit: exit(i32::try_from(status).map_err(|_| wrong())?),
                others_us: None,
            };
            Ok(Outcome::Ran(Box::new(Ran {
                figures,
                began_ns: 0,
                said: tail,
                printed: String::new(),
                samples: Vec::new(),
            })))
        }
        _ => Err(wrong()),
    }
}

fn exit(status: i32) -> Exit {
    if libc::WIFSIGNALED(status) {
        Exit::Signal(libc::WTERMSIG(status))
    } else {
        Exit::Code(libc::WEXITSTATUS(status))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_of_figures() {
        let outcome = parse("ran 1000 2 3 1500 900 40 1 5 6 0\n", "oh".into()).unwrap();
        let Outcome::Ran(ran) = outcome else { panic!("{outcome:?}") };
        let (figures, tail) = (ran.figures, ran.said);
        assert_eq!((figures.wall_ns, figures.user_us, figures.system_us), (1000, 2, 3));
        assert_eq!(figures.peak_rss_bytes, 1500 * 1024);
        assert_eq!(figures.peak_rss_floor_bytes, 900 * 1024);
        assert_eq!((figures.minor_faults, figures.exit), (40, Exit::Code(0)));
        assert_eq!(tail, "oh");
    }

    #[test]
    fn ends_of_every_kind() {
        let exit_of =
            |status: i32| match parse(&format!("ran 1 1 1 1 1 1 1 1 1 {status}"), String::new()) {
                Ok(Outcome::Ran(ran)) => ran.figures.exit,
                other => panic!("{other:?}"),
            };
        assert_eq!(exit_of(3 << 8), Exit::Code(3));
        assert_eq!(exit_of(11), Exit::Signal(11));
        assert_eq!(exit_of(6 | 0x80), Exit::Signal(6), "with a core dump");
        assert_eq!(parse("exec 8", String::new()).unwrap(), Outcome::NotStarted(8));
    }

    #[test]
    fn a_helper_that_broke_is_an_error() {
        for line in ["", "ran 1 2", "failed fork: no", "exec", "ran a b c"] {
            assert!(parse(line, String::new()).is_err(), "{line:?}");
        }
    }
}
