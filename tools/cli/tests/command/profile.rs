//! `heapwright profile`: from a program to the places that hold its memory, as text and as files for other tools.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::common::{self, exits, heapwright, outcome, parsed, prints, refuses};
use assert_cmd::Command as Ours;
use launch::testing::{file as executable, static_program};
use profile::Pprof;
use serde_json::Value;

const FLAGS: [&str; 3] = ["-g", "-O1", "-fno-builtin"];

fn program(folder: &Path) -> PathBuf {
    common::program("keeps", &FLAGS, folder)
}

fn profiled(folder: &Path, flags: &[&str], program: &Path, arguments: &[&str]) -> Ours {
    let mut command = heapwright();
    command.env("COLUMNS", "80").args(["profile", "-o"]).arg(folder.join("prof")).args(flags);
    command.arg("--").arg(program).args(arguments);
    command
}

/// The file of this ending; those of moments have longer names.
fn file(folder: &Path, ending: &str) -> PathBuf {
    let files = fs::read_dir(folder.join("prof")).unwrap().flatten().map(|entry| entry.path());
    let all = files.filter(|path| path.to_string_lossy().ends_with(ending));
    all.min_by_key(|path| path.as_os_str().len()).expect(ending)
}

#[test]
fn the_places_are_named_and_the_files_are_there() {
    let place = tempfile::tempdir().unwrap();
    let program = program(place.path());
    let flags = ["--interval-bytes", "1", "--every", "1ms"];
    let (out, err) = exits(0, outcome(&mut profiled(place.path(), &flags, &program, &[])));
    assert!(out.lines().all(|line| line.chars().count() <= 80), "{out}");
    let first = out.lines().skip_while(|line| !line.contains("at the peak  ")).nth(1).unwrap();
    assert!(first.contains("8.00 MiB") && out.contains("keep (keeps.c:"), "{out}\n{err}");
    let read = |ending: &str| fs::read_to_string(file(place.path(), ending)).unwrap();
    let end = Pprof::decode(&fs::read(file(place.path(), ".pb.gz")).unwrap()).unwrap();
    let sum = |at: usize| -> i64 { end.samples.iter().map(|sample| sample.values[at]).sum() };
    assert!(sum(1) >= 16 << 20 && (8 << 20..9 << 20).contains(&sum(3)), "{end:?}");
    let own = &end.mappings[0];
    assert!(own.path.ends_with("/keeps") && own.build_id.len() > 16, "{own:?}");
    assert!(Pprof::decode(&fs::read(file(place.path(), ".peak.pb.gz")).unwrap()).is_ok());
    let collapsed = read(".collapsed");
    assert!(collapsed.lines().any(|line| line.ends_with("main;keep 8388608")), "{collapsed}");
    let speedscope: Value = serde_json::from_str(&read(".speedscope.json")).unwrap();
    for profile in speedscope["profiles"].as_array().unwrap() {
        let len = |key: &str| profile[key].as_array().unwrap().len();
        assert_eq!(len("samples"), len("weights"));
    }
    assert!(read(".svg").starts_with("<svg ") && read(".svg").contains(">keep</text>"));
    let page = read(".html");
    assert!(
        page.contains("keep") && !page.contains("src=") && page.trim_end().ends_with("</html>")
    );
}

#[test]
fn a_sample_is_refused_by_what_needs_every_block() {
    let place = tempfile::tempdir().unwrap();
    let program = program(place.path());
    exits(0, outcome(&mut profiled(place.path(), &[], &program, &[])));
    let trace = file(place.path(), ".trace");
    for command in ["replay", "explain", "view"] {
        refuses(2, run![command, &trace], &["has a sample of the blocks"]);
    }
    let export = run!["export", "--to", "collapsed", "--by", "allocated", &trace];
    prints(0, export, &["main;keep ", "main;drop "]);
}

