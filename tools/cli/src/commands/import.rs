//! `heapwright import`: another tool's recording as a trace.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context as _, bail};
use clap::{Args, ValueHint};

use crate::exit::{self, Usage};
use crate::format::{bytes, count, shell};
use crate::traces;

const EXAMPLES: &str = include_str!("import/help.txt");

/// Make a trace of another tool's recording: heaptrack's
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Import {
    /// The recording
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
    file: PathBuf,

    /// The folder for the trace
    #[arg(short, long, value_name = "DIR", value_hint = ValueHint::DirPath, default_value = ".")]
    output: PathBuf,

    /// Write over a trace that is there
    #[arg(short, long)]
    force: bool,
}

impl Import {
    pub(crate) fn run(self) -> anyhow::Result<ExitCode> {
        let path = self.output.join(name(&self.file));
        if path.exists() && !self.force {
            bail!(Usage(format!("{} is there; --force writes over it", path.display())));
        }
        fs::create_dir_all(&self.output)
            .with_context(|| format!("cannot make {}", self.output.display()))?;
        let packed = trace::import(&self.file, &path).map_err(|error| match error {
            trace::TraceError::Foreign { path } => {
                Usage(format!("{} is no recording of heaptrack", path.display())).into()
            }
            trace::TraceError::Newer { path, found, known } => Usage(format!(
                "{} is a recording of version {found} of heaptrack's format, and versions up to {known} are known",
                path.display()
            ))
            .into(),
            other => traces::failed(other),
        })?;
        exit::say(&format!(
            "wrote    {}: {} events, {}",
            path.display(),
            count(packed.about.events as f64),
            bytes(packed.bytes as f64)
        ));
        let missing = &packed.about.missing;
        if let Some(damage) = missing.damages.first() {
            exit::warn(&format!(
                "{} lines were passed over, the first at byte {}: {}",
                missing.damaged, damage.offset, damage.what
            ));
        }
        if missing.cut > 0 {
            exit::warn("the recording ends in the middle; what is there was taken");
        }
        let next = ["heapwright", "explain", &path.to_string_lossy()].map(str::to_owned);
        exit::say(&format!("next     {}", shell(&next)));
        Ok(ExitCode::SUCCESS)
    }
}

/// `heaptrack.app.1234.raw.zst` becomes `app-1234.trace`.
fn name(file: &Path) -> String {
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    let mut name = name.as_ref();
    for ending in [".gz", ".zst", ".raw", ".heaptrack"] {
        name = name.strip_suffix(ending).unwrap_or(name);
    }
    let name = name.strip_prefix("heaptrack.").unwrap_or(name);
    match name.rsplit_once('.') {
        Some((app, pid)) if !pid.is_empty() && pid.bytes().all(|byte| byte.is_ascii_digit()) => {
            format!("{app}-{pid}.trace")
        }
        _ => format!("{name}.trace"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_trace_is_called_by_program_and_process() {
        let of = |file: &str| name(Path::new(file));
        assert_eq!(of("/tmp/heaptrack.app.1234.raw.zst"), "app-1234.trace");
        assert_eq!(of("heaptrack.python3.11.77.gz"), "python3.11-77.trace");
        assert_eq!(of("mine.heaptrack.zst"), "mine.trace");
    }
}
