//! A run that does not get its processor is flagged, from the helper's figures to the session's runs.

use core::hint::black_box;
use core::sync::atomic::{AtomicBool, Ordering};
use core::time::Duration;
use std::env;
use std::ffi::OsString;
use std::fs;
use std::path::PathBuf;
use std::thread;

use heapwright_bench::measured::{Job, Launcher};
use heapwright_bench::session::{
    self, Failure, Observer, Options, Session, Step, WorkloadIndex, line_up,
};
use heapwright_bench::workload::Workload;
use heapwright_bench::{cpus, testing};
use launch::allocator::Allocator;

/// The argument with which this file is a program that computes.
pub(crate) const COMPUTE: &str = "__compute";

/// As much work as takes a fifth of a second or so; without end where the next argument names a file, which is made
/// at the start.
pub(crate) fn compute() {
    let file = env::args().nth(2);
    if let Some(file) = &file {
        fs::write(file, "").unwrap();
    }
    let mut x = 1_u64;
    loop {
        for _ in 0..20_000_000 {
            x = black_box(x.wrapping_mul(0x5851_f42d_4c95_7f2d).rotate_left(7));
        }
        if file.is_none() {
            return;
        }
    }
}

pub(crate) struct NoObserver;

impl Observer for NoObserver {
    fn running(&mut self, _: &Step<'_>) {}
    fn failed(&mut self, workload: &str, subject: &str, failure: &Failure) {
        panic!("{workload} {subject} {failure:?}");
    }
}

fn argv(more: &[&str]) -> (PathBuf, Vec<OsString>) {
    let me = env::current_exe().unwrap();
    let argv = core::iter::once(me.clone().into_os_string())
        .chain([COMPUTE].iter().chain(more).map(OsString::from))
        .collect();
    (me, argv)
}

fn measured(threads: u32, cpu: usize) -> Session {
    let (me, argv) = argv(&[]);
    let mut work = Workload::own("compute".into(), me.clone(), argv);
    work.threads = threads;
    work.cpus = vec![cpu];
    let options =
        Options { warmup: 0, rounds: Some(1), warm: false, tails: false, ..testing::options() };
    let subjects = line_up(vec![Allocator::glibc()], false);
    let launcher = Launcher::new(me);
    session::run(
        &launcher,
        vec![work],
        subjects,
        &options,
        &mut NoObserver,
        &AtomicBool::new(false),
    )
    .unwrap()
}

pub(crate) fn a_competitor_on_the_processor_is_seen() {
    let cpu = cpus::choose(1).first().copied().unwrap_or(0);
    let enough = AtomicBool::new(false);
    let dir = tempfile::tempdir().unwrap();
    let computes = dir.path().join("computes");
    let (me, argv) = argv(&[computes.to_str().unwrap()]);
    thread::scope(|scope| {
        scope.spawn(|| {
            let job = Job { cpus: &[cpu], ..Job::new(&me, &argv) };
            Launcher::new(&me).run(&job, &enough).unwrap();
        });
        while !computes.exists() {
            thread::sleep(Duration::from_millis(5));
        }
        // By the time that a single thread waited, by what others had of the processors of several, and by how long the tasks of
        // a program of unknown threads waited.
        let sessions = [1, 2, 0].map(|threads| measured(threads, cpu));
        enough.store(true, Ordering::Relaxed);
        for session in sessions {
            assert_eq!(session.runs.len(), 2);
            for run in &session.runs {
                let f = &run.figures;
                assert!(run.starved, "{run:?}");
                assert!(
                    u128::from(f.wall_ns) > 1200 * u128::from(f.user_us + f.system_us),
                    "{f:?}"
                );
                assert!(f.others_us.unwrap() * 1000 > f.wall_ns / 5, "{f:?}");
            }
            // All were, so that nothing else is left to go by.
            assert!(session.counts_starved(WorkloadIndex(0)));
        }
    });
}
