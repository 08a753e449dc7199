//! `cargo xtask ci [NAME…]`: the steps of `.ci/run`, each of which runs on its own too.
//!
//! `cargo xtask ci list` prints their names; with `main` or `beside` those of one of the two rows in which `.ci/run` takes
//! them: what stands in the second builds in folders of its own, so that neither row waits long for the other's cargo.

use std::process::{Command, ExitCode};
use std::time::Instant;

use crate::command::{cargo, finish};
use crate::peers::target_dir;

/// One step: its name on the command line, what it asks for, and how it is run.
struct Step {
    name: &'static str,
    what: &'static str,
    run: fn() -> Outcome,
}

/// Those that may run beside the others: all but the last build in target folders of their own, and that one waits for the
/// workspace's only while it compiles the C programs' runner.
const BESIDE: [&str; 10] =
    ["adding", "fuzz", "loom", "qemu", "wcet", "size", "firmware", "compat", "arceos", "port"];

enum Outcome {
    Passed,
    Skipped(&'static str),
    Failed(String),
}

/// In the order they run: cheap first.
const STEPS: &[Step] = &[
    Step { name: "fmt", what: "the sources are formatted", run: fmt },
    Step { name: "clippy", what: "no warning in any target", run: clippy },
    Step { name: "layers", what: "every crate depends only downward", run: || chore(&["layers"]) },
    Step {
        name: "registry",
        what: "what follows from the registry of allocators is as it has it",
        run: || chore(&["registry"]),
    },
    Step { name: "paths", what: "every path in the documents exists", run: || chore(&["paths"]) },
    Step { name: "deny", what: "licences and sources of all crates", run: || chore(&["deny"]) },
    Step { name: "doc", what: "the documentation builds without a warning", run: doc },
    Step { name: "golden", what: "the fast paths keep to their budgets", run: golden },
    Step { name: "test", what: "cargo test --workspace", run: test },
    Step { name: "dist", what: "the tarball works without Rust", run: dist },
    Step {
        name: "storm",
        what: "two minutes of fork, thread, limit and signal storms",
        run: storm,
    },
    Step {
        name: "features",
        what: "features that the workspace's build leaves out",
        run: || chore(&["features"]),
    },
    Step {
        name: "adding",
        what: "an allocator is added as its page says, in at most six files",
        run: || chore(&["adding"]),
    },
    Step {
        name: "blocks",
        what: "the comparison of block allocators runs, memories get as full as they should",
        run: blocks,
    },
    Step {
        name: "fuzz",
        what: "the fuzz targets find nothing in a fixed number of inputs",
        run: || chore(&["fuzz"]),
    },
    Step { name: "loom", what: "the lock-free protocols, every interleaving", run: loom },
    Step { name: "qemu", what: "the kernels of bare-metal boot and pass", run: qemu },
    Step {
        name: "wcet",
        what: "the longest paths keep to their bounds, TLSF's have no loop",
        run: wcet,
    },
    Step { name: "size", what: "the allocators in firmware have not grown", run: size },
    Step {
        name: "firmware",
        what: "the block allocators' C library on bare machines",
        run: firmware,
    },
    Step { name: "compat", what: "others' crates run on ours", run: compat },
    Step {
        name: "arceos",
        what: "the component OS boots on our TLSF and is no slower",
        run: arceos,
    },
    Step {
        name: "port",
        what: "the library on musl, and on aarch64 in an emulator: what takes little time",
        run: port,
    },
];

/// The kernels' own workspace.
const BARE_METAL: &str = "bare-metal/Cargo.toml";

/// Other packages that are not of the workspace, each with its manifest.
const ALONE: [(&str, &str); 5] = [
    ("bare-metal/arceos/Cargo.toml", "arceos-memtest"),
    ("bare-metal/arceos/Cargo.toml", "firmware"),
    ("bare-metal/probe/Cargo.toml", "probe"),
    ("bare-metal/size/Cargo.toml", "size"),
    ("fuzz/Cargo.toml", "heapwright-fuzz"),
];

pub(crate) fn run(args: &[String]) -> ExitCode {
    match args {
        [one] if one == "list" => print(|_| true),
        [one, row] if one == "list" && row == "main" => print(|name| !BESIDE.contains(&name)),
        [one, row] if one == "list" && row == "beside" => print(|name| BESIDE.contains(&name)),
        names => match chosen(names) {
            Ok(steps) => run_all(&steps),
            Err(unknown) => {
                eprintln!("xtask ci: there is no step {unknown:?}; the steps are:");
                for step in STEPS {
                    eprintln!("  {:<8} {}", step.name, step.what);
                }
                ExitCode::from(2)
            }
        },
    }
}

fn print(which: fn(&str) -> bool) -> ExitCode {
    for step in STEPS.iter().filter(|step| which(step.name)) {
        println!("{}", step.name);
    }
    ExitCode::SUCCESS
}

/// The steps of these names; all of them for no name.
fn chosen(names: &[String]) -> Result<Vec<&'static Step>, &String> {
    if names.is_empty() {
        return Ok(STEPS.iter().collect());
    }
    names.iter().map(|name| STEPS.iter().find(|step| step.name == name).ok_or(name)).collect()
}

fn run_all(steps: &[&Step]) -> ExitCode {
    let mut failed = Vec::new();
    for step in steps {
        eprintln!("ci {}: {}", step.name, step.what);
        let start = Instant::now();
        let outcome = (step.run)();
        let seconds = start.elapsed().as_secs_f64();
        match outcome {
            Outcome::Passed => eprintln!("ci {}: passed in {seconds:.1} s", step.name),
            Outcome::Skipped(why) => eprintln!("ci {}: skipped: {why}", step.name),
            Outcome::Failed(why) => {
                eprintln!("ci {}: FAILED in {seconds:.1} s: {why}", step.name);
                failed.push(step.name);
            }
        }
    }
    if failed.is_empty() {
        return ExitCode::SUCCESS;
    }
    eprintln!("ci: failed: {}", failed.join(", "));
    ExitCode::FAILURE
}

