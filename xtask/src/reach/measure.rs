//! One run of one workload under one allocator, through `bench/programs/run.c`.
//!
//! This process is large, and the kernel would start a child's peak resident size at ours: the runner is
//! small and forks after its own exec.

use super::definition::Definition;
use super::programs;
use crate::peers::{Allocator, output, target_dir};
use core::sync::atomic::{AtomicU64, Ordering};
use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::process::Command;

/// What a run printed and used: key to value.
pub(super) type Values = BTreeMap<String, f64>;

/// Everything built and looked up before the first run.
#[derive(Debug)]
pub(super) struct Lab {
    runner: PathBuf,
    warmer: PathBuf,
    python: String,
    quick: bool,
    runs: AtomicU64,
}

impl Lab {
    /// Compiles the runner, the warmer and every probe, and finds the interpreter.
    pub(super) fn new(quick: bool, definitions: &[Definition]) -> Result<Self, String> {
        for program in definitions.iter().filter_map(|d| d.program.as_ref()) {
            programs::build(program)?;
        }
        let ask = "import sys; print(sys.executable)";
        let python = output(Command::new("python3").args(["-c", ask])).unwrap_or_default();
        Ok(Self {
            runner: programs::build("run")?,
            warmer: programs::build("warm")?,
            python: python.trim().to_owned(),
            quick,
            runs: AtomicU64::new(0),
        })
    }

    /// Why `definition` cannot run on this machine, if it cannot.
    pub(super) fn lacks(&self, definition: &Definition) -> Option<String> {
        let needs = [definition.command.first(), definition.driver.first()];
        needs.into_iter().flatten().find_map(|name| {
            let name = self.expand(name, "");
            let found = output(Command::new("sh").arg("-c").arg("command -v \"$0\"").arg(&name));
            (name.is_empty() || found.is_err()).then(|| format!("{name:?} is not installed"))
        })
    }

    /// Touches as much memory as `definition` will need, so that the machine holds it. To be called right
    /// before a run: a host that takes free memory back does so within seconds.
    pub(super) fn warm(&self, definition: &Definition) -> Result<(), String> {
        if definition.warm_mib > 0 {
            self.touch(u64::from(definition.warm_mib))?;
        }
        Ok(())
    }

    /// Touches `mib` of memory in a process that then ends.
    pub(super) fn touch(&self, mib: u64) -> Result<(), String> {
        output(Command::new(&self.warmer).arg(mib.to_string())).map(drop)
    }

    /// Runs `definition` under `allocator` and gives back what it printed and used.
    pub(super) fn run(
        &self,
        definition: &Definition,
        allocator: &Allocator,
    ) -> Result<Values, String> {
        let dir = target_dir().join("reach");
        let name = self.runs.fetch_add(1, Ordering::Relaxed);
        let used = dir.join(format!("used-{name}"));
        let socket = std::env::temp_dir().join(format!("reach-{}-{name}", std::process::id()));
        let socket_text = socket.display().to_string();
        let mut command = Command::new(&self.runner);
        command.arg("-o").arg(&used).arg("-p").arg(&allocator.path);
        for (key, value) in &definition.env {
            command.arg("-e").arg(format!("{key}={value}"));
        }
        if let Some(input) = &definition.input {
            command.arg("-i").arg(self.expand(input, &socket_text));
        }
        if let Some(program) = &definition.program {
            let quick = definition.quick_args.as_ref().filter(|_| self.quick);
            command
                .arg("--")
                .arg(programs::build(program)?)
                .args(quick.unwrap_or(&definition.args));
        } else {
            command.arg("-q");
            if !definition.driver.is_empty() {
                command.arg("-w").arg(&socket);
            }
            command.arg("--").args(definition.command.iter().map(|a| self.expand(a, &socket_text)));
            if !definition.driver.is_empty() {
                command.arg("--");
                command.args(definition.driver.iter().map(|a| self.expand(a, &socket_text)));
            }
        }
        let printed = output(&mut command);
        let used_text = fs::read_to_string(&used).unwrap_or_default();
        for file in [&used, &socket] {
            if file.exists() {
                fs::remove_file(file).map_err(|e| format!("{}: {e}", file.display()))?;
            }
        }
        let mut values = parse(&used_text);
        values.extend(parse(&printed?));
        Ok(values)
    }

    fn expand(&self, text: &str, socket: &str) -> String {
        text.replace("{programs}", &programs::folder().display().to_string())
            .replace("{python3}", &self.python)
            .replace("{socket}", socket)
    }
}

/// Lines of `key value`.
fn parse(text: &str) -> Values {
    let pair = |line: &str| {
        let (key, value) = line.split_once(' ')?;
        Some((key.to_owned(), value.trim().parse().ok()?))
    };
    text.lines().filter_map(pair).collect()
}
