//! `heapwright man`: the manual pages, made from the same definitions as `--help`.

use std::fs;
use std::io;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Context as _;
use clap::{Args, CommandFactory as _};
use clap_mangen::Man as Page;

use crate::cli::Cli;

const EXAMPLES: &str = "\
Examples:
  heapwright man | man -l -
  heapwright man -o ~/.local/share/man/man1";

/// Print the manual page, or write the pages of all commands
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Man {
    /// Write one page for each command into DIR, which is made if need be
    #[arg(short, long, value_name = "DIR")]
    output: Option<PathBuf>,
}

impl Man {
    pub(crate) fn run(self) -> anyhow::Result<ExitCode> {
        let mut command = Cli::command();
        command.build();
        match self.output {
            None => {
                Page::new(command).render(&mut io::stdout()).context("cannot write the page")?
            }
            Some(directory) => {
                fs::create_dir_all(&directory)
                    .with_context(|| format!("cannot make {}", directory.display()))?;
                clap_mangen::generate_to(command, &directory)
                    .with_context(|| format!("cannot write pages to {}", directory.display()))?;
                eprintln!("wrote {}/heapwright*.1", directory.display());
            }
        }
        Ok(ExitCode::SUCCESS)
    }
}
