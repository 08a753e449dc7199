//! Ctrl-C and its like: the first ends the measurement, a later one this process.
//!
//! ```text
//! the first            the measurement ends, its result is written
//! within a second      nothing: `timeout` and terminals signal the process and then its whole group
//! later                what has no use any more is removed, and the signal does what it does to every program
//! ```
//!
//! A thread listens, so that what is done may be more than a handler may do. It sleeps while programs are measured.

use core::sync::atomic::{AtomicBool, Ordering};
use core::time::Duration;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Instant;

use anyhow::Context as _;
use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM};
use signal_hook::iterator::Signals;
use signal_hook::low_level::emulate_default_handler;

/// A signal this soon after the first is the same request.
const REPEAT: Duration = Duration::from_secs(1);

/// How often a folder is removed into which a program may still write.
const TRIES: usize = 5;

#[derive(Debug, Default)]
struct Leftovers {
    /// With all that is in it.
    temporary: Option<PathBuf>,
    /// Only while it is empty.
    results: Option<PathBuf>,
}

pub(crate) struct Interrupts {
    came: Arc<AtomicBool>,
    leftovers: Arc<Mutex<Leftovers>>,
}

impl Interrupts {
    /// Begins to listen. A terminal that closes or Ctrl-\\ is no signal where the caller has it ignored (`nohup`, `&` in a script).
    pub(crate) fn catch() -> anyhow::Result<Self> {
        let ignored = ignored();
        let is_heard = |signal: i32| ignored & (1 << (signal - 1)) == 0;
        let others = [SIGHUP, SIGQUIT].into_iter().filter(|&signal| is_heard(signal));
        let mut signals = Signals::new([SIGINT, SIGTERM].into_iter().chain(others))
            .context("cannot catch signals")?;
        let (came, leftovers) = (Arc::default(), Arc::default());
        let this = Self { came: Arc::clone(&came), leftovers: Arc::clone(&leftovers) };
        let listen = move || {
            let mut first: Option<Instant> = None;
            for signal in signals.forever() {
                came.store(true, Ordering::Relaxed);
                if first.get_or_insert_with(Instant::now).elapsed() >= REPEAT {
                    end(&leftovers, signal);
                }
            }
        };
        thread::Builder::new()
            .name("signals".to_owned())
            .spawn(listen)
            .context("cannot catch signals")?;
        Ok(this)
    }

    pub(crate) fn came(&self) -> &AtomicBool {
        &self.came
    }

    /// Says what a later signal removes: a temporary folder, and a new one for results if nothing is in it by then.
    pub(crate) fn remove(&self, temporary: Option<&Path>, results: Option<&Path>) {
        let mut leftovers = self.leftovers.lock().unwrap_or_else(PoisonError::into_inner);
        leftovers.temporary = temporary.map(Path::to_owned);
        leftovers.results = results.map(Path::to_owned);
    }
}

/// Ends this process as `signal` ends others. The programs that it measures end with it.
fn end(leftovers: &Mutex<Leftovers>, signal: i32) {
    let leftovers = leftovers.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(folder) = &leftovers.temporary {
        // One that a program still fills is not empty at the end.
        let _ = (0..TRIES).any(|_| fs::remove_dir_all(folder).is_ok());
    }
    let _ = leftovers.results.as_deref().map(fs::remove_dir);
    let _ = emulate_default_handler(signal);
}

/// The signals that are ignored: bit 0 is signal 1.
fn ignored() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0)
}
