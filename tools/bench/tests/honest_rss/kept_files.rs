//! A program that makes files at its first run, and uses them from then on: no allocator has the peak of that run.

use core::sync::atomic::AtomicBool;
use std::ffi::OsString;
use std::{env, fs};

use heapwright_bench::measured::Launcher;
use heapwright_bench::session::{self, Options, line_up};
use heapwright_bench::testing;
use heapwright_bench::workload::Workload;
use launch::allocator::Allocator;

use crate::MIB;
use crate::starved::NoObserver;

/// Writes a file by a buffer of 64 MiB, unless it is there.
const SCRIPT: &str = "[ -e \"$0\" ] || dd if=/dev/zero of=\"$0\" bs=64M count=1; exec sleep 0.05";

pub(crate) fn what_making_files_took_is_nobodys_memory() {
    let file = env::temp_dir().join(format!("heapwright-kept-{}", std::process::id()));
    let argv = ["sh", "-c", SCRIPT].map(OsString::from).into_iter().chain([file.clone().into()]);
    let mut work = Workload::own("kept".into(), "/bin/sh".into(), argv.collect());
    work.command = vec!["{temporary}".to_owned()];
    let options =
        Options { warmup: 1, rounds: Some(1), warm: false, tails: false, ..testing::options() };
    let session = session::run(
        &Launcher::new(env::current_exe().unwrap()),
        vec![work],
        line_up(vec![Allocator::glibc()], false),
        &options,
        &mut NoObserver,
        &AtomicBool::new(false),
    );
    let made = fs::metadata(&file).map(|file| file.len());
    fs::remove_file(&file).unwrap();
    assert_eq!(made.unwrap(), 64 * MIB);
    let session = session.unwrap();
    for subject in session.subject_indices() {
        for work in session.workload_indices() {
            let samples = &session.details[work][subject].samples;
            let peak = samples.iter().map(|sample| sample.rss_bytes).max().unwrap();
            assert!(peak < 32 * MIB, "{peak}");
        }
    }
}
