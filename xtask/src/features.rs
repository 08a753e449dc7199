//! `cargo xtask features`: the features that a build of the whole workspace does not switch on.
//!
//! compose with what others speak, the facade with each default allocator and with none of the process's malloc, and
//! the facade for a Cortex-M0, which has 32 bits and no atomic exchange.

use crate::qemu::toolchain;
use std::process::Command;

/// What `DefaultBlock` can be.
const DEFAULTS: [&str; 7] = [
    "alloc-tlsf",
    "alloc-first-fit",
    "alloc-next-fit",
    "alloc-best-fit",
    "alloc-worst-fit",
    "alloc-buddy",
    "alloc-slab",
];

/// What the facade can offer on a machine without an operating system.
const BARE: &str = "alloc-tlsf,lock_api,critical-section,block-allocator-api2,compact";

/// The chore.
pub(crate) fn run() -> Result<bool, String> {
    finish(cargo().args(["test", "--package", "heapwright-compose", "--all-features"]))?;
    finish(
        cargo()
            .args(["clippy", "--package", "heapwright-compose", "--all-features", "--all-targets"])
            .args(["--", "-D", "warnings"]),
    )?;
    for default in DEFAULTS {
        finish(cargo().args(["test", "--package", "heapwright", "--no-default-features"]).args([
            "--features",
            default,
            "--test",
            "default_block",
        ]))?;
        finish(cargo().args(["run", "--package", "heapwright", "--no-default-features"]).args([
            "--features",
            default,
            "--example",
            "static_pool",
        ]))?;
    }
    let mut bare = toolchain::cargo(toolchain::THUMBV6M, &[])?;
    bare.current_dir(crate::paths::top());
    bare.args(["--package", "heapwright", "--no-default-features"]).args(["--features", BARE]);
    finish(&mut bare)?;
    Ok(true)
}

fn cargo() -> Command {
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.current_dir(crate::paths::top());
    cargo
}

fn finish(command: &mut Command) -> Result<(), String> {
    let words: Vec<_> = command.get_args().map(|arg| arg.to_string_lossy().into_owned()).collect();
    let shown = format!("cargo {}", words.join(" "));
    match command.status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("{shown}: {status}")),
        Err(e) => Err(format!("{shown} did not start: {e}")),
    }
}
