//! Runs every program of `tests/c` on `libheapwright_block.a`, built with each set of features that it is for.
//!
//! Each program checks one rule of the headers; its first line names it. They use nothing of a C library but what
//! `tests/c/check.h` declares, so that `cargo xtask firmware` can run the same ones on bare machines. Marks that may
//! follow the first line:
//!
//! | mark | meaning |
//! |---|---|
//! | `// only: FEATURE…` | runs only on libraries with one of these features |
//! | `// not: FEATURE…` | runs on those with none of these |
#![expect(
    clippy::disallowed_macros,
    reason = "the runner is no part of the allocator: it may format and print"
)]

#[path = "../../tests/runner/build.rs"]
mod build;
#[path = "../../tests/runner/of_own.rs"]
mod of_own;

use std::collections::BTreeSet;
use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::sync::{Mutex, OnceLock, PoisonError};

use of_own::{compiler, home, object, read, run, say};

/// The libraries, by their features beside the default ones.
const LIBRARIES: [&str; 4] = ["", "compact", "neighbours", "canaries"];

/// Programs of a port, whose operating system is a stub of it in `tests/c/stubs`.
const PORT: &str = "port_";

fn main() -> ExitCode {
    of_own::tried(program, example)
}

/// The library with these features, copied: the next one has the same name.
fn library(features: &str) -> PathBuf {
    static BUILT: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());
    let copy = programs().join(format!("libheapwright_block-{features}.a"));
    let mut built = BUILT.lock().unwrap_or_else(PoisonError::into_inner);
    if built.insert(features.to_owned()) {
        let folder = build::build(env!("CARGO_PKG_NAME"), features);
        fs::copy(folder.join("libheapwright_block.a"), &copy).expect("it can be copied");
    }
    copy
}

/// Whether the program is for the library with these features.
fn is_for(text: &str, features: &str) -> bool {
    let marks = text.lines().skip(1).map_while(|line| line.strip_prefix("// "));
    let has = |list: &str| list.split_whitespace().any(|feature| feature == features);
    marks.filter_map(|mark| mark.split_once(": ")).all(|(key, list)| match key {
        "only" => has(list),
        "not" => !has(list),
        _ => panic!("// {key}: is no mark"),
    })
}

fn programs() -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("block");
    fs::create_dir_all(&folder).expect("the folder for programs can be made");
    folder
}

/// What `check.h` declares, compiled once for each language.
fn hosted(extension: &str) -> PathBuf {
    static MADE: [OnceLock<PathBuf>; 2] = [const { OnceLock::new() }; 2];
    let is_cxx = extension == "cc";
    let make = || {
        let source = home().join("tests/c/hosted").with_extension(extension);
        object(compiler(is_cxx, "-std=c11"), &source, &programs())
    };
    MADE[usize::from(is_cxx)].get_or_init(make).clone()
}

/// Compiles and runs `tests/c/NAME.EXTENSION` on each library that it is for.
fn program(name: &str, extension: &str) {
    let source = home().join("tests/c").join(format!("{name}.{extension}"));
    let (text, rule) = read(&source);
    let is_for = |features: &&str| is_for(&text, features);
    let compiler = || {
        let mut compiler = compiler(extension == "cc", "-std=c11");
        if name.starts_with(PORT) {
            compiler.arg("-I").arg(home().join("tests/c/stubs"));
        }
        compiler
    };
    let folder = programs();
    let object = object(compiler(), &source, &folder);
    let mut runs = 0;
    for features in LIBRARIES.into_iter().filter(is_for) {
        let binary = object.with_extension(format!("{features}.run"));
        run(compiler()
            .args([&object, &hosted(extension), &library(features)])
            .arg("-o")
            .arg(&binary));
        say(&format!("{rule}: {name} with [{features}]"));
        run(&mut Command::new(&binary));
        runs += 1;
    }
    assert!(runs > 0, "{name} is for no library");
}

/// Compiles and runs `examples/NAME.c` as its header says.
fn example(name: &str) {
    let library = library("");
    let binary = programs().join(format!("example-{name}"));
    let mut compiler = compiler(false, "-std=c11");
    compiler.arg(home().join("examples").join(name).with_extension("c"));
    run(compiler.arg(library).arg("-o").arg(&binary));
    say(&String::from_utf8_lossy(&run(&mut Command::new(&binary)).stdout));
}
