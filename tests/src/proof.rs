//! Seeing that the library was really there.

use std::collections::BTreeSet;
use std::path::Path;
use tempfile::TempDir;

/// How a run is shown to have been on our library.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Proof {
    /// By what the dynamic loader writes down for every process of the run. It keeps a file open in each of them.
    LoaderLog,
    /// By the process's memory map, read while it runs: for what runs long and minds open files.
    MemoryMap,
}

/// Whether process `pid` has `library` mapped. A process that has ended has nothing mapped.
pub(crate) fn is_mapped(pid: i32, library: &Path) -> bool {
    let Ok(maps) = std::fs::read_to_string(format!("/proc/{pid}/maps")) else { return false };
    let library = library.to_string_lossy();
    maps.lines().any(|line| line.ends_with(library.as_ref()))
}

/// The loader's log of one run: a folder with a file for each process.
pub(crate) struct LoaderLog(TempDir);

impl LoaderLog {
    /// Asks the loader, through the environment of `command`, to write down what it loads.
    pub(crate) fn of(command: &mut std::process::Command) -> Self {
        let folder = TempDir::new().expect("the temporary folder can be written to");
        command.env("LD_DEBUG", "files").env("LD_DEBUG_OUTPUT", folder.path().join("process"));
        Self(folder)
    }

    pub(crate) fn programs_on(&self, library: &Path) -> BTreeSet<String> {
        let ours = format!("calling init: {}", library.display());
        let files = std::fs::read_dir(self.0.path()).into_iter().flatten();
        files
            .filter_map(|entry| std::fs::read(entry.ok()?.path()).ok())
            .filter_map(|log| {
                let log = String::from_utf8_lossy(&log);
                let program =
                    log.lines().find_map(|line| line.split_once("initialize program: "))?.1;
                let name = Path::new(program).file_name()?.to_string_lossy().into_owned();
                log.lines().any(|line| line.ends_with(&ours)).then_some(name)
            })
            .collect()
    }
}
