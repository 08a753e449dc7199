//! Runs the programs under a kernel that refuses: `tests/c/launch/refuse.c` installs the filter and starts the program.
use crate::{
    run,
    source::{self, Source, home},
};
use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
    sync::OnceLock,
};

/// The calls that are refused, one at a time; `all` is all of them. `refuse.c` has the list.
const CALLS: &[&str] = &[
    "madvise",
    "mremap",
    "munmap",
    "prctl",
    "clock_gettime",
    "sysinfo",
    "prlimit64",
    "renew",
    "reserve",
    "process_vm_readv",
    "rseq",
    "membarrier",
    "getrandom",
];

/// `ENOMEM`, `EPERM`, `ENOSYS`, `EINVAL`.
const ERRORS: [i32; 4] = [12, 1, 38, 22];

/// Programs that are tried under each single call too.
const SOME: &[&str] =
    &["calloc_zero", "fork_threads", "maps_few", "realloc_contents", "stress", "thread_churn"];

/// The command that starts `binary` under a kernel that refuses `call`; the program's arguments follow.
pub(crate) fn launch(call: &str, error: i32, binary: &Path) -> Command {
    static LAUNCHER: OnceLock<PathBuf> = OnceLock::new();
    let launcher = LAUNCHER.get_or_init(|| {
        let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join("launch");
        fs::create_dir_all(&directory).expect("the directory for the launcher can be made");
        let built = directory.join("refuse");
        run::compile_alone(&home().join("tests/c/launch/refuse.c"), &built);
        built
    });
    let mut command = Command::new(launcher);
    command.arg(error.to_string()).args([call, "--"]).arg(binary);
    command
}

/// The programs whose rule is one for any malloc, but for those named in `without`, each with its reason.
fn programs(without: &[(&str, &str)]) -> Vec<Source> {
    let all = source::all("tests/c").into_iter().map(|file| Source::read(&file));
    let chosen = all.filter(|source| {
        let reason = without.iter().find(|(rule, _)| *rule == source.name());
        if let Some((rule, why)) = reason {
            println!("{rule}: not where calls are refused: {why}");
        }
        source.is_for_any_malloc() && reason.is_none()
    });
    chosen.collect()
}

/// Every program with all calls refused; which error they get goes round.
pub(crate) fn all_at_once(without: &[(&str, &str)]) {
    let mut failures = String::new();
    let programs = programs(without);
    for (source, error) in programs.iter().zip(ERRORS.into_iter().cycle()) {
        run::refused(source, "all", error, &mut failures);
    }
    assert!(failures.is_empty(), "\n{failures}");
    assert!(programs.len() > 60, "only {} programs are for any malloc", programs.len());
}

/// A few programs with each call refused; which error it gets goes round.
pub(crate) fn one_at_a_time() {
    let mut failures = String::new();
    let mut errors = ERRORS.into_iter().cycle();
    for source in programs(&[]).iter().filter(|source| SOME.contains(&source.name())) {
        for (call, error) in CALLS.iter().zip(&mut errors) {
            run::refused(source, call, error, &mut failures);
        }
    }
    assert!(failures.is_empty(), "\n{failures}");
}

/// Every program with each call refused and with all, with every error.
pub(crate) fn product(without: &[(&str, &str)]) {
    let mut failures = String::new();
    for source in programs(without) {
        for call in CALLS.iter().chain(&["all"]) {
            for error in ERRORS {
                run::refused(&source, call, error, &mut failures);
            }
        }
    }
    assert!(failures.is_empty(), "\n{failures}");
}
