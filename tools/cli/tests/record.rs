//! `heapwright record`: the program's end is ours, what was recorded is said, and what cannot be is said before.

mod common;

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use assert_cmd::Command as Ours;
use common::{ended, heapwright, outcome, started, wait_until};
use trace::Trace;

fn record(folder: &Path, arguments: &[&str]) -> Ours {
    let mut command = heapwright();
    command.arg("record").arg("-o").arg(folder).args(arguments);
    command
}

#[test]
fn a_program_is_recorded_and_its_end_is_ours() {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path().join("a trace");
    let (_, said, code) = outcome(&mut record(&folder, &["--", "sh", "-c", "exit 7"]));
    assert_eq!(code, Some(7), "{said}");
    assert!(said.starts_with("recorded  sh (process ") && said.contains("on glibc"), "{said}");
    assert!(said.contains("heapwright explain ") && said.contains("heapwright replay "), "{said}");
    let trace = Trace::open(&folder).unwrap();
    assert!(trace.about().events > 10 && trace.others().is_empty());
    let files = fs::read_dir(&folder).unwrap().flatten();
    assert!(files.map(|file| file.path()).all(|file| file.extension().unwrap() == "trace"));
    let (_, said, code) = outcome(&mut record(&folder, &["--", "true"]));
    assert!(code == Some(2) && said.contains("--force"), "{said}");
    let (_, said, code) = outcome(&mut record(&folder, &["--force", "--", "true"]));
    assert_eq!(code, Some(0), "{said}");
    assert_eq!(Trace::open(&folder).unwrap().others().len(), 1);
}

#[test]
fn another_malloc_is_recorded_too() {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path().join("trace");
    let (_, said, code) =
        outcome(&mut record(&folder, &["-a", "heapwright", "--", "sort", "/dev/null"]));
    assert_eq!(code, Some(0), "{said}");
    assert_eq!(Trace::open(&folder).unwrap().about().malloc.name, "heapwright");
}

#[test]
fn what_cannot_be_recorded_is_said_before() {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path().join("trace");
    let program = place.path().join("static");
    let mut cc = Command::new("cc");
    cc.args(["-static", "-x", "c", "-", "-o"]).arg(&program).stdin(Stdio::piped());
    let mut cc = cc.spawn().unwrap();
    std::io::Write::write_all(&mut cc.stdin.take().unwrap(), b"int main(void) { return 3; }")
        .unwrap();
    if !cc.wait().unwrap().success() {
        return eprintln!("skipped: no static C library");
    }
    let program = program.to_str().unwrap();
    let (_, said, code) = outcome(&mut record(&folder, &["--", program]));
    assert!(code == Some(125) && said.contains("statically linked"), "{said}");
    assert!(!folder.exists());
    let (_, said, code) = outcome(&mut record(&folder, &["--force", "--", program]));
    assert!(code == Some(3) && said.contains("nothing"), "{said}");
}

#[test]
fn wrong_words_are_usage() {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path().join("trace");
    for arguments in [
        &["--max-size", "1k", "--", "true"][..],
        &["--max-size", "much", "--", "true"],
        &["--for", "soon", "--", "true"],
        &["--children", "some", "--", "true"],
        &["--stacks", "some", "--", "true"],
        &["--interval-bytes", "1m", "--", "true"],
        &["--stacks", "sampled", "--interval-bytes", "0", "--", "true"],
        &["--pid", "1", "--", "true"],
        &[],
    ] {
        let (_, said, code) = outcome(&mut record(&folder, arguments));
        assert_eq!(code, Some(2), "{arguments:?}: {said}");
    }
    let (_, said, code) = outcome(&mut record(&folder, &["--", "/no/such/program"]));
    assert!(code == Some(127) && !folder.exists(), "{said}");
    let (_, said, code) = outcome(&mut record(&folder, &["--pid", "4194304"]));
    assert!(code == Some(125) && said.contains("no process"), "{said}");
}

#[test]
fn a_program_is_recorded_while_it_runs() {
    let place = tempfile::tempdir().unwrap();
    let program = place.path().join("program");
    fs::write(
        place.path().join("program.c"),
        "#include <stdlib.h>\n#include <stdio.h>\n#include <unistd.h>\nint main(void) { setbuf(stdout, NULL); \
         printf(\"%d\\n\", getpid()); for (;;) { for (int i = 0; i < 100; i++) { void *volatile p = malloc(4321); free(p); } \
         usleep(100); } }",
    )
    .unwrap();
    let mut cc = Command::new("cc");
    cc.arg("-o").arg(&program).arg(place.path().join("program.c"));
    assert!(cc.status().unwrap().success());
    let mut run = Command::new(env!("CARGO_BIN_EXE_heapwright"));
    run.args(["run", "--armed", "-a", "glibc", "--"]).arg(&program);
    run.env("TMPDIR", place.path()).env("XDG_CACHE_HOME", env!("CARGO_TARGET_TMPDIR"));
    run.env_remove("LD_PRELOAD").stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut running = started(&mut run);
    wait_until(&mut running, |running| running.stdout.text().ends_with('\n'));
    let process = running.stdout.text().trim().to_owned();
    // Twice: it waits again.
    for name in ["one", "two"] {
        let folder = place.path().join(name);
        let (_, said, code) = outcome(&mut record(&folder, &["--for", "200ms", "--pid", &process]));
        assert_eq!(code, Some(0), "{said}");
        let trace = Trace::open(&folder).unwrap();
        let missing = &trace.about().missing;
        assert!(trace.about().events > 100 && missing.damaged == 0, "{:?}", trace.about());
    }
    running.kill().unwrap();
    drop(ended(running));
}
