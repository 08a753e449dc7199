//! `cargo xtask dist`: a tarball and a Debian package to install from, tried by a script that has no Rust at hand.
//!
//! ```text
//! bin/heapwright                              the command, which carries the libraries inside itself as well
//! lib/libheapwright.so.0.1.0  .so.0  .so      the drop-in, and one for each classic design; .a to link statically
//! lib/libheapwright_kernel.so.0.1.0  …  .a    the kernel's allocators for C
//! lib/pkgconfig  lib/cmake  include           to build C and C++ against them
//! share/man  share/*completion*  share/doc
//! ```
//!
//! The soname of an installed library ends with the major version, by which the loader tells libraries apart that do
//! not fit a program.

mod deb;
mod files;

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use clap::Args;
use launch::artefact::Kind;

use crate::command::host;
use crate::peers::{output, root, target_dir};

const VERSION: &str = env!("CARGO_PKG_VERSION");

/// What is packed is in target/dist/root, the tarball and the package beside it.
#[derive(Debug, Args)]
pub(crate) struct Options {
    /// Packs this heapwright instead of building one
    #[arg(long, value_name = "PATH")]
    command: Option<PathBuf>,
    /// Leaves the classic designs out; with --command, the quickest try
    #[arg(long)]
    only_flagship: bool,
}

pub(crate) fn run(options: &Options) -> Result<bool, String> {
    for packed in make(options)? {
        tried(&packed)?;
        println!("{}", packed.display());
    }
    Ok(true)
}

/// Builds and packs; the tarball, and the package where `dpkg-deb` is installed.
fn make(options: &Options) -> Result<Vec<PathBuf>, String> {
    let dist = target_dir().join("dist");
    let target = host()?;
    let all: Vec<&str> = registry::mallocs().collect();
    let classics = if options.only_flagship { &[] } else { &all[..] };
    let built = libraries(&dist, &target, classics, options.command.is_none())?;
    let command = match &options.command {
        Some(command) => command.clone(),
        None => command(&dist, &target, &built)?,
    };
    let stage = dist.join("root");
    let _ = fs::remove_dir_all(&stage);
    copy(&command, &stage.join("bin/heapwright"), 0o755)?;
    install_library(&stage, "libheapwright", &built.join("libheapwright.so"))?;
    copy(&built.join("libheapwright.a"), &stage.join("lib/libheapwright.a"), 0o644)?;
    install_library(&stage, "libheapwright_kernel", &built.join("libheapwright_kernel.so"))?;
    let kernel = "libheapwright_kernel.a";
    copy(&built.join(kernel), &stage.join("lib").join(kernel), 0o644)?;
    for name in classics {
        let file = built.join(format!("libheapwright_{}.so", name.replace('-', "_")));
        install_library(&stage, &format!("libheapwright-{name}"), &file)?;
    }
    files::install(&stage, VERSION)?;
    let top = root();
    for header in ["heapwright.h", "heapwright/kernel.h"] {
        let from = top.join("abi/include").join(header);
        copy(&from, &stage.join("include").join(header), 0o644)?;
    }
    for name in ["README.md", "CHANGELOG.md", "LICENSE-MIT", "LICENSE-APACHE"] {
        copy(&top.join(name), &stage.join("share/doc/heapwright").join(name), 0o644)?;
    }
    help(&stage)?;
    let tarball = pack(&dist, &target)?;
    Ok(core::iter::once(tarball).chain(deb::pack(&dist, VERSION)?).collect())
}

/// Builds the libraries, and what the command carries along besides; the folder they are in.
fn libraries(
    dist: &Path,
    target: &str,
    classics: &[&str],
    for_command: bool,
) -> Result<PathBuf, String> {
    let mut cargo = cargo(dist, target);
    cargo.args(["--package", "heapwright-abi", "--package", "heapwright-abi-kernel"]);
    for name in classics {
        cargo.args(["--package", &format!("heapwright-abi-{name}")]);
    }
    if for_command {
        for artefact in launch::artefact::all().filter(|artefact| artefact.kind != Kind::Malloc) {
            cargo.args(["--package", &artefact.package]);
        }
    }
    // Symbols stay, for profilers.
    cargo.env("CARGO_PROFILE_RELEASE_STRIP", "debuginfo");
    done(&mut cargo)?;
    Ok(dist.join("build").join(target).join("release"))
}

