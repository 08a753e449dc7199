//! `run`: the environment it prepares, and that it becomes the program.

use std::os::unix::process::ExitStatusExt as _;

use crate::common::{exits, heapwright, ours, outcome, says};
use launch::testing::{file, static_program};

#[test]
fn the_programs_exit_code_is_ours() {
    for code in [0, 1, 7, 255] {
        let script = format!("exit {code}");
        let (_, err, got) = ours(["run", "--", "/bin/sh", "-c", &script]);
        assert_eq!((got, err.as_str()), (Some(code), ""));
    }
}

#[test]
fn the_signal_that_ends_the_program_is_ours() {
    let output =
        heapwright().args(["run", "--", "/bin/sh", "-c", "kill -TERM $$"]).output().unwrap();
    assert_eq!(output.status.signal(), Some(15));
}

#[test]
fn streams_and_arguments_go_through() {
    let mut command = heapwright();
    command.args(["run", "--", "/bin/sh", "-c", "cat; echo \"$0|$1\"", "a b", "--stats"]);
    let (out, _, code) = outcome(command.write_stdin("input\n"));
    assert_eq!((out.as_str(), code), ("input\na b|--stats\n", Some(0)));
}

#[test]
fn the_dashes_may_be_left_out() {
    let (out, _, _) = ours(["run", "echo", "-n", "x"]);
    assert_eq!(out, "x");
}

#[test]
fn what_cannot_be_started_is_126_or_127() {
    let dir = tempfile::tempdir().unwrap();
    let plain = file(dir.path(), "plain", b"text", 0o644);
    let orphan = file(dir.path(), "orphan", b"#!/no/such/interpreter\n", 0o755);
    for (program, code, expected) in [
        ("/no/such/file", 127, "/no/such/file: not found"),
        ("no-such-name-anywhere", 127, "not found in PATH"),
        (plain.to_str().unwrap(), 126, "permission denied"),
        (dir.path().to_str().unwrap(), 126, "directory"),
        (orphan.to_str().unwrap(), 126, "its interpreter or loader does not exist"),
        ("", 127, "the program's name is empty"),
    ] {
        for command in [&["run"][..], &["run", "--check"], &["run", "--stats"], &["bench"]] {
            says(code, ours([command, &["--", program]].concat()), &[expected]);
        }
    }
}

#[test]
fn an_allocator_that_is_not_there_is_125() {
    let dir = tempfile::tempdir().unwrap();
    let text = file(dir.path(), "libtext.so", b"no library", 0o644);
    for (allocator, expected) in [
        ("nonsense".to_owned(), "there are heapwright, glibc, tlsf, first-fit"),
        ("x=/no/such/lib.so".to_owned(), "cannot open /no/such/lib.so"),
        (format!("x={}", text.display()), "exports malloc"),
    ] {
        says(125, ours(["run", "-a", &allocator, "--", "true"]), &[expected]);
    }
}

const SHOW: [&str; 4] = ["--", "/bin/sh", "-c", "echo \"$LD_PRELOAD|$HEAPWRIGHT\""];

#[test]
fn the_library_is_put_in_front_of_what_is_preloaded_already() {
    let (alone, _, _) = outcome(heapwright().arg("run").args(SHOW));
    let (path, settings) = alone.trim().split_once('|').unwrap();
    assert!(path.ends_with(".so") && settings.is_empty(), "{alone}");
    // Any library will do as the one that is there already; ours twice is harmless.
    let (both, _, _) = outcome(heapwright().env("LD_PRELOAD", path).arg("run").args(SHOW));
    assert_eq!(both.trim(), format!("{path}:{path}|"));
}

#[test]
fn glibc_means_its_own_library_before_what_a_program_is_linked_to() {
    let (out, err, _) = outcome(heapwright().args(["run", "-a", "glibc"]).args(SHOW));
    assert!(out.starts_with('/') && out.contains("/libc.") && out.ends_with("|\n"), "{out}");
    assert_eq!(err, "");
}

#[test]
fn a_library_by_path_is_preloaded_from_there() {
    let (out, _, _) = outcome(heapwright().arg("run").args(SHOW));
    let path = out.split('|').next().unwrap();
    let mine = format!("mine={path}");
    let (out, _, code) = outcome(heapwright().args(["run", "-a", &mine]).args(SHOW));
    assert_eq!((out.trim(), code), (&*format!("{path}|"), Some(0)));
}

#[test]
fn statistics_come_though_the_program_closed_standard_error() {
    for name in registry::mallocs().chain(["heapwright"]) {
        // It closes standard output and standard error in an exit handler.
        let (_, err) = exits(0, ours(["run", "-a", name, "--stats", "--", "ls", "/"]));
        assert!(err.starts_with("heapwright: ls / (process "), "{name}: {err}");
        let counts = name == "heapwright" || err.contains(" bytes in use");
        assert!(err.contains("  Peak ") && counts, "{name}: {err}");
        // The library by itself, where no command waits for it.
        let (_, err, _) = ours(["run", "-a", name, "--set", "stats", "--", "ls", "/"]);
        assert!(err.contains("heapwright"), "{name}: {err}");
    }
}

#[test]
fn a_classic_design_says_which_settings_it_has() {
    let mut command = heapwright();
    // In the variable, which --set would refuse, they are left to the library.
    command.env("HEAPWRIGHT", "keep=64m,hue=red").args(["run", "-a", "tlsf", "--", "/bin/true"]);
    let (_, err) = exits(0, outcome(&mut command));
    let expected = "heapwright: HEAPWRIGHT has no key \"keep\" for tlsf; there are stats, check, deepbind; 1 more mistake";
    assert!(err.contains(expected), "{err}");
}

#[test]
fn settings_are_merged_with_the_inherited_ones() {
    let (out, _, _) = outcome(
        heapwright()
            .env("HEAPWRIGHT", "keep=1m,stats=0")
            .args(["run", "-a", "glibc", "--set", "stats", "--set", "safe=1", "--set", "safe=0"])
            .args(SHOW),
    );
    assert!(out.ends_with("|keep=1m,stats=1,safe=0\n"), "{out}");
}

#[test]
fn settings_for_another_allocator_are_warned_about() {
    let (_, err) = exits(0, ours(["run", "-a", "glibc", "--stats", "--", "true"]));
    assert_eq!(err.lines().count(), 1, "{err}");
    assert!(err.contains("glibc does not know them"), "{err}");
}

#[test]
fn it_works_without_a_home_and_where_nothing_can_be_written() {
    let mut bare = heapwright();
    bare.env_clear().env("PATH", "/bin:/usr/bin").env("TMPDIR", "/no/such/directory");
    let (out, err, code) = outcome(bare.arg("run").args(SHOW));
    assert_eq!((code, err.as_str()), (Some(0), ""));
    let path = out.split('|').next().unwrap();
    assert!(path.starts_with('/') && path.ends_with(".so"), "{out}");
}

#[cfg(target_arch = "x86_64")]
#[test]
fn a_static_program_is_warned_about_in_one_line_and_run() {
    let dir = tempfile::tempdir().unwrap();
    let program = file(dir.path(), "static", &static_program(9), 0o755);
    let (_, err) = exits(9, run!["run", "--", &program]);
    assert_eq!(err.lines().count(), 1, "{err}");
    assert!(err.contains("statically linked"), "{err}");
    let (_, err, code) = run!["run", "-a", "glibc", "--", &program];
    assert_eq!((code, err.as_str()), (Some(9), ""), "glibc is what it has");
}
