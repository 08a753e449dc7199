//! `heapwright stats`: the figures of processes that run, read from outside.

mod metrics;
pub(crate) mod sites;
mod words;

use core::time::Duration;
use std::process::ExitCode;

use anyhow::bail;
use clap::Args;
use live::{Detail, Figures, Trouble, Watched};
use serde_json::Value;

use self::metrics::Where;
use crate::flags::rounds::duration;
use crate::format::visible;
use crate::{exit, out};

const EXAMPLES: &str = include_str!("stats/help.txt");

/// The figures of a process that runs
///
/// They are read from its memory while it goes on: it need not be started in any special way, does nothing for it, and does not
/// wait. That needs the rights of a debugger: the same user, and a system that lets one. Of a process on another malloc it is
/// what the kernel says. Without a PID: all processes on heapwright's malloc.
///
/// Counters are read one after the other, so figures may be off by what moves meanwhile.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Stats {
    /// The numbers of processes
    #[arg(value_name = "PID", value_parser = pid)]
    pids: Vec<i32>,

    /// Every row and size
    #[arg(long)]
    full: bool,

    /// Of a process that is recorded or profiled meanwhile: which code its live blocks come from, and how much is free beside
    /// them on their pages
    #[arg(long, requires = "pids", conflicts_with_all = ["full", "metrics"])]
    sites: bool,

    /// For programs
    #[arg(long, conflicts_with_all = ["full", "metrics"])]
    json: bool,

    /// Write OpenMetrics text to FILE, which is replaced whole, or serve it at a socket, unix:PATH; - is standard output
    #[arg(long, value_name = "FILE|unix:PATH", conflicts_with = "full")]
    metrics: Option<Where>,

    /// With --metrics FILE: write it again each time this has passed, until all processes have ended
    #[arg(long, value_name = "TIME", requires = "metrics", value_parser = duration)]
    every: Option<Duration>,
}

pub(crate) fn pid(text: &str) -> Result<i32, String> {
    match text.parse() {
        Ok(pid) if pid > 0 => Ok(pid),
        _ => Err("it is the number of a process, such as 'pidof' and 'ps' show".to_owned()),
    }
}

impl Stats {
    pub(crate) fn run(self) -> anyhow::Result<ExitCode> {
        if let Some(place) = self.metrics {
            return metrics::run(&place, &self.pids, self.every);
        }
        if self.pids.is_empty() {
            return self.all();
        }
        if self.sites {
            return self.sites();
        }
        let (seen, troubles) = looks(&self.pids, Detail::Pages);
        if seen.is_empty()
            && let Some(trouble) = troubles.into_iter().next()
        {
            bail!(trouble);
        }
        if self.json {
            let values: Vec<Value> = seen.iter().map(live::json).collect();
            let value = match &values[..] {
                [one] if self.pids.len() == 1 => one.clone(),
                _ => values.into(),
            };
            out::print(&format!("{value:#}\n"))?;
        } else {
            out::print(
                &seen.iter().map(|figures| words::one(figures, self.full)).collect::<String>(),
            )?;
        }
        let failed = seen.len() < self.pids.len();
        Ok(if failed { ExitCode::from(exit::FAILED) } else { ExitCode::SUCCESS })
    }

    /// Of each process that is recorded: which code its blocks come from.
    fn sites(&self) -> anyhow::Result<ExitCode> {
        let (width, mut values) = (::show::text::width(), Vec::new());
        let mut failed = false;
        for &pid in &self.pids {
            let looked = Watched::find(pid).map_err(Into::into);
            let profile = match looked.and_then(|mut watched| sites::look(&mut watched)) {
                Ok(profile) => profile,
                Err(trouble) if self.pids.len() == 1 => return Err(trouble),
                Err(trouble) => {
                    exit::warn(&exit::said(&trouble));
                    failed = true;
                    continue;
                }
            };
            if self.json {
                values.push(profile::now_json(&profile));
                continue;
            }
            let command = ::show::text::cut(&profile.command, words::TITLE);
            let title = format!("{command} (process {pid}), on {}", profile.malloc);
            let text = profile::now(&profile, width);
            out::print(&visible(&format!("heapwright: {title}\n{text}")))?;
        }
        match &values[..] {
            _ if values.is_empty() => {}
            [one] if self.pids.len() == 1 => out::print(&format!("{one:#}\n"))?,
            _ => out::print(&format!("{:#}\n", Value::from(values)))?,
        }
        Ok(if failed { ExitCode::from(exit::FAILED) } else { ExitCode::SUCCESS })
    }

    fn all(&self) -> anyhow::Result<ExitCode> {
        let pids: Vec<i32> = live::of_ours().iter().map(|process| process.pid).collect();
        // One that ended meanwhile is none.
        let mut seen: Vec<Figures> =
            pids.into_iter().filter_map(|pid| look(pid, Detail::Blocks).ok()).collect();
        seen.sort_by_key(|figures| core::cmp::Reverse(figures.process.resident));
        if self.json {
            let values: Vec<Value> = seen.iter().map(live::json).collect();
            out::print(&format!("{:#}\n", Value::from(values)))?;
        } else if seen.is_empty() {
            bail!(
                "no process that this user may read is on heapwright's malloc; 'heapwright stats PID' says of any process what is \
                 known, and why it cannot be read"
            );
        } else {
            out::print(&words::list(&seen))?;
        }
        Ok(ExitCode::SUCCESS)
    }
}

/// One look at each; what cannot be looked at is said.
fn looks(pids: &[i32], detail: Detail) -> (Vec<Figures>, Vec<Trouble>) {
    let (mut seen, mut troubles) = (Vec::new(), Vec::new());
    for &pid in pids {
        match look(pid, detail) {
            Ok(figures) => seen.push(figures),
            Err(trouble) => {
                if pids.len() > 1 {
                    exit::warn(&trouble.to_string());
                }
                troubles.push(trouble);
            }
        }
    }
    (seen, troubles)
}

fn look(pid: i32, detail: Detail) -> Result<Figures, Trouble> {
    Watched::find(pid)?.look(detail)
}
