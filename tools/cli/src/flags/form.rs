//! `--format` of what a command finds: for people or for programs.

use clap::ValueEnum;
use serde_json::Value;

use crate::out;

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Form {
    /// For people
    Table,
    /// For programs
    Json,
}

impl Form {
    pub(crate) fn print(self, table: &str, json: &Value) -> anyhow::Result<()> {
        match self {
            Self::Table => out::print(table),
            Self::Json => out::print(&format!("{json:#}\n")),
        }
    }
}
