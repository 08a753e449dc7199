//! `bench` hears signals that come twice: as `timeout` sends them, and as an impatient user does.

mod common;

use core::time::Duration;
use std::fs;
use std::io::{self, Write as _};
use std::os::unix::process::ExitStatusExt as _;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::Instant;

use rustix::fs::{OFlags, fcntl_setfl};
use rustix::process::{Pid, Signal, kill_process};

/// `bench` with results and temporary files in `folder`, and signals as usual: who runs the tests in the background of a script has them ignore
/// SIGQUIT, and `bench` would do so too.
fn bench(folder: &Path, args: &[&str], stdout: Stdio) -> Child {
    fs::create_dir(folder.join("tmp")).unwrap();
    Command::new("env")
        .args(["--default-signal", env!("CARGO_BIN_EXE_heapwright")])
        .args(["bench", "-a", "glibc", "--warmup", "0", "-o"])
        .arg(folder.join("results"))
        .args(args)
        .env("XDG_CACHE_HOME", env!("CARGO_TARGET_TMPDIR"))
        .env("TMPDIR", folder.join("tmp"))
        .env_remove("LD_PRELOAD")
        .env_remove("HEAPWRIGHT")
        .stdin(Stdio::null())
        .stdout(stdout)
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

fn send(child: &Child, signal: Signal) {
    let pid = Pid::from_raw(i32::try_from(child.id()).unwrap()).unwrap();
    kill_process(pid, signal).unwrap();
}

fn wait_until(child: &mut Child, mut holds: impl FnMut() -> bool) {
    while !holds() {
        assert!(child.try_wait().unwrap().is_none(), "it ended first");
        sleep(Duration::from_millis(5));
    }
}

fn is_empty(folder: &Path) -> bool {
    fs::read_dir(folder).unwrap().next().is_none()
}

/// `timeout` signals its child, and then the child's whole group.
#[test]
fn the_same_signal_twice_is_one_interrupt() {
    for (first, second) in [(Signal::INT, Signal::INT), (Signal::QUIT, Signal::TERM)] {
        let dir = tempfile::tempdir().unwrap();
        let starts = dir.path().join("starts");
        let script = format!("echo >>{}", starts.display());
        let args = ["--rounds", "100000", "--", "/bin/sh", "-c", &script];
        let mut child = bench(dir.path(), &args, Stdio::piped());
        // A line for each run: some rounds are complete.
        wait_until(&mut child, || fs::metadata(&starts).is_ok_and(|file| file.len() >= 20));
        send(&child, first);
        // Later than the handler of the first, sooner than the end of the result.
        sleep(Duration::from_millis(20));
        send(&child, second);
        let output = child.wait_with_output().unwrap();
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let (out, err) = (text(&output.stdout), text(&output.stderr));
        assert_eq!(output.status.code(), Some(130), "{first:?}: {err}");
        assert!(out.contains("interrupted") && out.contains("glibc again"), "{out}");
        assert_eq!(err.matches("a second interrupt ends this at once").count(), 1, "{err}");
        assert!(dir.path().join("results/result.json").exists(), "{err}");
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
    wait_until(&mut child, || table.exists());
    assert!(!is_empty(&dir.path().join("tmp")), "there is something to remove");
    let began = Instant::now();
    while child.try_wait().unwrap().is_none() {
        assert!(began.elapsed() < Duration::from_secs(60), "it hears nothing");
        send(&child, Signal::INT);
        sleep(Duration::from_millis(100));
    }
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.signal(), Some(2), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(began.elapsed() >= Duration::from_millis(900), "the first ones are one");
    assert!(is_empty(&dir.path().join("tmp")), "the temporary folder is left behind");
}
