//! The parent's side of one measured run: starts the helper, listens, and turns its line into figures.
//!
//! Standard input of the program is `/dev/null`, or a file that is opened anew for each run. Its output is discarded or, if that is asked for, kept; the end of what
//! it said on standard error is kept for the case that it fails. Everything the run started is below the helper, and what
//! is left of it is killed when the run is over: the next run shall have the machine to itself.

mod input;
mod listens;
mod service;

use core::sync::atomic::{AtomicBool, Ordering};
use core::time::Duration;
use std::ffi::OsString;
use std::io;
use std::os::fd::AsRawFd as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use launch::follow::Program;
use launch::pipe::{self, Keep, Stream};
use launch::{Exit, Launch, Running, tree};
use rustix::io::{FdFlags, fcntl_setfd};
use rustix::pipe::{PipeFlags, pipe_with};
use serde::{Deserialize, Serialize};

pub use input::{Given, Input};
pub use service::Service;

use self::service::Serving;
use crate::helper::Answer;
use crate::{helper, warm};

/// The bytes of a failing program's standard error that are kept: its end.
const TAIL: usize = 4096;

/// The bytes of what a program prints that are kept; the rest is read and dropped.
const PRINTED: usize = 4 << 20;

/// The bytes of the helper's line that are kept; it has some two hundred thousand bytes when memory was looked at for long.
const LINE: usize = 1 << 20;

/// How often a waiting parent looks at the clock and at Ctrl-C.
const TICK: Duration = Duration::from_millis(50);

/// Held while a pipe can be inherited that is for one helper.
static SPAWNING: Mutex<()> = Mutex::new(());

#[derive(Debug, Clone)]
pub struct Job<'a> {
    pub file: &'a Path,
    /// Its arguments, `argv[0]` included.
    pub argv: &'a [OsString],
    /// Variables that replace or extend the inherited environment.
    pub environment: &'a [(OsString, OsString)],
    /// Let the program's output through instead of discarding it; what is captured is not shown.
    pub show_output: bool,
    pub timeout: Option<Duration>,
    /// Kill it after this time, in which does not count what the task waited for a processor that waited most.
    pub limit: Option<Duration>,
    pub service: Option<&'a Service>,
    /// The processors it may use; none: all.
    pub cpus: &'a [usize],
    /// The time between two looks at the memory of all its processes; longer in a long run, or when there are very many of them.
    pub sample: Option<Duration>,
    /// Keep what it prints on standard output, up to 4 MiB.
    pub capture: bool,
}