fn fmt() -> Outcome {
    let all = |manifest| ["fmt", "--all", "--check", "--manifest-path", manifest];
    let mut checks = vec![all("Cargo.toml").to_vec(), all(BARE_METAL).to_vec()];
    for (manifest, package) in ALONE {
        checks.push(vec!["fmt", "--check", "--manifest-path", manifest, "--package", package]);
    }
    let mut outcomes = checks.into_iter().map(|check| command(cargo().args(check)));
    outcomes.find(|outcome| !matches!(outcome, Outcome::Passed)).unwrap_or(Outcome::Passed)
}

fn clippy() -> Outcome {
    match command(cargo().args(["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"]))
    {
        Outcome::Passed => command(
            // Of the kernels' machines the one that needs no other target installed.
            cargo()
                .args(["clippy", "--manifest-path", BARE_METAL, "--target"])
                .args(["x86_64-unknown-linux-gnu", "--target-dir"])
                .arg(target_dir().join("bare-metal/clippy"))
                .args(["--", "-D", "warnings"]),
        ),
        other => other,
    }
}

fn doc() -> Outcome {
    command(cargo().args(["doc", "--workspace", "--no-deps"]).env("RUSTDOCFLAGS", "-D warnings"))
}

fn golden() -> Outcome {
    chore(&["golden", "--check"])
}

/// The README's second command, as it stands there.
fn test() -> Outcome {
    command(cargo().args(["test", "--workspace", "--no-fail-fast"]))
}

/// The flagship and the command that `test` has built: one library to compile instead of all, and the command.
fn dist() -> Outcome {
    match command(cargo().args(["build", "--package", "heapwright-cli"])) {
        Outcome::Passed => {
            let heapwright = target_dir().join("debug/heapwright");
            chore(&["dist", "--only-flagship", "--command", &heapwright.to_string_lossy()])
        }
        other => other,
    }
}

/// The short form; the long one is an hour. Needs a C compiler.
fn storm() -> Outcome {
    match crate::storm::missing() {
        Some(missing) => absent(&missing),
        None => chore(&["storm", "--minutes", "2"]),
    }
}

fn blocks() -> Outcome {
    command(cargo().args([
        "run",
        "--release",
        "--quiet",
        "--package",
        "heapwright-blocks",
        "--",
        "--quick",
    ]))
}

/// In a target folder of its own: `--cfg loom` changes every crate.
fn loom() -> Outcome {
    let flags = match std::env::var("RUSTFLAGS") {
        Ok(flags) => format!("{flags} --cfg loom"),
        Err(_) => "--cfg loom".to_owned(),
    };
    let target = target_dir().join("loom");
    command(
        cargo()
            .args(["test", "--release", "--package", "heapwright-model", "--target-dir"])
            .arg(target)
            .env("RUSTFLAGS", flags),
    )
}

/// Every machine of QEMU, then what the allocators' instructions may be. With CI set QEMU has to be there.
fn qemu() -> Outcome {
    if let Some(why) = crate::qemu::missing() {
        if std::env::var_os("CI").is_some() {
            return Outcome::Failed(why);
        }
        eprintln!("{why}");
        return Outcome::Skipped("a machine's QEMU is not installed");
    }
    match chore(&["qemu"]) {
        Outcome::Passed => chore(&["qemu", "--measure", "--check"]),
        other => other,
    }
}

/// One 32-bit and one 64-bit machine; needs the compilers for them.
fn firmware() -> Outcome {
    match crate::firmware::missing() {
        Some(missing) => absent(&missing),
        None => chore(&["firmware", "--run", "--target", "thumbv7m", "--target", "riscv64gc"]),
    }
}

/// Needs the disassemblers of the targets, and a toolchain that builds for them.
fn wcet() -> Outcome {
    match crate::wcet::missing() {
        Some(missing) => absent(&missing),
        None => chore(&["wcet", "--check"]),
    }
}

/// The target that has limits and one of 64 bits; the others are a chore.
fn size() -> Outcome {
    chore(&["size", "--check", "--target", "thumbv7em", "--target", "riscv64gc"])
}

fn compat() -> Outcome {
    match crate::compat::missing() {
        Some(missing) => absent(&missing),
        None => chore(&["compat"]),
    }
}

/// Fetches the OS from crates.io.
fn arceos() -> Outcome {
    match crate::arceos::missing() {
        Some(missing) => absent(&missing),
        None => chore(&["arceos"]),
    }
}

/// What a step needs is not here: that is a failure where everything was to be installed.
fn absent(missing: &str) -> Outcome {
    if std::env::var_os("CI").is_some() {
        return Outcome::Failed(missing.to_owned());
    }
    eprintln!("{missing}");
    Outcome::Skipped("it needs what is not installed here, or the network")
}

/// Needs the compilers for both, and the emulator.
fn port() -> Outcome {
    match crate::port::missing() {
        Some(missing) => absent(&missing),
        None => chore(&["port", "--quick"]),
    }
}

fn command(command: &mut Command) -> Outcome {
    finish(command).map_or_else(Outcome::Failed, |()| Outcome::Passed)
}

/// Another chore, as one would type it.
fn chore(words: &[&str]) -> Outcome {
    if crate::run(words) == ExitCode::SUCCESS {
        Outcome::Passed
    } else {
        Outcome::Failed("see above".to_owned())
    }
}

#[cfg(test)]
mod tests;
