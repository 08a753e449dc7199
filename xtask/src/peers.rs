//! `cargo xtask peers`: the allocators heapwright is compared with, installed, compiled or found.
//!
//! glibc is always there; gperftools' tcmalloc_minimal and the distribution's mimalloc come from its packages; mimalloc 2
//! and 3, jemalloc, snmalloc and rpmalloc are the newest that registries of packages have. All of
//! them are in `peers/allocators` of the target folder afterwards, where the command `heapwright` of this checkout
//! finds them. [`find`] only looks, so that measuring never installs anything.

mod sources;

use clap::Args;
use comfy_table::Table;

use crate::figures;
use crate::files;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

pub use sources::NEWER;

/// The allocators to compare with
///
/// Puts them into peers/allocators of the target folder, where `heapwright list` and `heapwright bench` of this
/// checkout find them; $HEAPWRIGHT_ALLOCATORS may name that folder to any other heapwright.
#[derive(Debug, Args)]
pub struct Options {
    /// Only find, do not install packages or compile
    #[arg(long)]
    no_install: bool,
}

/// The packages of Debian and Ubuntu that hold the peers and the programs of `reach`.
const PACKAGES: &str =
    "libmimalloc2.0 libjemalloc2 libtcmalloc-minimal4 redis-server sqlite3 perl g++";

/// An allocator a program can be run on.
#[derive(Debug, Clone)]
pub struct Allocator {
    /// Short name, unique in a table: `mimalloc-3`.
    pub name: String,
    /// As the library or its package says.
    pub version: String,
    /// What `LD_PRELOAD` gets. glibc is preloaded too, because a program may be linked to another malloc.
    pub path: PathBuf,
}

/// One peer the dynamic linker may know: its name here, its file, its package.
struct Known {
    name: &'static str,
    soname: &'static str,
    package: &'static str,
}

const KNOWN: [Known; 4] = [
    Known { name: "glibc", soname: "libc.so.6", package: "libc6" },
    Known { name: "mimalloc-2.0", soname: "libmimalloc.so.2", package: "libmimalloc2.0" },
    Known { name: "jemalloc", soname: "libjemalloc.so.2", package: "libjemalloc2" },
    Known { name: "tcmalloc", soname: "libtcmalloc_minimal.so.4", package: "libtcmalloc-minimal4" },
];

pub fn run(options: &Options) -> ExitCode {
    if !options.no_install {
        install_packages();
        for problem in sources::build() {
            eprintln!("peers: {problem}");
        }
        if let Err(why) = link() {
            eprintln!("peers: {why}");
        }
    }
    let found = all();
    println!("{}", table(&found));
    for allocator in &found {
        if let Some(problem) = problem(&allocator.path) {
            println!("{} does not work: {problem}", allocator.name);
        }
    }
    for known in &KNOWN {
        if !found.iter().any(|a| a.name == known.name) {
            println!("{} is missing: install the package {}", known.name, known.package);
        }
    }
    if found.is_empty() { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}

/// The allocators that `reach` compares with, glibc first.
pub fn find() -> Vec<Allocator> {
    let mut found = all();
    found.retain(|a| a.name != "snmalloc" && a.name != "rpmalloc");
    found
}

/// Every peer on this machine, glibc first.
fn all() -> Vec<Allocator> {
    let built = sources::built();
    let mut found = system();
    // What was made here is newer.
    found.retain(|one| built.iter().all(|other| other.name != one.name));
    found.extend(built);
    found
}

/// Those the dynamic linker knows.
fn system() -> Vec<Allocator> {
    let linker = output(Command::new("/sbin/ldconfig").arg("-p")).unwrap_or_default();
    let one = |known: &Known| {
        let path = located(&linker, known.soname)?;
        let version = version_of(known, &path);
        Some(Allocator { name: known.name.to_owned(), version, path })
    };
    KNOWN.iter().filter_map(one).collect()
}

/// Puts links to the system's peers beside those that were compiled.
fn link() -> Result<(), String> {
    let folder = sources::folder();
    files::folder(&folder)?;
    for allocator in system().iter().filter(|a| a.name != "glibc") {
        // The real file's name says more of its version.
        let real = allocator.path.canonicalize().unwrap_or_else(|_| allocator.path.clone());
        let link = folder.join(real.file_name().unwrap_or_default());
        // What was linked before may be gone from the system.
        if link.is_symlink() {
            fs::remove_file(&link).map_err(files::said(&link))?;
        }
        if !link.exists() {
            symlink(&real, &link).map_err(files::said(&link))?;
        }
    }
    Ok(())
}

/// What a small program says when it is run on a library; nothing if all is well.
fn problem(library: &Path) -> Option<String> {
    // A library that does not load is only complained about.
    let out = Command::new("/bin/sh").args(["-c", ":"]).env("LD_PRELOAD", library).output().ok()?;
    let said = String::from_utf8_lossy(&out.stderr).trim().to_owned();
    (!out.status.success() || !said.is_empty()).then(|| format!("{}: {said}", out.status))
}

/// A table of name, version and path, in Markdown.
pub fn table(allocators: &[Allocator]) -> Table {
    let mut table = figures::table(["name", "version", "path"]);
    for a in allocators {
        table.add_row([a.name.clone(), a.version.clone(), a.path.display().to_string()]);
    }
    table
}

/// The workspace's own folder for what is built here and thrown away by `cargo clean`.
pub fn target_dir() -> PathBuf {
    match std::env::var_os("CARGO_TARGET_DIR") {
        Some(dir) => PathBuf::from(dir),
        None => root().join("target"),
    }
}

pub fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().unwrap_or(here).to_owned()
}

