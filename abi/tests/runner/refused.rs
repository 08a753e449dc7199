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
const CALLS: &str = "madvise mremap move munmap prctl clock_gettime sysinfo prlimit64 renew reserve process_vm_readv \
     rseq membarrier getrandom nanosleep";

/// `ENOMEM`, `EPERM`, `ENOSYS`, `EINVAL`.
const ERRORS: [i32; 4] = [12, 1, 38, 22];

/// Programs that are tried under each single call too.
const SOME: &[&str] = &["maps_few", "realloc_neighbours", "stress", "thread_keys", "vfork_exec"];

/// Programs whose rule cannot hold where a call is refused: the call, them, and why.
type Exception = (&'static str, &'static str, &'static str);

const EXCEPTIONS: &[Exception] = &[
    (
        "madvise",
        "cgroup_limit cgroup_limit_hidden cgroup_limit_mapped huge_unasked mallinfo_trim malloc_trim \
         purge_while_quiet realloc_moved_rest refused_mlock_part thread_few_kept thread_frees_all \
         thread_late_bulk thread_phases",
        "memory must go back",
    ),
    ("madvise", "dump_reserved", "only so are addresses left out of dumps"),
    ("mremap", "rlimit_as_growth", "there is no room for two copies"),
    ("mremap", "realloc_steps realloc_swing", "it counts the copies"),
    ("munmap", "new_handler_frees rlimit_as_growth", "addresses must go back"),
    (
        "prlimit64",
        "cgroup_limit_hidden exhaustion fork_raw new_handler_frees realloc_rlimit rlimit_as \
         rlimit_as_again rlimit_as_freed rlimit_as_growth rlimit_as_holes rlimit_as_late rlimit_as_lifted \
         rlimit_as_running rlimit_as_small rlimit_as_thread rlimit_as_tiny rlimit_data rlimit_data_freed \
         rlimit_stack",
        "it sets a limit",
    ),
    ("sysinfo", "realloc_too_large", "it asks how much memory there is"),
    (
        "sysinfo",
        "fork_untouched",
        "it takes as much as there is, and only as much as a window for 16 GiB has is to be had",
    ),
    ("reserve", "maps_exhausted maps_split", "it makes such mappings itself"),
    ("reserve", "thread_wave_idle thread_wave_trimmed", "it reserves its threads' stacks itself"),
    ("reserve", "region_terabyte", "a window of a terabyte has its maps in it too"),
    (
        "prctl",
        "confined confined_threads descriptors refused_calls_few refused_futex refused_madvise \
         refused_memory refused_mlock_part refused_mlockall seccomp",
        "it installs a filter",
    ),
];

/// The command that starts `binary` under a kernel that refuses `call`; the program's arguments follow.
pub(crate) fn launch(call: &str, error: i32, binary: &Path) -> Command {
    let mut command = Command::new(launcher());
    command.arg(error.to_string()).args([call, "--"]).arg(binary);
    command
}

/// The program that installs the filter, built for this machine.
fn launcher() -> &'static Path {
    static LAUNCHER: OnceLock<PathBuf> = OnceLock::new();
    LAUNCHER.get_or_init(|| {
        let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join("launch");
        fs::create_dir_all(&directory).expect("the directory for the launcher can be made");
        let built = directory.join("refuse");
        run::compile_alone(&home().join("tests/c/launch/refuse.c"), &built);
        built
    })
}

/// The programs whose rule is one for any malloc.
fn programs() -> Vec<Source> {
    source::of_both("tests/c").filter(Source::is_for_any_malloc).collect()
}

/// Runs a program where `call` is refused, unless its rule cannot hold there.
fn try_one(source: &Source, call: &str, error: i32, failures: &mut String) {
    let excepted = EXCEPTIONS.iter().find(|(refused, names, _)| {
        (*refused == call || call == "all")
            && names.split_whitespace().any(|name| name == source.name())
    });
    match excepted {
        Some((refused, _, why)) => {
            run::say(&format!("{}: not without {refused}: {why}", source.name()));
        }
        None => run::refused(source, call, error, failures),
    }
}

/// Every program with all calls refused; which error they get goes round.
pub(crate) fn all_at_once() {
    let programs = programs();
    let all: Vec<_> = programs.iter().zip(ERRORS.into_iter().cycle()).collect();
    let failures = run::side_by_side(&all, |(source, error), failures| {
        try_one(source, "all", *error, failures);
    });
    assert!(failures.is_empty(), "\n{failures}");
    assert!(programs.len() > 60, "only {} programs are for any malloc", programs.len());
}

/// A few programs with each call refused; which error it gets goes round.
pub(crate) fn one_at_a_time() {
    let mut programs = programs();
    programs.retain(|source| SOME.contains(&source.name()));
    assert_eq!(programs.len(), SOME.len(), "a program of {SOME:?} is gone");
    let calls = |source| CALLS.split_whitespace().map(move |call| (source, call));
    let all: Vec<_> = programs.iter().flat_map(calls).zip(ERRORS.into_iter().cycle()).collect();
    let failures = run::side_by_side(&all, |((source, call), error), failures| {
        try_one(source, call, *error, failures);
    });
    assert!(failures.is_empty(), "\n{failures}");
}

/// Every program with each call refused and with all, with every error: an hour.
pub(crate) fn product() {
    let mut failures = String::new();
    for source in programs() {
        for call in CALLS.split_whitespace().chain(["all"]) {
            for error in ERRORS {
                try_one(&source, call, error, &mut failures);
            }
        }
    }
    assert!(failures.is_empty(), "\n{failures}");
}
