//! Booting the kernel on QEMU's `virt` board, and reading what it says.

use crate::command;
use crate::qemu::machine::{self, watched};
use core::time::Duration;
use std::path::PathBuf;
use std::process::Command;

const QEMU: &str = "qemu-system-riscv64";

const LIMIT: Duration = Duration::from_secs(60);

pub(super) struct Images {
    pub(super) firmware: PathBuf,
    pub(super) kernel: PathBuf,
}

/// How a boot ended; it passed if the firmware was told that the test had.
#[derive(Debug, Default)]
pub(super) struct Run {
    pub(super) run: machine::Run,
    /// The bodies of the test in their order, each with its instructions.
    pub(super) bodies: Vec<(String, u64)>,
}

impl Run {
    pub(super) fn instructions(&self, body: &str) -> Option<u64> {
        self.bodies.iter().find(|(name, _)| name == body).map(|(_, count)| *count)
    }
}

pub(super) fn missing() -> Option<String> {
    command::missing(QEMU, "qemu-system-misc")
}

pub(super) fn boot(images: &Images) -> Result<Run, String> {
    let mut command = Command::new(QEMU);
    command.args(["-machine", "virt", "-m", "128M", "-nographic", "-icount", "shift=0"]);
    command.arg("-bios").arg(&images.firmware).arg("-kernel").arg(&images.kernel);
    let run = watched(&mut command, 0, LIMIT)?;
    Ok(Run { bodies: run.printed.lines().filter_map(body).collect(), run })
}

/// `memtest map 139055985 instructions`.
pub(super) fn body(line: &str) -> Option<(String, u64)> {
    let words: Vec<&str> = line.split_whitespace().collect();
    match words[..] {
        ["memtest", name, count, "instructions"] => Some((name.to_owned(), count.parse().ok()?)),
        _ => None,
    }
}
