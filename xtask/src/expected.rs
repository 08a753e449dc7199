//! `--check` and `--write`: what is expected stands in a file of `bench/golden`.

use clap::Args;

#[derive(Debug, Default, Args)]
pub(crate) struct Expected {
    /// Fail when a figure is above the file's or above a bound; this is the default
    #[arg(long, conflicts_with = "write")]
    check: bool,
    /// Record the figures in the file
    #[arg(long)]
    write: bool,
}

impl Expected {
    /// Whether the file is to be written and not compared with.
    pub(crate) fn is_written(&self) -> bool {
        self.write && !self.check
    }
}
