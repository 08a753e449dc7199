//! `cargo xtask blocks`: the block allocators beside others, by `bench/blocks`, which has the options.

use crate::command::cargo;
use std::process::ExitCode;

pub(crate) fn run(args: &[String]) -> ExitCode {
    let mut command = cargo();
    command.args(["run", "--release", "--quiet", "--package", "heapwright-blocks", "--"]);
    match command.args(args).status() {
        Ok(status) => {
            ExitCode::from(status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(1))
        }
        Err(why) => {
            eprintln!("blocks: cargo did not start: {why}");
            ExitCode::FAILURE
        }
    }
}
