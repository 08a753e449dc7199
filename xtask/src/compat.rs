//! `cargo xtask compat`: the crates with others' interfaces, tried by those crates' own users.
//!
//! The workspace `compat` is formatted, linted and tested; then embedded-alloc and esp-alloc, as they are published,
//! are built on our TLSF and booted in QEMU: one kernel, on the machines below.

use crate::command;
use crate::peers::root;
use crate::qemu::machine::{MACHINES, Machine};
use crate::qemu::toolchain::Build;
use core::time::Duration;

const KERNELS: [(&str, &[&str]); 2] = [("riscv32", &["esp"]), ("cortex-m3", &[])];

const LIMIT: Duration = Duration::from_secs(60);

/// All features but the one that a stable compiler refuses.
const FEATURES: &str = "rlsf/unstable,axallocator/tlsf,axallocator/slab,axallocator/buddy,axallocator/bitmap,axallocator/axerrno";

pub(crate) fn run() -> Result<bool, String> {
    on_host()?;
    kernels()?;
    Ok(true)
}

/// Whether its machines are here and the other crates can be had; if not, what is missing.
pub(crate) fn missing() -> Option<String> {
    let machines = KERNELS.iter().filter_map(|(name, _)| machine(name));
    let fetched = || cargo(&["fetch", "--quiet"], &[]);
    let unfetched = || fetched().err().map(|why| format!("crates cannot be fetched: {why}"));
    machines.into_iter().find_map(Machine::missing).or_else(unfetched)
}

fn machine(name: &str) -> Option<&'static Machine> {
    MACHINES.iter().find(|machine| machine.name == name)
}

fn on_host() -> Result<(), String> {
    // The kernel is for other machines.
    let libraries = ["--package", "rlsf", "--package", "axallocator", "--features", FEATURES];
    let all = ["--package", "rlsf", "--package", "axallocator", "--package", "compat-kernel"];
    cargo(&["fmt"], &[all.as_slice(), &["--check"]].concat())?;
    let strict = ["--", "-D", "warnings"];
    cargo(&["clippy", "--all-targets"], &[libraries.as_slice(), &strict].concat())?;
    cargo(&["test"], &libraries)?;
    // `AllocatorRc` is for kernels, which are built with unstable features anyway.
    let full = ["--package", "axallocator", "--features", "axallocator/full"];
    cargo(&["test"], &full)?;
    // What stands in the place of the OS's default.
    cargo(&["test"], &["--package", "axallocator", "--features", "axallocator/sharded"])
}

fn cargo(words: &[&str], args: &[&str]) -> Result<(), String> {
    let mut cargo = command::cargo();
    cargo.args(words).arg("--manifest-path").arg(root().join("compat/Cargo.toml"));
    if args.contains(&"axallocator/full") {
        cargo.env("RUSTC_BOOTSTRAP", "1");
    }
    command::finish(cargo.args(args))
}

fn kernels() -> Result<(), String> {
    let manifest = root().join("compat/Cargo.toml");
    for (name, features) in KERNELS {
        let machine = machine(name).ok_or(format!("there is no machine {name:?}"))?;
        if let Some(missing) = machine.missing() {
            return Err(missing);
        }
        // What esp-alloc is told in a project's configuration: TLSF and not its linked list.
        let env = [("ESP_ALLOC_CONFIG_HEAP_ALGORITHM", "TLSF")];
        let build =
            Build { features, env: &env, ..Build::new(&manifest, "compat-kernel", machine.target) };
        let run = machine.boot(&build.run()?, LIMIT)?;
        print!("{}", run.printed);
        println!("{name}: {} in {:.2} s", run.end, run.took.as_secs_f64());
        if !run.passed {
            return Err(format!("the kernel on {name} did not pass"));
        }
    }
    Ok(())
}
