//! `heapwright-torture` on the C malloc, which is right, and on broken ones preloaded from C.
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const TORTURE: &str = env!("CARGO_BIN_EXE_heapwright-torture");

fn torture(words: &str, preload: Option<&Path>) -> Output {
    let mut command = Command::new(TORTURE);
    command.args(words.split_whitespace());
    if let Some(library) = preload {
        command.env("LD_PRELOAD", library);
    }
    command.output().expect("the binary was built for this test")
}

fn text(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// A broken malloc from `tests/broken`; `None` without a C compiler.
fn broken(name: &str) -> Option<PathBuf> {
    let source = format!("{}/tests/broken/{name}.c", env!("CARGO_MANIFEST_DIR"));
    let library = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("broken-{name}.so"));
    let mut compiler = Command::new("cc");
    compiler.args(["-O1", "-fno-builtin", "-shared", "-fPIC", "-o"]).arg(&library).arg(source);
    match compiler.status() {
        Ok(status) => {
            assert!(status.success(), "{name}.c does not compile");
            Some(library)
        }
        Err(_) => {
            eprintln!("skipped: there is no C compiler `cc`");
            None
        }
    }
}

#[test]
fn the_c_malloc_survives() {
    let output = torture("--rounds 3 --seed 7 --ops 500", None);
    assert!(output.status.success(), "{}", text(&output));
    let text = text(&output);
    assert!(text.starts_with("nothing found in 3 rounds: seed 7\n"), "{text}");
    assert!(text.ends_with(" blocks allocated, 0 refused where that is allowed\n"), "{text}");
}

#[test]
fn a_program_can_be_replayed() {
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join("replayed.ops");
    std::fs::write(&file, "--- thread 0\nmalloc 0 9\nsend 0\n--- thread 1\nreceive 0\n")
        .expect("it can be written");
    let output = torture(&format!("--replay {}", file.display()), None);
    assert!(output.status.success(), "{}", text(&output));
}

#[test]
fn a_broken_heap_is_found_and_its_program_is_small() {
    let Some(library) = broken("usable") else { return };
    let output = torture("--rounds 3 --seed 7 --dist small --ops 800", Some(&library));
    let text = text(&output);
    assert_eq!(output.status.code(), Some(1), "{text}");
    let (_, program) = text.split_once("smallest found: ").expect("it was shrunk");
    let lines = program.lines().skip(1).take_while(|line| !line.starts_with("as code"));
    let ops = lines.filter(|line| !line.starts_with("---")).count();
    assert!((1..10).contains(&ops), "{text}");
    assert!(text.contains("replay: heapwright-torture --replay /"), "{text}");
}

#[test]
fn a_hang_is_found() {
    let Some(library) = broken("hang") else { return };
    let words = "--rounds 3 --seed 7 --ops 3000 --timeout 1 --no-shrink";
    let output = torture(words, Some(&library));
    assert_eq!(output.status.code(), Some(1), "{}", text(&output));
    assert!(text(&output).contains("hangs"), "{}", text(&output));
}

#[test]
fn wrong_arguments_are_named() {
    for (words, message) in [
        ("--sedonds 3", "unexpected argument '--sedonds'"),
        ("--threads 0", "0 is not in 1..=256"),
        ("--dist tiny", "known: small edges"),
        ("--seed", "a value is required for '--seed"),
        ("--replay /nonexistent", "/nonexistent"),
    ] {
        let output = torture(words, None);
        assert_eq!(output.status.code(), Some(2), "{words}");
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(error.contains(message), "{words}: {error}");
    }
}
