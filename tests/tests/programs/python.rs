//! CPython's own tests, by `python3 -m test`.
//!
//! A module that fails on the plain malloc too says nothing about ours: it is named, and not counted against us.

use core::time::Duration;
use heapwright_tests::{Finished, Malloc, Program, is_whole, need, need_module, same_on_all};
use std::path::{Path, PathBuf};

/// Everything python asks memory for goes through malloc: `PYTHONMALLOC=malloc`. Those that sleep are first: the others run beside
/// them.
const ON_MALLOC: &str = "test_subprocess test_threading test_queue test_fork1 test_pickle test_weakref test_bz2 test_array \
     test_bytes test_ctypes test_decimal test_deque test_dict test_gc test_hashlib test_itertools test_json \
     test_list test_memoryview test_mmap test_re test_set test_sqlite3 test_struct test_tempfile test_thread \
     test_unicode test_xml_etree_c test_zlib";

/// Compresses much, for a quarter of all the time of the processor: only where everything is tried.
const LONG: &str = " test_lzma";

/// Three of a name that sleep for three seconds each: only where everything is tried.
const ASLEEP: &str = "test_check_output_timeout";

/// As python is run every day: its own arenas for small objects, malloc below them.
const ON_ARENAS: &str =
    "test_threading test_bytes test_ctypes test_dict test_json test_list test_thread test_zlib";

/// Of these modules only these classes, where some are named: the whole would take minutes. They sleep most of the time, so all of
/// these run side by side.
const CLASSES: [(&str, &str); 5] = [
    ("test_asyncio.test_tasks", ""),
    ("test_concurrent_futures", "ThreadPoolExecutorTest"),
    ("test_concurrent_futures", "ProcessPoolForkProcessPoolExecutorTest"),
    ("test_multiprocessing_fork", "WithManagerTestPool WithProcessesTestPool WithThreadsTestPool"),
    (
        "test_multiprocessing_fork",
        "WithProcessesTestArray WithProcessesTestConnection WithProcessesTestHeap WithProcessesTestProcess \
         WithProcessesTestQueue WithProcessesTestSharedMemory",
    ),
];

/// A module that takes longer hangs; python then names it. The whole may take longer than one.
const MODULE_LIMIT: &str = "150";
const LIMIT: Duration = Duration::from_secs(400);

#[test]
fn modules_on_malloc() {
    let long = if is_whole() { LONG } else { "" };
    run_modules(&[ON_MALLOC, long].concat(), "malloc", "-j3");
}

#[test]
fn modules_on_arenas() {
    run_modules(ON_ARENAS, "pymalloc", "-j2");
}

#[test]
fn classes_that_sleep() {
    std::thread::scope(|scope| {
        for (module, classes) in CLASSES {
            scope.spawn(move || run_classes(module, classes));
        }
    });
}

/// Runs these classes of a module; all, where none is named.
fn run_classes(module: &str, classes: &str) {
    let Some(python) = need_module(module) else { return };
    let run = |malloc| {
        let matching = classes.split_whitespace().flat_map(|class| ["-m", class]);
        regrtest(&python, "malloc").args(matching).arg(module).run(malloc)
    };
    let ours = run(Malloc::Ours);
    if !ours.status.success() {
        let plain = run(Malloc::Plain);
        assert!(!plain.status.success(), "{module} passes on the plain malloc: {ours}");
        eprintln!("{module} fails on the plain malloc too");
    }
}

/// A script that makes, sorts, pickles and drops many objects says the same on both.
#[test]
fn a_script_says_the_same() {
    let Some(python) = need("python3") else { return };
    let script = include_str!("../../data/objects.py");
    for pymalloc in ["malloc", "pymalloc"] {
        same_on_all(pymalloc, || {
            // `python3` may be a script that looks for the real one; either way it runs on our malloc.
            Program::new(&python)
                .arg("-")
                .env("PYTHONMALLOC", pymalloc)
                .env("PYTHONHASHSEED", "1")
                .input(script)
        });
    }
}

/// Runs as many of the modules at a time as `jobs` says, each in a process of its own.
fn run_modules(modules: &str, pymalloc: &str, jobs: &str) {
    let mut by_python: Vec<(PathBuf, Vec<&str>)> = Vec::new();
    for module in modules.split_whitespace() {
        let Some(python) = need_module(module) else { continue };
        match by_python.iter_mut().find(|(known, _)| *known == python) {
            Some((_, list)) => list.push(module),
            None => by_python.push((python, vec![module])),
        }
    }
    for (python, modules) in by_python {
        let ignored = if is_whole() { &[][..] } else { &["-i", ASLEEP] };
        let regrtest = || regrtest(&python, pymalloc).arg(jobs).args(ignored);
        let ours = regrtest().args(&modules).run(Malloc::Ours);
        if ours.status.success() {
            continue;
        }
        let failed = failed_modules(&ours);
        assert!(!failed.is_empty(), "python3 -m test did not say what failed: {ours}");
        let plain = regrtest().args(&failed).run(Malloc::Plain);
        let excused = failed_modules(&plain);
        let counted: Vec<_> = failed.iter().filter(|module| !excused.contains(module)).collect();
        assert!(counted.is_empty(), "{counted:?} pass on the plain malloc: {ours}");
        eprintln!("{excused:?} fail on the plain malloc too");
    }
}

fn regrtest(python: &Path, pymalloc: &str) -> Program {
    Program::new(python)
        .args(["-m", "test", "--timeout", MODULE_LIMIT])
        .env("PYTHONMALLOC", pymalloc)
        .limit(LIMIT)
        .undisturbed()
}

/// The modules in the closing list of `python3 -m test`: `2 tests failed:` and the indented lines that follow it.
fn failed_modules(run: &Finished) -> Vec<String> {
    run.stdout
        .lines()
        .skip_while(|line| {
            !(line.contains(" failed:") && line.starts_with(|c: char| c.is_ascii_digit()))
        })
        .skip(1)
        .take_while(|line| line.starts_with("    "))
        .flat_map(str::split_whitespace)
        .map(str::to_owned)
        .collect()
}
