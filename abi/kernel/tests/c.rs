//! Runs every program of `tests/c` on `libheapwright_kernel`, linked statically and as a shared library, and the examples.
//!
//! Each program checks one rule of `heapwright/kernel.h`; its first line names it. `// build: FLAGS` in its second: compiled with
//! these as well. The cases of `misuse.c` must abort, each with its line as all that is on standard error, in which `{it}` is the
//! last line of the case's output, and `{first}` the first.
#![expect(
    clippy::disallowed_macros,
    reason = "the runner is no part of the allocator: it may format and print"
)]

#[path = "../../tests/runner/build.rs"]
mod build;
#[path = "../../tests/runner/of_own.rs"]
mod of_own;

use core::time::Duration;
use std::env;
use std::fs;
use std::io::Read;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitCode, ExitStatus, Stdio};
use std::sync::OnceLock;
use std::thread;
use std::time::Instant;

use of_own::{compiler, home, object, read, run, say};

/// How long a program may run: far longer than any needs.
const LIMIT: Duration = Duration::from_secs(120);
const SIGABRT: i32 = 6;

fn main() -> ExitCode {
    of_own::tried(program, example)
}

/// Builds the libraries, once, and gives their folder.
fn libraries() -> &'static Path {
    static BUILT: OnceLock<PathBuf> = OnceLock::new();
    BUILT.get_or_init(|| build::build(env!("CARGO_PKG_NAME"), ""))
}

fn programs() -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("kernel");
    fs::create_dir_all(&folder).expect("the folder for programs can be made");
    folder
}

/// Waits for a program, or ends it where it takes longer than any may.
fn wait(child: &mut Child) -> ExitStatus {
    let begun = Instant::now();
    loop {
        if let Some(status) = child.try_wait().expect("a child can be waited for") {
            return status;
        }
        if begun.elapsed() > LIMIT {
            let _ = child.kill();
            let _ = child.wait();
            panic!("it hangs");
        }
        thread::sleep(Duration::from_millis(2));
    }
}

/// Runs a program, or a case of it, to its end: how it ended, its output and what is on standard error, each shorter than a pipe.
fn end(binary: &Path, case: &str) -> (ExitStatus, String, String) {
    let mut command = Command::new(binary);
    // What is tried at random, by many threads, is tried in full where everything is.
    if env::var_os("HEAPWRIGHT_WHOLE").is_none() {
        command.env("TRIALS", "0.25");
    }
    let mut child = command
        .args(case.split_whitespace())
        // Where cargo looks for libraries there may be an older one.
        .env_remove("LD_LIBRARY_PATH")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap_or_else(|error| panic!("{} cannot be started: {error}", binary.display()));
    let status = wait(&mut child);
    let text = |pipe: &mut dyn Read| {
        let mut text = String::new();
        pipe.read_to_string(&mut text).expect("text");
        text
    };
    let said = text(&mut child.stdout.take().expect("piped"));
    (status, said, text(&mut child.stderr.take().expect("piped")))
}

/// Compiles and runs `tests/c/NAME.EXTENSION` on both libraries.
fn program(name: &str, extension: &str) {
    let source = home().join("tests/c").join(name).with_extension(extension);
    let (text, rule) = read(&source);
    let flags = text.lines().nth(1).and_then(|line| line.strip_prefix("// build: "));
    let object = compile(&source, flags.unwrap_or_default());
    for shared in [false, true] {
        let binary = link(&object, shared);
        say(&format!("{rule}: {}", binary.display()));
        let (status, said, wrong) = end(&binary, "");
        assert!(status.success(), "{status}\n{said}{wrong}");
        if name == "misuse" {
            assert!(!said.is_empty(), "no case");
            said.lines().for_each(|case| misuse(&binary, case));
        }
    }
}

/// Runs one case of `misuse.c`, of which there are its name and what it must say.
fn misuse(binary: &Path, case: &str) {
    let (name, expected) = case.split_once(' ').expect("a name and a line");
    let (status, said, wrong) = end(binary, name);
    let lines = || said.lines();
    let (first, it) = (lines().next().unwrap_or_default(), lines().last().unwrap_or_default());
    let expected = expected.replace("{first}", first).replace("{it}", it);
    assert_eq!(status.signal(), Some(SIGABRT), "{name}: {status}\n{said}{wrong}");
    assert_eq!(wrong, format!("heapwright: {expected}\n"), "{name}");
}

fn example(name: &str) {
    let source = home().join("examples").join(name).with_extension("c");
    let binary = link(&compile(&source, ""), false);
    say(&String::from_utf8_lossy(&run(&mut Command::new(&binary)).stdout));
}

/// Compiles a program with the system's compiler, strict.
fn compile(source: &Path, flags: &str) -> PathBuf {
    let is_cxx = source.extension().is_some_and(|extension| extension == "cc");
    let mut compiler = compiler(is_cxx, "-std=c99");
    compiler.args(["-D_GNU_SOURCE", "-pthread"]).args(flags.split_whitespace());
    object(compiler, source, &programs())
}

/// Links a program of C or C++ to a library.
fn link(object: &Path, shared: bool) -> PathBuf {
    let is_cxx =
        object.file_stem().is_some_and(|stem| Path::new(stem).extension() == Some("cc".as_ref()));
    let folder = libraries();
    let binary = object.with_extension(if shared { "shared" } else { "static" });
    let mut compiler = compiler(is_cxx, "-std=c99");
    compiler.arg("-pthread").arg(object).arg("-o").arg(&binary);
    if shared {
        compiler.arg(folder.join("libheapwright_kernel.so"));
        compiler.arg(format!("-Wl,-rpath,{}", folder.display()));
    } else {
        compiler.arg(folder.join("libheapwright_kernel.a"));
    }
    run(&mut compiler);
    binary
}
