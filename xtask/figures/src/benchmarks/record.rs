//! The newest record of `bench/record`: its result, the commit it was made of, and what has changed in the allocator since.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use bench::result::Report;

use crate::files;
use crate::peers::output;

/// The sources of what is measured: a commit that touches one of them may change the figures.
const ALLOCATOR: [&str; 2] = ["crates", "abi/src"];

pub(super) struct Record {
    pub(super) folder: PathBuf,
    pub(super) report: Report,
    /// The real programs again, in many more rounds and with fewer allocators: the newest such result, if it is newer than this one.
    pub(super) real: Option<(PathBuf, Report)>,
}

pub(super) fn newest(top: &Path) -> Result<Option<Record>, String> {
    let Some((file, report)) = last(top, "result.json")? else { return Ok(None) };
    let real = last(top, "real.json")?.filter(|(_, real)| real.started > report.started);
    Ok(Some(Record { folder: file.parent().unwrap_or(&file).to_path_buf(), report, real }))
}

/// That of this tree, read once for all tests.
#[cfg(test)]
pub(super) fn ours() -> &'static Record {
    static OURS: std::sync::OnceLock<Record> = std::sync::OnceLock::new();
    OURS.get_or_init(|| newest(&crate::peers::root()).unwrap().unwrap())
}

/// The result of this name that began last, and its file as it is named from the top of the tree.
pub(super) fn last(top: &Path, name: &str) -> Result<Option<(PathBuf, Report)>, String> {
    let mut newest: Option<(PathBuf, Report)> = None;
    for machine in folders(&top.join("bench/record"))? {
        for folder in folders(&machine)? {
            let file = folder.join(name);
            let Some(report) = read(&file)? else { continue };
            if newest.as_ref().is_none_or(|(_, other)| report.started > other.started) {
                newest = Some((file.strip_prefix(top).unwrap_or(&file).to_path_buf(), report));
            }
        }
    }
    Ok(newest)
}

fn read(file: &Path) -> Result<Option<Report>, String> {
    let Ok(text) = fs::read_to_string(file) else { return Ok(None) };
    Report::from_json(&text).map(Some).map_err(|e| format!("{}: it {e}", file.display()))
}

impl Record {
    pub(super) fn commit_file(&self) -> PathBuf {
        self.folder.join("commit")
    }

    pub(super) fn commit(&self, top: &Path) -> Result<String, String> {
        let file = top.join(self.commit_file());
        fs::read_to_string(&file)
            .map(|text| text.trim().to_owned())
            .map_err(|e| format!("{}: {e}: cargo xtask benchmarks --write", file.display()))
    }

    /// The last commit before the run began: a result does not know its own.
    pub(super) fn derived_commit(&self, top: &Path) -> Result<String, String> {
        let before = format!("--before={}", self.report.started);
        let commit = git(top, &["rev-list", "-1", &before, "HEAD"])?;
        if commit.is_empty() {
            return Err(format!("git knows no commit before {}", self.report.started));
        }
        Ok(commit)
    }

    /// How many commits have touched the allocator since this was recorded.
    pub(super) fn commits_since(&self, top: &Path) -> Result<usize, String> {
        let range = format!("{}..HEAD", self.commit(top)?);
        let arguments = ["rev-list", "--count", &range, "--"].into_iter().chain(ALLOCATOR);
        let count = git(top, &arguments.collect::<Vec<_>>())?;
        count.parse().map_err(|_| format!("git rev-list --count says {count:?}"))
    }
}

fn git(top: &Path, arguments: &[&str]) -> Result<String, String> {
    let said = output(Command::new("git").arg("-C").arg(top).args(arguments))?;
    Ok(said.trim().to_owned())
}

fn folders(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let mut all = files::list(folder)?;
    all.retain(|path| path.is_dir());
    Ok(all)
}
