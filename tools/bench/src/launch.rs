//! The parent's side of one measured run: starts the helper, listens, and turns its line into figures.
//!
//! Standard input of the program is `/dev/null`, or a file that is opened anew for each run. Its output is discarded or, if that is asked for, kept; the end of what
//! it said on standard error is kept for the case that it fails. Everything the run started is below the helper, and what
//! is left of it is killed when the run is over: the next run shall have the machine to itself.

mod answer;
mod input;
mod listens;
mod service;

use core::sync::atomic::{AtomicBool, Ordering};
use core::time::Duration;
use std::ffi::OsString;
use std::io;
use std::os::fd::{AsRawFd as _, OwnedFd};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use rustix::io::{FdFlags, fcntl_setfd};
use rustix::pipe::{PipeFlags, fcntl_setpipe_size, pipe_with};
use rustix::process::{Pid, Signal, kill_process, kill_process_group};
use serde::{Deserialize, Serialize};

pub use input::{Given, Input};
pub use service::Service;

use self::service::Serving;
use crate::pipe::{self, Keep, Stream};
use crate::{helper, tree, warm};

/// The bytes of a failing program's standard error that are kept: its end.
const TAIL: usize = 4096;

/// The bytes of what a program prints that are kept; the rest is read and dropped.
const PRINTED: usize = 4 << 20;

/// The bytes of the helper's line that are kept; it has about a hundred thousand bytes when memory was looked at for long.
const LINE: usize = 1 << 20;

/// How often a waiting parent looks at the clock and at Ctrl-C.
const TICK: Duration = Duration::from_millis(50);

/// Held while a pipe can be inherited that is for one helper.
static SPAWNING: Mutex<()> = Mutex::new(());

/// What to run.
#[derive(Debug, Clone)]
pub struct Job<'a> {
    /// The file to execute.
    pub file: &'a Path,
    /// Its arguments, `argv[0]` included.
    pub argv: &'a [OsString],
    /// Variables that replace or extend the inherited environment.
    pub environment: &'a [(OsString, OsString)],
    /// Let the program's output through instead of discarding it; what is captured is not shown.
    pub show_output: bool,
    /// Kill it after this time.
    pub timeout: Option<Duration>,
    /// Kill it after this time, in which does not count what the task waited for a processor that waited most.
    pub limit: Option<Duration>,
    /// It is a server, and this is done with it.
    pub service: Option<&'a Service>,
    /// The processors it may use; none: all.
    pub cpus: &'a [usize],
    /// The time between two looks at the memory of all its processes; longer in a long run, or when there are very many of them.
    pub sample: Option<Duration>,
    /// Keep what it prints on standard output, up to 4 MiB.
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
    /// User time of all processes of the run.
    pub user_us: u64,
    /// System time of the same.
    pub system_us: u64,
    /// The largest resident set any process of the run had; where memory was looked at, the largest that all of them
    /// together were seen to have, if that is more.
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
    /// Processor time that others, a hypervisor included, took from this run's processors meanwhile. Coarse: the kernel
    /// counts it in ticks of 10 ms for each processor, so that of a short run it says little. A run that is not pinned has
    /// all processors. `None`: it cannot be read.
    pub others_us: Option<u64>,
    /// How long all its tasks together, ready to run, waited for a processor. It is a share, seen at looks, of the time that
    /// they computed. `None`: it was too short to be looked at, or the kernel does not say.
    #[serde(default)]
    pub waited_us: Option<u64>,
}

/// A program that was seen in a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Program {
    /// Its name, as `ps` and the kernel know it.
    pub name: String,
    /// The malloc that it had: `None` if that is the library which comes first in [`Job::environment`]'s `LD_PRELOAD`, else
    /// the name of a library, `glibc`, `musl` or `its own`.
    pub malloc: Option<String>,
    /// How long it was seen to compute; of what ended between two looks nothing is known.
    pub cpu_us: u64,
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
    /// The programs that were seen, and their mallocs.
    pub programs: Vec<Program>,
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
    /// It was a server, and its driver did not end well in time; what that said.
    NotDriven(String),
    /// It was a server, and ended by itself.
    EndedEarly(String),
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
    input: Option<Input>,
    environment: Option<Vec<(OsString, OsString)>>,
}

