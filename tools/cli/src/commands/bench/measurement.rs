//! A measurement from its first run to its written result: what `bench` and `replay` share.

use std::fs;
use std::path::{Path, PathBuf};

use bench::machine::{Busyness, Machine};
use bench::measured::Launcher;
use bench::prepare::Guard;
use bench::result::Report;
use bench::session::counted::{self, Tools};
use bench::session::{self, Options, Stop, Subject};
use bench::summary;
use bench::workload::Workload;

use super::failed::fails_everywhere;
use super::interrupts::Interrupts;
use super::progress::Progress;
use crate::exit;
use crate::flags::output::OutputFlags;

pub(crate) struct Measurement<'a> {
    pub(crate) what: &'static str,
    pub(crate) output: &'a OutputFlags,
    pub(crate) interrupts: &'a Interrupts,
    pub(crate) launcher: Launcher,
    pub(crate) options: Options,
    pub(crate) command_line: Vec<String>,
    pub(crate) workloads: Vec<Workload>,
    pub(crate) subjects: Vec<Subject>,
    pub(crate) tools: Option<Tools>,
    pub(crate) scale: f64,
    /// Whether programs may be pinned.
    pub(crate) pins: bool,
    /// Workloads that had no place in the time.
    pub(crate) left_out: Vec<String>,
    pub(crate) temporary: Option<&'a Path>,
    pub(crate) machine: Machine,
    pub(crate) before: Busyness,
    /// Holds what was set on the machine.
    pub(crate) guard: Option<Guard>,
    pub(crate) warnings: Vec<String>,
}

pub(crate) struct Measured {
    pub(crate) report: Report,
    pub(crate) folder: Option<PathBuf>,
    /// What heapwright itself could not do, if that ended it.
    pub(crate) broken: Option<String>,
}

impl Measurement<'_> {
    /// `None`: it was interrupted before there was anything to tell.
    pub(crate) fn run(self) -> anyhow::Result<Option<Measured>> {
        let Self { output, interrupts, options, workloads, subjects, tools, .. } = self;
        let mut warnings = self.warnings;
        // After all that may be refused, which leaves no empty folder.
        let is_new = !output.is_there();
        let folder = output.folder(self.what)?;
        let results = folder.as_deref().filter(|_| is_new);
        interrupts.remove(self.temporary, results);
        // A folder that was made for nothing goes again, if it is as empty as it was.
        let leave_none = || {
            let _ = results.map(fs::remove_dir);
        };
        let pinned = self.pins && workloads.iter().any(|w| !w.cpus.is_empty());
        for warning in &warnings {
            exit::warn(warning);
        }
        if let Some(text) = report::left_out(&self.left_out, workloads.len()) {
            exit::warn(&text);
        }
        let started = output.started();
        let mut progress = Progress::new(&options);
        let (launcher, came) = (&self.launcher, interrupts.came());
        let session = match &tools {
            None => session::run(launcher, workloads, subjects, &options, &mut progress, came)?,
            Some(tools) => {
                let how = (tools, &options);
                counted::run(launcher, workloads, subjects, how, &mut progress, came)?
            }
        };
        progress.finish();
        if session.stop() == Stop::Interrupted && session.has_times() && session.broken.is_none() {
            exit::say(
                "interrupted: what was measured is written; a second interrupt ends this at once, without it",
            );
        }
        let prepared = self.guard.as_ref().map(|g| g.settings.clone()).unwrap_or_default();
        drop(self.guard);
        let now = Busyness::now();
        warnings.extend(now.steal_warning(&self.before).filter(|_| tools.is_none()));
        warnings.extend(session.broken.iter().map(|why| format!("it ended early: {why}")));
        if session.workload_indices().all(|w| session.failed_everywhere(w)) {
            leave_none();
            return Err(fails_everywhere(&session));
        }
        progress.say_failures();
        if session.stop() == Stop::Interrupted && !session.has_times() {
            exit::say("interrupted before any time was measured; nothing is written");
            leave_none();
            return Ok(None);
        }
        let beside = Report {
            heapwright: env!("CARGO_PKG_VERSION").to_owned(),
            started,
            command_line: self.command_line,
            scale: self.scale,
            pinned,
            machine: self.machine,
            prepared,
            steal: now.stolen_since(&self.before),
            warnings,
            counted: tools.map(|tools| tools.says),
            left_out: self.left_out,
            ..Report::default()
        };
        let report = summary::report(&session, &options, beside);
        output.write(&report, folder.as_deref())?;
        let broken = session.broken;
        Ok(Some(Measured { report, folder, broken }))
    }
}
