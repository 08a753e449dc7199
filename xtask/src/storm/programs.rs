//! The programs of `tests/storm`: their names, their compilation, and the command line of a run.
//!
//! They lie in `storm` of the target folder, and beside them a copy of the library: whoever builds it anew during an hour
//! of storms changes nothing for them.

use super::plan::Run;
use crate::peers::{output, root, target_dir};
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A storm: its file's name, and what it does.
#[derive(Debug)]
pub(super) struct Storm {
    pub(super) name: &'static str,
    pub(super) what: &'static str,
    /// The library of `tests/storm/lib` that the program is linked to.
    pub(super) linked: Option<&'static str>,
}

const fn storm(name: &'static str, what: &'static str) -> Storm {
    Storm { name, what, linked: None }
}

pub(super) const STORMS: &[Storm] = &[
    storm(
        "fork",
        "threads allocate while several fork, children that fork again and end in many ways",
    ),
    storm("fork_signal", "fork in the handler of a timer that interrupts malloc"),
    storm(
        "interrupted",
        "handlers that interrupt malloc exit, abort, fork, jump and ask, with threads and check=1 too",
    ),
    storm("signals", "handlers interrupt malloc all the time, threads are cancelled"),
    storm(
        "threads",
        "thousands of short threads: detached, on their own stacks, ended by the system call alone",
    ),
    storm(
        "limits",
        "RLIMIT_AS, DATA and STACK up and down while threads allocate; programs under small limits",
    ),
    storm("realloc", "blocks of 0.6 to 64 MiB grow and shrink, the mappings counted"),
    storm(
        "plugins",
        "plugins opened and closed, with RTLD_DEEPBIND too, while others allocate and fork",
    ),
    storm(
        "stdio",
        "getline, fflush of all streams and tmpfile against fork, vfork, posix_spawn and system",
    ),
    Storm {
        name: "atfork",
        what: "handlers of fork that allocate, and take locks under which others allocate",
        linked: Some("handlers"),
    },
    storm(
        "purge",
        "large heaps freed and built again, trimmed all the time, locked, or refused madvise",
    ),
    storm("heaps", "heaps of heapwright.h made and destroyed while the program forks"),
    storm("sized", "blocks that shrank are freed with their size, as Rust does"),
    storm("exit", "programs end in every way while their threads allocate, with check=1 too"),
];

/// Libraries of `tests/storm/lib`.
const LIBRARIES: [&str; 2] = ["handlers", "plugin"];

/// Where the compiled programs and the library they run on are.
pub(super) struct Built {
    folder: PathBuf,
    library: Option<PathBuf>,
}

/// The system's C compiler.
pub(super) fn compiler_name() -> PathBuf {
    std::env::var_os("CC").unwrap_or_else(|| "cc".into()).into()
}

/// Compiles all storms, and copies `library` beside them.
pub(super) fn build(library: Option<&Path>) -> Result<Built, String> {
    let folder = target_dir().join("storm");
    fs::create_dir_all(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let folder = folder.canonicalize().map_err(|e| format!("{}: {e}", folder.display()))?;
    let sources = root().join("tests/storm");
    for name in LIBRARIES {
        let file = sources.join("lib").join(name).with_extension("c");
        let shared = folder.join(name).with_extension("so");
        finish(compiler().args(["-shared", "-fPIC", "-o"]).arg(shared).arg(file))?;
    }
    for storm in STORMS {
        let mut compiler = compiler();
        let file = sources.join(storm.name).with_extension("c");
        compiler.arg("-o").arg(folder.join(storm.name)).arg(file);
        if let Some(linked) = storm.linked {
            compiler.arg(folder.join(linked).with_extension("so")).arg("-Wl,-rpath,$ORIGIN");
        }
        finish(compiler.args(["-pthread", "-ldl"]))?;
    }
    let library = library.map(|from| {
        // The name is what /proc/PID/maps and gdb show.
        let to = folder.join(from.file_name().unwrap_or_default());
        // A new file: the old one may be mapped by storms that still run.
        let _ = fs::remove_file(&to);
        fs::copy(from, &to).map(|_| to).map_err(|e| format!("{}: {e}", from.display()))
    });
    Ok(Built { folder, library: library.transpose()? })
}

/// With the flags of the programs of `abi/tests/c`. The compiler must not know what malloc means.
fn compiler() -> Command {
    let mut compiler = Command::new(compiler_name());
    compiler.args(["-std=gnu2x", "-O1", "-g", "-fno-builtin", "-Wall", "-Werror", "-D_GNU_SOURCE"]);
    compiler.arg("-I").arg(root().join("abi/tests/c"));
    compiler
}

fn finish(compiler: &mut Command) -> Result<(), String> {
    let done = output(compiler).map(drop);
    done.map_err(|why| format!("a storm does not compile:\n{compiler:?}\n{why}"))
}

impl Built {
    pub(super) fn path(&self, storm: &Storm) -> PathBuf {
        self.folder.join(storm.name)
    }

    pub(super) fn command(&self, run: &Run, seconds: f64) -> Command {
        let mut command = Command::new(self.path(run.storm));
        command.args(arguments(run, seconds)).current_dir(&self.folder);
        command.env_remove("LD_PRELOAD").env_remove("HEAPWRIGHT");
        command.envs(self.variables(run));
        command
    }

    pub(super) fn by_hand(&self, run: &Run, seconds: f64) -> String {
        let set = self.variables(run);
        let set = set.iter().map(|(name, value)| format!("{name}={} ", value.to_string_lossy()));
        let path = self.path(run.storm);
        format!(
            "{}{} {}",
            set.collect::<String>(),
            path.display(),
            arguments(run, seconds).join(" ")
        )
    }

    fn variables(&self, run: &Run) -> Vec<(&'static str, OsString)> {
        let preload = self.library.as_ref().map(|library| ("LD_PRELOAD", library.clone().into()));
        let options = run.environment.map(|options| ("HEAPWRIGHT", options.into()));
        preload.into_iter().chain(options).collect()
    }
}

fn arguments(run: &Run, seconds: f64) -> Vec<String> {
    let mut arguments = vec![run.seed.to_string(), seconds.to_string()];
    if run.one_cpu {
        arguments.push("one-cpu".to_owned());
    }
    arguments
}
