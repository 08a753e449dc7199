//! `--stats`: a folder in which every process leaves its figures, and what is told of them at the end.

use std::env;
use std::fs::{self, Permissions};
use std::io;
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use launch::environment::Setting;
use launch::foreground;
use launch::resolve::Error;
use rustix::process::geteuid;
use tempfile::{Builder, TempDir};

use super::{processes, words};
use crate::exit;
use crate::flags::stats::Stats;

/// What is asked for, and the folder; without one each process prints a table of its own.
pub(super) struct Collected {
    stats: Stats,
    folder: Option<TempDir>,
}

impl Collected {
    pub(super) fn new(stats: Stats) -> Self {
        let folder = folder();
        if folder.is_none() {
            exit::warn("no folder can be made for the figures: every process prints its own table");
        }
        Self { stats, folder }
    }

    pub(super) fn setting(&self) -> Setting {
        let value = match &self.folder {
            Some(folder) => folder.path().join("%p").display().to_string(),
            None => "peak".to_owned(),
        };
        Setting { key: "stats".to_owned(), value }
    }

    pub(super) fn run(self, file: &Path, command: &mut Command) -> anyhow::Result<ExitCode> {
        let Some(folder) = self.folder else { return Err(not_executed(file, command.exec())) };
        let status = foreground::run(command, foreground::Killed::TakesAlong)
            .map_err(|error| not_executed(file, error))?;
        let processes = processes::read(folder.path());
        // Now: who reads what is told may have gone, and this process may end by the program's signal.
        drop(folder);
        match processes.first() {
            None => exit::warn(
                "there are no statistics: no process ran on heapwright's library, or, of a classic design, came to its exit",
            ),
            Some(program) => {
                tell(&words::words(&processes, &self.stats), &self.stats, program.number())
            }
        }
        Ok(foreground::end_as(status))
    }
}

fn not_executed(file: &Path, error: io::Error) -> anyhow::Error {
    Error::not_executed(file, error).into()
}

/// A new folder whose path can be a setting: absolute, short, in UTF-8 and without commas.
fn folder() -> Option<TempDir> {
    let is_fit = |place: &&PathBuf| {
        let path = place.to_str().unwrap_or_default();
        path.starts_with('/') && path.len() < 200 && !path.contains(',')
    };
    let places: [PathBuf; 4] =
        [env::temp_dir(), "/tmp".into(), "/var/tmp".into(), "/dev/shm".into()];
    let folder = places
        .iter()
        .filter(is_fit)
        .find_map(|place| Builder::new().prefix("heapwright-").tempdir_in(place).ok())?;
    if geteuid().is_root() {
        // Servers become another user, and leave their figures as that one, in the place of root's.
        let _ = fs::set_permissions(folder.path(), Permissions::from_mode(0o733));
    }
    Some(folder)
}

/// Prints or writes what is told. What goes wrong is said, and does not change how the program ended.
fn tell(text: &str, stats: &Stats, number: u64) {
    let Some(file) = &stats.file else { return exit::say(text.trim_end()) };
    let path = file.to_string_lossy().replace("%p", &number.to_string());
    if let Err(error) = fs::write(&path, text) {
        exit::warn(&format!("the statistics are not in {path}: {error}"));
    }
}
