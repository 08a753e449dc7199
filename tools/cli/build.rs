//! Builds the libraries and programs that the command carries inside itself, as `artefact` lists them, and adds the
//! definitions of the workloads and the files of the real programs.
//!
//! A second cargo runs inside this build script, with a target directory of its own in `OUT_DIR` (the outer cargo
//! holds the lock of the usual one) and without the settings that the outer one hands down: the embedded libraries are
//! always plain release builds, whether this is `cargo run`, `clippy`, `doc`, `test` or a coverage build.
//!
//! `HEAPWRIGHT_EMBED=/folder` embeds that folder's files of these names instead, `libheapwright-tlsf.so` and the like, for
//! packagers who build them apart.

#[path = "../launch/src/artefact.rs"]
#[expect(unreachable_pub, reason = "it is a module of the library `launch` too")]
mod artefact;

use std::env;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, exit};

use artefact::Artefact;

/// The folders whose files real programs read, beside those of `bench/real`.
const PROGRAMS: [&str; 4] = ["churn.py", "churn.pl", "churn.sql", "stl.cpp"];
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
    println!("cargo::rerun-if-changed=../launch/src/artefact.rs");
    println!("cargo::rerun-if-env-changed={GIVEN}");
    let given = env::var_os(GIVEN).map(PathBuf::from);
    let folder = given.clone().unwrap_or_else(|| build(&out));
    let mut table = String::from("/// All that is carried along, the flagship first.\n");
    table += "pub(crate) const ALL: &[Embedded] = &[\n";
    for artefact in artefact::all() {
        table += &carried(&artefact, &folder, &out, given.is_some());
    }
    table += "];\n\n";
    table += &bench_files();
    let embedded = out.join("embedded.rs");
    if let Err(e) = fs::write(&embedded, table) {
        fail(&format!("cannot write {}: {e}", embedded.display()));
    }
}

fn carried(artefact: &Artefact, folder: &Path, out: &Path, given: bool) -> String {
    let Artefact { name, kind, file, built, .. } = artefact;
    // A library is named by cargo, which has no hyphens in it; a given one as it is installed.
    let built = folder.join(if given { file } else { built });
    if given {
        println!("cargo::rerun-if-changed={}", built.display());
    }
    let bytes = fs::read(&built)
        .unwrap_or_else(|e| fail(&format!("cannot read what to embed, {}: {e}", built.display())));
    if !bytes.starts_with(b"\x7fELF") {
        fail(&format!("{} is not an ELF file", built.display()));
    }
    let embedded = out.join(file);
    if let Err(e) = fs::write(&embedded, &bytes) {
        fail(&format!("cannot write {}: {e}", embedded.display()));
    }
    let hash = hash(&bytes);
    format!(
        "    Embedded {{ name: {name:?}, kind: Kind::{kind:?}, file: {file:?}, \
         bytes: include_bytes!({embedded:?}), hash: \"{hash:016x}\" }},\n"
    )
}

/// The definitions of the workloads, and the files that real programs read.
fn bench_files() -> String {
    let bench = path("CARGO_MANIFEST_DIR").join("../../bench");
    let mut text = String::from(
        "/// The definitions: a file's name and its text.\npub(crate) const DEFINITIONS: &[(&str, &str)] = &[\n",
    );
    for file in files(&bench.join("definitions"))
        .iter()
        .filter(|f| f.extension().is_some_and(|e| e == "toml"))
    {
        text += &format!("    ({:?}, include_str!({file:?})),\n", name_of(file));
    }
    text += "];\n\n/// The files of the real programs.\npub(crate) const FILES: &[(&str, &[u8])] = &[\n";
    let programs = PROGRAMS.iter().map(|name| bench.join("programs").join(name));
    for file in files(&bench.join("real")).into_iter().chain(programs) {
        println!("cargo::rerun-if-changed={}", file.display());
        text += &format!("    ({:?}, include_bytes!({file:?})),\n", name_of(&file));
    }
    text + "];\n"
}

fn files(folder: &Path) -> Vec<PathBuf> {
    println!("cargo::rerun-if-changed={}", folder.display());
    let entries = fs::read_dir(folder)
        .unwrap_or_else(|e| fail(&format!("cannot read {}: {e}", folder.display())));
    let mut all: Vec<PathBuf> =
        entries.flatten().map(|e| e.path()).filter(|p| p.is_file()).collect();
    all.sort();
    all
}

fn name_of(file: &Path) -> String {
    file.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// Builds the libraries and programs, and says in which folder they are.
fn build(out: &Path) -> PathBuf {
    let here = path("CARGO_MANIFEST_DIR");
    let root = here.join("../..");
    let manifest = root.join("Cargo.toml");
    if !root.join("abi/Cargo.toml").is_file() {
        fail(&format!(
            "the sources of the libraries are not beside this package; build them and set {GIVEN} to their folder"
        ));
    }
    let inputs = [
        "abi/Cargo.toml",
        "abi/drop-ins",
        "abi/interpose",
        "abi/src",
        "abi/build.rs",
        "bench/blocks",
        "bench/workloads",
        "crates",
        "tools/replay/program",
        "Cargo.toml",
        "Cargo.lock",
    ];
    for input in inputs {
        // A path that does not exist would make cargo run this script every time.
        let input = root.join(input);
        if input.exists() {
            println!("cargo::rerun-if-changed={}", input.display());
        }
    }
    let target = env::var("TARGET").unwrap_or_default();
    let directory = out.join("drop-in");
    // The outer cargo has usually fetched what is needed; without a network nothing else could work.
    let mut last = None;
    for network in [&["--locked", "--offline"][..], &["--locked"], &["--offline"]] {
        let output = cargo(&manifest, &directory, &target, network);
        if output.status.success() {
            return directory.join(&target).join("release");
        }
        let is_final = String::from_utf8_lossy(&output.stderr).contains("could not compile");
        last = Some(output);
        if is_final {
            break;
        }
    }
    let said = last.map(|o| String::from_utf8_lossy(&o.stderr).into_owned()).unwrap_or_default();
    fail(&format!("the libraries and programs that the command carries do not build:\n{said}"))
}

fn cargo(manifest: &Path, directory: &Path, target: &str, network: &[&str]) -> Output {
    let cargo = env::var_os("CARGO").unwrap_or_else(|| OsString::from("cargo"));
    let mut command = Command::new(&cargo);
    command.args(["build", "--release"]);
    for artefact in artefact::all() {
        command.arg("--package").arg(artefact.package);
    }
    command.arg("--manifest-path").arg(manifest);
    // With an explicit target the place of the results does not depend on the user's configuration.
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
