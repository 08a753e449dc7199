//! What the step `fleet` needs: a Python of its own with DuckDB and Apache Spark, and Java for the latter.

use std::path::PathBuf;
use std::process::Command;

use crate::command;
use crate::peers::target_dir;

/// Their Python packages, about 500 MB.
const PACKAGES: [&str; 2] = ["duckdb", "pyspark"];

pub(crate) fn python() -> PathBuf {
    target_dir().join("fleet/bin/python3")
}

/// Installs what is missing; what cannot be had.
pub(crate) fn missing() -> Option<String> {
    let java = Command::new("java").arg("-version").output().is_ok_and(|ran| ran.status.success());
    let problem = (!java).then(|| "java is not there: install default-jre-headless".to_owned());
    problem.or_else(|| command::missing("python3", "python3 and python3-venv")).or_else(|| {
        let imports = format!("import {}", PACKAGES.join(", "));
        if succeeds(Command::new(python()).args(["-c", &imports])) {
            return None;
        }
        let folder = target_dir().join("fleet");
        let made = succeeds(Command::new("python3").args(["-m", "venv"]).arg(folder));
        let install = ["-m", "pip", "install", "--quiet"];
        let installed = made && succeeds(Command::new(python()).args(install).args(PACKAGES));
        (!installed).then(|| "duckdb and pyspark cannot be installed with pip".to_owned())
    })
}

fn succeeds(command: &mut Command) -> bool {
    command.status().is_ok_and(|status| status.success())
}
