//! Runs every program of `tests/c` on `libheapwright_kernel`, linked statically and as a shared library, and the examples.
//!
//! Each program checks one rule of `heapwright/kernel.h`; its first line names it. Marks may follow:
//!
//! | mark | meaning |
//! |---|---|
//! | `// build: FLAGS` | compiled with these as well |
//! | `// expect: LINE` | must abort with SIGABRT, and this is all that is on standard error |
//!
//! In it `{it}` is the last line of the program's output, and `{first}` the first.
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

/// Runs a program to its end: how it ended, its output and what is on standard error, each shorter than a pipe.
fn end(binary: &Path) -> (ExitStatus, String, String) {
    let mut child = Command::new(binary)
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
    let marks = || text.lines().skip(1).map_while(|line| line.strip_prefix("// "));
    let mark = |mark: &str| marks().find_map(|line| line.strip_prefix(mark));
    let (expected, flags) = (mark("expect: "), mark("build: ").unwrap_or_default());
    let object = compile(&source, flags);
    for shared in [false, true] {
        let binary = link(&object, shared);
        say(&format!("{rule}: {}", binary.display()));
        let (status, said, wrong) = end(&binary);
        let Some(expected) = expected else {
            assert!(status.success(), "{status}\n{said}{wrong}");
            continue;
        };
        let lines = || said.lines();
        let (first, it) = (lines().next().unwrap_or_default(), lines().last().unwrap_or_default());
        assert_eq!(status.signal(), Some(SIGABRT), "{status}\n{said}{wrong}");
        assert_eq!(wrong, expected.replace("{first}", first).replace("{it}", it) + "\n");
    }
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
