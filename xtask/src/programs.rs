//! The C programs of `bench/programs`, compiled once into the target folder.

use crate::files;
use crate::peers::{output, root, target_dir};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::SystemTime;

/// No builtin malloc: the compiler must not remove a malloc whose object nobody reads.
const OPTIONS: &str = "-O2 -std=gnu11 -Wall -fno-builtin-malloc -fno-builtin-calloc -fno-builtin-realloc \
     -fno-builtin-free -pthread -Wl,-z,now";

pub fn folder() -> PathBuf {
    root().join("bench/programs")
}

/// The compiled `bench/programs/NAME.c`; compiles it when it is missing or older than its sources.
pub fn build(name: &str) -> Result<PathBuf, String> {
    let source = folder().join(name).with_extension("c");
    let dir = target_dir().join("programs");
    let program = dir.join(name);
    files::folder(&dir)?;
    let newest = modified(&source)?.max(modified(&folder().join("common.h"))?);
    if modified(&program).is_ok_and(|built| built > newest) {
        return Ok(program);
    }
    let partial = program.with_extension(format!("partial-{}", std::process::id()));
    let mut compiler = Command::new("cc");
    compiler.args(OPTIONS.split_whitespace()).arg(&source).arg("-o").arg(&partial);
    output(compiler.arg("-ldl"))?;
    fs::rename(&partial, &program).map_err(files::said(&program))?;
    Ok(program)
}

fn modified(file: &Path) -> Result<SystemTime, String> {
    fs::metadata(file).and_then(|of| of.modified()).map_err(files::said(file))
}
