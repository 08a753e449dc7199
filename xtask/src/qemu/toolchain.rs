//! Building for bare metal, and for other Linuxes, whatever toolchain the machine has.
//!
//! Targets that are not this machine need a core library. It comes by the first of these routes that is open:
//!
//! ```text
//! A  the target is installed                  cargo build
//! B  a toolchain with rust-src is installed   cargo build -Zbuild-std
//! C  neither, but apt-get works               Debian's rustc and its sources, unpacked in the target folder,
//!                                             with the cargo at hand; cargo build -Zbuild-std
//! ```
//!
//! rustup is only looked at, never asked to download; apt-get only downloads, nothing is installed. The linker is the
//! toolchain's own `rust-lld`, or else an `ld.lld` that is on the path; where there is a C library, its C compiler. What is built lands in `bare-metal/` of the
//! target folder, one folder for each target with its features.

mod debian;
mod route;

use crate::peers::target_dir;
pub(crate) use debian::names as package_names;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Target {
    /// As rustc calls it: `riscv64gc-unknown-none-elf`.
    pub(crate) triple: &'static str,
    /// As for `-C target-feature`: `+zbb`, or nothing.
    pub(crate) features: &'static str,
    /// The C compiler that links for it; `None`: there is no C library.
    pub(crate) cc: Option<&'static str>,
}

impl Target {
    /// A target with the features it has by itself.
    pub(crate) const fn new(triple: &'static str) -> Self {
        Self { triple, features: "", cc: None }
    }

    /// The name of its folder: `riscv64gc-unknown-none-elf+zbb`.
    fn folder(&self) -> String {
        format!("{}{}", self.triple, self.features)
    }
}

/// RISC-V, 64 bit, without instructions that count zeros.
pub(crate) const RISCV64: Target = Target::new("riscv64gc-unknown-none-elf");
/// RISC-V, 64 bit, with them.
pub(crate) const RISCV64_ZBB: Target = Target { features: "+zbb", ..RISCV64 };
pub(crate) const RISCV32: Target = Target::new("riscv32imac-unknown-none-elf");
pub(crate) const THUMBV7M: Target = Target::new("thumbv7m-none-eabi");
pub(crate) const THUMBV6M: Target = Target::new("thumbv6m-none-eabi");
/// Any 64-bit PC. Linux's core library does, as nothing of Linux is linked.
pub(crate) const X86_64: Target = Target::new("x86_64-unknown-linux-gnu");

/// Linux with musl for its C library, which is a shared library there too.
pub(crate) const MUSL: Target = Target {
    features: "-crt-static",
    cc: Some("musl-gcc"),
    ..Target::new("x86_64-unknown-linux-musl")
};
pub(crate) const AARCH64: Target =
    Target { cc: Some("aarch64-linux-gnu-gcc"), ..Target::new("aarch64-unknown-linux-gnu") };

/// One `cargo build` for bare metal.
#[derive(Debug, Clone)]
pub(crate) struct Build<'a> {
    pub(crate) manifest: &'a Path,
    pub(crate) package: &'a str,
    pub(crate) target: Target,
    pub(crate) features: &'a [&'a str],
    pub(crate) env: &'a [(&'a str, &'a str)],
    /// The sources name unstable features as one release of the compiler does: a nightly of another month has renamed
    /// some, so none is taken, and a release is told to allow them.
    pub(crate) release_only: bool,
}

impl<'a> Build<'a> {
    /// A package of the workspace `bare-metal` for a target, nothing special.
    pub(crate) fn new(manifest: &'a Path, package: &'a str, target: Target) -> Self {
        Self { manifest, package, target, features: &[], env: &[], release_only: false }
    }

