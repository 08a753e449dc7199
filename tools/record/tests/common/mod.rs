//! A small C program, recorded: compiled, run with the recorder before its malloc, and packed.
//!
//! With `HEAPWRIGHT_TARGET=aarch64` it is one of that processor, run by an emulator, with the recorder `HEAPWRIGHT_SO`:
//! `cargo xtask port` sets both.

#![allow(dead_code, reason = "each test file uses a part")]

use std::env;
use std::ffi::OsString;
use std::fs;
use std::os::unix::process::ExitStatusExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Output};
use std::sync::OnceLock;

use recording::{Children, Process, Request, Stacks, finish};
use tempfile::TempDir;
use trace::{Op, Step, Trace};

/// The emulator, and where it finds the libraries of its programs.
const EMULATOR: [&str; 3] = ["qemu-aarch64", "-L", "/usr/aarch64-linux-gnu"];

/// Whether the programs are another processor's.
fn is_emulated() -> bool {
    env::var_os("HEAPWRIGHT_TARGET").is_some_and(|target| target == "aarch64")
}

/// The recorder, built for this test if need be: cargo builds no library for it that nothing links.
pub(crate) fn recorder() -> &'static Path {
    static RECORDER: OnceLock<PathBuf> = OnceLock::new();
    RECORDER.get_or_init(|| {
        if let Some(built) = env::var_os("HEAPWRIGHT_SO") {
            return built.into();
        }
        let test = env::current_exe().unwrap();
        let built = test.ancestors().nth(2).unwrap();
        let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().unwrap();
        let mut cargo = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
        cargo.args(["build", "--quiet", "--package", "heapwright-record", "--target-dir"]);
        // As in a release: a library without the standard library cannot unwind.
        cargo.env("CARGO_PROFILE_DEV_PANIC", "abort");
        assert!(cargo.arg(target).status().unwrap().success(), "the recorder does not build");
        target
            .join(if built.starts_with(target) { "debug" } else { "." })
            .join("libheapwright_record.so")
    })
}

/// A program, and the folder for its recording.
pub(crate) struct Recorded {
    folder: TempDir,
    pub(crate) request: Request,
    /// What is preloaded behind the recorder.
    pub(crate) malloc: Option<PathBuf>,
    program: PathBuf,
}

impl Recorded {
    pub(crate) fn new(name: &str) -> Self {
        Self::compiled(name, &["-O0"])
    }

    /// The same with flags of the compiler.
    pub(crate) fn compiled(name: &str, flags: &[&str]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let program = folder.path().join("program");
        compile(name, flags, &program);
        let traces = folder.path().join("traces");
        fs::create_dir(&traces).unwrap();
        let request = Request {
            folder: traces,
            most: 1 << 30,
            ring: false,
            time: None,
            children: Children::All,
            stacks: Stacks::Off,
            copy: false,
            name: None,
            porter: None,
        };
        Self { folder, request, malloc: None, program }
    }

    pub(crate) fn program(&self) -> &Path {
        &self.program
    }

    pub(crate) fn folder(&self) -> &Path {
        self.folder.path()
    }

    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let variables = self.malloc.iter().map(|path| ("LD_PRELOAD".into(), path.into())).collect();
        let all = self.request.variables(recorder(), None, variables).unwrap();
        // Of timeout itself nothing is recorded.
        let mut env = Command::new("timeout");
        env.args(["-sKILL", "100", "env"]);
        let mut emulator: Vec<OsString> = Vec::new();
        if is_emulated() {
            emulator.extend(EMULATOR.map(OsString::from));
        }
        for (name, value) in all {
            let is_preload = name == "LD_PRELOAD";
            let mut word = name;
            word.push("=");
            word.push(value);
            // The emulator is not of the processor that the recorder is for.
            if is_preload && is_emulated() {
                emulator.extend(["-E".into(), word]);
            } else {
                env.arg(word);
            }
        }
        env.args(emulator).arg(&self.program).args(arguments).current_dir(self.folder());
        env
    }

    /// Runs it to a good end.
    pub(crate) fn run(&self, arguments: &[&str]) -> Output {
        let output = self.command(arguments).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{}: {said}", ended(output.status));
        output
    }

    /// Packs what was recorded: the traces, the first the one with most events.
    pub(crate) fn traces(&self) -> Vec<Trace> {
        let all = finish(&self.request.folder, false, &mut |_, _| {}).unwrap();
        let packed = all.into_iter().map(|process| match process {
            Process::Packed { packed, .. } => Trace::open(packed.path).unwrap(),
            other => panic!("not packed: {other:?}"),
        });
        packed.collect()
    }

    pub(crate) fn trace(&self) -> Trace {
        let mut traces = self.traces();
        assert_eq!(traces.len(), 1, "{traces:?}");
        traces.remove(0)
    }
}

/// Compiles `programs/NAME`.
pub(crate) fn compile(name: &str, flags: &[&str], program: &Path) {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs").join(name);
    let mut compiler = match source.extension().and_then(|kind| kind.to_str()) {
        Some("rs") => Command::new(env::var_os("RUSTC").unwrap_or_else(|| "rustc".into())),
        Some("cc") => Command::new("c++"),
        _ if is_emulated() => Command::new("aarch64-linux-gnu-gcc"),
        _ => Command::new("cc"),
    };
    compiler.args(flags).arg(&source).arg("-o").arg(program);
    if !name.ends_with(".rs") {
        compiler.args(["-g", "-fno-builtin", "-pthread", "-Wall", "-ldl"]);
    }
    let output = compiler.output().expect("a compiler");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

fn ended(status: ExitStatus) -> String {
    match status.signal() {
        Some(signal) => format!("ended by signal {signal}"),
        None => format!("ended with {:?}", status.code()),
    }
}

pub(crate) fn steps(trace: &Trace) -> Vec<Step> {
    trace.steps().map(Result::unwrap).collect()
}

/// The name of a mark and what was done until the next, but for what the recorder adds.
pub(crate) fn between(trace: &Trace, mark: &str) -> Vec<Op> {
    let ops = steps(trace).into_iter().map(|step| step.op);
    let from = ops.skip_while(|op| *op != Op::Mark(mark.into())).skip(1);
    let until = from.take_while(|op| !matches!(op, Op::Mark(_)));
    until.filter(|op| !matches!(op, Op::Memory { .. } | Op::ThreadName(_))).collect()
}
