//! `cargo xtask miri`: the tests of the crates whose unsafe code needs no operating system, in Rust's interpreter.
//!
//! Miri is a component of nightly toolchains. It is only looked for: nothing is downloaded.

use std::process::{Command, Stdio};

use clap::Args;

use crate::peers::root;

/// What these do to memory they do to arrays of the tests.
const PACKAGES: [&str; 3] = ["heapwright-base", "heapwright-block", "heapwright-kernel-allocators"];

#[derive(Debug, Args)]
pub(crate) struct Options {
    /// Only tests whose name has this in it
    #[arg(value_name = "FILTER")]
    filter: Option<String>,
}

pub(crate) fn run(options: &Options) -> Result<bool, String> {
    let there = miri().arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
    if !there.is_ok_and(|status| status.success()) {
        return Err("the nightly toolchain has no Miri: \
                    rustup toolchain install nightly --component miri,rust-src"
            .to_owned());
    }
    let mut command = miri();
    command.args(["test", "--lib"]);
    for package in PACKAGES {
        command.args(["--package", package]);
    }
    command.arg("--").args(&options.filter);
    let status = command.status().map_err(|e| format!("rustup did not start: {e}"))?;
    Ok(status.success())
}

fn miri() -> Command {
    let mut rustup = Command::new("rustup");
    rustup.args(["run", "nightly", "cargo", "miri"]).current_dir(root());
    // Its own, and not those of the cargo that runs this.
    rustup.env_remove("CARGO").env_remove("RUSTC").env_remove("RUSTFLAGS");
    rustup
}
