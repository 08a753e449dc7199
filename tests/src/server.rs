//! A program that serves until it is told to stop.

use crate::proof::is_mapped;
use crate::{Malloc, Program};
use core::time::Duration;
use launch::{Launch, Running};
use rustix::process::Signal;
use std::fs::File;
use std::path::Path;
use std::process::{ExitStatus, Stdio};
use std::time::Instant;

/// How long a server may take to be ready, and to stop.
const LIMIT: Duration = Duration::from_secs(120);

/// A running server; killed with its whole process group when dropped.
#[derive(Debug)]
pub struct Server {
    running: Running,
    name: String,
    log: std::path::PathBuf,
}

impl Server {
    /// Starts it with its output going to `log`, and waits until `ready` says that it serves.
    /// Panics: when it ends first, is not ready in two minutes, or, under [`Malloc::Ours`], runs without the library.
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
        let launched = Launch::new(&mut program.command).group().spawn();
        let running = launched.unwrap_or_else(|e| panic!("{name}: {e}"));
        let mut server = Self { running, name, log: log.to_path_buf() };
        let start = Instant::now();
        while !ready() {
            server.wait_for("is not ready", start);
            assert!(
                !server.running.has_ended(),
                "{} ended at once:\n{}",
                server.name,
                server.said()
            );
        }
        let mapped = is_mapped(server.running.number(), &program.library);
        assert!(
            malloc == Malloc::Plain || mapped,
            "{} runs without {}",
            server.name,
            program.library.display()
        );
        server
    }

    pub fn said(&self) -> String {
        std::fs::read_to_string(&self.log).unwrap_or_default()
    }

    pub fn signal(&self, signal: Signal) {
        self.running.signal(signal);
    }

    /// Waits for it to end by itself, after `signal` if one is given.
    /// Panics: when it has not ended in two minutes.
    pub fn stop(mut self, signal: Option<Signal>) -> ExitStatus {
        if let Some(signal) = signal {
            self.signal(signal);
        }
        let start = Instant::now();
        while !self.running.has_ended() {
            self.wait_for("does not stop", start);
        }
        self.running.kill().expect("a child can be waited for")
    }

    /// Waits a moment; fails where that is too long since `start`.
    fn wait_for(&mut self, what: &str, start: Instant) {
        assert!(start.elapsed() < LIMIT, "{} {what}:\n{}", self.name, self.said());
        self.running.look(Duration::from_millis(20)).expect("a child can be waited for");
    }
}