impl Launcher {
    /// A launcher whose helper is `executable` with the argument [`helper::SUBCOMMAND`].
    #[must_use]
    pub fn new(executable: impl Into<PathBuf>) -> Self {
        Self { executable: executable.into(), input: None, environment: None }
    }

    /// The same, with a file that every program reads from the same place.
    #[must_use]
    pub fn reading(self, input: Option<Input>) -> Self {
        Self { input, ..self }
    }

    /// The same; programs get `environment`, and nothing of this process's.
    #[must_use]
    pub fn within(self, environment: Option<Vec<(OsString, OsString)>>) -> Self {
        Self { environment, ..self }
    }

    /// Has a process touch `bytes` bytes and waits for its end; see [`warm`].
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
        let (printed, printed_in) = new_pipe()?;
        // Until it is closed here again, a helper that another thread starts would get it too.
        let spawning = SPAWNING.lock().unwrap_or_else(PoisonError::into_inner);
        fcntl_setfd(&figures_in, FdFlags::empty())
            .map_err(|e| Error::System("share a pipe", e.into()))?;
        let mut command = Command::new(&self.executable);
        command.arg(helper::SUBCOMMAND).arg(figures_in.as_raw_fd().to_string());
        command.args(helper::arguments(job.cpus, job.sample));
        if let Some(environment) = &self.environment {
            command.env_clear().envs(environment.iter().cloned());
        }
        for (key, value) in job.environment {
            let mut entry = key.clone();
            entry.push("=");
            entry.push(value);
            command.arg(entry);
        }
        command.arg("--").arg(job.file).args(job.argv).process_group(0);
        command.stdin(match &self.input {
            Some(input) => {
                input.open().map_err(|e| Error::System("open standard input again", e))?.into()
            }
            None => Stdio::null(),
        });
        // A write end that is not handed over is closed, so that its reading end is not waited for.
        if job.capture {
            // The program shall not wait for us to read; if this is refused it has 64 KiB.
            let _ = fcntl_setpipe_size(&printed_in, 1 << 20);
            command.stdout(printed_in);
        } else {
            drop(printed_in);
            command.stdout(if job.show_output { io::stderr().into() } else { Stdio::null() });
        }
        if job.show_output {
            drop(said_in);
            command.stderr(Stdio::inherit());
        } else {
            command.stderr(said_in);
        }
        let child = command.spawn().map_err(|e| Error::System("start the helper", e))?;
        let mut group = Group { child };
        // `command` holds the write ends.
        drop((figures_in, command, spawning));
        let mut run = Listening {
            figures: stream(figures, Keep::Last(LINE))?,
            said: stream(said, Keep::Last(TAIL))?,
            printed: stream(printed, Keep::First(PRINTED))?,
            // A limit beyond what the clock can say is none.
            deadline: job.timeout.and_then(|t| Instant::now().checked_add(t)),
            limit: job.limit.map(|limit| Limit::new(limit, group.number())),
            serving: job.service.map(|service| Serving::new(service, group.number())),
        };
        let ended = run.until_the_line(interrupted)?;
        group.kill();
        let said = run.said.text();
        match ended {
            Ended::Line(line) => {
                let outcome = answer::parse(&line, said, run.printed.text())?;
                Ok(match &run.serving {
                    Some(serving) => served(outcome, serving),
                    None => outcome,
                })
            }
            Ended::TimedOut => Ok(Outcome::TimedOut(said)),
            Ended::NotDriven(driver) => Ok(Outcome::NotDriven(driver + &said)),
            Ended::Interrupted => Ok(Outcome::Interrupted),
        }
    }
}

