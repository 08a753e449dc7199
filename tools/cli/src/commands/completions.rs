//! `heapwright completions`: what a shell needs to complete our words.

use std::process::ExitCode;

use clap::{Args, CommandFactory as _};
use clap_complete::Shell;

use crate::cli::Cli;
use crate::out;

const EXAMPLES: &str = "\
Examples:
  heapwright completions bash > ~/.local/share/bash-completion/completions/heapwright
  heapwright completions zsh  > ~/.zfunc/_heapwright
  heapwright completions fish > ~/.config/fish/completions/heapwright.fish";

/// Print the completions for a shell
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Completions {
    /// The shell
    shell: Shell,
}

impl Completions {
    pub(crate) fn run(self) -> anyhow::Result<ExitCode> {
        let mut command = Cli::command();
        // clap panics where it cannot write; into memory it always can.
        let mut text = Vec::new();
        clap_complete::generate(self.shell, &mut command, "heapwright", &mut text);
        out::print(&String::from_utf8_lossy(&text))?;
        Ok(ExitCode::SUCCESS)
    }
}
