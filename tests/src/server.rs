//! A program that serves until it is told to stop.

use crate::group::Group;
use crate::proof::is_mapped;
use crate::{Malloc, Program};
use core::time::Duration;
use rustix::process::{Signal, kill_process};
use std::fs::File;
use std::path::Path;
use std::process::{ExitStatus, Stdio};
use std::time::Instant;

/// A running server; killed with its whole process group when dropped.
#[derive(Debug)]
pub struct Server {
    group: Group,
    name: String,
    log: std::path::PathBuf,
}

impl Server {
    /// Starts it with its output going to `log`, and waits until `ready` says that it serves.
    ///
    /// # Panics
    ///
    /// When it ends first, is not ready in 30 seconds, or, under [`Malloc::Ours`], runs without the library.
    #[must_use]
    pub fn start(
        mut program: Program,
        malloc: Malloc,
        log: &Path,
        ready: impl Fn() -> bool,
    ) -> Self {
        program.preload(malloc);
        let out = File::create(log).unwrap_or_else(|e| panic!("{}: {e}", log.display()));
        let err = out.try_clone().expect("a file can be shared");
        program.command.stdin(Stdio::null()).stdout(out).stderr(err);
        let name = program.shown();
        let child = program.command.spawn().unwrap_or_else(|e| panic!("{name}: {e}"));
        let mut server = Self { group: Group::new(child), name, log: log.to_path_buf() };
        let start = Instant::now();
        while !ready() {
            assert!(!server.group.ended(), "{} ended at once:\n{}", server.name, server.said());
            assert!(
                start.elapsed().as_secs() < 120,
                "{} is not ready:\n{}",
                server.name,
                server.said()
            );
            std::thread::sleep(Duration::from_millis(20));
        }
        let mapped = is_mapped(server.group.id(), &program.library);
        assert!(
            malloc == Malloc::Plain || mapped,
            "{} runs without {}",
            server.name,
            program.library.display()
        );
        server
    }

    /// All it has written so far.
    #[must_use]
    pub fn said(&self) -> String {
        std::fs::read_to_string(&self.log).unwrap_or_default()
    }

    /// Sends it `signal`.
    ///
    /// # Panics
    ///
    /// When it cannot be sent.
    pub fn signal(&self, signal: Signal) {
        if let Some(pid) = self.group.pid() {
            kill_process(pid, signal).expect("the server is ours to signal");
        }
    }

    /// Waits for it to end by itself, after `signal` if one is given.
    ///
    /// # Panics
    ///
    /// When it has not ended in two minutes.
    #[must_use]
    pub fn stop(mut self, signal: Option<Signal>) -> ExitStatus {
        if let Some(signal) = signal {
            self.signal(signal);
        }
        let start = Instant::now();
        while !self.group.ended() {
            assert!(
                start.elapsed().as_secs() < 120,
                "{} does not stop:\n{}",
                self.name,
                self.said()
            );
            std::thread::sleep(Duration::from_millis(10));
        }
        self.group.end()
    }
}