/// What a server's run is: it took as long as its driver, and ended well if it ended when it was asked to.
fn served(outcome: Outcome, serving: &Serving<'_>) -> Outcome {
    let Outcome::Ran(mut ran) = outcome else { return outcome };
    let figures = &mut ran.figures;
    let Some(took) = serving.took else {
        return match figures.exit {
            Exit::Code(0) => Outcome::EndedEarly(ran.said),
            _ => Outcome::Ran(ran),
        };
    };
    figures.wall_ns = u64::try_from(took.as_nanos()).unwrap_or(u64::MAX);
    figures.others_us = figures.others_us.map(|us| us.saturating_sub(serving.drivers_us));
    if matches!(figures.exit, Exit::Code(_) | Exit::Signal(libc::SIGTERM | libc::SIGKILL)) {
        figures.exit = Exit::Code(0);
    }
    Outcome::Ran(ran)
}

/// A time limit that starvation does not shorten.
struct Limit {
    limit: Duration,
    helper: i32,
    began: Instant,
    /// When to look again.
    due: Duration,
}

impl Limit {
    fn new(limit: Duration, helper: i32) -> Self {
        Self { limit, helper, began: Instant::now(), due: limit }
    }

    fn is_over(&mut self) -> bool {
        let elapsed = self.began.elapsed();
        if elapsed < self.due {
            return false;
        }
        let taken = elapsed.saturating_sub(Duration::from_nanos(tree::longest_wait(self.helper)));
        // Not sooner than in a while: a look is at every task.
        self.due = elapsed + self.limit.saturating_sub(taken).max(2 * TICK);
        taken >= self.limit
    }
}

/// The helper and whatever it started.
struct Group {
    child: Child,
}

impl Group {
    /// The helper's.
    fn number(&self) -> i32 {
        i32::try_from(self.child.id()).unwrap_or(0)
    }

    /// Ends what still runs, then collects the helper; until that its number cannot mean anyone else.
    fn kill(&mut self) {
        let helper = self.number();
        // A process may have left the group; if the helper has ended itself, it has seen to that before.
        let below = tree::descendants(helper);
        // Errors mean that nothing was left.
        if let Some(group) = Pid::from_raw(helper) {
            let _ = kill_process_group(group, Signal::KILL);
        }
        for process in below.into_iter().filter_map(Pid::from_raw) {
            let _ = kill_process(process, Signal::KILL);
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
    NotDriven(String),
    Interrupted,
}

/// The pipes of a run.
struct Listening<'a> {
    figures: Stream,
    said: Stream,
    printed: Stream,
    deadline: Option<Instant>,
    limit: Option<Limit>,
    serving: Option<Serving<'a>>,
}

impl Listening<'_> {
    fn until_the_line(&mut self, interrupted: &AtomicBool) -> Result<Ended, Error> {
        loop {
            if interrupted.load(Ordering::Relaxed) {
                return Ok(Ended::Interrupted);
            }
            let is_over = self.limit.as_mut().is_some_and(Limit::is_over);
            if is_over || self.deadline.is_some_and(|d| Instant::now() >= d) {
                return Ok(Ended::TimedOut);
            }
            if let Some(serving) = &mut self.serving
                && !serving.go_on()?
            {
                return Ok(Ended::NotDriven(core::mem::take(&mut serving.said)));
            }
            let mut streams = vec![&self.figures, &self.said, &self.printed];
            streams.extend(self.serving.as_ref().and_then(Serving::stream));
            pipe::wait(&streams, TICK).map_err(|e| Error::System("wait for the helper", e))?;
            self.said.read_what_is_there();
            self.printed.read_what_is_there();
            self.figures.read_what_is_there();
            if self.figures.is_closed() || self.figures.ends_with_a_line() {
                // What was said before the end is in the pipes by now.
                self.said.read_what_is_there();
                self.printed.read_what_is_there();
                return Ok(Ended::Line(self.figures.text()));
            }
        }
    }
}

fn stream(fd: OwnedFd, keep: Keep) -> Result<Stream, Error> {
    Stream::new(fd, keep).map_err(|e| Error::System("set pipe flags", e))
}

fn new_pipe() -> Result<(OwnedFd, OwnedFd), Error> {
    pipe_with(PipeFlags::CLOEXEC).map_err(|e| Error::System("make a pipe", e.into()))
}
