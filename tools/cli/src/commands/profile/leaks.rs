//! `heapwright profile --leak-check reachable`: what nothing points to any more when a process ends.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};
use clap::{Args, ValueHint};
use leaks::{Leaks, Suppressions};
use recording::Process;
use show::text::many;
use trace::Trace;

use crate::exit::{self, Usage};
use crate::{format, out, recorded, traces};

#[derive(Debug, Args)]
pub(super) struct LeakFlags {
    /// With --leak-check reachable: a file of leaks that are known, as LeakSanitizer reads it (leak:FUNCTION, FILE or MODULE)
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(super) suppressions: Option<PathBuf>,

    /// The exit code if --leak-check finds something
    #[arg(long, value_name = "CODE", default_value_t = 23)]
    pub(super) leak_exit_code: u8,
}

impl LeakFlags {
    /// What is not told of.
    /// Errors: the file cannot be read, or a line of it.
    pub(super) fn suppressions(&self) -> anyhow::Result<Suppressions> {
        let Some(path) = &self.suppressions else { return Ok(Suppressions::default()) };
        let text = fs::read(path).map_err(|error| Usage(format!("{}: {error}", path.display())))?;
        let read = Suppressions::parse(&String::from_utf8_lossy(&text));
        Ok(read.map_err(|why| Usage(format!("{}, {why}", path.display())))?)
    }
}

/// Looks through each process of a folder, and tells what it lost. Whether there was anything.
pub(super) fn tell(folder: &Path, suppressions: &Suppressions) -> anyhow::Result<bool> {
    let (mut found, mut unseen) = (Vec::new(), Vec::new());
    // Of each: its process, when it began, and why it could not be looked through.
    let mut images = Vec::new();
    for process in recorded::packed(folder, false)? {
        match process {
            Process::Packed { packed, .. } => {
                let trace = Trace::open(&packed.path).map_err(traces::failed)?;
                let about = trace.about();
                let (pid, start) = (about.pid, about.start);
                match leaks::check(&trace, suppressions) {
                    Ok(leaks) => {
                        images.push((pid, start, None));
                        found.push((packed.path, leaks));
                    }
                    Err(why) => {
                        images.push((pid, start, Some(why.to_string())));
                        unseen.push(why.to_string());
                    }
                }
            }
            Process::Running { file } => {
                unseen.push(format!("{} is still written: its process runs", file.display()))
            }
            Process::Failed { file, why } => {
                unseen.push(format!("{} stays as it is: {why}", file.display()))
            }
        }
    }
    let (lost, clean): (Vec<_>, Vec<_>) = found.iter().partition(|(_, leaks)| leaks.any());
    // What was lost first; of several processes without leaks only how many they are.
    let shown = if lost.is_empty() { &clean[..clean.len().min(1)] } else { &lost[..] };
    let pages: Vec<String> =
        shown.iter().map(|(_, leaks)| leaks::words(leaks, show::text::width())).collect();
    out::print(&format::visible(&pages.join("\n")))?;
    if clean.len() > usize::from(lost.is_empty()) {
        exit::say(&format!(
            "clean    {}",
            many(clean.len() - usize::from(lost.is_empty()), "process")
        ));
    }
    if let Some(first) = unseen.first() {
        let more = if unseen.len() > 1 {
            format!(", and {} more", unseen.len() - 1)
        } else {
            String::new()
        };
        exit::say(&format!("unseen   {first}{more}"));
    }
    for (path, leaks) in &found {
        write(&path.with_extension("leaks.json"), leaks)?;
    }
    exit::say(&format!("wrote    {}/", folder.display()));
    if found.is_empty() {
        bail!("no process could be looked through");
    }
    // The program that was started is the first of all; what it became by exec is the last with its number.
    images.sort_by_key(|&(_, start, _)| start);
    let program = images.first().map(|&(pid, ..)| pid);
    let last = images.into_iter().rfind(|&(pid, ..)| Some(pid) == program);
    if let Some((.., Some(why))) = last
        && lost.is_empty()
    {
        bail!("what the program itself lost is not known: {why}");
    }
    Ok(!lost.is_empty())
}

fn write(path: &Path, leaks: &Leaks) -> anyhow::Result<()> {
    let text = serde_json::to_string_pretty(leaks)?;
    fs::write(path, text + "\n").with_context(|| format!("{} cannot be written", path.display()))
}
