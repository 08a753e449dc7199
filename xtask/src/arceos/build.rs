//! Building the application: the OS's way of configuring itself, and the patch.
//!
//! ```text
//! axconfig-gen (crates.io)   defconfig.toml + the platform's own file ─► axconfig.toml
//! cargo build                  the OS writes its linker script ─► the kernel is linked with it ─► objcopy
//! ours                         a copy of the workspace, with two lines more in its Cargo.toml
//! ```
//!
//! All of it lands in `bare-metal/arceos` of the target folder.

use super::OTHERS;
use super::boot::Images;
use crate::command;
use crate::files;
use crate::peers::{output, root};
use crate::qemu::toolchain::{self, Build, RISCV64};
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// What makes the configuration, and its version.
const GENERATOR: (&str, &str) = ("axconfig-gen", "0.2.1");
const PLATFORM: &str = "axplat-riscv64-qemu-virt";
const OBJCOPY: &str = "riscv64-unknown-elf-objcopy";
const COMPILER: &str = "riscv64-unknown-elf-gcc";

/// What puts our allocators under the OS.
const PATCH: &str = "[patch.crates-io]\naxallocator = { path = ";

fn folder() -> PathBuf {
    toolchain::folder().join("arceos")
}

/// What to install, or that crates.io is out of reach.
pub(super) fn missing() -> Option<String> {
    let missing = command::missing(OBJCOPY, "binutils-riscv64-unknown-elf")
        .or_else(|| command::missing(COMPILER, "gcc-riscv64-unknown-elf"));
    if missing.is_some() {
        return missing;
    }
    let mut fetch = cargo();
    fetch.args(["fetch", "--quiet", "--locked", "--manifest-path"]);
    fetch.arg(root().join("bare-metal/arceos/Cargo.toml"));
    output(&mut fetch).err().map(|why| format!("the OS's crates cannot be fetched: {why}"))
}

/// Builds the firmware and the kernel with one of the OS's allocators, on our crate or on the one it ships.
pub(super) fn kernel(allocator: &str, ours: bool) -> Result<Images, String> {
    let workspace = if ours { patched()? } else { root().join("bare-metal/arceos") };
    let manifest = workspace.join("Cargo.toml");
    let firmware = kept(&Build::new(&manifest, "firmware", RISCV64).run()?, "firmware")?;
    let config = configuration(&manifest)?;
    let config = config.display().to_string();
    let script = linker_script();
    let env = [
        ("ARCEOS_LINKER_SCRIPT", &*script.to_string_lossy()),
        ("AX_CONFIG_PATH", config.as_str()),
        ("AX_ARCH", "riscv64"),
        ("AX_PLATFORM", "riscv64-qemu-virt"),
        ("AX_TARGET", RISCV64.triple),
        ("AX_MODE", "release"),
        ("AX_LOG", "warn"),
    ];
    let features = [allocator];
    let kernel = Build {
        features: &features,
        env: &env,
        release_only: true,
        ..Build::new(&manifest, "arceos-memtest", RISCV64)
    };
    // The OS writes the script while it is built; the link before that is in vain.
    let program = match kernel.run() {
        Err(why) if !script.exists() => return Err(why),
        Err(_) => kernel.run()?,
        Ok(program) => program,
    };
    let whose = if ours { "ours" } else { "shipped" };
    let image = folder().join(format!("{allocator}-{whose}.bin"));
    output(Command::new(OBJCOPY).args(["-O", "binary"]).arg(&program).arg(&image))?;
    Ok(Images { firmware, kernel: image })
}

/// Where the OS's build script puts its linker script.
fn linker_script() -> PathBuf {
    let release = toolchain::folder().join(RISCV64.triple).join(RISCV64.triple).join("release");
    release.join("linker_riscv64-qemu-virt.lds")
}

