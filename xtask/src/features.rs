//! `cargo xtask features`: the features that a build of the whole workspace does not switch on.
//!
//! Compose with what others speak, the facade with each default allocator and with none
//! of the process's malloc, and the facade for a Cortex-M0, which has 32 bits and no atomic exchange.

use crate::command::{cargo, finish};
use crate::qemu::toolchain;

/// What the facade can offer on a machine without an operating system.
const BARE: &str = "alloc-tlsf,lock_api,critical-section,block-allocator-api2,compact";

pub(crate) fn run() -> Result<bool, String> {
    finish(cargo().args(["test", "--package", "heapwright-compose", "--all-features"]))?;
    finish(
        cargo()
            .args(["clippy", "--package", "heapwright-compose", "--all-features", "--all-targets"])
            .args(["--", "-D", "warnings"]),
    )?;
    for default in registry::BLOCKS.iter().filter_map(|block| block.feature) {
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
    let mut bare = toolchain::cargo(toolchain::THUMBV6M)?;
    bare.current_dir(crate::peers::root());
    bare.args(["--package", "heapwright", "--no-default-features"]).args(["--features", BARE]);
    finish(&mut bare)?;
    Ok(true)
}
