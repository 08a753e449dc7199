//! The six programs: five as the bench has them, and a server with a pool of threads.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use bench::definition::Definition;
use bench::measured::Service;
use bench::workload::{Places, Workload};

use crate::command;
use crate::files;
use crate::peers::root;
use crate::programs;
use crate::slowest::definitions;

pub(crate) const NAMES: [&str; 6] = ["python3", "gxx", "sqlite3", "redis", "pool", "mstress"];

/// The driver of the redis server may take so long.
const PATIENCE: core::time::Duration = core::time::Duration::from_secs(300);

pub(crate) struct Program {
    pub(crate) name: &'static str,
    pub(crate) file: PathBuf,
    /// `argv[0]` included.
    pub(crate) argv: Vec<OsString>,
    pub(crate) environment: Vec<(OsString, OsString)>,
    pub(crate) service: Option<Service>,
}

/// Those of these names, all if there are none, whose files are in `folder`.
pub(crate) fn all(folder: &Path, only: &[String], quick: bool) -> Result<Vec<Program>, String> {
    let files = folder.join("files");
    gather(&files)?;
    let wants = |name: &str| only.is_empty() || only.iter().any(|one| one == name);
    let places = Places {
        // Building it takes a while.
        workloads: if wants("mstress") { command::workloads(None)?.0 } else { PathBuf::new() },
        files,
        temporary: folder.to_owned(),
        scale: if quick { 0.1 } else { 1.0 },
        seed: 1,
        pin: false,
    };
    let definitions = definitions()?;
    let names = NAMES.into_iter().filter(|name| wants(name));
    names.map(|name| one(name, &places, &definitions, quick)).collect()
}

fn one(
    name: &'static str,
    places: &Places,
    definitions: &[Definition],
    quick: bool,
) -> Result<Program, String> {
    let program = |file: PathBuf, argv: Vec<OsString>| {
        let environment = Vec::new();
        Program { name, file, argv, environment, service: None }
    };
    match name {
        "redis" => redis(places, if quick { 30_000 } else { 300_000 }),
        "pool" => {
            let file = programs::build(name)?;
            let requests = if quick { "10000" } else { "100000" };
            let argv = [file.as_os_str().to_owned(), requests.into(), "4".into()];
            Ok(program(file, argv.into()))
        }
        _ => {
            let definition = definitions.iter().find(|one| one.name == name);
            let definition = definition.ok_or_else(|| format!("there is no workload {name}"))?;
            let workload = Workload::of(definition, &[], places)?;
            Ok(Program {
                environment: workload.environment,
                ..program(workload.file, workload.argv)
            })
        }
    }
}

/// A server on a socket of its own, and the driver that redis brings.
fn redis(places: &Places, requests: u32) -> Result<Program, String> {
    // The path of a socket may have no more than a hundred characters.
    let socket = std::env::temp_dir().join(format!("heapwright-{}.socket", std::process::id()));
    let socket = socket.display();
    let words = ["redis-server", "--port", "0", "--save", "", "--appendonly", "no", "--unixsocket"];
    let mut argv: Vec<OsString> = words.map(OsString::from).into();
    argv.extend([socket.to_string().into(), "--dir".into(), places.temporary.clone().into()]);
    // Values of other lengths replace each other, as in a cache that has run for a while.
    let driver = format!(
        "for bytes in 64 200 40 500; do redis-benchmark -s {socket} -q -r 200000 -n {requests} -d $bytes -P 32 -t set \
         || exit; done"
    );
    let found =
        |name: &str| bench::launch::resolve::command(name.as_ref()).map_err(|why| why.to_string());
    found("redis-benchmark")?;
    Ok(Program {
        name: "redis",
        file: found("redis-server")?,
        argv,
        environment: Vec::new(),
        service: Some(Service { time: PATIENCE, driver: Some(driver.into()) }),
    })
}

/// Scripts and inputs of the real programs, side by side as the definitions name them.
fn gather(folder: &Path) -> Result<(), String> {
    files::folder(folder)?;
    for from in ["bench/programs", "bench/real"].map(|from| root().join(from)) {
        for path in files::list(&from)? {
            let to = folder.join(path.file_name().unwrap_or_default());
            fs::copy(&path, to).map_err(files::said(&path))?;
        }
    }
    Ok(())
}
