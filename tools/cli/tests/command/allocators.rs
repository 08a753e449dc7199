//! `bench` of libraries that do not serve as malloc, and under names that mean others: refused before the first run.

use core::time::Duration;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;

use crate::common::{
    exits, flagship, has, heapwright, ours, outcome, parsed, prints, program, refused, refuses,
    says,
};
use launch::testing::{compile, file};

/// Where the parts of libraries are, which they include.
const PARTS: &str = concat!("-I", env!("CARGO_MANIFEST_DIR"), "/tests/programs");
const BUMP: &str = "#include \"bump.c\"\n";
const REST: &str = "#include \"rest.c\"\n";

/// The library that this C text becomes.
fn library(folder: &Path, name: &str, text: &str) -> PathBuf {
    let source = file(folder, &format!("{name}.c"), text.as_bytes(), 0o644);
    let library = folder.join(format!("lib{name}.so"));
    compile(&source, &["-shared", "-fPIC", "-fno-builtin", PARTS], &library);
    library
}

/// `bench` with these words, which has to end soon.
fn bench(args: &[&str]) -> (String, String, Option<i32>) {
    let mut command = heapwright();
    command.args(["bench", "--no-files"]).args(args);
    outcome(command.timeout(Duration::from_secs(60)))
}

#[test]
fn a_library_that_does_not_work_is_2_before_anything_runs() {
    let dir = tempfile::tempdir().unwrap();
    for (name, text, expected) in [
        (
            "crash",
            "void abort(void); void *malloc(unsigned long n) { (void)n; abort(); }",
            "SIGABRT",
        ),
        ("never", "void *malloc(unsigned long n) { (void)n; return 0; }", "memory allocation of"),
        (
            "hang",
            "int pause(void); void *malloc(unsigned long n) { (void)n; for (;;) pause(); }",
            "does not end",
        ),
        (
            "undefined",
            "void *nowhere(unsigned long); void *malloc(unsigned long n) { return nowhere(n); }",
            "undefined symbol: nowhere",
        ),
        ("alone", BUMP, "does not run"),
    ] {
        let library = library(dir.path(), name, text);
        let path = library.to_str().unwrap();
        let named = format!("mine={path}");
        let fails = |work: &[&str]| {
            let err = refused(2, bench(&[&["-a", "glibc", "-a", &named], work].concat()));
            has(&err, &["mine", path, expected]);
        };
        // Both at once: what hangs is waited for.
        thread::scope(|scope| {
            scope.spawn(|| fails(&["bench-tiny"]));
            fails(&["--", "/bin/true"]);
        });
    }
}

#[test]
fn one_that_has_only_what_it_needs_is_measured_and_may_print_much() {
    let dir = tempfile::tempdir().unwrap();
    for (name, more) in [("bumps", ""), ("says", "#include \"loud.c\"\n")] {
        let library = library(dir.path(), name, &format!("{BUMP}{REST}{more}"));
        let named = format!("{name}={}", library.display());
        let args = ["-a", "glibc", "-a", &named, "--rounds", "1", "--warmup", "0"];
        prints(0, bench(&[&args[..], &["--", "/bin/true"]].concat()), &[name]);
    }
}

#[test]
fn a_broken_library_that_was_only_found_is_left_out_and_said() {
    let dir = tempfile::tempdir().unwrap();
    let text = "void *malloc(unsigned long n) { (void)n; return 0; }";
    let library = library(dir.path(), "found", text);
    let mut command = heapwright();
    command.env("HEAPWRIGHT_ALLOCATORS", &library).args(["bench", "--no-files", "--rounds", "1"]);
    let (out, err) = exits(0, outcome(command.args(["--warmup", "0", "--", "/bin/true"])));
    assert!(err.contains("left out: allocator found: "), "{err}");
    assert!(!out.contains("found "), "{out}");
}

