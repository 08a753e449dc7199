//! What the tests of the command share.
#![allow(dead_code, reason = "each test file uses a part")]

use core::time::Duration;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{self, Stdio};

use assert_cmd::Command;
use launch::{Launch, Running};
use serde_json::Value;

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
    let mut command = Command::from_std(plain());
    command.timeout(HANGS);
    command
}

/// The same, to be watched while it runs: what it says is kept, and nothing is on its standard input.
pub(crate) fn plain() -> process::Command {
    clean(process::Command::new(env!("CARGO_BIN_EXE_heapwright")))
}

/// The same with signals as usual: who runs the tests in a shell's background has them ignore some, and so would the command.
pub(crate) fn heeding() -> process::Command {
    let mut command = clean(process::Command::new("env"));
    command.args(["--default-signal", env!("CARGO_BIN_EXE_heapwright")]);
    command
}

/// A command that has this one among its words, cleaned likewise.
pub(crate) fn clean(mut command: process::Command) -> process::Command {
    command.env("XDG_CACHE_HOME", env!("CARGO_TARGET_TMPDIR"));
    for variable in ["LD_PRELOAD", "HEAPWRIGHT", "NO_COLOR"] {
        command.env_remove(variable);
    }
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// The program `programs/NAME.c`, compiled into this folder.
pub(crate) fn program(name: &str, flags: &[&str], folder: &Path) -> PathBuf {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs").join(name);
    let program = folder.join(name);
    launch::testing::compile(&source.with_extension("c"), flags, &program);
    program
}

/// What comes of the command with these words, paths among them.
macro_rules! run {
    ($($word:expr),* $(,)?) => {{
        let mut command = crate::common::heapwright();
        $(command.arg($word);)*
        crate::common::outcome(&mut command)
    }};
}

/// The library of ours that `list` names first.
pub(crate) fn flagship() -> String {
    parsed(ours(["list", "--format", "json"]))[0]["library"].as_str().unwrap().to_owned()
}

/// The names in a list of JSON objects.
pub(crate) fn names(list: &Value) -> Vec<&str> {
    list.as_array().unwrap().iter().map(|entry| entry["name"].as_str().unwrap()).collect()
}

pub(crate) type Outcome = (String, String, Option<i32>);

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

/// Each of `words` is in `text`.
#[track_caller]
pub(crate) fn has(text: &str, words: &[&str]) {
    words.iter().for_each(|word| assert!(text.contains(word), "{word:?} is missing: {text}"));
}

/// What has to have ended with `code` has said each of `words` on standard error.
#[track_caller]
pub(crate) fn says(code: i32, outcome: Outcome, words: &[&str]) {
    has(&exits(code, outcome).1, words);
}

/// The same on standard output.
#[track_caller]
pub(crate) fn prints(code: i32, outcome: Outcome, words: &[&str]) {
    has(&exits(code, outcome).0, words);
}

/// The same, and it has printed nothing.
#[track_caller]
pub(crate) fn refuses(code: i32, outcome: Outcome, words: &[&str]) {
    assert_eq!(outcome.0, "");
    says(code, outcome, words);
}

/// What was printed by what has to have ended with 0, as JSON.
#[track_caller]
pub(crate) fn parsed(outcome: Outcome) -> Value {
    let (out, _) = exits(0, outcome);
    serde_json::from_str(&out).unwrap_or_else(|why| panic!("{why}: {out}"))
}

/// What comes of the command with these words.
pub(crate) fn ours<W: AsRef<OsStr>>(words: impl IntoIterator<Item = W>) -> Outcome {
    outcome(heapwright().args(words))
}

pub(crate) fn outcome(command: &mut Command) -> Outcome {
    let output = command.output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (text(&output.stdout), text(&output.stderr), output.status.code())
}
