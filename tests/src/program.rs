//! One run of one program, under our malloc or the plain one.

use crate::drop_in;
use crate::proof::{LoaderLog, Proof, is_mapped};
use core::time::Duration;
use launch::Launch;
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::io::Write;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::thread::JoinHandle;
use std::time::Instant;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Malloc {
    Ours,
    /// The one the program was linked with.
    Plain,
}

/// A program to run: a command with its input and a limit on its time.
#[derive(Debug)]
pub struct Program {
    pub(crate) command: Command,
    pub(crate) library: PathBuf,
    input: Vec<u8>,
    limit: Duration,
    proof: Proof,
}

#[derive(Debug)]
pub struct Finished {
    pub status: ExitStatus,
    pub stdout: String,
    pub stderr: String,
    /// The names of its processes that had our library: children included, unless it ran
    /// [undisturbed](Program::undisturbed).
    pub ours: BTreeSet<String>,
}

impl Program {
    /// `path`, without arguments, with an empty input and two minutes of time.
    pub fn new(path: impl AsRef<OsStr>) -> Self {
        let mut command = Command::new(path);
        command.env_remove("LD_PRELOAD").env("LC_ALL", "C.UTF-8");
        Self {
            command,
            library: PathBuf::new(),
            input: Vec::new(),
            limit: Duration::from_secs(120),
            proof: Proof::LoaderLog,
        }
    }

    pub fn arg(mut self, arg: impl AsRef<OsStr>) -> Self {
        self.command.arg(arg);
        self
    }

    pub fn args<A: AsRef<OsStr>>(mut self, args: impl IntoIterator<Item = A>) -> Self {
        self.command.args(args);
        self
    }

    pub fn env(mut self, name: &str, value: impl AsRef<OsStr>) -> Self {
        self.command.env(name, value);
        self
    }

    pub fn current_dir(mut self, folder: impl AsRef<Path>) -> Self {
        self.command.current_dir(folder);
        self
    }

    /// Starts it as this user and group; only root may.
    pub fn user(mut self, uid: u32, gid: u32) -> Self {
        self.command.uid(uid).gid(gid);
        self
    }

    pub fn input(mut self, input: impl Into<Vec<u8>>) -> Self {
        self.input = input.into();
        self
    }

    pub fn limit(mut self, limit: Duration) -> Self {
        self.limit = limit;
        self
    }

    /// Leaves its environment and its open files as they are: our library is looked for in its memory map while it
    /// runs, and not in the loader's log. For programs that run a second or longer.
    pub fn undisturbed(mut self) -> Self {
        self.proof = Proof::MemoryMap;
        self
    }

    /// Preloads this copy of the library and not the one of the build, for a user who cannot read the tree.
    pub fn library(mut self, copy: impl Into<PathBuf>) -> Self {
        self.library = copy.into();
        self
    }

    pub(crate) fn preload(&mut self, malloc: Malloc) {
        if malloc == Malloc::Ours {
            if self.library.as_os_str().is_empty() {
                self.library = drop_in().to_path_buf();
            }
            self.command.env("LD_PRELOAD", &self.library);
        }
    }

    pub(crate) fn shown(&self) -> String {
        let words = [self.command.get_program()].into_iter().chain(self.command.get_args());
        words.map(OsStr::to_string_lossy).collect::<Vec<_>>().join(" ")
    }

