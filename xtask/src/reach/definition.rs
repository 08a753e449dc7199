//! What is measured, as data: one file of `bench/reach` per workload.

use serde::Deserialize;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// One workload.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Definition {
    /// Unique, as it stands in tables.
    pub(super) name: String,
    /// Its place in the report.
    order: u32,
    /// A probe: `bench/programs/PROGRAM.c`, which prints its own figures.
    pub(super) program: Option<String>,
    /// The probe's arguments.
    #[serde(default)]
    pub(super) args: Vec<String>,
    /// Its arguments under `--quick`, where they differ.
    pub(super) quick_args: Option<Vec<String>>,
    /// A program of the machine instead of a probe. `{programs}` is the folder of our programs, `{socket}` a
    /// fresh unix socket, `{python3}` the interpreter behind whatever script is first on the path.
    #[serde(default)]
    pub(super) command: Vec<String>,
    /// The command's standard input.
    pub(super) input: Option<String>,
    /// More environment for the command.
    #[serde(default)]
    pub(super) env: BTreeMap<String, String>,
    /// The command is a server on `{socket}`; this drives it and then ends.
    #[serde(default)]
    pub(super) driver: Vec<String>,
    /// Counts among the real programs, whose geometric means have bounds.
    #[serde(default)]
    pub(super) real: bool,
    /// How much memory to warm before each run.
    #[serde(default)]
    pub(super) warm_mib: u32,
    /// Nothing is timed: all allocators may run at once.
    #[serde(default)]
    pub(super) together: bool,
    /// What it shows and what it does not.
    pub(super) analysis: String,
    /// Columns of its table of medians.
    #[serde(default)]
    pub(super) show: Vec<Column>,
    /// Lines of the table of bounds.
    #[serde(default, rename = "figure")]
    pub(super) figures: Vec<Figure>,
}

/// One column of raw medians.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Column {
    /// The value's key, as the program or the runner prints it.
    pub(super) key: String,
    /// The column's heading, unit included.
    pub(super) title: String,
    /// What to divide the value by.
    #[serde(default = "one")]
    pub(super) divide: f64,
    /// Digits after the point.
    #[serde(default)]
    pub(super) digits: usize,
}

/// One bound.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Figure {
    /// The line, in words.
    pub(super) says: String,
    /// The value it is about.
    pub(super) key: String,
    /// What to divide the value by.
    #[serde(default = "one")]
    pub(super) divide: f64,
    /// What the value is compared with.
    pub(super) against: Against,
    /// The bound.
    pub(super) at_most: f64,
    /// The value's unit, unless it is a ratio.
    #[serde(default)]
    pub(super) unit: String,
}

/// What a figure is compared with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
pub(super) enum Against {
    /// Ratio to the peer with the lowest median.
    #[serde(rename = "best peer")]
    BestPeer,
    /// Ratio to glibc.
    #[serde(rename = "glibc")]
    Glibc,
    /// Difference from glibc.
    #[serde(rename = "glibc, difference")]
    AboveGlibc,
    /// The value itself.
    #[serde(rename = "nothing")]
    Nothing,
}

fn one() -> f64 {
    1.0
}

impl Definition {
    /// Why this is no workload, if it is not.
    fn fault(&self) -> Option<&'static str> {
        match (self.program.is_some(), self.command.is_empty()) {
            (true, false) => Some("it has both a program and a command"),
            (false, true) => Some("it has neither a program nor a command"),
            _ if self.analysis.trim().is_empty() => Some("its analysis is empty"),
            _ => None,
        }
    }

    /// The columns of its table: those it names, or what the runner measured of a real program.
    pub(super) fn columns(&self) -> Vec<Column> {
        let column = |key: &str, title: &str, divide, digits| Column {
            key: key.to_owned(),
            title: title.to_owned(),
            divide,
            digits,
        };
        if self.real {
            vec![
                column("cpu_us", "CPU s", 1e6, 3),
                column("wall_us", "wall s", 1e6, 3),
                column("peak_kib", "peak MiB", 1024.0, 1),
                column("minor_faults", "minor faults", 1.0, 0),
            ]
        } else {
            self.show.clone()
        }
    }
}

/// Every definition in `folder`, in the order they ask for.
pub(super) fn load(folder: &Path) -> Result<Vec<Definition>, String> {
    let said = |path: &Path, why: &dyn core::fmt::Display| format!("{}: {why}", path.display());
    let entries = fs::read_dir(folder).map_err(|e| said(folder, &e))?;
    let mut files: Vec<_> = entries.filter_map(Result::ok).map(|entry| entry.path()).collect();
    files.retain(|path| path.extension().is_some_and(|e| e == "toml"));
    let mut all = Vec::new();
    for path in files {
        let text = fs::read_to_string(&path).map_err(|e| said(&path, &e))?;
        let definition: Definition = toml::from_str(&text).map_err(|e| said(&path, &e))?;
        if let Some(why) = definition.fault() {
            return Err(said(&path, &why));
        }
        all.push(definition);
    }
    all.sort_by_key(|d| d.order);
    Ok(all)
}

#[cfg(test)]
mod tests;
