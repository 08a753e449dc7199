//! Builds the drop-in library, so that the command can carry it inside itself.
//!
//! A second cargo runs inside this build script, with a target directory of its own in `OUT_DIR` (the outer cargo
//! holds the lock of the usual one) and without the settings that the outer one hands down: the embedded library is
//! always the plain release build, whether this is `cargo run`, `clippy`, `doc`, `test` or a coverage build.
//!
//! `HEAPWRIGHT_EMBED=/path/libheapwright.so` embeds that file instead, for packagers who build the library apart.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, exit};

const PACKAGE: &str = "heapwright-abi";
const LIBRARY: &str = "libheapwright.so";
const GIVEN: &str = "HEAPWRIGHT_EMBED";

/// What the inner cargo may inherit of the variables that begin with `CARGO`; `CARGO_MAKEFLAGS` shares the job server.
const KEPT: [&str; 9] = [
    "CARGO",
    "CARGO_HOME",
    "CARGO_MAKEFLAGS",
    "CARGO_NET_",
    "CARGO_HTTP_",
    "CARGO_REGISTRIES_",
    "CARGO_REGISTRY_",
    "CARGO_SOURCE_",
    "CARGO_TERM_",
];

/// What else changes how code is compiled.
const DROPPED: [&str; 7] = [
    "RUSTFLAGS",
    "RUSTDOCFLAGS",
    "RUSTC_WRAPPER",
    "RUSTC_WORKSPACE_WRAPPER",
    "CLIPPY_ARGS",
    "CLIPPY_CONF_DIR",
    "RUSTC_LINKER",
];

fn main() {
    let out = path("OUT_DIR");
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed={GIVEN}");
    let built = match env::var_os(GIVEN) {
        Some(given) => {
            let given = PathBuf::from(given);
            println!("cargo::rerun-if-changed={}", given.display());
            given
        }
        None => build(&out),
    };
    let bytes = fs::read(&built).unwrap_or_else(|e| {
        fail(&format!("cannot read the library to embed, {}: {e}", built.display()))
    });
    if !bytes.starts_with(b"\x7fELF") {
        fail(&format!("{} is not an ELF library", built.display()));
    }
    let embedded = out.join(LIBRARY);
    if let Err(e) = fs::write(&embedded, &bytes) {
        fail(&format!("cannot write {}: {e}", embedded.display()));
    }
    println!("cargo::rustc-env=HEAPWRIGHT_LIBRARY_HASH={:016x}", hash(&bytes));
}

/// Builds the library and says where it is.
fn build(out: &Path) -> PathBuf {
    let here = path("CARGO_MANIFEST_DIR");
    let root = here.join("../..");
    let manifest = root.join("Cargo.toml");
    if !root.join("abi/Cargo.toml").is_file() {
        fail(&format!(
            "the sources of {PACKAGE} are not beside this package; build {LIBRARY} and set {GIVEN} to its path"
        ));
    }
    for input in ["abi/Cargo.toml", "abi/src", "abi/build.rs", "crates", "Cargo.toml", "Cargo.lock"]
    {
        // A path that does not exist would make cargo run this script every time.
        let input = root.join(input);
        if input.exists() {
            println!("cargo::rerun-if-changed={}", input.display());
        }
    }
    let target = env::var("TARGET").unwrap_or_default();
    let directory = out.join("drop-in");
    let library = directory.join(&target).join("release").join(LIBRARY);
    // The outer cargo has usually fetched what is needed; without a network nothing else could work.
    let mut last = None;
    for network in [&["--locked", "--offline"][..], &["--locked"], &["--offline"]] {
        let output = cargo(&manifest, &directory, &target, network);
        if output.status.success() {
            return library;
        }
        let is_final = String::from_utf8_lossy(&output.stderr).contains("could not compile");
        last = Some(output);
        if is_final {
            break;
        }
    }
    let said = last.map(|o| String::from_utf8_lossy(&o.stderr).into_owned()).unwrap_or_default();
    fail(&format!("the drop-in library ({PACKAGE}) does not build:\n{said}"))
}

fn cargo(manifest: &Path, directory: &Path, target: &str, network: &[&str]) -> Output {
    let cargo = env::var_os("CARGO").unwrap_or_else(|| OsString::from("cargo"));
    let mut command = Command::new(&cargo);
    command.args(["build", "--release", "--package", PACKAGE, "--manifest-path"]).arg(manifest);
    // With an explicit target the place of the result does not depend on the user's configuration.
    command.args(["--target", target, "--target-dir"]).arg(directory).args(network);
    for (key, _) in env::vars_os() {
        let name = key.to_string_lossy();
        let kept = |k: &&str| if k.ends_with('_') { name.starts_with(*k) } else { name == **k };
        if (name.starts_with("CARGO") && !KEPT.iter().any(kept)) || DROPPED.contains(&&*name) {
            command.env_remove(&key);
        }
    }
    // Symbols stay, for profilers; line tables would be most of the file.
    command.env("CARGO_PROFILE_RELEASE_STRIP", "debuginfo");
    command.output().unwrap_or_else(|e| fail(&format!("cannot start {}: {e}", cargo.display())))
}

/// FNV-1a: it names the unpacked file; whether the content is right is checked by comparing it.
fn hash(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, &byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

fn path(variable: &str) -> PathBuf {
    match env::var_os(variable) {
        Some(value) => value.into(),
        None => fail(&format!("{variable} is not set; this is for cargo to run")),
    }
}

fn fail(message: &str) -> ! {
    let (first, rest) = message.split_once('\n').unwrap_or((message, ""));
    println!("cargo::error={first}");
    eprintln!("{rest}");
    exit(1)
}