/// Standard output of a command that succeeded, or why not.
pub fn output(command: &mut Command) -> Result<String, String> {
    let name = command.get_program().to_string_lossy().into_owned();
    let out = command.output().map_err(|e| format!("{name}: {e}"))?;
    if out.status.success() {
        Ok(String::from_utf8_lossy(&out.stdout).into_owned())
    } else {
        let said = String::from_utf8_lossy(&out.stderr).trim().to_owned();
        Err(format!("{name} ended with {}: {said}", out.status))
    }
}

fn install_packages() {
    let root = output(Command::new("id").arg("-u")).is_ok_and(|id| id.trim() == "0");
    let apt = output(Command::new("apt-get").arg("--version")).is_ok();
    if !root || !apt {
        eprintln!("peers: not root on a Debian-like system: nothing is installed, only found");
        return;
    }
    let missing: Vec<&str> =
        PACKAGES.split_whitespace().filter(|p| debian_version(p).is_none()).collect();
    if missing.is_empty() {
        return;
    }
    eprintln!("peers: installing {}", missing.join(" "));
    let update = output(Command::new("apt-get").args(["update", "-q"]));
    let install = output(
        Command::new("apt-get")
            .args(["install", "-y", "-q", "--no-install-recommends"])
            .args(&missing)
            .env("DEBIAN_FRONTEND", "noninteractive"),
    );
    for why in [update, install].into_iter().filter_map(Result::err) {
        eprintln!("peers: {why}");
    }
}

/// Where the dynamic linker has `soname`: the first entry of its cache, or `/usr/local/lib`.
fn located(cache: &str, soname: &str) -> Option<PathBuf> {
    let cached = cache.lines().find_map(|line| {
        let (name, path) = line.trim().split_once(" (")?;
        (name == soname).then(|| path.split_once("=> ").map(|(_, at)| PathBuf::from(at)))?
    });
    cached.or_else(|| Some(Path::new("/usr/local/lib").join(soname)).filter(|p| p.exists()))
}

fn version_of(known: &Known, path: &Path) -> String {
    if let Some(version) = debian_version(known.package) {
        return version;
    }
    let real = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    real.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned())
}

fn debian_version(package: &str) -> Option<String> {
    let format = "-f=${db:Status-Status} ${Version}";
    let line = output(Command::new("dpkg-query").args(["-W", format, package])).ok()?;
    line.strip_prefix("installed ").map(str::to_owned)
}