#[test]
fn what_is_no_library_file_is_2_at_once() {
    let dir = tempfile::tempdir().unwrap();
    let text = file(dir.path(), "text.so", b"text", 0o644);
    let pipe = dir.path().join("pipe.so");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    for path in [&text, &pipe, &dir.path().join("missing.so"), &dir.path().to_owned()] {
        let named = format!("x={}", path.display());
        says(2, bench(&["bench-tiny", "-a", &named]), &["allocator x: ", path.to_str().unwrap()]);
        // There 2 may be the program's own.
        let mut run = heapwright();
        run.args(["run", "-a", &named, "--", "true"]).timeout(Duration::from_secs(20));
        assert_eq!(outcome(&mut run).2, Some(125), "{named}");
    }
}

#[test]
fn a_file_named_without_a_slash_is_told_from_a_name() {
    says(2, bench(&["bench-tiny", "-a", "missing.so"]), &["-a ./missing.so"]);
}

#[test]
fn names_that_mean_another_one_are_refused() {
    let library = flagship();
    for (name, more) in [
        ("glibc", &[][..]),
        ("glibc again", &[]),
        ("null", &[]),
        ("tlsf", &["--region"]),
        ("talc", &["--region"]),
    ] {
        let named = format!("{name}={library}");
        refuses(2, bench(&[&["bench-tiny", "-a", &named], more].concat()), &[&format!("'{name}'")]);
    }
    says(2, bench(&["basic", "-a", "talc"]), &["talc is a region allocator: add --region"]);
    for empty in [&["-a", ""][..], &[""]] {
        says(2, bench(empty), &["'' is no "]);
    }
}

#[test]
fn a_region_is_for_workloads_that_run_on_one() {
    for args in [
        &["--region", "--", "/bin/true"][..],
        &["git", "--region"],
        &["fork-storm", "--region"],
        &["real", "--region"],
    ] {
        let err = refused(2, bench(args));
        // A program that is not installed is refused for that.
        let is_own = err.contains("--region is for heapwright's own workloads");
        assert!(is_own || err.contains("not installed"), "{args:?}: {err}");
    }
}

#[test]
fn the_texts_figures_stand_beside_what_was_measured() {
    let dir = tempfile::tempdir().unwrap();
    let place = dir.path().to_str().unwrap();
    let args = ["bench", "arceos", "-a", "glibc,tlsf,sharded", "--rounds", "1", "--warmup", "0"];
    let short = ["--scale", "0.001", "--cold", "--no-tails", "--force", "-o", place];
    let args = [&args[..], &short].concat();
    prints(0, ours(args), &["in the text", "sharded"]);
    let picture = std::fs::read_to_string(dir.path().join("plots/text.svg")).unwrap();
    assert_eq!(picture.matches("grey: in the text").count(), 7, "a chart for each test");
    says(2, bench(&["arceos", "--counted"]), &["--counted counts libraries"]);
}

#[test]
fn the_glibc_row_of_a_program_linked_to_another_malloc_is_glibcs() {
    for (name, expected) in [
        ("jemalloc", "libjemalloc.so: the preloaded library"),
        ("heapwright", "libheapwright.so"),
        ("heapwright-tlsf", "libheapwright-tlsf.so"),
    ] {
        let dir = tempfile::tempdir().unwrap();
        let more = "\nvoid free(void *block) { (void)block; }";
        let library = library(dir.path(), name, &format!("{BUMP}{more}"));
        // DT_RPATH, as cargo's LD_LIBRARY_PATH may have a library of that name.
        let flags = [
            "-Wl,--no-as-needed,--disable-new-dtags",
            &format!("-L{}", dir.path().display()),
            &format!("-l{name}"),
            "-ldl",
            &format!("-Wl,-rpath,{}", dir.path().display()),
        ];
        let program = program("whose", &flags, dir.path());
        let alone = Command::new(&program).output().unwrap().stdout;
        assert_eq!(String::from_utf8_lossy(&alone).trim_end(), library.to_str().unwrap());
        let program = program.to_str().unwrap();
        prints(0, ours(["run", "--check", "--", program]), &["linked to", expected]);
        let args = ["-a", "glibc", "--rounds", "1", "--warmup", "0", "--show-output", "--"];
        let (_, err) = exits(0, bench(&[&args[..], &[program]].concat()));
        let is_libc = |line: &&str| line.starts_with('/') && line.contains("/libc");
        assert_eq!(err.lines().filter(is_libc).count(), 2, "glibc and glibc again: {err}");
        assert!(!err.contains(library.to_str().unwrap()), "{err}");
    }
}

