//! `bench` hears signals that come twice: as `timeout` sends them, and as an impatient user does.

use core::time::Duration;
use std::fs;
use std::io::{self, Write as _};
use std::os::unix::process::ExitStatusExt as _;
use std::path::Path;
use std::process::Stdio;
use std::thread::sleep;
use std::time::Instant;

use crate::common::{ended, exits, heeding, started, wait_until};
use launch::Running;
use rustix::fs::{OFlags, fcntl_setfl};
use rustix::process::Signal;

/// `bench` with results and temporary files in `folder`.
fn bench(folder: &Path, args: &[&str], stdout: Stdio) -> Running {
    fs::create_dir(folder.join("tmp")).unwrap();
    let mut command = heeding();
    command.args(["bench", "-a", "glibc", "--warmup", "0", "-o"]).arg(folder.join("results"));
    started(command.args(args).env("TMPDIR", folder.join("tmp")).stdout(stdout))
}

fn is_empty(folder: &Path) -> bool {
    fs::read_dir(folder).unwrap().next().is_none()
}

/// `timeout` signals its child, and then the child's whole group.
#[test]
fn the_same_signal_twice_is_one_interrupt() {
    let pairs =
        [(Signal::INT, Signal::INT), (Signal::QUIT, Signal::TERM), (Signal::TERM, Signal::TERM)];
    for (first, second) in pairs {
        let dir = tempfile::tempdir().unwrap();
        let starts = dir.path().join("starts");
        let script = format!("echo >>{}", starts.display());
        let args = ["--rounds", "100000", "--", "/bin/sh", "-c", &script];
        let mut child = bench(dir.path(), &args, Stdio::piped());
        // A line for each run: some rounds are complete.
        wait_until(&mut child, |_| fs::metadata(&starts).is_ok_and(|file| file.len() >= 20));
        child.signal(first);
        // Later than the handler of the first, sooner than the end of the result.
        sleep(Duration::from_millis(20));
        child.signal(second);
        let (out, err) = exits(130, ended(child));
        assert!(out.contains("interrupted") && out.contains("glibc again"), "{out}");
        assert_eq!(err.matches("a second interrupt ends this at once").count(), 1, "{err}");
        for name in ["result.json", "runs.csv", "table.txt", "report.html"] {
            let file = fs::metadata(dir.path().join("results").join(name)).unwrap();
            assert!(file.len() > 0, "{name}");
        }
    }
}

#[test]
fn a_second_interrupt_ends_it_and_leaves_no_temporary_folder() {
    // It would wait for ever to print its table: nobody reads from this pipe, and it is full.
    let (_reader, mut writer) = io::pipe().unwrap();
    fcntl_setfl(&writer, OFlags::NONBLOCK).unwrap();
    while writer.write(&[b' '; 4096]).is_ok() {}
    while writer.write(b" ").is_ok() {}
    fcntl_setfl(&writer, OFlags::empty()).unwrap();
    let dir = tempfile::tempdir().unwrap();
    let args = ["bench-tiny", "--rounds", "1", "--scale", "0.01", "--no-tails"];
    let mut child = bench(dir.path(), &args, writer.into());
    let table = dir.path().join("results/table.txt");
    wait_until(&mut child, |_| table.exists());
    assert!(!is_empty(&dir.path().join("tmp")), "there is something to remove");
    let began = Instant::now();
    while !child.has_ended() {
        assert!(began.elapsed() < Duration::from_secs(60), "it hears nothing");
        child.signal(Signal::INT);
        sleep(Duration::from_millis(100));
    }
    let status = child.wait().unwrap().unwrap();
    assert_eq!(status.signal(), Some(2), "{}", child.stderr.text());
    assert!(began.elapsed() >= Duration::from_millis(900), "the first ones are one");
    assert!(is_empty(&dir.path().join("tmp")), "the temporary folder is left behind");
}
