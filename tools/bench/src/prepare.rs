//! Puts the machine in order for measuring, and back as it was, however the run ends.
//!
//! ```text
//! heapwright ──stdin──► heapwright __prepare ROOT     in a session of its own, which Ctrl-C does not reach
//!            ◄─stdout── a line of JSON for each setting, and `ready`
//!     its end, however it comes, closes stdin ──► every value is restored, the last one first
//! ```
//!
//! What is set is what people set by hand before they measure: the frequency governor to performance, turbo off, one
//! hardware thread a core, addresses not randomised (`settings`). What this machine does not have, or does not let us
//! set, is said and left alone. Only if the small process itself is killed does the machine stay as it was set. One
//! measurement at a time may do this (`lock`).

mod lock;
mod settings;

use core::time::Duration;
use std::ffi::OsString;
use std::io::{self, BufRead as _, BufReader, Read as _, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::thread;

use rustix::process::getppid;

use crate::result::Prepared;
pub(crate) use settings::now;

/// The hidden subcommand under which the command calls [`main`].
pub const SUBCOMMAND: &str = "__prepare";

/// The line after the last setting.
const READY: &str = "ready";

/// The line instead of all that, if another process has set the machine; its number follows, where it is known.
const HELD: &str = "held ";

/// How long the kernel has things to do after a change of the processors' number or speed.
const SETTLE: Duration = Duration::from_millis(100);

/// Why the machine could not be put in order at all.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("cannot start the process that puts the machine in order: {0}")]
    Start(#[from] io::Error),
    /// It ended, or said something else.
    #[error("the process that puts the machine in order said {0:?}")]
    Broken(String),
    /// A measurement that still runs has set the machine, and will put it back while the next one measures.
    #[error(
        "{} has put this machine in order and will put it back when it ends: wait for it, or leave out --prepare",
        .0.map_or_else(|| "another measurement".to_owned(), |pid| format!("another measurement, process {pid},"))
    )]
    Held(Option<u32>),
}

/// Keeps the machine in order until it is dropped.
#[derive(Debug)]
pub struct Guard {
    watcher: Child,
    stdin: Option<ChildStdin>,
    pub settings: Vec<Prepared>,
}

impl Drop for Guard {
    fn drop(&mut self) {
        drop(self.stdin.take());
        let _ = self.watcher.wait();
    }
}

/// Puts this machine in order by a process of `executable`, which restores it when the guard is dropped or this process
/// ends. Processors may be switched off by it: ask [`choose`](crate::cpus::choose) afterwards.
/// Errors: that process does not start, or another measurement has the machine in its order. Settings that cannot be
/// made are no error.
pub fn start(executable: &Path) -> Result<Guard, Error> {
    start_in(executable, Path::new("/"))
}

/// The same with `root` for `/`, in front of `sys`, `proc` and `run`.
pub fn start_in(executable: &Path, root: &Path) -> Result<Guard, Error> {
    let mut watcher = Command::new(executable)
        .arg(SUBCOMMAND)
        .arg(root)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()?;
    let stdout = watcher.stdout.take();
    let stdin = watcher.stdin.take();
    let mut guard = Guard { watcher, stdin, settings: Vec::new() };
    for line in stdout.into_iter().flat_map(|pipe| BufReader::new(pipe).lines()) {
        let line = line?;
        if line == READY {
            return Ok(guard);
        }
        if let Some(holder) = line.strip_prefix(HELD) {
            return Err(Error::Held(holder.parse().ok()));
        }
        let setting = serde_json::from_str(&line).map_err(|_| Error::Broken(line))?;
        guard.settings.push(setting);
    }
    Err(Error::Broken(String::new()))
}

/// Plays the process that sets, waits and restores: `args` is what follows [`SUBCOMMAND`]. Returns the exit code.
pub fn main(args: &[OsString]) -> i32 {
    let [root] = args else { return 2 };
    ignore_interrupts();
    let root = Path::new(root);
    // Kept until everything is restored.
    let _lock = match lock::take(root, owner()) {
        Ok(lock) => lock,
        Err(lock::Held(holder)) => {
            let holder = holder.map(|pid| pid.to_string()).unwrap_or_default();
            let _ = writeln!(io::stdout(), "{HELD}{holder}");
            return 0;
        }
    };
    let (settings, undo) = settings::apply(root);
    if !undo.is_empty() {
        thread::sleep(SETTLE);
    }
    // If nobody reads any more, there is nothing left to do but to restore.
    let _ = announce(&settings);
    let mut byte = [0];
    while io::stdin().read(&mut byte).is_ok_and(|n| n > 0) {}
    let mut code = 0;
    for problem in settings::restore(undo) {
        code = 1;
        let _ = writeln!(io::stderr(), "heapwright: not restored: {problem}");
    }
    code
}

/// The measurement for which this is done.
fn owner() -> Option<u32> {
    getppid().and_then(|pid| u32::try_from(pid.as_raw_nonzero().get()).ok())
}

fn announce(settings: &[Prepared]) -> io::Result<()> {
    let mut out = io::stdout().lock();
    for setting in settings {
        serde_json::to_writer(&mut out, setting)?;
        writeln!(out)?;
    }
    writeln!(out, "{READY}")?;
    out.flush()
}

/// Out of reach of the terminal, and of whoever ends us politely together with the run.
fn ignore_interrupts() {
    for signal in [libc::SIGINT, libc::SIGTERM, libc::SIGHUP, libc::SIGQUIT, libc::SIGPIPE] {
        // SAFETY: ignoring a signal installs no handler.
        unsafe { libc::signal(signal, libc::SIG_IGN) };
    }
    // SAFETY: the call touches no memory.
    unsafe { libc::setsid() };
}
