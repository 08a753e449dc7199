//! The program to run: everything after `--`.

use std::ffi::OsString;
use std::os::unix::ffi::OsStrExt as _;
use std::path::PathBuf;

use clap::error::ErrorKind;
use clap::{Args, CommandFactory as _, ValueHint};
use launch::resolve;

use crate::cli::Cli;

#[derive(Debug, Args)]
pub(crate) struct Program {
    /// The program and its arguments
    #[arg(
        required = true,
        trailing_var_arg = true,
        value_name = "CMD",
        value_hint = ValueHint::CommandWithArguments,
        help_heading = "Arguments"
    )]
    pub(crate) command: Vec<OsString>,
}

/// A program that may be there, after `--`.
#[derive(Debug, Args)]
pub(crate) struct LastProgram {
    /// A program of yours and its arguments, instead of workloads
    #[arg(last = true, value_name = "CMD", value_hint = ValueHint::CommandWithArguments, help_heading = "Arguments")]
    pub(crate) command: Vec<OsString>,
}

impl LastProgram {
    pub(crate) fn is_absent(&self) -> bool {
        self.command.is_empty()
    }

    /// The file that will be executed, if a program is given.
    pub(crate) fn file(&self) -> Result<Option<PathBuf>, resolve::Error> {
        self.command.first().map(|word| resolve::command(word)).transpose()
    }

    pub(crate) fn arguments(&self) -> &[OsString] {
        self.command.get(1..).unwrap_or_default()
    }

    pub(crate) fn words(&self) -> Vec<String> {
        self.command.iter().map(|w| w.to_string_lossy().into_owned()).collect()
    }
}

impl Program {
    /// The file that will be executed. A flag that we do not know is wrong usage, not a program.
    pub(crate) fn file(&self) -> Result<PathBuf, resolve::Error> {
        if let Some(flag) = self.command.first().filter(|w| w.as_bytes().starts_with(b"-")) {
            let text = format!("unexpected argument '{}' found before CMD\n", flag.display());
            Cli::command().error(ErrorKind::UnknownArgument, text).exit();
        }
        resolve::command(self.command.first().map_or("".as_ref(), OsString::as_os_str))
    }

    pub(crate) fn arguments(&self) -> &[OsString] {
        self.command.get(1..).unwrap_or_default()
    }

    pub(crate) fn words(&self) -> Vec<String> {
        self.command.iter().map(|w| w.to_string_lossy().into_owned()).collect()
    }
}