/// A copy of the workspace that differs in the patch alone.
fn patched() -> Result<PathBuf, String> {
    let from = root().join("bare-metal/arceos");
    let to = folder().join("patched");
    copy(&from, &to)?;
    let manifest = to.join("Cargo.toml");
    let path = root().join("compat/axallocator");
    let text = files::read(&manifest)?;
    let text = format!("{text}\n{PATCH}{:?} }}\n", path.display().to_string());
    files::write(&manifest, text)?;
    // The test bodies are not in the workspace: seen from the copy they are elsewhere.
    let (manifest, there) = (to.join("kernel/Cargo.toml"), root().join("testkit/bodies"));
    let text = files::read(&manifest)?;
    let text = text.replace("../../../testkit/bodies", &there.display().to_string());
    files::write(&manifest, with_others(&text))?;
    Ok(to)
}

/// The application's manifest with a feature for each of ours that the OS has no name for: it is built with its default, which
/// our crate then puts another behind.
pub(super) fn with_others(manifest: &str) -> String {
    let feature = |name: &&str| format!("{name} = [\"tlsf\", \"axallocator/{name}\"]\n");
    let features: String = OTHERS.iter().map(feature).collect();
    let text = manifest.replacen("[features]\n", &format!("[features]\n{features}"), 1);
    format!("{}\naxallocator = \"0.2\"\n", text.trim_end())
}

/// Copies a folder; what is the same already keeps its time, so that cargo does not build it anew.
pub(super) fn copy(from: &Path, to: &Path) -> Result<(), String> {
    for path in files::list(from)? {
        let target = to.join(path.file_name().unwrap_or_default());
        if path.is_dir() {
            copy(&path, &target)?;
        } else if !(target.exists() && target.ends_with("Cargo.lock")) {
            // But for the patch's own lock file.
            files::keep(&target, &fs::read(&path).map_err(files::said(&path))?)?;
        }
    }
    Ok(())
}

/// Copies what was built: another build would replace it.
fn kept(program: &Path, name: &str) -> Result<PathBuf, String> {
    let to = folder().join(name);
    files::folder(&folder())?;
    fs::copy(program, &to).map_err(files::said(program))?;
    Ok(to)
}

/// The OS's configuration, made of ours and the platform's.
fn configuration(manifest: &Path) -> Result<PathBuf, String> {
    let generator = generator()?;
    let config = folder().join("axconfig.toml");
    let new = folder().join("axconfig-new.toml");
    let mut generate = Command::new(generator);
    generate.arg(root().join("bare-metal/arceos/defconfig.toml")).arg(platform(manifest)?);
    output(generate.arg("--output").arg(&new))?;
    files::keep(&config, files::read(&new)?.as_bytes())?;
    Ok(config)
}

/// Installs the generator into the target folder, the first time.
fn generator() -> Result<PathBuf, String> {
    let (name, version) = GENERATOR;
    let program = folder().join("bin").join(name);
    if !program.exists() {
        eprintln!("arceos: installing {name} {version} into the target folder");
        let mut install = cargo();
        install.args(["install", "--quiet", "--locked", name, "--version", version, "--root"]);
        output(install.arg(folder()).arg("--target-dir").arg(folder().join("generator")))?;
    }
    Ok(program)
}

/// The platform's own part of the configuration, in the crate's folder.
fn platform(manifest: &Path) -> Result<PathBuf, String> {
    let mut metadata = cargo();
    metadata.args(["metadata", "--format-version", "1", "--manifest-path"]).arg(manifest);
    let metadata: Value = serde_json::from_str(&output(&mut metadata)?)
        .map_err(|e| format!("cargo metadata said what is no JSON: {e}"))?;
    let packages = metadata["packages"].as_array().map(Vec::as_slice).unwrap_or_default();
    let platform = packages.iter().find(|package| package["name"] == PLATFORM);
    let at = platform.and_then(|package| package["manifest_path"].as_str());
    let at = at.ok_or(format!("the OS no longer depends on {PLATFORM}"))?;
    Ok(Path::new(at).with_file_name("axconfig.toml"))
}

fn cargo() -> Command {
    let mut cargo = command::cargo();
    cargo.env_remove("RUSTFLAGS").env_remove("CARGO_ENCODED_RUSTFLAGS");
    cargo
}
