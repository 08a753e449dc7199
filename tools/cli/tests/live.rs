//! `stats` and `top`: processes that run, read from outside.

#[macro_use]
mod common;

use core::time::Duration;
use std::fs::{self, File};
use std::io::{Read as _, Write as _};
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread::sleep;

use common::{
    exits, heapwright, heeding, ours, outcome, parsed, plain, prints, program, refuses, says,
    started,
};
use launch::Running;
use launch::testing::{compile, file};
use rustix::process::Signal;
use rustix::pty::{OpenptFlags, ioctl_tiocgptpeer, openpt, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};
use serde_json::Value;

/// A program that holds some MiB and waits: `sort` with its input still open.
fn waiting(arguments: &[&str]) -> Running {
    let mut command = plain();
    let mut running = started(command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::null()));
    let mut input = running.stdin().unwrap();
    input.write_all(&b"line\n".repeat(600_000)).unwrap();
    // It goes on only when all was read, but for a pipe's length; it ends with the test.
    core::mem::forget(input);
    running
}

/// What is there within half a minute.
fn soon<T>(mut look: impl FnMut() -> Option<T>) -> T {
    let looks = (0..1500).find_map(|_| {
        sleep(Duration::from_millis(20));
        look()
    });
    looks.expect("it comes")
}

fn json(pid: i32) -> Value {
    parsed(run!["stats", "--json", pid.to_string()])
}

#[test]
fn a_process_on_our_malloc_says_nothing_and_is_read() {
    let running = waiting(&["run", "--", "sort"]);
    let pid = running.number();
    let figures = json(pid);
    assert_eq!(figures["allocator"], "heapwright");
    assert_eq!(figures["command"][0], "sort");
    let of = |path: &str| figures.pointer(path).and_then(Value::as_u64).unwrap();
    assert!(of("/live") > 2 << 20, "{figures:#}");
    assert!(of("/live") <= of("/obtained") && of("/resident/now") > 2 << 20);
    let parts = figures["now"]["parts"].as_array().unwrap();
    assert_eq!(parts.len(), 12);
    let resident: u64 = parts.iter().map(|part| part["resident"].as_u64().unwrap()).sum();
    assert!(resident > 2 << 20 && resident <= of("/resident/now") + (1 << 20), "{figures:#}");

    let (out, _) = exits(0, ours(["stats", &pid.to_string()]));
    assert!(out.starts_with(&format!("heapwright: sort (process {pid}), heapwright ")), "{out}");
    assert!(out.contains("malloc's memory now") && out.contains(" live, "), "{out}");
    // The figure that the list, top and metrics have.
    assert!(out.contains("Live in all ") && out.contains(", resident or not."), "{out}");
    assert!(out.lines().all(|line| line.chars().count() <= 80), "{out}");
    let (full, _) = exits(0, ours(["stats", "--full", &pid.to_string()]));
    assert!(full.lines().count() > out.lines().count() && full.contains("shards"), "{full}");

    let (list, _) = exits(0, run!["stats"]);
    assert!(list.lines().any(|line| line.trim_start().starts_with(&pid.to_string())), "{list}");
}

#[test]
fn of_others_it_is_what_the_kernel_says_and_what_would_help() {
    let running = started(Command::new("sleep").arg("100").env_remove("LD_PRELOAD"));
    let pid = running.number().to_string();
    prints(0, ours(["stats", &pid]), &["page faults", "heapwright run -- sleep"]);
    let (out, err) = exits(0, ours(["top", "-n1", &pid]));
    assert_eq!(out.lines().count(), 2, "{out}");
    assert!(err.contains("--armed"), "{err}");

    // What nothing can be put in front of.
    let folder = tempfile::tempdir().unwrap();
    let program = folder.path().join("waits");
    let text = b"void _start(void) { for (;;) __asm__ volatile(\"int $0x80\" :: \"a\"(29)); }";
    let source = file(folder.path(), "waits.c", text, 0o644);
    for (flags, said) in [("-static", "is linked statically"), ("-m32", "a 32-bit program")] {
        compile(&source, &["-nostdlib", "-static", flags], &program);
        let running = started(&mut Command::new(&program));
        let (out, _) = exits(0, run!["stats", running.number().to_string()]);
        assert!(out.contains(said) && !out.contains("heapwright run"), "{out}");
    }

    let classic = waiting(&["run", "-a", "tlsf", "--", "sort"]);
    let said = ["tlsf shows no figures while it runs"];
    prints(0, run!["stats", classic.number().to_string()], &said);
}

