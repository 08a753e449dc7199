//! What the programs are compiled for and how they are started: this machine, or another C library or processor.
//!
//! `HEAPWRIGHT_TARGET` names the target, `HEAPWRIGHT_SO` the library built for it, `HEAPWRIGHT_PAGE_SIZE` the pages that an
//! emulator pretends to have; `cargo xtask port` sets them. On a target a program runs on heapwright alone: that it is right
//! on the C library's own malloc has been proven on this machine.
use crate::{refused, source::home};
use core::time::Duration;
use std::{
    env,
    path::{Path, PathBuf},
    process::Command,
    sync::OnceLock,
};

/// 16 GiB, all addresses that a program has in the emulator, which keeps a record of each page that is only reserved: without
/// a bound a program takes 1.6 GB and 3 s to start.
const ADDRESSES: &str = "0x400000000";

/// They shrink a mapping, behind which qemu-user 7.2 with bounded addresses then unmaps as much again, whosever it is.
const UNBOUNDED: &[&str] = &["realloc_swing", "rlimit_as_holes"];

/// What the emulator's kernel refuses, and how: moving pages with `MREMAP_DONTUNMAP`. The place they came from is unmapped for
/// qemu-user 7.2: with bounded addresses nobody can read it, without `madvise` there does nothing.
const REFUSED: (&str, i32) = ("move", 22);

#[derive(Debug)]
pub(crate) struct Target {
    name: &'static str,
    cc: &'static str,
    /// None: there is no C++ library for it here.
    cxx: Option<&'static str>,
    /// Included before every program in C: what the library has and this C library's headers do not name.
    names: Option<&'static str>,
    /// The program that runs its programs, and where it finds their libraries.
    emulator: Option<(&'static str, &'static str)>,
    /// Programs that cannot run there, and why.
    without: &'static [(&'static str, &'static str)],
}

const TARGETS: &[Target] = &[
    Target { name: "host", cc: "cc", cxx: Some("c++"), names: None, emulator: None, without: &[] },
    Target {
        name: "musl",
        cc: "musl-gcc",
        cxx: None,
        names: Some("tests/c/musl.h"),
        emulator: None,
        without: &[
            ("musl has no such function", "dlmopen late_malloc libc_aliases"),
            (
                "musl has no RTLD_DEEPBIND",
                "archive_dlopen dlopen_deepbind dlopen_deepbind_early dlopen_deepbind_exchange \
                 dlopen_deepbind_threads dlopen_mode dlopen_origin dlopen_plugins dlopen_same static_dlopen",
            ),
            (
                "musl opens no library with initial-exec thread-local storage after the start",
                "dlopen_library thread_keys_taken",
            ),
            (
                "musl runs no functions of .preinit_array",
                "early_malloc fork_handlers free_before_any_malloc",
            ),
            (
                "musl 1.2.3 does not end such a process on its own malloc either",
                "exit_with_threads fork_nested",
            ),
            (
                "pthread_join of musl waits for ever for a thread that ended by a bare system call",
                "thread_vanished",
            ),
            ("musl 1.2.3 ends with a segmentation fault on its own malloc too", "small_stack"),
            (
                "fork of musl takes the lock of all streams after our handler has taken ours, and has no name for it",
                "fork_stdio",
            ),
            (
                "musl keeps no stack for the next thread, and memory that was just freed still counts as writable",
                "rlimit_data",
            ),
            (
                "the programs it starts are glibc's, which cannot load the library",
                "fork_pool vfork_exec",
            ),
        ],
    },
    Target {
        name: "aarch64",
        cc: "aarch64-linux-gnu-gcc",
        cxx: Some("aarch64-linux-gnu-g++"),
        names: None,
        emulator: Some(("qemu-aarch64", "/usr/aarch64-linux-gnu")),
        without: &[
            (
                "a process with threads forks: qemu-user 7.2 asserts (plugins/core.c:221) or hangs, on glibc's malloc too",
                "fork_chain fork_locker fork_signal_threads fork_starting_thread fork_threads",
            ),
            (
                "it starts itself again or another program, and the emulator starts only programs of this machine",
                "config_setuid exhaustion fork_pool new_handler_frees rlimit_as rlimit_as_growth \
                 rlimit_as_runs rlimit_as_small rlimit_as_thread rlimit_as_tiny rlimit_data rlimit_stack \
                 stats_file vfork_exec",
            ),
            (
                "a limit of the process is the emulator's too, which needs more",
                "cgroup_limit cgroup_limit_hidden cgroup_limit_mapped cgroup_limit_near fork_raw mlockall \
                 rlimit_as_again rlimit_as_late rlimit_as_lifted rlimit_as_running",
            ),
            (
                "resident memory is the emulator's too, which keeps 270 KiB of each thread, on glibc's malloc too",
                "background_idle thread_churn",
            ),
            (
                "the filter's registers are those of x86-64",
                "free_wild_interrupted interrupted_exit interrupted_threads refused_calls_few refused_madvise \
                 refused_memory refused_mlock_part refused_mlockall",
            ),
            ("/proc/self/smaps has the emulator's own mappings", "dump_reserved"),
            (
                "the emulator has no seccomp",
                "background_confined confined confined_threads descriptors seccomp",
            ),
            (
                "the emulator has threads of its own",
                "background_begins background_raw_exit hidden_thread",
            ),
        ],
    },
];

