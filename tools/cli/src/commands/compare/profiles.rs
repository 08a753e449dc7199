//! Two profiles in pprof's format beside each other.

use std::fs;
use std::path::Path;

use anyhow::{Context as _, bail};
use profile::{Pprof, compare, compared};

use super::{Compare, Format};
use crate::exit::Usage;
use crate::{format, out};

/// Whether a path is that of such a file, by its name.
pub(super) fn is_one(path: &Path) -> bool {
    let ending = path.extension().and_then(|ending| ending.to_str());
    matches!(ending, Some("gz" | "pb" | "pprof"))
}

impl Compare {
    pub(super) fn profiles(&self) -> anyhow::Result<()> {
        if let Some(other) = [&self.old, &self.new].into_iter().find(|path| !is_one(path)) {
            bail!(Usage(format!("{} is no .pb.gz, and the other is", other.display())));
        }
        if !self.fail_if.is_empty() {
            bail!(Usage("--fail-if is about results of bench".into()));
        }
        let (old, new) = (read(&self.old)?, read(&self.new)?);
        let comparison = compare(&old, &new, self.allocated);
        let comparison = comparison.map_err(|error| Usage(error.to_string()))?;
        match self.format {
            Format::Table => {
                let text = compared(&comparison, ::show::text::width());
                out::print(&format::visible(&text))
            }
            Format::Json => out::print(&(serde_json::to_string_pretty(&comparison)? + "\n")),
            Format::Csv => bail!(Usage("profiles have --format table and json".into())),
        }
    }
}

fn read(path: &Path) -> anyhow::Result<Pprof> {
    let bytes = fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
    let profile = Pprof::decode(&bytes);
    Ok(profile.map_err(|error| Usage(format!("{}: {error}", path.display())))?)
}