/// `bench` of a program that prints what is set for it, on these allocators: what it printed and said, what the command did.
fn set(allocators: &str) -> (String, String, Option<i32>) {
    let program = "env | grep -aE '^(HEAPWRIGHT|M_[A-Z]*|MALLOC_[A-Z_]*)=' >&2; true";
    let flags = ["-a", allocators, "--rounds", "1", "--warmup", "0", "--show-output", "--"];
    bench(&[&flags[..], &["/bin/sh", "-c", program]].concat())
}

#[test]
fn a_library_is_measured_beside_itself_with_other_settings() {
    let (_, err) = exits(0, set("superslab:magazine=0:lazy_init=off"));
    assert_eq!(err.matches("HEAPWRIGHT=magazine=0,lazy_init=off\n").count(), 2, "{err}");
}

#[test]
fn the_superslab_experiment_changes_one_thing_at_a_time_and_says_what_it_cannot_tell() {
    let short = ["--rounds", "1", "--warmup", "0", "--scale", "0.001", "--no-tails"];
    let (out, _) = exits(0, bench(&[&["superslab"][..], &short].concat()));
    assert!(out.contains("bare-two is superslab with magazine=0 one_lookup=off"), "{out}");
    let (_, answers) = out.split_once("the report's suspects").unwrap();
    has(answers, &["1. mapping", "2. lists", "3. thread-local", "4. the magazine", "refills"]);
    assert!(answers.contains("cannot be told") && !answers.contains("costs"), "one round: {out}");
    let wrong = bench(&["superslab", "-a", "glibc"]);
    assert!(exits(2, wrong).1.contains("bench superslab has allocators of its own"));
}

#[test]
fn every_allocator_gets_what_is_set_for_it_and_nothing_else() {
    let pairs = "M_CONF=dirty_decay_ms:1000,muzzy_decay_ms:0";
    let all = format!(
        "glibc,arena2=glibc:MALLOC_ARENA_MAX=2:M_X=a=b:c,pairs=glibc:{pairs},ours=heapwright:keep=0:safe:M_Y=,\
         heapwright,pad=glibc:MALLOC_TOP_PAD_=1:MALLOC_TOP_PAD_=2"
    );
    let (out, err) = exits(0, set(&all));
    let mut lines: Vec<&str> =
        err.lines().filter(|line| !line.starts_with("heapwright:")).collect();
    lines.sort_unstable();
    let expected = ["HEAPWRIGHT=keep=0,safe=1", "MALLOC_ARENA_MAX=2", "MALLOC_TOP_PAD_=2"];
    assert_eq!(lines[..3], expected, "{err}");
    assert_eq!(lines[3..], [pairs, "M_X=a=b:c", "M_Y="], "{err}");
    let set = "arena2 is glibc with MALLOC_ARENA_MAX=2 M_X=a=b:c; ";
    has(&out, &["\n  arena2 ", set, "ours is heapwright with keep=0 safe=1 M_Y=; "]);
    assert!(!out.contains("glibc is") && !out.contains("heapwright is"), "{out}");
}