#[test]
fn what_cannot_be_read_is_named() {
    for (word, said) in
        [("0", "number of a process"), ("-3", "unexpected argument"), ("x", "number of a process")]
    {
        refuses(2, ours(["stats", word]), &[said]);
    }
    let gone = {
        let mut child = Command::new("true").spawn().unwrap();
        child.wait().unwrap();
        child.id().to_string()
    };
    for command in ["stats", "top"] {
        let none = format!("there is no process {gone}");
        refuses(125, ours([command, &gone]), &[&none]);
    }
    if fs::read_to_string("/proc/2/comm").is_ok_and(|name| name.trim() == "kthreadd") {
        refuses(125, ours(["stats", "2"]), &["a thread of the kernel"]);
    }
    refuses(2, run!["top"], &["PID"]);
    refuses(2, ours(["top", "1", "--", "true"]), &["cannot be used with"]);
    says(127, ours(["top", "--", "/no/such"]), &["/no/such"]);
}

/// In front of a command: root may read all, so it is another user's then.
fn as_no_root() -> &'static [&'static str] {
    if rustix::process::geteuid().is_root() {
        &["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
    } else {
        &["env"]
    }
}

#[test]
fn a_process_that_has_hidden_itself_is_told_from_another_users() {
    let folder = tempfile::tempdir().unwrap();
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755)).unwrap();
    let program = program("hides", &[], folder.path());
    let words = as_no_root();
    let mut hidden = Command::new(words[0]);
    let running = started(hidden.args(&words[1..]).arg(&program));
    let pid = running.number().to_string();
    let says = |before: &[&str], words: &[&str]| {
        let mut command = Command::new(before[0]);
        command.args(&before[1..]).arg(env!("CARGO_BIN_EXE_heapwright")).args(words);
        let output = command.output().unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        (output.status.code() == Some(125)).then_some(said)
    };
    let said = soon(|| says(words, &["stats", &pid]));
    assert!(said.contains("has hidden itself"), "{said}");
    if words[0] == "setpriv" {
        let own = std::process::id().to_string();
        let said = says(words, &["top", &own]).unwrap();
        assert!(said.contains("it is user 0's, and this is user 65534"), "{said}");
        // root, but for the right to read others.
        let without = ["setpriv", "--bounding-set", "-sys_ptrace"];
        let said = says(&without, &["stats", &own]).unwrap();
        assert!(said.contains("--cap-add SYS_PTRACE"), "{said}");
    }
}

/// The files of its number in /proc are empty then.
#[test]
fn a_process_whose_first_thread_has_ended_is_read_and_recorded() {
    let folder = tempfile::tempdir().unwrap();
    let (source, program) = (folder.path().join("a.c"), folder.path().join("a"));
    let text = "#include <pthread.h>\n#include <stdlib.h>\n#include <unistd.h>\n\
         static void *stay(void *a) { a = malloc(9 << 20); for (;;) { free(malloc(9)); usleep(1000); } }\n\
         int main(void) { pthread_t t; pthread_create(&t, 0, stay, 0); pthread_exit(0); }";
    fs::write(&source, text).unwrap();
    compile(&source, &["-pthread"], &program);
    let mut command = plain();
    let running = started(command.args(["run", "--armed", "--"]).arg(&program));
    let pid = running.number().to_string();
    let figures = soon(|| {
        let figures = ours(["stats", "--json", &pid]).0;
        serde_json::from_str(&figures).ok().filter(|f: &Value| f["live"].as_u64() > Some(9 << 20))
    });
    assert!(figures["resident"]["now"].as_u64() > Some(0), "{figures:#}");
    prints(0, run!["top", "--every", "100ms", "-n", "2", &pid], &["resident"]);
    let to = folder.path().join("recorded");
    exits(0, run!["record", "--pid", &pid, "--for", "500ms", "-o", &to]);
}

#[test]
fn lines_of_a_program_that_top_starts() {
    let script = "sleep 0.6; exit 7";
    let (out, err) = exits(7, ours(["top", "--every", "100ms", "--", "sh", "-c", script]));
    let lines: Vec<&str> = out.lines().collect();
    assert!(lines.len() >= 3 && lines[0].contains("resident"), "{out}");
    assert!(lines[1..].iter().all(|line| line.chars().count() <= 90), "{out}");
    assert!(err.contains("has ended"), "{err}");
}

