//! The programs of `tests/storm`: their names, their compilation, and the command line of a run.
//!
//! They lie in `storm` of the target folder, and beside them a copy of the library: whoever builds it anew during an hour
//! of storms changes nothing for them.

use super::plan::Run;
use crate::files;
use crate::peers::{output, root, target_dir};
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;

/// A storm: its file's name, and what it does, which its first comment says.
#[derive(Debug)]
pub(super) struct Storm {
    pub(super) name: String,
    pub(super) what: String,
    /// The library of `tests/storm/lib` that the program is linked to: `// link: NAME`.
    linked: Option<String>,
}

impl Storm {
    fn read(path: &Path) -> Option<Self> {
        let name = path.file_name()?.to_str()?.strip_suffix(".c")?.to_owned();
        let text = files::read(path).ok()?;
        let said = text.lines().map_while(|line| line.strip_prefix("// "));
        let (marks, what): (Vec<&str>, Vec<&str>) =
            said.partition(|line| line.starts_with("link: "));
        let linked = marks.first().map(|mark| mark["link: ".len()..].to_owned());
        Some(Self { name, what: what.join(" "), linked })
    }
}

/// The files of `tests/storm`.
pub(super) static STORMS: LazyLock<Vec<Storm>> = LazyLock::new(|| {
    let files = files::list(&sources()).unwrap_or_default();
    files.iter().filter_map(|path| Storm::read(path)).collect()
});

fn sources() -> PathBuf {
    root().join("tests/storm")
}

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
    files::folder(&folder)?;
    let folder = folder.canonicalize().map_err(files::said(&folder))?;
    for name in LIBRARIES {
        let file = sources().join("lib").join(name).with_extension("c");
        let shared = folder.join(name).with_extension("so");
        finish(compiler().args(["-shared", "-fPIC", "-o"]).arg(shared).arg(file))?;
    }
    for storm in &*STORMS {
        let mut compiler = compiler();
        let file = sources().join(&storm.name).with_extension("c");
        compiler.arg("-o").arg(folder.join(&storm.name)).arg(file);
        if let Some(linked) = &storm.linked {
            compiler.arg(folder.join(linked).with_extension("so")).arg("-Wl,-rpath,$ORIGIN");
        }
        finish(compiler.args(["-pthread", "-ldl"]))?;
    }
    let library = library.map(|from| {
        // The name is what /proc/PID/maps and gdb show.
        let to = folder.join(from.file_name().unwrap_or_default());
        // A new file: the old one may be mapped by storms that still run.
        let _ = fs::remove_file(&to);
        fs::copy(from, &to).map(|_| to).map_err(files::said(from))
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
        self.folder.join(&storm.name)
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
