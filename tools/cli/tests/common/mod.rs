//! What the tests of the command share.
#![allow(dead_code, reason = "each test file uses a part")]

use core::time::Duration;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process;

use assert_cmd::Command;
use launch::{Launch, Running};

/// What takes longer hangs, on a busy machine too.
const HANGS: Duration = Duration::from_secs(300);

/// Starts `command`, which is killed at the end of the test.
pub(crate) fn started(command: &mut process::Command) -> Running {
    Launch::new(command).limit(HANGS).spawn().unwrap()
}

pub(crate) fn wait_until(running: &mut Running, mut holds: impl FnMut(&mut Running) -> bool) {
    while !holds(running) {
        assert!(!running.is_late(), "it hangs");
        assert!(!running.has_ended(), "it ended first: {}", running.stderr.text());
        running.look(Duration::from_millis(5)).unwrap();
    }
}

pub(crate) fn ended(mut running: Running) -> Outcome {
    let status = running.wait().unwrap().expect("it ends in time");
    (running.stdout.text(), running.stderr.text(), status.code())
}

/// The command, with a cache directory of the tests' own and none of the caller's settings.
pub(crate) fn heapwright() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_heapwright"));
    command
        .env("XDG_CACHE_HOME", env!("CARGO_TARGET_TMPDIR"))
        .env_remove("LD_PRELOAD")
        .env_remove("HEAPWRIGHT")
        .env_remove("NO_COLOR");
    command
}

/// Standard output and standard error, and the exit code.
type Outcome = (String, String, Option<i32>);

/// The output of what has to have ended with `code`.
#[track_caller]
pub(crate) fn exits(code: i32, (out, err, ended): Outcome) -> (String, String) {
    assert_eq!(ended, Some(code), "{out}\n{err}");
    (out, err)
}

/// Standard error of what has to have ended with `code` and printed nothing.
#[track_caller]
pub(crate) fn refused(code: i32, (out, err, ended): Outcome) -> String {
    assert_eq!((ended, out.as_str()), (Some(code), ""), "{err}");
    err
}

/// What has to have ended with `code` has said each of `words` on standard error.
#[track_caller]
pub(crate) fn says(code: i32, outcome: Outcome, words: &[&str]) {
    let (_, err) = exits(code, outcome);
    words.iter().for_each(|word| assert!(err.contains(word), "{word:?} is missing: {err}"));
}

/// The same, and it has printed nothing.
#[track_caller]
pub(crate) fn refuses(code: i32, outcome: Outcome, words: &[&str]) {
    assert_eq!(outcome.0, "");
    says(code, outcome, words);
}

pub(crate) fn outcome(command: &mut Command) -> Outcome {
    let output = command.output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (text(&output.stdout), text(&output.stderr), output.status.code())
}

pub(crate) fn file(directory: &Path, name: &str, content: &[u8], mode: u32) -> PathBuf {
    let path = directory.join(name);
    fs::write(&path, content).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
    path
}

/// A complete static x86-64 program of one segment that exits with `code`.
pub(crate) fn static_program(code: u8) -> Vec<u8> {
    // mov edi, code; mov eax, 60 (exit); syscall
    let text = [0xbf, code, 0, 0, 0, 0xb8, 0x3c, 0, 0, 0, 0x0f, 0x05];
    let size = 120 + text.len() as u64;
    let mut file = Vec::new();
    file.extend(b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0");
    file.extend([2, 0, 62, 0, 1, 0, 0, 0]);
    file.extend([0x40_0078_u64, 64, 0].iter().flat_map(|w| w.to_le_bytes()));
    file.extend([0, 0, 0, 0]);
    file.extend([64_u16, 56, 1, 0, 0, 0].iter().flat_map(|h| h.to_le_bytes()));
    file.extend([1, 0, 0, 0, 5, 0, 0, 0]);
    let segment = [0, 0x40_0000, 0x40_0000, size, size, 4096_u64];
    file.extend(segment.iter().flat_map(|w| w.to_le_bytes()));
    file.extend(text);
    file
}
