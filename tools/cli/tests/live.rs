//! `stats` and `top`: processes that run, read from outside.

mod common;

use core::time::Duration;
use std::fs;
use std::io::{Read as _, Write as _};
use std::os::unix::net::UnixStream;
use std::process::{Command, Stdio};
use std::thread::sleep;

use common::{exits, heapwright, ours, outcome, prints, refuses, says, started};
use launch::Running;
use serde_json::Value;

/// A program that holds some MiB and waits: `sort` with its input still open.
fn waiting(arguments: &[&str]) -> Running {
    let mut running = started(
        Command::new(env!("CARGO_BIN_EXE_heapwright"))
            .args(arguments)
            .env("XDG_CACHE_HOME", env!("CARGO_TARGET_TMPDIR"))
            .env_remove("LD_PRELOAD")
            .env_remove("HEAPWRIGHT")
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::piped()),
    );
    let mut input = running.stdin().unwrap();
    input.write_all(&b"line\n".repeat(600_000)).unwrap();
    // It goes on only when all was read, but for a pipe's length; it ends with the test.
    core::mem::forget(input);
    running
}

fn json(pid: i32) -> Value {
    let (out, _) = exits(0, ours(["stats", "--json", &pid.to_string()]));
    serde_json::from_str(&out).unwrap()
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
    assert!(out.lines().all(|line| line.chars().count() <= 80), "{out}");
    let (full, _) = exits(0, ours(["stats", "--full", &pid.to_string()]));
    assert!(full.lines().count() > out.lines().count() && full.contains("shards"), "{full}");

    let (list, _) = exits(0, outcome(heapwright().arg("stats")));
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

    let classic = waiting(&["run", "-a", "tlsf", "--", "sort"]);
    prints(
        0,
        ours(["stats", &classic.number().to_string()]),
        &["tlsf shows no figures while it runs"],
    );
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
    refuses(2, outcome(heapwright().arg("top")), &["PID"]);
    refuses(2, ours(["top", "1", "--", "true"]), &["cannot be used with"]);
    says(127, ours(["top", "--", "/no/such"]), &["/no/such"]);
}

#[test]
fn lines_of_a_program_that_top_starts() {
    let script = "sleep 0.6; exit 7";
    let (out, err) = exits(7, ours(["top", "--every", "100ms", "--", "sh", "-c", script]));
    let lines: Vec<&str> = out.lines().collect();
    assert!(lines.len() >= 3 && lines[0].contains("resident"), "{out}");
    assert!(lines[1..].iter().all(|line| line.len() <= 90), "{out}");
    assert!(err.contains("has ended"), "{err}");
}

#[test]
fn metrics_in_a_file_and_at_a_socket() {
    let running = waiting(&["run", "--", "sort"]);
    let pid = running.number().to_string();
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("heap.prom");
    exits(0, ours(["stats", &pid, "--metrics", file.to_str().unwrap()]));
    let text = fs::read_to_string(&file).unwrap();
    let live = format!("heapwright_live_bytes{{process=\"{pid}\",command=\"sort\"}} ");
    let line = text.lines().find(|line| line.starts_with(&live)).unwrap();
    assert!(line[live.len()..].parse::<u64>().unwrap() > 2 << 20, "{line}");
    assert!(text.ends_with("# EOF\n"));

    let socket = folder.path().join("s");
    let place = format!("unix:{}", socket.display());
    let served = started(Command::new(env!("CARGO_BIN_EXE_heapwright")).args([
        "stats",
        &pid,
        "--metrics",
        &place,
    ]));
    let mut stream = (0..500).find_map(|_| {
        sleep(Duration::from_millis(20));
        UnixStream::connect(&socket).ok()
    });
    let stream = stream.as_mut().unwrap();
    stream.write_all(b"GET /metrics HTTP/1.1\r\n\r\n").unwrap();
    let mut said = String::new();
    stream.read_to_string(&mut said).unwrap();
    assert!(said.starts_with("HTTP/1.1 200 OK\r\n") && said.contains(&live), "{said}");
    // It goes when the process has gone.
    drop(running);
    let mut served = served;
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
    let first = (0..500).find_map(|_| {
        sleep(Duration::from_millis(20));
        read()
    });
    let first = first.unwrap();
    assert_eq!(first["ended"], false);
    assert!(first["now"]["parts"].as_array().is_some() && first["largest"].is_null(), "{first:#}");
    let (_, err, _) = ours(["run", "--set", "stats=1x:/tmp/a", "--", "true"]);
    assert!(err.contains("a time and a path"), "{err}");
}
