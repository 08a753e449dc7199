//! How each step is run, in its short form and in its whole one.

use std::process::{Command, ExitCode};

use crate::command::{cargo, finish};
use crate::peers::target_dir;

/// How the steps are asked for.
#[derive(Debug, Default)]
pub(super) struct Form {
    /// The whole of each step.
    pub(super) all: bool,
    /// The packages that `test` tests; none: the whole workspace.
    pub(super) packages: Vec<String>,
}

#[derive(Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    Passed,
    Skipped(&'static str),
    Failed(String),
}

impl Outcome {
    /// What `next` makes of it, where nothing failed yet.
    fn then(self, next: impl FnOnce() -> Self) -> Self {
        if self == Self::Passed { next() } else { self }
    }
}

/// What a step needs is not here: that is a failure where everything was to be installed.
fn with(missing: Option<String>, run: impl FnOnce() -> Outcome) -> Outcome {
    match missing {
        None => run(),
        Some(missing) if std::env::var_os("CI").is_some() => Outcome::Failed(missing),
        Some(missing) => {
            eprintln!("{missing}");
            Outcome::Skipped("it needs what is not installed here, or the network")
        }
    }
}

const BARE_METAL: &str = "bare-metal/Cargo.toml";

/// Other packages that are not of the workspace, each with its manifest.
const ALONE: [(&str, &str); 3] = [
    ("bare-metal/arceos/Cargo.toml", "arceos-memtest"),
    ("bare-metal/arceos/Cargo.toml", "firmware"),
    ("fuzz/Cargo.toml", "heapwright-fuzz"),
];

pub(super) fn form(name: &str) -> Option<fn(&Form) -> Outcome> {
    Some(match name {
        "fmt" => |_| fmt(),
        "clippy" => |_| clippy(),
        "doc" => |_| doc(),
        "test" => test,
        "dist" => |_| dist(),
        "designs" => designs,
        "programs" => programs,
        "fleet" => |_| fleet(),
        "storm" => storm,
        "blocks" => |_| blocks(),
        "loom" => |_| loom(),
        "qemu" => qemu,
        "wcet" => |_| wcet(),
        "firmware" => |_| firmware(),
        "compat" => |_| compat(),
        "arceos" => |_| arceos(),
        "port" => port,
        _ => return None,
    })
}

fn fmt() -> Outcome {
    let all = |manifest| ["fmt", "--all", "--check", "--manifest-path", manifest];
    let mut checks = vec![all("Cargo.toml").to_vec(), all(BARE_METAL).to_vec()];
    for (manifest, package) in ALONE {
        checks.push(vec!["fmt", "--check", "--manifest-path", manifest, "--package", package]);
    }
    let mut outcomes = checks.into_iter().map(|check| command(cargo().args(check)));
    outcomes.find(|outcome| *outcome != Outcome::Passed).unwrap_or(Outcome::Passed)
}

fn clippy() -> Outcome {
    let strict = ["--", "-D", "warnings"];
    let mut workspace = cargo();
    workspace.args(["clippy", "--workspace", "--all-targets"]).args(strict);
    command(&mut workspace).then(|| {
        // Of the kernels' machines the one that needs no other target installed.
        let mut kernels = cargo();
        kernels.args(["clippy", "--manifest-path", BARE_METAL, "--target"]);
        kernels.args(["x86_64-unknown-linux-gnu", "--target-dir"]);
        kernels.arg(target_dir().join("bare-metal/clippy")).args(strict);
        command(&mut kernels)
    })
}

fn doc() -> Outcome {
    command(cargo().args(["doc", "--workspace", "--no-deps"]).env("RUSTDOCFLAGS", "-D warnings"))
}

/// Of the whole workspace it is the README's second command, as it stands there.
fn test(form: &Form) -> Outcome {
    let mut test = cargo();
    test.args(["test", "--no-fail-fast"]);
    if form.packages.is_empty() {
        test.arg("--workspace");
    }
    for package in &form.packages {
        test.args(["--package", package]);
    }
    command(whole(&mut test, form))
}

/// With all trials of the C suite, in the long form.
fn whole<'a>(test: &'a mut Command, form: &Form) -> &'a mut Command {
    if form.all { test.env("HEAPWRIGHT_WHOLE", "1") } else { test }
}

/// The tests that `cargo test` leaves out: those of these names in a test program of a package.
fn ignored(form: &Form, package: &str, program: &str, names: &[&str]) -> Outcome {
    let mut test = cargo();
    test.args(["test", "--no-fail-fast", "--package", package, "--test", program]);
    test.args(["--", "--ignored"]);
    command(whole(test.args(names), form))
}

