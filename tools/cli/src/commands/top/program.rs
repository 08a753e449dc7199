//! The program that `top` starts: on the allocator that is asked for, and what it says goes to a file where the screen is ours.

use std::ffi::OsString;
use std::fs;
use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
use std::path::PathBuf;
use std::process::{Command, ExitCode, Stdio};

use anyhow::{Context as _, anyhow};
use core::time::Duration;
use launch::environment::variables;
use launch::resolve;
use launch::{Launch, Running, inspect};
use rustix::process::{Signal, set_parent_process_death_signal};
use tempfile::Builder;

use crate::flags::allocator::OneAllocator;
use crate::flags::settings::SettingsFlags;
use crate::{allocators, exit};

/// After SIGTERM it has so much time to end.
const GRACE: Duration = Duration::from_secs(5);

pub(super) struct Started {
    running: Running,
    said: Option<PathBuf>,
}

impl Started {
    /// `quiet`: the terminal is the screen's.
    pub(super) fn new(
        allocator: &OneAllocator,
        settings: &SettingsFlags,
        words: &[OsString],
        quiet: bool,
    ) -> anyhow::Result<Self> {
        let (name, arguments) = words.split_first().context("there is no program")?;
        let file = resolve::command(name)?;
        let allocator =
            allocators::find(&allocator.allocator).map_err(|error| anyhow!(exit::said(&error)))?;
        let inspection = inspect::program(&file, arguments).ok();
        if let Some(obstacle) = inspection.as_ref().and_then(|found| found.obstacle()) {
            exit::warn(&format!("{} keeps its own malloc ({})", file.display(), obstacle.text));
        }
        let variables = variables(&allocator, &settings.of(&allocator), inspection.as_ref())?;
        let mut command = Command::new(&file);
        command.args(arguments).envs(variables);
        let mut said = None;
        if quiet {
            let log = Builder::new().prefix("heapwright-top-").suffix(".log").tempfile()?;
            let (log, path) = log.keep()?;
            command.stdin(Stdio::null()).stdout(log.try_clone()?).stderr(log);
            said = Some(path);
        }
        // A signal may end this process, as SIGPIPE does when 'head' has seen enough: the program ends with it.
        // SAFETY: between fork and exec only this system call is made, which waits for no other thread.
        unsafe {
            command.pre_exec(|| Ok(set_parent_process_death_signal(Some(Signal::TERM))?));
        }
        let running = Launch::new(&mut command).spawn();
        let running =
            running.map_err(|error| anyhow!(resolve::Error::not_executed(&file, error)))?;
        Ok(Self { running, said })
    }

    pub(super) fn pid(&self) -> i32 {
        self.running.number()
    }

    /// Has it end, and says what became of it. The exit code is the program's, if it ended by itself. `is_gone`: its memory
    /// is, which goes shortly before the kernel says that it has ended.
    pub(super) fn end(mut self, is_gone: bool) -> ExitCode {
        let mut code = ExitCode::SUCCESS;
        if is_gone {
            let _ = self.running.look(GRACE);
        }
        if self.running.has_ended() {
            if let Ok(status) = self.running.kill() {
                let by_signal = status.signal().map(|signal| 128 + signal);
                let number = status.code().or(by_signal).unwrap_or(1);
                code = ExitCode::from(u8::try_from(number).unwrap_or(1));
            }
        } else {
            self.running.signal(Signal::TERM);
            // It may go on for a while; then it is killed.
            let _ = self.running.look(GRACE);
        }
        if let Some(path) = &self.said {
            if fs::metadata(path).is_ok_and(|about| about.len() == 0) {
                let _ = fs::remove_file(path);
            } else {
                exit::say(&format!("what the program said is in {}", path.display()));
            }
        }
        code
    }
}
