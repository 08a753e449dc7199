//! Peers that are compiled here, from the sources that Rust packages of their bindings carry.
//!
//! A throw-away manifest makes cargo fetch a package; each library is one call of the compiler, with the options of its
//! project's own release build of a shared library. Their file names are those by which `heapwright` finds them.

use super::{Allocator, output, target_dir};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// One library.
struct Source {
    /// Its name in tables.
    name: &'static str,
    /// Of its sources.
    version: &'static str,
    /// Its file's name up to `.so`.
    stem: &'static str,
    /// The package and its version.
    package: (&'static str, &'static str),
    /// Where in the package everything else is.
    folder: &'static str,
    files: &'static [&'static str],
    include: &'static str,
    compiler: &'static str,
    options: &'static [&'static str],
    /// On x86-64 only.
    x86_options: &'static [&'static str],
    libraries: &'static [&'static str],
}

/// For all of them.
const SHARED: [&str; 4] = ["-O3", "-DNDEBUG", "-fPIC", "-shared"];

/// One package carries both versions.
const fn mimalloc(name: &'static str, version: &'static str, folder: &'static str) -> Source {
    Source {
        name,
        version,
        stem: "libmimalloc",
        package: ("libmimalloc-sys", "0.1.49"),
        folder,
        files: &["src/static.c"],
        include: "include",
        compiler: "cc",
        options: &[
            "-DMI_BUILD_RELEASE",
            "-DMI_SHARED_LIB",
            "-DMI_SHARED_LIB_EXPORT",
            "-DMI_MALLOC_OVERRIDE",
            "-fvisibility=hidden",
            "-ftls-model=initial-exec",
            "-fno-builtin-malloc",
            "-Wno-error=date-time",
        ],
        x86_options: &[],
        libraries: &["-lpthread", "-lrt", "-latomic"],
    }
}

const SOURCES: [Source; 4] = [
    mimalloc("mimalloc-2", "2.3.2", "c_src/mimalloc/v2"),
    mimalloc("mimalloc-3", "3.3.2", "c_src/mimalloc/v3"),
    Source {
        name: "snmalloc",
        version: "0.7.6",
        stem: "libsnmallocshim",
        package: ("snmalloc-sys", "0.7.6"),
        folder: "upstream",
        files: &["src/snmalloc/override/malloc.cc", "src/snmalloc/override/new.cc"],
        include: "src",
        compiler: "c++",
        options: &[
            "-std=c++20",
            "-fvisibility=hidden",
            "-fomit-frame-pointer",
            "-ffunction-sections",
            "-ftls-model=initial-exec",
            "-DSNMALLOC_EXPORT=__attribute__((visibility(\"default\")))",
            "-DSNMALLOC_USE_CXX11_THREAD_ATEXIT_DIRECT",
            "-DSNMALLOC_CHECK_LOADS=false",
            "-DSNMALLOC_PAGEID=false",
            "-DSNMALLOC_USE_WAIT_ON_ADDRESS=1",
            "-DSNMALLOC_NO_REALLOCARRAY",
            "-DSNMALLOC_NO_REALLOCARR",
            "-DSNMALLOC_PLATFORM_HAS_GETENTROPY",
            "-DSNMALLOC_PTHREAD_ATFORK_WORKS",
            "-DSNMALLOC_HAS_LINUX_RANDOM_H",
            "-DSNMALLOC_HAS_LINUX_FUTEX_H",
        ],
        x86_options: &["-mcx16", "-mprfchw"],
        libraries: &["-static-libstdc++", "-lpthread", "-latomic"],
    },
    Source {
        name: "rpmalloc",
        version: "1.4.3",
        stem: "librpmallocwrap",
        package: ("rpmalloc-sys", "0.2.3"),
        folder: "rpmalloc/rpmalloc",
        files: &["rpmalloc.c"],
        include: ".",
        compiler: "cc",
        options: &[
            "-std=gnu11",
            "-funroll-loops",
            "-fomit-frame-pointer",
            "-fno-builtin-malloc",
            "-DENABLE_PRELOAD=1",
            "-DENABLE_OVERRIDE=1",
            "-D_GNU_SOURCE=1",
            "-w",
        ],
        x86_options: &[],
        libraries: &["-lpthread", "-ldl"],
    },
];

/// Compiles what is not there yet; says what could not be.
pub(super) fn build() -> Vec<String> {
    SOURCES
        .iter()
        .filter(|source| !source.library().exists())
        .filter_map(|source| {
            let why = source.build().err()?;
            Some(format!("{} was not compiled: {why}", source.name))
        })
        .collect()
}

/// What [`build`] has made before.
pub(super) fn built() -> Vec<Allocator> {
    let one = |source: &Source| {
        source.library().exists().then(|| Allocator {
            name: source.name.to_owned(),
            version: source.version.to_owned(),
            path: source.library(),
        })
    };
    SOURCES.iter().filter_map(one).collect()
}

/// Where `heapwright` looks for the peers of its own checkout.
pub(super) fn folder() -> PathBuf {
    target_dir().join("peers/allocators")
}

impl Source {
    fn library(&self) -> PathBuf {
        folder().join(format!("{}.so.{}", self.stem, self.version))
    }

    fn build(&self) -> Result<(), String> {
        let (package, version) = self.package;
        let sources = fetch(package, version)?.join(self.folder);
        eprintln!("peers: compiling {}", self.name);
        fs::create_dir_all(folder()).map_err(|e| format!("{}: {e}", folder().display()))?;
        let partial = folder().join(format!("{}.partial-{}", self.name, std::process::id()));
        let mut compiler = Command::new(self.compiler);
        compiler.args(SHARED).args(self.options);
        if cfg!(target_arch = "x86_64") {
            compiler.args(self.x86_options);
        }
        compiler.arg(format!("-I{}", sources.join(self.include).display()));
        compiler.args(self.files.iter().map(|file| sources.join(file)));
        compiler.arg("-o").arg(&partial).args(self.libraries);
        output(&mut compiler)?;
        fs::rename(&partial, self.library()).map_err(|e| format!("{}: {e}", partial.display()))
    }
}

/// Makes cargo fetch a package and says where its sources are.
fn fetch(package: &str, version: &str) -> Result<PathBuf, String> {
    let dir = target_dir().join("peers/fetch").join(package);
    let manifest = dir.join("Cargo.toml");
    let text = format!(
        "[package]\nname = \"fetch\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n[workspace]\n\n\
         [lib]\npath = \"lib.rs\"\n\n[dependencies]\n{package} = \"={version}\"\n"
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
        .find(|p| p["name"] == package)
        .and_then(|p| p["manifest_path"].as_str())
        .and_then(|path| Path::new(path).parent())
        .map(Path::to_owned)
        .ok_or_else(|| format!("cargo fetched no {package}"))
}
