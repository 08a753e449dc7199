//! The machines: what each is called, what it is compiled for, and how QEMU becomes it.

use super::toolchain::{self, Target};
use crate::command::missing;
use core::time::Duration;
use launch::Launch;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

pub(crate) struct Machine {
    pub(crate) name: &'static str,
    pub(crate) what: &'static str,
    /// What the golden files call its target.
    pub(crate) key: &'static str,
    pub(crate) target: Target,
    /// The program, and its Debian package.
    qemu: &'static str,
    package: &'static str,
    args: &'static str,
    /// QEMU's own status when the kernel's is 0.
    success: i32,
}

/// An instruction takes 128 ns, which is a little more than three ticks of the board's clock.
const CORTEX_M: &str = "-machine mps2-an385 -cpu cortex-m3 \
                        -semihosting-config enable=on,target=native -icount shift=7";

pub(crate) const MACHINES: &[Machine] = &[
    Machine {
        name: "riscv64",
        key: "riscv64gc",
        what: "RISC-V virt, 64 bit, no clz and ctz",
        target: toolchain::RISCV64,
        qemu: "qemu-system-riscv64",
        package: "qemu-system-misc",
        // QEMU's `rv64` has the instructions that count zeros unless told otherwise.
        args: "-machine virt -bios none -m 128M -cpu rv64,zba=false,zbb=false,zbc=false,zbs=false \
               -icount shift=0",
        success: 0,
    },
    Machine {
        name: "riscv64-zbb",
        key: "riscv64gc+zbb",
        what: "RISC-V virt, 64 bit, Zbb",
        target: toolchain::RISCV64_ZBB,
        qemu: "qemu-system-riscv64",
        package: "qemu-system-misc",
        args: "-machine virt -bios none -m 128M -cpu rv64,zbb=true -icount shift=0",
        success: 0,
    },
    Machine {
        name: "riscv32",
        key: "riscv32imac",
        what: "RISC-V virt, 32 bit",
        target: toolchain::RISCV32,
        qemu: "qemu-system-riscv32",
        package: "qemu-system-misc",
        args: "-machine virt -bios none -m 128M -icount shift=0",
        success: 0,
    },
    Machine {
        name: "cortex-m3",
        key: "thumbv7m",
        what: "Arm MPS2 board, Cortex-M3",
        target: toolchain::THUMBV7M,
        qemu: "qemu-system-arm",
        package: "qemu-system-arm",
        args: CORTEX_M,
        success: 0,
    },
    Machine {
        name: "cortex-m0",
        key: "thumbv6m",
        what: "the same board, code for a Cortex-M0",
        target: toolchain::THUMBV6M,
        qemu: "qemu-system-arm",
        package: "qemu-system-arm",
        args: CORTEX_M,
        success: 0,
    },
    Machine {
        name: "x86_64",
        key: "x86-64",
        what: "PC q35, 64 bit",
        target: toolchain::X86_64,
        qemu: "qemu-system-x86_64",
        package: "qemu-system-x86",
        args: "-machine q35 -cpu max -m 128M -no-reboot -icount shift=0 \
               -device isa-debug-exit,iobase=0xf4,iosize=4",
        success: 1,
    },
];

#[derive(Debug, Default)]
pub(crate) struct Run {
    pub(crate) printed: String,
    pub(crate) passed: bool,
    /// In words: `status 0`, `no end after 60 s`.
    pub(crate) end: String,
    pub(crate) took: Duration,
}

impl Machine {
    /// Whether its QEMU is there; if not, what to install.
    pub(crate) fn missing(&self) -> Option<String> {
        missing(self.qemu, self.package)
    }

    /// Boots `kernel` and waits until it powers off, `limit` at most.
    pub(crate) fn boot(&self, kernel: &Path, limit: Duration) -> Result<Run, String> {
        let mut command = Command::new(self.qemu);
        command.args(self.args.split_whitespace());
        command.args(["-display", "none", "-monitor", "none", "-serial", "stdio", "-kernel"]);
        watched(command.arg(kernel), self.success, limit)
    }
}

/// Runs QEMU, `limit` at most, which ends with `success` where all went well.
pub(crate) fn watched(command: &mut Command, success: i32, limit: Duration) -> Result<Run, String> {
    let start = Instant::now();
    let name = command.get_program().to_string_lossy().into_owned();
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let qemu = Launch::new(command).limit(limit).spawn();
    let mut qemu = qemu.map_err(|e| format!("{name} did not start: {e}"))?;
    let status = qemu.wait().map_err(|e| format!("{name}: {e}"))?;
    let passed = status.is_some_and(|status| status.code() == Some(success));
    let end = match status {
        // A PC whose faults nobody handles starts again, which QEMU was told to end with.
        Some(status) if success != 0 && status.success() => "reset by a fault".to_owned(),
        Some(status) => status.to_string(),
        None => format!("no end after {} s", limit.as_secs()),
    };
    let mut printed = qemu.stdout.text();
    if !passed {
        printed.push_str(&qemu.stderr.text());
    }
    Ok(Run { printed: printed.replace('\r', ""), passed, end, took: start.elapsed() })
}