#[test]
fn the_programs_end_is_ours_and_leaks_have_a_code_of_their_own() {
    let place = tempfile::tempdir().unwrap();
    let program = program(place.path());
    let run = |flags: &[&str], arguments: &[&str], code: i32| {
        let _ = fs::remove_dir_all(place.path().join("prof"));
        exits(code, outcome(&mut profiled(place.path(), flags, &program, arguments)))
    };
    run(&[], &["4", "free", "fail"], 7);
    let (out, _) = run(&["--leak-check", "live"], &["4"], 23);
    assert!(out.contains("leaks    4.00 MiB in 4 blocks were never freed, of 1 place"), "{out}");
    run(&["--leak-check", "live", "--leak-exit-code", "9"], &["4"], 9);
    let (out, _) = run(&["--leak-check", "live"], &["4", "free"], 0);
    assert!(out.contains("all that was allocated was freed"), "{out}");
    // It failed by itself: that is what counts.
    run(&["--leak-check", "live"], &["4", "free", "fail"], 7);
}

#[test]
fn what_nothing_points_to_is_told_and_what_does_not_fit_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let program = program(folder.path());
    // What `drop` returned last is freed; `all` has the others.
    let run = |flags: &[&str], arguments: &[&str]| {
        outcome(&mut profiled(folder.path(), flags, &program, arguments))
    };
    let lost = run(&["--leak-check", "reachable"], &["5"]);
    prints(0, lost, &["lost nothing", "5.00 MiB in 5 blocks"]);
    // Its child is clean, of itself nothing is known.
    let script = format!("{} 5; kill -9 $$", program.display());
    let flags = ["--force", "--leak-check", "reachable"];
    let mut killed = profiled(folder.path(), &flags, Path::new("/bin/sh"), &["-c", &script]);
    let (out, err, code) = outcome(&mut killed);
    assert!(code == Some(125) && out.contains("lost nothing"), "{out}{err}");
    assert!(err.contains("what the program itself lost is not known"), "{err}");
    let known = folder.path().join("known");
    fs::write(&known, "leak:main\n").unwrap();
    let known = known.to_str().unwrap();
    let refused_with = |flags: &[&str], why: &str| refuses(2, run(flags, &[]), &[why]);
    refused_with(&["--suppressions", known], "goes with --leak-check reachable");
    let none = ["--leak-check", "reachable", "--suppressions", "/nowhere"];
    refused_with(&none, "/nowhere");
    refused_with(&["--leak-check", "reachable", "--for", "1s"], "--every and --for do not");
}

#[test]
fn what_grew_between_two_profiles_is_told() {
    let place = tempfile::tempdir().unwrap();
    let program = program(place.path());
    let profile = |arguments: &[&str], name: &str| {
        let _ = fs::remove_dir_all(place.path().join("prof"));
        let flags = ["--interval-bytes", "1"];
        exits(0, outcome(&mut profiled(place.path(), &flags, &program, arguments)));
        let to = place.path().join(name);
        fs::copy(file(place.path(), ".pb.gz"), &to).unwrap();
        to
    };
    let (old, new) = (profile(&["2"], "old.pb.gz"), profile(&["10"], "new.pb.gz"));
    let compared = |a: &Path, b: &Path, flags: &[&str]| {
        outcome(heapwright().env("COLUMNS", "80").arg("compare").arg(a).arg(b).args(flags))
    };
    let (out, _) = exits(0, compared(&old, &new, &[]));
    assert!(out.lines().any(|l| l.contains("+ 8.00 MiB") && l.contains("keep")), "{out}");
    assert!(!out.contains("drop"), "{out}");
    let json = parsed(compared(&new, &old, &["--format", "json", "--allocated"]));
    assert_eq!(json["what"], "alloc_space");
    let drops = json["changes"].as_array().unwrap().iter();
    let drops: Vec<&Value> =
        drops.filter(|change| change["name"].as_str().unwrap().starts_with("drop")).collect();
    assert_eq!(drops[0]["new"].as_f64().unwrap() - drops[0]["old"].as_f64().unwrap(), -8_388_608.0);
    let broken = place.path().join("broken.pb.gz");
    fs::write(&broken, "no profile").unwrap();
    refuses(2, compared(&old, &broken, &[]), &["broken.pb.gz: it is no profile"]);
    refuses(2, compared(&old, place.path(), &[]), &["is no .pb.gz"]);
}

