//! How a program is started: what its environment sets for the malloc, and as which user.

mod common;

use std::fs::{self, Permissions};
use std::io::Read as _;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::Path;
use std::process::{Command, Stdio};

use common::{Recorded, recorder, steps};
use recording::{Porter, Process, Request, finish, unrecorded, written_by};
use trace::Missing;

fn settings(trace: &trace::Trace) -> Vec<&str> {
    trace.about().notes.iter().filter_map(|note| note.strip_prefix("env=")).collect()
}

/// A program on a malloc with other settings is another program: replays took it for their own error.
#[test]
fn what_is_set_for_the_malloc_is_told() {
    let recorded = Recorded::new("settings.c");
    let mut command = recorded.command(&[]);
    let long = "1".repeat(5000);
    command.env_clear().env("PATH", "/usr/bin:/bin").envs([
        ("MALLOC_ARENA_MAX", "2"),
        ("_RJEM_MALLOC_CONF", "narenas:1,\nthp:always"),
        ("PYTHONMALLOC", "malloc"),
        ("MALLOC_TOO_LONG", &*long),
        ("HEAPWRIGHT", "keep=1m"),
        ("SECRET", "password"),
    ]);
    assert!(command.status().unwrap().success());
    let traces = recorded.traces();
    // The forked child's, too, though its parent has written over its environment.
    assert_eq!(traces.len(), 2);
    for trace in &traces {
        let mut settings = settings(trace);
        settings.sort_unstable();
        let expected = [
            "HEAPWRIGHT=keep=1m",
            "MALLOC_ARENA_MAX=2",
            "PYTHONMALLOC=malloc",
            "_RJEM_MALLOC_CONF=narenas:1, thp:always",
        ];
        assert_eq!(settings, expected);
    }
}

/// glibc 2.36 compares what it has read of the kernel's setting with a byte more than that: what lies on the stack there. Behind a
/// recorder that was built with optimizations that was not 0.
#[test]
fn glibc_asks_for_huge_pages_as_it_does_without_the_recorder() {
    let recorded = Recorded::new("tunable.cc");
    let asks = |mut command: Command| {
        command.env("GLIBC_TUNABLES", "glibc.malloc.hugetlb=1").output().unwrap().stdout
    };
    let without = asks(Command::new(recorded.program()));
    for tries in 0..5 {
        assert_eq!(asks(recorded.command(&[])), without, "{tries}");
    }
}

/// It was packed while it ran, and what it did later was lost.
#[test]
fn a_program_that_closed_every_descriptor_is_still_recorded() {
    let recorded = Recorded::new("closes.c");
    let mut command = recorded.command(&[]);
    let mut running = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    running.stdout.take().unwrap().read_exact(&mut [0]).unwrap();
    let all = finish(&recorded.request.folder, false, &mut |_, _| {}).unwrap();
    let [Process::Running { file }] = &all[..] else { panic!("{all:?}") };
    let stem = file.file_stem().unwrap().to_string_lossy().into_owned();
    let pid = stem.rsplit('-').next().unwrap().parse().unwrap();
    assert_eq!(written_by(pid).as_ref(), Some(file));
    drop(running.stdin.take());
    assert!(running.wait().unwrap().success());
    let trace = recorded.trace();
    assert!(trace.about().missing == Missing::default() && steps(&trace).len() > 200_000);
}

/// `su -` and `sudo` do that, and the recording seemed to be of the program.
#[test]
fn a_program_that_lost_the_recorder_is_named() {
    let recorded = Recorded::new("settings.c");
    let variables = recorded.request.variables(recorder(), None, Vec::new()).unwrap();
    let mut shell = Command::new("sh");
    shell.args(["-c", "exec env sh -c 'exec env -i true'"]).envs(variables);
    assert!(shell.status().unwrap().success());
    let all = finish(&recorded.request.folder, false, &mut |_, _| {}).unwrap();
    assert_eq!(all.len(), 4, "two shells, and env twice");
    let lost = unrecorded(&all);
    assert!(lost.len() == 1 && lost[0].program.ends_with("true"), "{lost:?}");
}

/// A user that is nobody, and may read the recorder; only root can become one.
fn nobody() -> Option<Command> {
    let mut command = Command::new("setpriv");
    command.args(["--reuid=65534", "--clear-groups", "timeout", "100"]);
    let mut test = Command::new("setpriv");
    test.args(["--reuid=65534", "--clear-groups", "test", "-r"]).arg(recorder());
    if test.output().is_ok_and(|output| output.status.success()) {
        return Some(command);
    }
    eprintln!("skipped: this is not root, or others may not read the recorder");
    None
}

/// `su`, `gosu` and service managers do that: of the program nothing was recorded, and nothing said so.
#[test]
fn a_program_that_is_started_as_another_user_is_recorded() {
    let Some(mut command) = nobody() else { return };
    let mut recorded = Recorded::new("settings.c");
    fs::set_permissions(&recorded.request.folder, Permissions::from_mode(0o700)).unwrap();
    let porter = Porter::new(&recorded.request.folder).unwrap();
    recorded.request.porter = Some(porter.key().to_owned());
    porter.serve();
    let variables = recorded.request.variables(recorder(), None, Vec::new()).unwrap();
    command.args(["sh", "-c", "true; exit 3"]).envs(variables);
    assert_eq!(command.status().unwrap().code(), Some(3));
    let traces = recorded.traces();
    assert!(traces.iter().any(|trace| trace.about().exe.ends_with("/sh")), "{traces:?}");
}

#[test]
fn a_recorder_waits_in_another_users_program_too() {
    let Some(mut command) = nobody() else { return };
    let folder = tempfile::tempdir().unwrap();
    fs::set_permissions(folder.path(), Permissions::from_mode(0o1777)).unwrap();
    let mine = folder.path().join("armed-0");
    fs::create_dir(&mine).unwrap();
    fs::set_permissions(&mine, Permissions::from_mode(0o700)).unwrap();
    let variables = Request::armed(&mine, recorder(), None, None, Vec::new()).unwrap();
    let output = command.args(["cat", "/proc/self/maps"]).envs(variables).output().unwrap();
    let maps = String::from_utf8_lossy(&output.stdout);
    let own = folder.path().join("armed-65534");
    assert!(maps.contains(&format!("{}/cat-", own.display())), "{maps}");
    assert_eq!(fs::metadata(Path::new(&own)).unwrap().mode() & 0o777, 0o700);
}