fn designs(form: &Form) -> Outcome {
    ignored(form, "heapwright-abi", "c", &["drop_ins"])
        .then(|| ignored(form, "heapwright-tests", "programs", &["classics::"]))
}

fn programs(form: &Form) -> Outcome {
    let names = ["cgo::", "chromium::", "java::", "own_tests::", "php::"];
    ignored(form, "heapwright-tests", "programs", &names)
}

/// Needs Java, Python and packages from the network.
fn fleet() -> Outcome {
    with(crate::fleet::missing(), || {
        let mut test = cargo();
        test.args(["test", "--package", "heapwright-trace", "--test", "trace", "--", "--ignored"]);
        command(test.env("HEAPWRIGHT_PYTHON", crate::fleet::python()))
    })
}

/// The flagship alone, and a command that is quick to compile, in a folder of its own: the tests that run beside this step start
/// the one in the workspace's folder, which for a moment would not be there.
fn dist() -> Outcome {
    let folder = target_dir().join("dist/command");
    let mut build = cargo();
    build.args(["build", "--package", "heapwright-cli", "--target-dir"]).arg(&folder);
    command(build.env("CARGO_PROFILE_DEV_DEBUG", "false")).then(|| {
        let heapwright = folder.join("debug/heapwright");
        chore(&["dist", "--only-flagship", "--command", &heapwright.to_string_lossy()])
    })
}

/// Needs a C compiler; the long form is an hour.
fn storm(form: &Form) -> Outcome {
    let minutes = if form.all { "2" } else { "0.5" };
    with(crate::storm::missing(), || chore(&["storm", "--minutes", minutes]))
}

/// In a target folder of its own, and not linked as a release: no figure of it is kept.
fn blocks() -> Outcome {
    let mut blocks = cargo();
    blocks.args(["run", "--release", "--quiet", "--package", "heapwright-blocks", "--target-dir"]);
    blocks.arg(target_dir().join("blocks")).args(["--", "--quick"]);
    blocks.env("CARGO_PROFILE_RELEASE_LTO", "off").env("CARGO_PROFILE_RELEASE_CODEGEN_UNITS", "16");
    command(&mut blocks)
}

/// In a target folder of its own: `--cfg loom` changes every crate.
fn loom() -> Outcome {
    let flags = match std::env::var("RUSTFLAGS") {
        Ok(flags) => format!("{flags} --cfg loom"),
        Err(_) => "--cfg loom".to_owned(),
    };
    let mut loom = cargo();
    loom.args(["test", "--release", "--package", "heapwright-model", "--target-dir"]);
    command(loom.arg(target_dir().join("loom")).env("RUSTFLAGS", flags))
}

/// The machines that are not told apart by more than their size: those of 64 and of 32 bits, without an operating system.
const TWO_MACHINES: [&str; 4] = ["--machine", "riscv64", "--machine", "cortex-m3"];

/// The machines of QEMU, then what the allocators' instructions may be.
fn qemu(form: &Form) -> Outcome {
    let machines: &[&str] = if form.all { &[] } else { &TWO_MACHINES };
    let boot = |words: &[&str]| chore(&[&["qemu"], words, machines].concat());
    with(crate::qemu::missing(), || boot(&[]).then(|| boot(&["--measure", "--check"])))
}

/// One 32-bit and one 64-bit machine; needs the compilers for them.
fn firmware() -> Outcome {
    let machines = ["firmware", "--run", "--target", "thumbv7m", "--target", "riscv64gc"];
    with(crate::firmware::missing(), || chore(&machines))
}

/// Needs the disassemblers of the targets, and a toolchain that builds for them.
fn wcet() -> Outcome {
    with(crate::wcet::missing(), || chore(&["wcet", "--check"]))
}

fn compat() -> Outcome {
    with(crate::compat::missing(), || chore(&["compat"]))
}

/// Fetches the OS from crates.io.
fn arceos() -> Outcome {
    with(crate::arceos::missing(), || chore(&["arceos"]))
}

/// Needs the compilers for both, and the emulator.
fn port(form: &Form) -> Outcome {
    with(crate::port::missing(), || {
        if form.all {
            chore(&["port", "musl"]).then(|| chore(&["port", "--quick", "aarch64"]))
        } else {
            chore(&["port", "--quick", "musl"])
        }
    })
}

fn command(command: &mut Command) -> Outcome {
    finish(command).map_or_else(Outcome::Failed, |()| Outcome::Passed)
}

pub(super) fn chore(words: &[&str]) -> Outcome {
    if crate::run(words) == ExitCode::SUCCESS {
        Outcome::Passed
    } else {
        Outcome::Failed("see above".to_owned())
    }
}