impl<'a> Job<'a> {
    /// One of which nothing else is said: no limit, all processors, its output discarded.
    pub fn new(file: &'a Path, argv: &'a [OsString]) -> Self {
        Self {
            file,
            argv,
            environment: &[],
            show_output: false,
            timeout: None,
            limit: None,
            service: None,
            cpus: &[],
            sample: None,
            capture: false,
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Figures {
    /// From exec to exit, by the monotonic clock.
    pub wall_ns: u64,
    /// User time of all processes of the run.
    pub user_us: u64,
    pub system_us: u64,
    /// The largest resident set any process of the run had; where memory was looked at, the largest that all of them
    /// together were seen to have, if that is more.
    pub peak_rss_bytes: u64,
    /// Peaks below this would not be seen: what the fork touched before exec.
    pub peak_rss_floor_bytes: u64,
    /// The most anonymous memory that one process of the run had; only where memory was looked at.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub peak_anonymous_bytes: Option<u64>,
    /// Page faults served without I/O.
    pub minor_faults: u64,
    /// Page faults that waited for I/O.
    pub major_faults: u64,
    /// Times the program gave the processor up.
    pub voluntary_switches: u64,
    pub involuntary_switches: u64,
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
    pub figures: Figures,
    /// When it began, by the monotonic clock.
    pub began_ns: u64,
    /// What it last said on standard error, if that was kept.
    pub said: String,
    pub printed: String,
    pub samples: Vec<Sample>,
    /// The programs that were seen, and their mallocs: asked for is the library that comes first in [`Job::environment`]'s
    /// `LD_PRELOAD`.
    pub programs: Vec<Program>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    Ran(Box<Ran>),
    NotStarted(i32),
    TimedOut(String),
    /// It was a server, and its driver did not end well in time; what that said.
    NotDriven(String),
    /// It was a server, and ended by itself.
    EndedEarly(String),
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

#[derive(Debug, Clone)]
pub struct Launcher {
    executable: PathBuf,
    input: Option<Input>,
    environment: Option<Vec<(OsString, OsString)>>,
}

impl Launcher {
    /// A launcher whose helper is `executable` with the argument [`helper::SUBCOMMAND`].
    pub fn new(executable: impl Into<PathBuf>) -> Self {
        Self { executable: executable.into(), input: None, environment: None }
    }

    /// The same, with a file that every program reads from the same place.
    pub fn reading(self, input: Option<Input>) -> Self {
        Self { input, ..self }
    }

    /// The same; programs get `environment`, and nothing of this process's.
    pub fn within(self, environment: Option<Vec<(OsString, OsString)>>) -> Self {
        Self { environment, ..self }
    }

    /// Has a process touch `bytes` bytes and waits for its end; see [`warm`].
    pub fn warm(&self, bytes: u64) -> Result<(), Error> {
        let mut command = Command::new(&self.executable);
        command.arg(warm::SUBCOMMAND).arg(bytes.to_string()).stdin(Stdio::null());
        command.status().map_err(|e| Error::System("start the process that warms memory", e))?;
        Ok(())
    }

    /// Runs `job` once and waits for its end, the time limit, or `interrupted`.
    /// Errors: only when heapwright itself cannot do its part; whatever the program does is an [`Outcome`].
    pub fn run(&self, job: &Job<'_>, interrupted: &AtomicBool) -> Result<Outcome, Error> {
        let (figures, figures_in) =
            pipe_with(PipeFlags::CLOEXEC).map_err(|e| Error::System("make a pipe", e.into()))?;
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
        command.arg("--").arg(job.file).args(job.argv);
        command.stdin(match &self.input {
            Some(input) => {
                input.open().map_err(|e| Error::System("open standard input again", e))?.into()
            }
            None => Stdio::null(),
        });
        command.stdout(match (job.capture, job.show_output) {
            (true, _) => Stdio::piped(),
            (false, true) => io::stderr().into(),
            (false, false) => Stdio::null(),
        });
        command.stderr(if job.show_output { Stdio::inherit() } else { Stdio::piped() });
        let launch = Launch::new(&mut command).group();
        let launch = launch.keep(Keep::First(PRINTED), Keep::Last(TAIL));
        let helper = launch.spawn().map_err(|e| Error::System("start the helper", e))?;
        // The program shall not wait for us to read; if this is refused it has 64 KiB.
        helper.stdout.widen(1 << 20);
        drop((figures_in, spawning));
        let number = helper.number();
        let mut run = Listening {
            helper,
            figures: Stream::new(Some(figures), Keep::Last(LINE)),
            // A limit beyond what the clock can say is none.
            deadline: job.timeout.and_then(|t| Instant::now().checked_add(t)),
            limit: job.limit.map(|limit| Limit::new(limit, number)),
            serving: job.service.map(|service| Serving::new(service, number)),
        };
        let ended = run.until_the_line(interrupted)?;
        // The next run shall have the machine to itself.
        run.helper.kill().map_err(|e| Error::System("end the helper", e))?;
        let said = run.helper.stderr.text();
        match ended {
            Ended::Line(line) => {
                let outcome = outcome(&line, said, run.helper.stdout.text())?;
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

fn outcome(line: &str, said: String, printed: String) -> Result<Outcome, Error> {
    // A line without its end is one that the helper did not finish.
    let answer = line.strip_suffix('\n').map(serde_json::from_str);
    match answer {
        Some(Ok(Answer::Ran { figures, began_ns, samples, programs })) => {
            Ok(Outcome::Ran(Box::new(Ran { figures, began_ns, said, printed, samples, programs })))
        }
        Some(Ok(Answer::NotStarted(errno))) => Ok(Outcome::NotStarted(errno)),
        Some(Ok(Answer::Failed(why))) => Err(Error::Helper(why)),
        _ if line.is_empty() => Err(Error::Helper("no answer".to_owned())),
        // Its samples would fill the screen.
        _ => Err(Error::Helper(line.chars().take(200).collect())),
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

struct Limit {
    limit: Duration,
    helper: i32,
    began: Instant,
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

enum Ended {
    Line(String),
    TimedOut,
    NotDriven(String),
    Interrupted,
}

/// A run: the helper with all that it started, and what is heard of it.
struct Listening<'a> {
    helper: Running,
    figures: Stream,
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
            let mut streams = vec![&self.figures, &self.helper.stdout, &self.helper.stderr];
            streams.extend(self.serving.as_ref().and_then(Serving::stream));
            pipe::wait(&streams, TICK).map_err(|e| Error::System("wait for the helper", e))?;
            self.helper.read_what_is_there();
            self.figures.read_what_is_there();
            if self.figures.is_closed() || self.figures.ends_with_a_line() {
                // What was said before the end is in the pipes by now.
                self.helper.read_what_is_there();
                return Ok(Ended::Line(self.figures.text()));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_helper_says_is_understood_and_what_it_did_not_finish_is_not() {
        let read = |line: &str| outcome(line, "oh".to_owned(), "text".to_owned());
        let programs = vec![
            Program { name: "a b".to_owned(), malloc: None, cpu_us: 1 },
            Program { name: "b".to_owned(), malloc: Some("lib_x.so".to_owned()), cpu_us: 2 },
        ];
        let samples = vec![Sample { ns: 5, rss_bytes: 4096 }];
        let figures = crate::testing::figures(1000);
        let ran = Ran {
            figures: figures.clone(),
            began_ns: 7,
            said: "oh".to_owned(),
            printed: "text".to_owned(),
            samples: samples.clone(),
            programs: programs.clone(),
        };
        let answer = Answer::Ran { figures, began_ns: 7, samples, programs };
        let line = serde_json::to_string(&answer).unwrap();
        assert_eq!(read(&format!("{line}\n")).unwrap(), Outcome::Ran(Box::new(ran)));
        assert!(read(&line).unwrap_err().to_string().len() < 300);
        let not_started = serde_json::to_string(&Answer::NotStarted(8)).unwrap() + "\n";
        assert_eq!(read(&not_started).unwrap(), Outcome::NotStarted(8));
        let failed = serde_json::to_string(&Answer::Failed("fork: no".to_owned())).unwrap() + "\n";
        assert!(read(&failed).unwrap_err().to_string().contains("fork: no"));
        assert!(read("").unwrap_err().to_string().contains("no answer"));
        assert!(read("ran 1 2\n").is_err());
    }
}