#[test]
fn a_program_that_runs_is_told_of_by_now_and_goes_on() {
    let place = tempfile::tempdir().unwrap();
    let program = common::program("serves", &FLAGS, place.path());
    let prof = place.path().join("prof");
    let mut command = common::clean(Command::new("timeout"));
    command.args(["-sKILL", "100", env!("CARGO_BIN_EXE_heapwright")]);
    command.args(["profile", "--interval-bytes", "1", "--every", "20ms", "-o"]).arg(&prof);
    let mut server = command.arg("--").arg(&program).stdin(Stdio::piped()).spawn().unwrap();
    // A moment is written while it runs, long before its end.
    let names = || -> Vec<String> {
        let files = fs::read_dir(&prof).into_iter().flatten().flatten();
        files.map(|file| file.file_name().into_string().unwrap()).collect()
    };
    while !names().iter().any(|name| name.ends_with("s.pb.gz")) {
        assert!(server.try_wait().unwrap().is_none(), "{:?}", server.wait_with_output());
        std::thread::sleep(core::time::Duration::from_millis(10));
    }
    let chunks = names().into_iter().find(|name| name.ends_with(".chunks")).unwrap();
    let process = chunks.trim_end_matches(".chunks").rsplit('-').next().unwrap().to_owned();
    let now = place.path().join("now");
    let by_now = |flags: &[&str]| {
        let mut command = heapwright();
        command.env("COLUMNS", "80").args(["profile", "--pid", &process, "-o"]).arg(&now);
        outcome(command.args(flags))
    };
    let (out, _) = exits(0, by_now(&["--by", "live"]));
    assert!(out.contains("serve (serves.c:"), "{out}");
    assert!(fs::read_dir(&now).unwrap().count() >= 6);
    refuses(2, by_now(&["--for", "1s", "--force"]), &["being profiled already"]);
    // Its file as it is, and no files of it.
    let mut of = heapwright();
    let of = of.args(["profile", "--lifetimes", "--of"]).arg(prof.join(&chunks));
    let (out, err) = exits(0, outcome(of.current_dir(place.path())));
    assert!(out.contains("serve (serves.c:") && out.contains("< 1 min"), "{out}");
    assert!(!err.contains("wrote"), "{err}");
    drop(server.stdin.take());
    let output = server.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(5), "{output:?}");
    assert!(String::from_utf8_lossy(&output.stdout).contains("serve (serves.c:"), "{output:?}");
    assert!(!names().iter().any(|name| name.ends_with(".chunks")), "{:?}", names());
}

#[test]
fn what_helps_a_static_program_is_said_before() {
    let place = tempfile::tempdir().unwrap();
    let program = executable(place.path(), "program", &static_program(0), 0o755);
    let profiled = outcome(&mut profiled(place.path(), &[], &program, &["1"]));
    refuses(125, profiled, &["statically linked", "heapwright::Profiled"]);
    assert!(!place.path().join("prof").exists());
}

#[test]
fn a_recording_without_stacks_is_no_profile() {
    let place = tempfile::tempdir().unwrap();
    let (program, folder) = (program(place.path()), place.path().join("recording"));
    exits(0, run!["record", "-o", &folder, "--", &program]);
    let why = ["has no call stacks", "--stacks sampled"];
    refuses(2, run!["profile", "--of", &folder], &why);
}

#[test]
fn what_cannot_be_profiled_is_said_before() {
    let place = tempfile::tempdir().unwrap();
    let none = Path::new("/no/such/program");
    refuses(127, outcome(&mut profiled(place.path(), &[], none, &[])), &["/no/such/program"]);
    for flags in [&["--interval-bytes", "0"][..], &["--every", "0s"], &["--by", "size"]] {
        exits(2, outcome(&mut profiled(place.path(), flags, Path::new("true"), &[])));
    }
}
