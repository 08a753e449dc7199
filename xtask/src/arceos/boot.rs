//! Booting the kernel on QEMU's `virt` board, and reading what it says.

use crate::peers::output;
use core::time::Duration;
use launch::Launch;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::Instant;

const QEMU: &str = "qemu-system-riscv64";

/// A kernel has to have shut down by then.
const LIMIT: Duration = Duration::from_secs(60);

/// A firmware and a kernel for it.
#[derive(Debug)]
pub(super) struct Images {
    pub(super) firmware: PathBuf,
    pub(super) kernel: PathBuf,
}

/// How a boot ended.
#[derive(Debug, Default)]
pub(super) struct Run {
    pub(super) printed: String,
    /// Whether the firmware was told that the test had passed.
    pub(super) passed: bool,
    /// In words: `exit status: 0`.
    pub(super) end: String,
    pub(super) seconds: f64,
    /// The bodies of the test in their order, each with its instructions.
    pub(super) bodies: Vec<(String, u64)>,
}

impl Run {
    /// The instructions of a body.
    pub(super) fn instructions(&self, body: &str) -> Option<u64> {
        self.bodies.iter().find(|(name, _)| name == body).map(|(_, count)| *count)
    }
}

/// What to install, when QEMU is not here.
pub(super) fn missing() -> Option<String> {
    let version = output(Command::new(QEMU).arg("--version"));
    version.is_err().then(|| format!("{QEMU} is missing: install the package qemu-system-misc"))
}

/// Boots it and waits until it shuts down.
pub(super) fn boot(images: &Images) -> Result<Run, String> {
    let start = Instant::now();
    let mut command = Command::new(QEMU);
    command
        .args(["-machine", "virt", "-m", "128M", "-nographic", "-icount", "shift=0"])
        .arg("-bios")
        .arg(&images.firmware)
        .arg("-kernel")
        .arg(&images.kernel)
        .stdin(Stdio::null())
        .stdout(Stdio::piped());
    let qemu = Launch::new(&mut command).limit(LIMIT).spawn();
    let mut qemu = qemu.map_err(|e| format!("{QEMU} did not start: {e}"))?;
    let status = qemu.wait().map_err(|e| format!("{QEMU}: {e}"))?;
    let seconds = start.elapsed().as_secs_f64();
    let printed = qemu.stdout.text().replace('\r', "");
    Ok(Run {
        passed: status.is_some_and(|status| status.success()),
        end: status.map_or_else(
            || format!("no end after {} s", LIMIT.as_secs()),
            |status| status.to_string(),
        ),
        seconds,
        bodies: printed.lines().filter_map(body).collect(),
        printed,
    })
}

/// `memtest map 139055985 instructions`.
pub(super) fn body(line: &str) -> Option<(String, u64)> {
    let words: Vec<&str> = line.split_whitespace().collect();
    match words[..] {
        ["memtest", name, count, "instructions"] => Some((name.to_owned(), count.parse().ok()?)),
        _ => None,
    }
}
