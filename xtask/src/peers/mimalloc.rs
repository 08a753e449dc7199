//! mimalloc 2 and 3 as shared libraries, from the C sources in the Rust package `libmimalloc-sys`.
//!
//! A throw-away manifest makes cargo fetch the package; each version is one C file, compiled with the
//! options of mimalloc's own release build of its shared library.

use super::{Allocator, output, target_dir};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The package and the versions of mimalloc inside it (2.3.2 and 3.3.2).
const PACKAGE: &str = "libmimalloc-sys";
const PACKAGE_VERSION: &str = "0.1.49";
const FOLDERS: [(&str, &str); 2] = [("mimalloc-2", "v2"), ("mimalloc-3", "v3")];

const OPTIONS: [&str; 12] = [
    "-O3",
    "-DNDEBUG",
    "-DMI_BUILD_RELEASE",
    "-DMI_SHARED_LIB",
    "-DMI_SHARED_LIB_EXPORT",
    "-DMI_MALLOC_OVERRIDE",
    "-fPIC",
    "-shared",
    "-fvisibility=hidden",
    "-ftls-model=initial-exec",
    "-fno-builtin-malloc",
    "-Wno-error=date-time",
];

/// Compiles what is not there yet.
pub(super) fn build() -> Result<(), String> {
    if FOLDERS.iter().all(|(name, _)| library(name).exists()) {
        return Ok(());
    }
    let sources = fetch()?.join("c_src/mimalloc");
    for (name, folder) in FOLDERS {
        eprintln!("peers: compiling {name}");
        let source = sources.join(folder);
        let partial = library(name).with_extension("partial");
        output(
            Command::new("cc")
                .args(OPTIONS)
                .arg(format!("-I{}", source.join("include").display()))
                .arg(source.join("src/static.c"))
                .arg("-o")
                .arg(&partial)
                .args(["-lpthread", "-lrt", "-latomic"]),
        )?;
        let version = version_in(&source.join("include/mimalloc.h"))?;
        fs::write(version_file(name), version).map_err(|e| format!("{name}: {e}"))?;
        fs::rename(&partial, library(name)).map_err(|e| format!("{name}: {e}"))?;
    }
    Ok(())
}

/// What [`build`] has made before.
pub(super) fn built() -> Vec<Allocator> {
    let one = |(name, _): (&str, &str)| {
        let version = fs::read_to_string(version_file(name)).ok()?;
        library(name).exists().then(|| Allocator {
            name: name.to_owned(),
            version,
            path: library(name),
        })
    };
    FOLDERS.into_iter().filter_map(one).collect()
}

fn folder() -> PathBuf {
    target_dir().join("peers")
}

fn library(name: &str) -> PathBuf {
    folder().join(format!("lib{name}.so"))
}

fn version_file(name: &str) -> PathBuf {
    folder().join(format!("{name}.version"))
}

/// Makes cargo fetch the package and says where its sources are.
fn fetch() -> Result<PathBuf, String> {
    let dir = folder().join("fetch");
    let manifest = dir.join("Cargo.toml");
    let text = format!(
        "[package]\nname = \"fetch\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n[workspace]\n\n\
         [lib]\npath = \"lib.rs\"\n\n[dependencies]\n{PACKAGE} = \"={PACKAGE_VERSION}\"\n"
    );
    fs::create_dir_all(&dir).map_err(|e| format!("{}: {e}", dir.display()))?;
    fs::write(&manifest, text).map_err(|e| format!("{}: {e}", manifest.display()))?;
    fs::write(dir.join("lib.rs"), "").map_err(|e| format!("{}: {e}", dir.display()))?;
    let metadata = output(
        Command::new("cargo")
            .args(["metadata", "--format-version", "1", "--manifest-path"])
            .arg(&manifest),
    )?;
    let metadata: serde_json::Value =
        serde_json::from_str(&metadata).map_err(|e| format!("cargo metadata: {e}"))?;
    let packages = metadata["packages"].as_array().ok_or("cargo metadata lists no packages")?;
    packages
        .iter()
        .find(|p| p["name"] == PACKAGE)
        .and_then(|p| p["manifest_path"].as_str())
        .and_then(|path| Path::new(path).parent())
        .map(Path::to_owned)
        .ok_or_else(|| format!("cargo fetched no {PACKAGE}"))
}

/// `#define MI_MALLOC_VERSION 20302`: the major version and two digits each for minor and patch.
fn version_in(header: &Path) -> Result<String, String> {
    let text = fs::read_to_string(header).map_err(|e| format!("{}: {e}", header.display()))?;
    let number: u32 = text
        .lines()
        .find_map(|line| line.strip_prefix("#define MI_MALLOC_VERSION"))
        .and_then(|rest| rest.split_whitespace().next()?.parse().ok())
        .ok_or_else(|| format!("{} defines no version", header.display()))?;
    Ok(format!("{}.{}.{}", number / 10_000, number / 100 % 100, number % 100))
}