#[test]
fn a_result_says_what_was_set_and_the_next_command_sets_it() {
    let args = ["-a", "g=glibc:M_X=1", "--rounds", "1", "--warmup", "0", "--format", "json"];
    let report = parsed(bench(&[&args[..], &["--", "/bin/true"]].concat()));
    for (place, name) in ["g", "g again"].into_iter().enumerate() {
        let entry = &report["allocators"][place];
        assert_eq!((entry["name"].as_str(), entry["base"].as_str()), (Some(name), Some("glibc")));
        assert_eq!(entry["settings"], serde_json::json!(["M_X=1"]));
    }
}

#[test]
fn what_cannot_be_set_is_2_and_says_what_can() {
    for (word, said) in [
        ("heapwright:keap=0", "heapwright has no setting keap; did you mean keep? there are "),
        ("x=heapwright:magazine=0", "heapwright has no setting magazine; there are stats, "),
        ("superslab:keep=1m", "superslab has no setting keep; there are "),
        ("superslab:magasine=0", "did you mean magazine?"),
        ("heapwright:keep=lots", "\"lots\" is no value of \"keep\""),
        ("glibc:keep=1m", "glibc has no settings of heapwright's"),
        ("glibc:LD_PRELOAD=/x.so", "LD_PRELOAD is what puts"),
        ("heapwright:HEAPWRIGHT=keep=0", "write heapwright:keep=0"),
        ("heapwright:keep=0,safe=1", "a further setting has a colon: heapwright:keep=0:safe=1"),
        ("a=glibc:M_X=1,a=glibc:M_X=2", "two allocators are called a"),
        ("glibc,glibc=glibc:M_X=1", "no allocator can be called 'glibc'"),
        ("heapwright=glibc:M_X=1", "only heapwright can be called heapwright"),
        ("x=glibbc:M_X=1", "no allocator glibbc on this machine; did you mean glibc"),
        ("a=glibc:M_X=2,jemaloc", "no allocator jemaloc on this machine"),
        ("=glibc:M_X=1", "the label before = is empty"),
        ("x=", "'x=' is no allocator"),
        (
            "glibc:M_CONF=aaaaaaaaaaaaaaaaaaaaaaaa,glibc:M_CONF=aaaaaaaaaaaaaaaaaaaaaaaab",
            "two allocators are called",
        ),
        ("glibc:M_X", "'M_X' is no setting"),
        ("glibc,", "'' is no allocator"),
    ] {
        refuses(2, bench(&["-a", word, "--", "/bin/true"]), &[said]);
    }
    says(2, bench(&["basic", "--region", "-a", "x=tlsf:M_X=1"]), &["it has no settings"]);
}

#[test]
fn run_takes_the_same_words() {
    let run = |allocator: &str, program: &[&str]| {
        outcome(heapwright().args(["run", "-a", allocator, "--"]).args(program))
    };
    let (out, err, code) = run("x=glibc:M_X=a:1,b:2", &["/usr/bin/printenv", "M_X"]);
    assert_eq!((out.as_str(), code), ("a:1,b:2\n", Some(0)), "{err}");
    let (out, err, code) = run("heapwright:keep=0:safe", &["/usr/bin/printenv", "HEAPWRIGHT"]);
    assert_eq!((out.as_str(), code), ("keep=0,safe=1\n", Some(0)), "{err}");
    says(2, run("glibc,heapwright", &["/bin/true"]), &["these are 2"]);
    says(125, run("heapwright:keap=0", &["/bin/true"]), &["did you mean keep?"]);
}

#[test]
fn what_a_library_says_of_its_variables_is_a_warning() {
    let dir = tempfile::tempdir().unwrap();
    let text = format!("{BUMP}{REST}#include \"strict.c\"\n");
    let library = library(dir.path(), "complains", &text);
    for (variable, is_warned) in [("M_BAD", true), ("M_GOOD", false)] {
        let named = format!("x={}:{variable}=1", library.display());
        let args = ["-a", &named, "--rounds", "1", "--warmup", "0", "--", "/bin/true"];
        let (_, err) = exits(0, bench(&args));
        assert_eq!(err.contains("warning: x says: M_BAD is unknown"), is_warned, "{err}");
    }
}