/// This machine.
pub(crate) fn host() -> &'static Target {
    &TARGETS[0]
}

/// The target of this run. Panics when `HEAPWRIGHT_TARGET` names none.
pub(crate) fn current() -> &'static Target {
    static CURRENT: OnceLock<&Target> = OnceLock::new();
    CURRENT.get_or_init(|| {
        let Some(name) = env::var_os("HEAPWRIGHT_TARGET") else { return host() };
        let found = TARGETS.iter().find(|target| name == target.name);
        found.unwrap_or_else(|| panic!("HEAPWRIGHT_TARGET={name:?} is none of {TARGETS:?}"))
    })
}

impl Target {
    /// Whether programs run on this machine as they are, so that its C library can prove them.
    pub(crate) fn is_host(&self) -> bool {
        self.name == TARGETS[0].name
    }

    pub(crate) fn directory(&self) -> PathBuf {
        let name = if self.is_host() { "c".to_owned() } else { format!("c-{}", self.name) };
        Path::new(env!("CARGO_TARGET_TMPDIR")).join(name)
    }

    /// How long a program may take that takes at most `timeout` on a processor.
    pub(crate) fn timeout(&self, timeout: Duration) -> Duration {
        if self.emulator.is_some() { timeout * 4 } else { timeout }
    }

    /// Why the program cannot run here, if it cannot.
    pub(crate) fn without(&self, program: &str, is_cxx: bool) -> Option<&'static str> {
        if is_cxx && self.cxx.is_none() {
            return Some("there is no C++ library for it");
        }
        let is_one = |programs: &str| programs.split_whitespace().any(|one| one == program);
        let found = self.without.iter().find(|(_, programs)| is_one(programs));
        found.map(|(why, _)| *why)
    }

    /// The compiler for C or C++; the host's may be chosen by `CC` and `CXX`.
    pub(crate) fn compiler(&self, is_cxx: bool) -> Command {
        let (variable, usual) = if is_cxx { ("CXX", self.cxx) } else { ("CC", Some(self.cc)) };
        let usual = usual.expect("programs without a compiler are left out");
        let chosen = env::var_os(variable).filter(|_| self.is_host());
        let mut compiler = Command::new(chosen.unwrap_or_else(|| usual.into()));
        if let Some(names) = self.names.filter(|_| !is_cxx) {
            compiler.arg("-include").arg(home().join(names));
            // The kernel's headers, which musl-gcc leaves out with the rest of /usr/include.
            compiler.args(["-idirafter", "/usr/include"]);
            compiler.arg("-idirafter").arg(format!("/usr/include/{}-linux-gnu", env::consts::ARCH));
        }
        compiler
    }

    /// What starts `binary` with `preload`, and the same for a person to type.
    pub(crate) fn start(&self, binary: &Path, preload: Option<&Path>) -> (Command, String) {
        let preload = preload.map(|library| format!("LD_PRELOAD={}", library.display()));
        let Some((emulator, libraries)) = self.emulator else {
            let mut command = Command::new(binary);
            command.env_remove("LD_PRELOAD");
            if let Some((name, value)) = preload.as_ref().and_then(|set| set.split_once('=')) {
                command.env(name, value);
            }
            return (command, [preload.unwrap_or_default(), shown(binary)].join(" "));
        };
        let mut words = vec!["-L".to_owned(), libraries.to_owned()];
        if !UNBOUNDED.iter().any(|&name| binary.ends_with(name)) {
            words.extend(["-R".to_owned(), ADDRESSES.to_owned()]);
        }
        if let Ok(bytes) = env::var("HEAPWRIGHT_PAGE_SIZE") {
            words.extend(["-p".to_owned(), bytes]);
        }
        // The emulator is a program of this machine: it must not be given the library itself.
        words.extend(preload.into_iter().flat_map(|set| ["-E".to_owned(), set]));
        words.push(shown(binary));
        let (call, error) = REFUSED;
        let mut command = refused::launch(call, error, Path::new(emulator));
        command.args(&words).env_remove("LD_PRELOAD");
        (command, format!("refuse {error} {call} -- {emulator} {}", words.join(" ")))
    }
}

fn shown(binary: &Path) -> String {
    binary.display().to_string()
}