/// Builds the command around these libraries; where it is.
fn command(dist: &Path, target: &str, built: &Path) -> Result<PathBuf, String> {
    let embed = dist.join("libraries");
    for artefact in launch::artefact::all() {
        copy(&built.join(&artefact.built), &embed.join(&artefact.file), 0o755)?;
    }
    let mut cargo = cargo(dist, target);
    cargo.args(["--package", "heapwright-cli"]).env("HEAPWRIGHT_EMBED", embed);
    done(cargo.env("CARGO_PROFILE_RELEASE_STRIP", "symbols"))?;
    Ok(built.join("heapwright"))
}

fn cargo(dist: &Path, target: &str) -> Command {
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.args(["build", "--release", "--locked", "--target", target, "--target-dir"]);
    cargo.arg(dist.join("build")).current_dir(root());
    cargo
}

/// `name.so.0.1.0`, and the two links by which the loader and the linker find it.
fn install_library(stage: &Path, name: &str, file: &Path) -> Result<(), String> {
    let folder = stage.join("lib");
    let major = VERSION.split('.').next().unwrap_or(VERSION);
    let (real, loaded) = (format!("{name}.so.{VERSION}"), format!("{name}.so.{major}"));
    copy(file, &folder.join(&real), 0o755)?;
    for (link, to) in [(loaded.clone(), real), (format!("{name}.so"), loaded)] {
        symlink(to, folder.join(&link)).map_err(|e| format!("{link}: {e}"))?;
    }
    Ok(())
}

/// The manual pages and the completions, by the command itself.
fn help(stage: &Path) -> Result<(), String> {
    let heapwright = stage.join("bin/heapwright");
    let man = stage.join("share/man/man1");
    output(Command::new(&heapwright).args(["man", "-o"]).arg(man))?;
    for (shell, file) in [
        ("bash", "share/bash-completion/completions/heapwright"),
        ("zsh", "share/zsh/site-functions/_heapwright"),
        ("fish", "share/fish/vendor_completions.d/heapwright.fish"),
    ] {
        let text = output(Command::new(&heapwright).args(["completions", shell]))?;
        crate::files::write(&stage.join(file), &text)?;
    }
    Ok(())
}

/// The tarball of what is in `dist/root`, with the same bytes for the same files.
fn pack(dist: &Path, target: &str) -> Result<PathBuf, String> {
    let name = format!("heapwright-{VERSION}-{}", target.replace("-unknown", ""));
    let tarball = dist.join(format!("{name}.tar.gz"));
    let mut tar = Command::new("tar");
    tar.args(["--sort=name", "--owner=0", "--group=0", "--numeric-owner", "--mtime=@0"]);
    // Of names, not of what links point to.
    tar.arg(format!("--transform=flags=rh;s,^root,{name},"));
    output(tar.arg("-czf").arg(&tarball).arg("-C").arg(dist).arg("root"))?;
    Ok(tarball)
}

/// Uses all of a tarball or package in an empty folder, with neither Rust nor our variables in the environment.
fn tried(packed: &Path) -> Result<(), String> {
    let folder = target_dir().join("dist/try");
    let _ = fs::remove_dir_all(&folder);
    crate::files::folder(&folder)?;
    let packed = packed.canonicalize().map_err(crate::files::said(packed))?;
    let script = root().join("xtask/src/dist/try.sh");
    let mut shell = Command::new("sh");
    shell.arg(script).arg(packed).env_clear().current_dir(&folder);
    shell.env("PATH", "/usr/bin:/bin:/usr/sbin:/sbin").env("HOME", &folder);
    done(&mut shell)
}

fn done(command: &mut Command) -> Result<(), String> {
    let name = command.get_program().to_string_lossy().into_owned();
    let status = command
        .stdin(Stdio::null())
        .status()
        .map_err(|why| format!("cannot start {name}: {why}"))?;
    if status.success() { Ok(()) } else { Err(format!("{name} ended with {status}")) }
}

fn copy(from: &Path, to: &Path, mode: u32) -> Result<(), String> {
    let said = |why: std::io::Error| format!("{} to {}: {why}", from.display(), to.display());
    crate::files::folder(to.parent().unwrap_or(to))?;
    fs::copy(from, to).map_err(said)?;
    fs::set_permissions(to, fs::Permissions::from_mode(mode)).map_err(said)
}
