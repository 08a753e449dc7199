//! Programs that chores start: cargo, and the program of the workloads.

use core::num::NonZero;
use core::sync::atomic::{AtomicUsize, Ordering};
use std::panic::resume_unwind;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::thread;

use crate::files;
use crate::peers::{output, root, target_dir};

pub fn cargo() -> Command {
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.current_dir(root());
    cargo
}

/// Runs a command of cargo, whose output is shown; an error names its words.
pub fn finish(command: &mut Command) -> Result<(), String> {
    let words: Vec<_> = command.get_args().map(|arg| arg.to_string_lossy().into_owned()).collect();
    let shown = format!("cargo {}", words.join(" "));
    match command.status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("{shown}: {status}")),
        Err(e) => Err(format!("{shown} did not start: {e}")),
    }
}

/// The target that rustc builds for by itself.
pub fn host() -> Result<String, String> {
    let said = output(Command::new("rustc").arg("-vV"))?;
    let host = said.lines().find_map(|line| line.strip_prefix("host: "));
    host.map(str::to_owned).ok_or_else(|| "rustc -vV names no host".to_owned())
}

pub fn missing(program: &str, package: &str) -> Option<String> {
    let mut command = Command::new(program);
    command.arg("--version").stdout(Stdio::null()).stderr(Stdio::null());
    let there = command.status().is_ok_and(|status| status.success());
    (!there).then(|| format!("{program} is missing: install the package {package}"))
}

/// Those of `all` that are asked for by their names; where none is, all.
pub fn chosen<'a, T>(
    all: &'a [T],
    asked: &'a [String],
    name: fn(&T) -> &str,
) -> impl Iterator<Item = &'a T> {
    all.iter().filter(move |one| asked.is_empty() || asked.iter().any(|word| word == name(one)))
}

/// What `make` gives for each of `items`, as many at a time as there are processors: cargo builds a chain of
/// crates, core before all, on one.
pub fn each<T: Sync, R: Send>(items: &[T], make: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let next = AtomicUsize::new(0);
    let work = || {
        let mut made = Vec::new();
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some(item) = items.get(at) else { return made };
            made.push((at, make(item)));
        }
    };
    let processors = thread::available_parallelism().map_or(1, NonZero::get);
    let mut made: Vec<(usize, R)> = thread::scope(|scope| {
        let started: Vec<_> = (0..processors).map(|_| scope.spawn(work)).collect();
        let ended = started.into_iter().map(|thread| thread.join());
        ended.flat_map(|made| made.unwrap_or_else(|panic| resume_unwind(panic))).collect()
    });
    made.sort_unstable_by_key(|(at, _)| *at);
    made.into_iter().map(|(_, made)| made).collect()
}

/// Ends as a command that was started for this did.
pub fn ended(command: &mut Command) -> ExitCode {
    match command.status() {
        Ok(status) => {
            ExitCode::from(status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(1))
        }
        Err(why) => {
            eprintln!("{:?} did not start: {why}", command.get_program());
            ExitCode::FAILURE
        }
    }
}

/// The program of the workloads, built now, and the malloc to run it on: `given`, or ours, built with it.
pub fn workloads(given: Option<&Path>) -> Result<(PathBuf, PathBuf), String> {
    let mut build = cargo();
    build.args(["build", "--release", "--quiet", "--package", "heapwright-workloads"]);
    if given.is_none() {
        build.args(["--package", "heapwright-abi"]);
    }
    finish(&mut build)?;
    let built = target_dir().join("release");
    let library = given.map_or_else(|| built.join("libheapwright.so"), Path::to_owned);
    let library = library.canonicalize().map_err(files::said(&library))?;
    must_be_a_malloc(&library)?;
    Ok((built.join("heapwright-workloads"), library))
}

/// Preloading a library without malloc would measure libc under its name.
pub fn must_be_a_malloc(library: &Path) -> Result<(), String> {
    let symbols = output(Command::new("nm").args(["-D", "--defined-only"]).arg(library))?;
    let defines = |name: &str| {
        let names = symbols.lines().filter_map(|line| line.split_whitespace().last());
        names.map(|n| n.split('@').next().unwrap_or_default()).any(|n| n == name)
    };
    match ["malloc", "free", "calloc", "realloc"].into_iter().find(|name| !defines(name)) {
        Some(name) => Err(format!("{} does not define {name}", library.display())),
        None => Ok(()),
    }
}
