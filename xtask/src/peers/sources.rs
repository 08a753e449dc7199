//! Peers that are made here, of the newest sources that public registries have.
//!
//! Most are in Rust packages of bindings: a throw-away manifest makes cargo fetch one, and the library is one call of the compiler
//! with the options of its project's own release build, or its own `configure` and `make`. mimalloc 3 is newest in a Python
//! package, which has the library itself. Their file names are those by which `heapwright` finds them.

use super::{Allocator, output, target_dir};
use crate::files;
use serde::Deserialize;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The list of them; the fields are described there.
const SOURCES: &str = include_str!("sources.toml");

#[derive(Deserialize)]
struct Sources {
    source: Vec<Source>,
}

#[derive(Deserialize)]
struct Source {
    name: String,
    version: String,
    file: String,
    package: (String, String),
    folder: String,
    wheel: Option<String>,
    #[serde(default)]
    compiler: String,
    #[serde(default)]
    include: String,
    #[serde(default)]
    files: Vec<String>,
    #[serde(default)]
    options: Vec<String>,
    #[serde(default)]
    x86_options: Vec<String>,
    #[serde(default)]
    libraries: Vec<String>,
}

fn sources() -> Vec<Source> {
    // A test reads it.
    toml::from_str(SOURCES).map_or_else(|_| Vec::new(), |sources: Sources| sources.source)
}

/// The folder of those that are no malloc.
const REGION: &str = "region";

/// For all of them.
const SHARED: [&str; 4] = ["-O3", "-DNDEBUG", "-fPIC", "-shared"];

/// What upstream has released (as of 2026-11) and no registry brings; the pages say so beside what was measured.
pub const NEWER: [(&str, &str); 3] =
    [("mimalloc 2", "2.4.1"), ("rpmalloc", "2.0.1"), ("gperftools", "2.18.1")];

/// Compiles what is not there yet; says what could not be.
pub(super) fn build() -> Vec<String> {
    sources()
        .into_iter()
        // What the system had may be linked there.
        .filter(|source| !source.library().is_file() || source.library().is_symlink())
        .filter_map(|source| {
            let why = source.build().err()?;
            Some(format!("{} was not made: {why}", source.name))
        })
        .collect()
}

/// What [`build`] has made before.
pub(super) fn built() -> Vec<Allocator> {
    let there = sources()
        .into_iter()
        .filter(|source| source.library().exists() && !source.is_for_regions());
    there.map(|s| Allocator { path: s.library(), name: s.name, version: s.version }).collect()
}

/// Where `heapwright` looks for the peers of its own checkout.
pub(super) fn folder() -> PathBuf {
    target_dir().join("peers/allocators")
}

impl Source {
    fn library(&self) -> PathBuf {
        folder().join(&self.file)
    }

    /// Whether it is no malloc, but hands out blocks of memory that it is given.
    fn is_for_regions(&self) -> bool {
        Path::new(&self.file).starts_with(REGION)
    }

    fn build(&self) -> Result<(), String> {
        eprintln!("peers: making {}", self.name);
        files::folder(&folder().join(REGION))?;
        let partial = folder().join(format!("{}.partial-{}", self.name, std::process::id()));
        let (package, version) = (&self.package.0, &self.package.1);
        if self.files.is_empty() {
            let library = match &self.wheel {
                Some(hash) => unpacked(package, version, hash)?.join(&self.folder),
                None => configured(&fetch(package, version)?, &self.version)?,
            };
            fs::copy(&library, &partial).map_err(files::said(&library))?;
        } else {
            self.compile(&fetch(package, version)?.join(&self.folder), &partial)?;
        }
        fs::rename(&partial, self.library()).map_err(files::said(&partial))
    }

    fn compile(&self, sources: &Path, library: &Path) -> Result<(), String> {
        let mut compiler = Command::new(&self.compiler);
        compiler.args(SHARED).args(&self.options);
        if cfg!(target_arch = "x86_64") {
            compiler.args(&self.x86_options);
        }
        compiler.arg(format!("-I{}", sources.join(&self.include).display()));
        compiler.args(self.files.iter().map(|file| sources.join(file)));
        compiler.arg("-o").arg(library).args(&self.libraries);
        output(&mut compiler).map(drop)
    }
}

/// What jemalloc's own `configure` and `make` make of the sources in `package`, which has `configure` in a folder beside them.
fn configured(package: &Path, version: &str) -> Result<PathBuf, String> {
    let dir = target_dir().join("peers/jemalloc");
    let _ = fs::remove_dir_all(&dir);
    let copy = |from: &str| output(Command::new("cp").arg("-r").arg(package.join(from)).arg(&dir));
    copy("jemalloc")?;
    copy("configure/configure")?;
    let version = format!("--with-version={version}-0-g0");
    let options = [version.as_str(), "--disable-doc", "--disable-static", "-q"];
    output(Command::new("sh").arg("configure").args(options).current_dir(&dir))?;
    output(Command::new("make").args(["-s", "build_lib_shared"]).current_dir(&dir))?;
    Ok(dir.join("lib/libjemalloc.so.2"))
}

/// Has pip fetch a package of exactly this hash, and says where its files are.
fn unpacked(package: &str, version: &str, hash: &str) -> Result<PathBuf, String> {
    let dir = target_dir().join("peers/fetch").join(package);
    let wanted = dir.join("requirements.txt");
    let text = format!("{package}=={version} --hash=sha256:{hash}\n");
    files::write(&wanted, text)?;
    let options =
        ["-m", "pip", "install", "-q", "--no-deps", "--only-binary", ":all:", "--upgrade"];
    let mut pip = Command::new("python3");
    pip.args(options).arg("--target").arg(dir.join("files")).arg("-r").arg(&wanted);
    output(&mut pip)?;
    Ok(dir.join("files"))
}

/// Makes cargo fetch a package and says where its sources are.
fn fetch(package: &str, version: &str) -> Result<PathBuf, String> {
    let dir = target_dir().join("peers/fetch").join(package);
    let manifest = dir.join("Cargo.toml");
    let text = format!(
        "[package]\nname = \"fetch\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n[workspace]\n\n\
         [lib]\npath = \"lib.rs\"\n\n[dependencies]\n{package} = \"={version}\"\n"
    );
    files::write(&manifest, text)?;
    files::write(&dir.join("lib.rs"), "")?;
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
        .find(|p| p["name"] == package)
        .and_then(|p| p["manifest_path"].as_str())
        .and_then(|path| Path::new(path).parent())
        .map(Path::to_owned)
        .ok_or_else(|| format!("cargo fetched no {package}"))
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_list_is_read() {
        let sources = super::sources();
        assert_eq!(sources.len(), 6);
        assert_eq!(sources.iter().filter(|source| source.is_for_regions()).count(), 1);
    }
}