    /// Runs it to its end.
    /// Panics: when it does not start, runs past its limit, or, under [`Malloc::Ours`], was never seen with the
    /// library.
    pub fn run(mut self, malloc: Malloc) -> Finished {
        self.preload(malloc);
        self.command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let log = (malloc == Malloc::Ours && self.proof == Proof::LoaderLog)
            .then(|| LoaderLog::of(&mut self.command));
        let shown = self.shown();
        // Nothing that it starts outlives it.
        let launch = Launch::new(&mut self.command).group().limit(self.limit);
        let mut running = launch.spawn().unwrap_or_else(|e| panic!("{shown}: {e}"));
        let writer = write_aside(running.stdin(), core::mem::take(&mut self.input));
        let mut ours = BTreeSet::new();
        while !running.has_ended() && !running.is_late() {
            running.look(Duration::from_millis(2)).expect("a child can be waited for");
            let is_asked = malloc == Malloc::Ours && log.is_none() && ours.is_empty();
            if is_asked && is_mapped(running.number(), &self.library) {
                ours.insert(shown.clone());
            }
            progress(&shown);
        }
        let in_time = running.has_ended();
        let status = running.kill().expect("a child can be waited for");
        if let Some(log) = log {
            ours = log.programs_on(&self.library);
        }
        let [stdout, stderr] = [&mut running.stdout, &mut running.stderr].map(|s| s.text());
        let finished = Finished { status, stdout, stderr, ours };
        writer.join().expect("the writer does not panic");
        assert!(in_time, "{shown}: still running after {:?}\n{finished}", self.limit);
        assert!(
            malloc == Malloc::Plain || !finished.ours.is_empty(),
            "{shown}: ran without {}\n{finished}",
            self.library.display()
        );
        finished
    }
}

impl Finished {
    /// Itself, when the program ended with status 0.
    /// Panics: With all the program said, when it did not.
    pub fn expect_success(self, what: &str) -> Self {
        assert!(self.status.success(), "{what}: {self}");
        self
    }
}

impl core::fmt::Display for Finished {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(
            f,
            "{}\n--- stdout\n{}\n--- stderr\n{}",
            self.status,
            tail(&self.stdout),
            tail(&self.stderr)
        )
    }
}

/// Says on standard error which program runs, past libtest, which shows nothing of a test until it has ended.
fn progress(shown: &str) {
    static SAID: Mutex<Option<Instant>> = Mutex::new(None);
    let mut said = SAID.lock().unwrap_or_else(PoisonError::into_inner);
    if said.is_none_or(|said| said.elapsed() >= Duration::from_secs(5)) {
        *said = Some(Instant::now());
        // Without standard error nobody waits for a line.
        let line = shown.lines().next().unwrap_or_default();
        let _ = writeln!(std::io::stderr(), "running {line:.100}");
    }
}

/// Enough of the end of an output to see what went wrong.
fn tail(text: &str) -> &str {
    let mut from = text.len().saturating_sub(6000);
    while !text.is_char_boundary(from) {
        from += 1;
    }
    &text[from..]
}

/// Runs the program under both mallocs and returns our run, which must have succeeded and said the same.
/// Panics: when our run fails, or its output or its status differs from the plain run's.
pub fn same_on_both(what: &str, program: impl Fn() -> Program) -> Finished {
    same(what, program().run(Malloc::Ours), &program().run(Malloc::Plain))
}

/// As [`same_on_both`], of a program that several libraries are tried with: it runs on the plain malloc once.
pub fn same_on_all(what: &str, program: impl Fn() -> Program) -> Finished {
    type Runs = BTreeMap<(String, Vec<u8>), &'static OnceLock<Finished>>;
    static RUNS: Mutex<Runs> = Mutex::new(BTreeMap::new());
    let plain = program();
    // With its arguments, its folder and its environment.
    let key = (format!("{:?}", plain.command), plain.input.clone());
    let run = {
        let mut runs = RUNS.lock().unwrap_or_else(PoisonError::into_inner);
        *runs.entry(key).or_insert_with(|| Box::leak(Box::default()))
    };
    let plain = run.get_or_init(|| plain.run(Malloc::Plain));
    same(what, program().run(Malloc::Ours), plain)
}

fn same(what: &str, ours: Finished, plain: &Finished) -> Finished {
    assert_eq!(ours.status.code(), plain.status.code(), "{what}: ours: {ours}\n=== plain: {plain}");
    assert!(
        ours.stdout == plain.stdout,
        "{what}: the output differs: ours: {ours}\n=== plain: {plain}"
    );
    assert_eq!(ours.stderr, plain.stderr, "{what}: the messages differ");
    ours.expect_success(what)
}

fn write_aside(to: Option<impl Write + Send + 'static>, input: Vec<u8>) -> JoinHandle<()> {
    std::thread::spawn(move || {
        if let Some(mut to) = to {
            // A program may end without having read everything.
            let _ = to.write_all(&input);
        }
    })
}
