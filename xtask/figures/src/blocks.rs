//! `cargo xtask blocks`: the block allocators beside others, by `bench/blocks`, which has the options.

use crate::command::{cargo, ended};
use std::process::ExitCode;

pub(crate) fn run(args: &[String]) -> ExitCode {
    let mut command = cargo();
    command.args(["run", "--release", "--quiet", "--package", "heapwright-blocks", "--"]);
    ended(command.args(args))
}