    /// Builds it, in release, and gives the program's path (or the static library's, where it is one).
    /// Errors: no route is open, or the build failed: what to install, or the compiler's words.
    pub(crate) fn run(&self) -> Result<PathBuf, String> {
        let route = route::find(self.target, !self.release_only)?;
        let mut cargo = cargo_by(route, self.target);
        cargo.args(["--release", "--message-format=json-render-diagnostics"]);
        cargo.args(["--manifest-path".as_ref(), self.manifest.as_os_str()]);
        cargo.args(["--package", self.package]);
        if !self.features.is_empty() {
            cargo.arg("--features").arg(self.features.join(","));
        }
        cargo.envs(self.env.iter().copied());
        let out = cargo
            .stderr(Stdio::piped())
            .output()
            .map_err(|e| format!("{:?} did not start: {e}", cargo.get_program()))?;
        if !out.status.success() {
            let said = String::from_utf8_lossy(&out.stderr);
            return Err(format!("{} for {}: {said}", self.package, self.target.folder()));
        }
        produced(&String::from_utf8_lossy(&out.stdout), self.manifest)
            .ok_or_else(|| format!("{} builds neither a program nor a library", self.package))
    }
}

/// `cargo build --target …` with all that the target's route needs; the caller adds what to build.
pub(crate) fn cargo(target: Target) -> Result<Command, String> {
    Ok(cargo_by(route::find(target, true)?, target))
}

/// For a target always with the same flags: others would compile core again. Linker scripts are the build scripts' business.
fn cargo_by(route: route::Route, target: Target) -> Command {
    let mut cargo = Command::new(&route.cargo);
    // What cargo tells its own child, and the outer build's choices, do not concern this build.
    for name in ["RUSTC", "RUSTFLAGS", "CARGO_ENCODED_RUSTFLAGS", "CARGO_BUILD_TARGET"] {
        cargo.env_remove(name);
    }
    cargo.env("RUSTC", &route.rustc).envs(route.env.iter().map(|(name, value)| (name, value)));
    cargo.args(["build", "--target", target.triple]);
    cargo.args(route.args);
    cargo.arg("--target-dir").arg(folder().join(target.folder()));
    let mut flags = vec![format!("-Clinker={}", route.linker.display())];
    if target.cc.is_none() {
        flags.push("-Clinker-flavor=ld.lld".to_owned());
    }
    if target == MUSL {
        // What a program starts with is the C compiler's to add, not the toolchain's.
        flags.push("-Clink-self-contained=no".to_owned());
    }
    if target == X86_64 {
        // Loaded where it is linked to; there is nothing that could relocate it.
        flags.push("-Crelocation-model=static".to_owned());
    }
    if !target.features.is_empty() {
        flags.push(format!("-Ctarget-feature={}", target.features));
    }
    cargo.env("CARGO_ENCODED_RUSTFLAGS", flags.join("\x1f"));
    cargo
}

/// The compiler that builds for this target, as it names itself: `rustc 1.96.0 (ac68faa20 2026-05-25)`.
pub(crate) fn compiler(target: Target) -> Result<String, String> {
    let route = route::find(target, true)?;
    let mut rustc = Command::new(&route.rustc);
    rustc.arg("--version").envs(route.env.iter().map(|(name, value)| (name, value)));
    Ok(crate::peers::output(&mut rustc)?.trim().to_owned())
}

/// Where everything for bare metal is kept.
pub(crate) fn folder() -> PathBuf {
    target_dir().join("bare-metal")
}

/// Where a file of the workspace's own release build for `target` lands.
pub(crate) fn built(target: Target, file: &str) -> PathBuf {
    folder().join(target.folder()).join(target.triple).join("release").join(file)
}

/// The last program among cargo's messages that belongs to `manifest`'s workspace, or the last static library.
fn produced(messages: &str, manifest: &Path) -> Option<PathBuf> {
    let top = manifest.parent()?.canonicalize().ok()?;
    let artifacts: Vec<Value> = messages
        .lines()
        .filter_map(|line| serde_json::from_str(line).ok())
        .filter(|message: &Value| message["reason"] == "compiler-artifact")
        .filter(|message| {
            let manifest = message["manifest_path"].as_str();
            manifest.is_some_and(|path| Path::new(path).starts_with(&top))
        })
        .collect();
    let program = artifacts.iter().rev().find_map(|artifact| artifact["executable"].as_str());
    let library = || {
        let files = artifacts.iter().rev().filter_map(|artifact| artifact["filenames"].as_array());
        files.flatten().filter_map(Value::as_str).find(|file| file.ends_with(".a"))
    };
    program.or_else(library).map(PathBuf::from)
}

#[cfg(test)]
mod tests;