/// Whether `top` saw it or not.
#[test]
fn the_exit_code_of_a_program_that_ends_at_once_is_passed_on() {
    for _ in 0..5 {
        exits(7, ours(["top", "--", "sh", "-c", "exit 7"]));
    }
}

/// A program for `top` that tells its number in this file, and the `top`.
fn top(folder: &Path, command: &mut Command) -> (Running, i32) {
    let told = folder.join("pid");
    let script = format!("echo $$ >{}; exec sleep 1000", told.display());
    let running = started(command.args(["top", "--every", "50ms", "--", "sh", "-c", &script]));
    let number = || fs::read_to_string(&told).ok()?.trim().parse().ok();
    (running, soon(number))
}

fn has_gone(pid: i32) -> Option<()> {
    let state = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    (state.is_empty() || state.contains(") Z ")).then_some(())
}

#[test]
fn a_program_that_top_started_ends_with_it() {
    for signal in [Signal::TERM, Signal::KILL, Signal::PIPE] {
        let folder = tempfile::tempdir().unwrap();
        let (mut running, pid) = top(folder.path(), &mut heeding());
        running.signal(signal);
        running.wait().unwrap();
        soon(|| has_gone(pid));
    }
}

/// Its terminal's window was closed: `top` read the end of it for ever, on a whole processor.
#[test]
fn top_ends_with_its_terminal() {
    let flags = OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC;
    let terminal = openpt(flags).unwrap();
    unlockpt(&terminal).unwrap();
    let size = Winsize { ws_row: 24, ws_col: 80, ws_xpixel: 0, ws_ypixel: 0 };
    tcsetwinsize(&terminal, size).unwrap();
    let end = |_| ioctl_tiocgptpeer(&terminal, flags).unwrap();
    let [input, output, errors] = [0, 1, 2].map(end);
    let folder = tempfile::tempdir().unwrap();
    let mut command = plain();
    command.env("TERM", "xterm").stdin(input).stdout(output).stderr(errors);
    let (mut running, pid) = top(folder.path(), &mut command);
    drop(command);
    let mut screen = File::from(terminal);
    let mut shown = Vec::new();
    while !String::from_utf8_lossy(&shown).contains("q quit") {
        let mut some = [0; 4096];
        let length = screen.read(&mut some).unwrap();
        shown.extend(&some[..length]);
    }
    drop(screen);
    assert!(running.wait().unwrap().is_some(), "it goes on");
    soon(|| has_gone(pid));
}

#[test]
fn metrics_in_a_file_and_at_a_socket() {
    let running = waiting(&["run", "--", "sort"]);
    let pid = running.number().to_string();
    let folder = tempfile::tempdir().unwrap();
    let written = folder.path().join("heap.prom");
    exits(0, run!["stats", &pid, "--metrics", &written]);
    let text = fs::read_to_string(&written).unwrap();
    let live = format!("heapwright_live_bytes{{process=\"{pid}\",command=\"sort\"}} ");
    let line = text.lines().find(|line| line.starts_with(&live)).unwrap();
    assert!(line[live.len()..].parse::<u64>().unwrap() > 2 << 20, "{line}");
    assert!(text.ends_with("# EOF\n"));

    let socket = folder.path().join("s");
    let place = format!("unix:{}", socket.display());
    let mut served = started(plain().args(["stats", &pid, "--metrics", &place]));
    let mut stream = soon(|| UnixStream::connect(&socket).ok());
    stream.write_all(b"GET /metrics HTTP/1.1\r\n\r\n").unwrap();
    let mut said = String::new();
    stream.read_to_string(&mut said).unwrap();
    assert!(said.starts_with("HTTP/1.1 200 OK\r\n") && said.contains(&live), "{said}");
    // It goes when the process has gone.
    drop(running);
    assert_eq!(served.wait().unwrap().unwrap().code(), Some(0), "{}", served.stderr.text());
    assert!(!socket.exists());

    let gone = ours(["stats", "--metrics", "/no/such/folder/x"]);
    says(125, gone, &["cannot write /no/such/folder/x"]);
}

