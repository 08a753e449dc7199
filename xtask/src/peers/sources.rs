//! Peers that are made here, of the newest sources that public registries have.
//!
//! Most are in Rust packages of bindings: a throw-away manifest makes cargo fetch one, and the library is one call of the compiler
//! with the options of its project's own release build, or its own `configure` and `make`. mimalloc 3 is newest in a Python
//! package, which has the library itself. Their file names are those by which `heapwright` finds them.

use super::{Allocator, output, target_dir};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

struct Source {
    name: &'static str,
    version: &'static str,
    file: &'static str,
    package: (&'static str, &'static str),
    /// Where in the package everything else is.
    folder: &'static str,
    make: Make,
}

enum Make {
    Compile(Compile),
    /// By `configure` and `make`.
    Configure,
    /// It is in the Python package as it is, whose hash this is.
    Wheel(&'static str),
}

struct Compile {
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

/// What upstream has released (as of 2026-11) and no registry brings; the pages say so beside what was measured.
pub const NEWER: [(&str, &str); 3] =
    [("mimalloc 2", "2.4.1"), ("rpmalloc", "2.0.1"), ("gperftools", "2.18.1")];

const SOURCES: [Source; 5] = [
    Source {
        name: "mimalloc-2",
        version: "2.3.2",
        file: "libmimalloc.so.2.3.2",
        package: ("libmimalloc-sys", "0.1.49"),
        folder: "c_src/mimalloc/v2",
        make: Make::Compile(Compile {
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
        }),
    },
    Source {
        name: "mimalloc-3",
        version: "3.4.3",
        file: "libmimalloc.so.3.4.3",
        package: ("cmeel-mimalloc", "3.4.3"),
        folder: "cmeel.prefix/lib/libmimalloc.so.3.4",
        make: Make::Wheel("627d9e379503fd8a1001bed618f7434477c221f017cf31d4caca65d464731ff0"),
    },
    Source {
        name: "jemalloc",
        version: "5.3.1",
        file: "libjemalloc.so.2",
        package: ("tikv-jemalloc-sys", "0.7.1"),
        folder: "",
        make: Make::Configure,
    },
    Source {
        name: "snmalloc",
        version: "0.7.6",
        file: "libsnmallocshim.so.0.7.6",
        package: ("snmalloc-sys", "0.7.6"),
        folder: "upstream",
        make: Make::Compile(Compile {
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
        }),
    },
    Source {
        name: "rpmalloc",
        version: "1.4.3",
        file: "librpmallocwrap.so.1.4.3",
        package: ("rpmalloc-sys", "0.2.3"),
        folder: "rpmalloc/rpmalloc",
        make: Make::Compile(Compile {
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
        }),
    },
];

/// Compiles what is not there yet; says what could not be.
pub(super) fn build() -> Vec<String> {
    SOURCES
        .iter()
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
        folder().join(self.file)
    }

    fn build(&self) -> Result<(), String> {
        eprintln!("peers: making {}", self.name);
        let failed = |path: &Path| {
            let path = path.display().to_string();
            move |e: std::io::Error| format!("{path}: {e}")
        };
        fs::create_dir_all(folder()).map_err(failed(&folder()))?;
        let partial = folder().join(format!("{}.partial-{}", self.name, std::process::id()));
        let (package, version) = self.package;
        match &self.make {
            Make::Compile(compile) => {
                compile.build(&fetch(package, version)?.join(self.folder), &partial)?;
            }
            Make::Configure => {
                let library = configured(&fetch(package, version)?, self.version)?;
                fs::copy(&library, &partial).map_err(failed(&library))?;
            }
            Make::Wheel(hash) => {
                let library = unpacked(package, version, hash)?.join(self.folder);
                fs::copy(&library, &partial).map_err(failed(&library))?;
            }
        }
        fs::rename(&partial, self.library()).map_err(failed(&partial))
    }
}

impl Compile {
    fn build(&self, sources: &Path, library: &Path) -> Result<(), String> {
        let mut compiler = Command::new(self.compiler);
        compiler.args(SHARED).args(self.options);
        if cfg!(target_arch = "x86_64") {
            compiler.args(self.x86_options);
        }
        compiler.arg(format!("-I{}", sources.join(self.include).display()));
        compiler.args(self.files.iter().map(|file| sources.join(file)));
        compiler.arg("-o").arg(library).args(self.libraries);
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
    fs::create_dir_all(&dir).map_err(|e| format!("{}: {e}", dir.display()))?;
    fs::write(&wanted, text).map_err(|e| format!("{}: {e}", wanted.display()))?;
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