#[test]
fn a_process_writes_by_itself() {
    let folder = tempfile::tempdir().unwrap();
    let setting = format!("stats=1s:{}/%p.json", folder.path().display());
    let running = waiting(&["run", "--set", &setting, "--", "sort"]);
    let file = folder.path().join(format!("{}.json", running.number()));
    let read = || serde_json::from_str::<Value>(&fs::read_to_string(&file).ok()?).ok();
    let first = soon(read);
    assert_eq!(first["ended"], false);
    assert!(first["now"]["parts"].as_array().is_some() && first["largest"].is_null(), "{first:#}");
    let (_, err, _) = ours(["run", "--set", "stats=1x:/tmp/a", "--", "true"]);
    assert!(err.contains("a time and a path"), "{err}");
}

/// The program under a command of ours, and its own number.
fn nails(folder: &Path, words: &[&str], arguments: &[&str]) -> (Running, String) {
    let said = folder.join("said");
    let program = program("nails", &["-g", "-O1", "-fno-builtin"], folder);
    let _ = fs::remove_file(&said);
    let mut command = plain();
    command.args(words).arg("--").arg(&program).arg(&said).args(arguments);
    let running = started(command.stdin(Stdio::piped()).stdout(Stdio::null()));
    let number = soon(|| fs::read_to_string(&said).ok().filter(|text| text.ends_with('\n')));
    (running, number.trim().to_owned())
}

#[test]
fn of_a_profiled_process_the_sites_are_told_and_what_is_free_beside_them() {
    let folder = tempfile::tempdir().unwrap();
    let traces = folder.path().join("traces");
    let traces = traces.to_str().unwrap();
    let words = ["profile", "-a", "heapwright", "--interval-bytes", "1", "-o", traces];
    let (running, pid) = nails(folder.path(), &words, &[]);
    let sites = |flags: &[&str]| {
        let mut command = heapwright();
        exits(0, outcome(command.env("COLUMNS", "80").args(["stats", "--sites", &pid]).args(flags)))
            .0
    };
    let text = sites(&[]);
    assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
    let mut rows = text.lines().skip_while(|line| !line.contains("free beside")).skip(1);
    assert!(rows.next().is_some_and(|row| row.contains("nail (nails.c:")), "{text}");
    let json: Value = serde_json::from_str(&sites(&["--json"])).unwrap();
    let of = |name: &str, what: &str| {
        let mut all = json["sites"].as_array().unwrap().iter();
        let site = all.find(|site| site["where"].as_str().unwrap().starts_with(name)).unwrap();
        site[what]["bytes"].as_f64().unwrap().round()
    };
    // Nineteen of twenty blocks of 64 bytes went: what is free lies on pages of those that stayed.
    assert_eq!((of("nail", "live"), of("hold", "live")), (640_000.0, 8_388_608.0), "{json:#}");
    let free = 200_000.0 * 64.0 * 0.95;
    assert!((of("nail", "beside") / free - 1.0).abs() < 0.02, "{json:#}");
    assert_eq!(of("hold", "beside"), 0.0, "{json:#}");
    drop(running);

    let whole = format!("{traces}-whole");
    let others = [
        (&["run"][..], "'heapwright profile -a heapwright -- "),
        (&["record", "-o", &whole][..], "is recorded without call stacks"),
    ];
    for (words, why) in others {
        let (_running, pid) = nails(folder.path(), words, &[]);
        refuses(125, run!["stats", "--sites", &pid], &[why]);
    }
    let glibc = format!("{traces}-glibc");
    let words = ["profile", "-a", "glibc", "-o", &glibc];
    let (_running, pid) = nails(folder.path(), &words, &[]);
    let (text, _) = exits(0, run!["stats", "--sites", &pid]);
    assert!(text.contains("hold (nails.c:") && !text.contains("beside"), "{text}");

    // One that cannot be looked at keeps nothing of the others back.
    let none = i32::MAX.to_string();
    for flags in [&[][..], &["--json"]] {
        let mut command = heapwright();
        let both = command.args(["stats", "--sites", &none, &pid]).args(flags);
        let (text, said, code) = outcome(both);
        assert!(said.contains(&format!("there is no process {none}")), "{said}");
        assert!(text.contains("hold (nails.c:"), "{text}");
        assert_eq!(code, Some(125));
    }

    // Of a forked child it is known what it has allocated itself.
    let forked = format!("{traces}-forked");
    let words = ["profile", "-a", "heapwright", "-o", &forked];
    let (_running, pid) = nails(folder.path(), &words, &["fork"]);
    let (text, _) = exits(0, run!["stats", "--sites", &pid]);
    assert!(text.contains("hold (nails.c:") && text.contains("it was forked"), "{text}");
}
