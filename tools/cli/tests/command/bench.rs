//! `bench` of one's own program: results, their forms, failures, interruption. Short programs, few rounds: these test the
//! command, not the allocators.

use core::time::Duration;

use crate::common::{
    ended, exits, flagship, has, heapwright, names, ours, outcome, plain, prints, refused, refuses,
    says, started, wait_until,
};
use launch::testing::{file, static_program};
use rustix::process::Signal;
use serde_json::Value;

fn json(args: &[&str]) -> (Value, Option<i32>) {
    let (out, err, code) = outcome(heapwright().args(["bench", "--format", "json"]).args(args));
    (serde_json::from_str(&out).unwrap_or_else(|e| panic!("{e}: {out}\n{err}")), code)
}

#[test]
fn the_json_of_three_rounds() {
    let (report, code) =
        json(&["-a", "heapwright,glibc", "--rounds", "3", "--seed", "7", "--", "/bin/true"]);
    assert_eq!(code, Some(0));
    assert_eq!((&report["schema"], &report["version"]), (&"heapwright-bench".into(), &2.into()));
    assert_eq!((&report["seed"], &report["stop"]), (&7.into(), &"rounds".into()));
    let work = &report["workloads"][0];
    assert_eq!(work["command"], serde_json::json!(["true"]));
    assert_eq!((&work["rounds"], &work["group"]), (&3.into(), &"own".into()));
    let entries = report["allocators"].as_array().unwrap();
    assert_eq!(names(&report["allocators"]), ["heapwright", "glibc", "glibc again"]);
    let runs = report["runs"].as_array().unwrap();
    for (at, entry) in entries.iter().enumerate() {
        let cell = &work["cells"][at];
        // A run that did not get its processor does not count, whatever else the machine does.
        let is_counted =
            |run: &&Value| run["allocator"] == at && run["round"] != 0 && run["starved"] == false;
        let counted = runs.iter().filter(is_counted).count();
        assert_eq!((&cell["runs"], &cell["failure"]), (&counted.into(), &Value::Null));
        if runs.iter().any(|run| run["starved"] == true) {
            continue;
        }
        for metric in ["time", "cpu", "peak_rss", "faults"] {
            assert!(cell[metric]["median"].as_f64().unwrap() > 0.0, "{metric}: {cell}");
        }
        let ratio = &cell["time"]["ratio"];
        assert_eq!(ratio.is_null(), entry["role"] == "baseline");
        let of = |bound: &str| ratio[bound].as_f64();
        assert!(of("low") <= of("estimate") && of("estimate") <= of("high"), "{ratio}");
    }
    assert_eq!(runs.len(), 12, "three names in a pass for memory and three rounds");
    // The program needs about a megabyte; this command and its library need several.
    for run in runs.iter().filter(|r| r["allocator"] == 1) {
        assert!(run["peak_rss_bytes"].as_u64().unwrap() < 5_000_000, "{run}");
    }
}

#[test]
fn the_seed_repeats_the_order() {
    let order = |seed: &str| {
        let (report, _) =
            json(&["-a", "glibc", "--rounds", "8", "--seed", seed, "--", "/bin/true"]);
        let runs = report["runs"].as_array().unwrap();
        runs.iter().map(|r| r["allocator"].as_u64().unwrap()).collect::<Vec<_>>()
    };
    assert_eq!(order("1"), order("1"));
    assert_ne!(order("1"), order("2"));
}

#[test]
fn the_table_and_the_next_command() {
    let args = ["bench", "-a", "glibc", "--rounds", "2", "--no-files", "--", "/bin/true"];
    let (out, err) = exits(0, ours(args));
    has(&out, &["Linux ", "allocator", "peak RSS", "glibc again", "\nnext     heapwright "]);
    // Where a run did not get its processor there is too little to compare.
    if !out.contains("flagged") {
        has(&out, &["noise ", "too few", "ratios   to glibc's figure ± range of the rounds"]);
    }
    assert!(!out.contains('\x1b') && !err.contains('%'), "no bar and no colours in a pipe: {err}");
}

#[test]
fn what_an_argument_says_does_not_command_the_terminal() {
    let args = ["bench", "-a", "glibc", "--rounds", "1", "--no-files", "--ignore-failure", "--"];
    let (out, err) = exits(0, ours([&args[..], &["/bin/true", "\x1b[2J"]].concat()));
    assert!(out.contains("\\u{1b}[2J"), "{out}");
    let all = out + &err;
    assert!(!all.contains(|c: char| c.is_control() && c != '\n'), "{all:?}");
    let check = ["run", "--check", "--", "/bin/true", "\x1b[2J"];
    assert!(!ours(check).0.contains('\x1b'));
    let (_, err) = exits(127, ours(["run", "--", "no\x1b[2J"]));
    assert!(!err.contains('\x1b'), "{err:?}");
}

#[test]
fn csv_has_one_line_for_each_run() {
    let args = ["bench", "-a", "glibc", "--rounds", "2", "--format", "csv", "--", "/bin/true"];
    let (out, _, _) = ours(args);
    assert_eq!(out.lines().count(), 1 + 2 * 3);
    assert!(out.starts_with("workload,allocator,pass,round,place,"));
}

#[test]
fn an_allocator_that_crashes_is_a_result() {
    // The shell stands in for a program that does not survive a preloaded library.
    let crash = "case $LD_PRELOAD in *heapwright*) echo oh no >&2; kill -SEGV $$;; esac";
    let args = ["-a", "heapwright,glibc", "--rounds", "2", "--", "/bin/sh", "-c", crash];
    let (report, code) = json(&args);
    assert_eq!(code, Some(3));
    let cells = &report["workloads"][0]["cells"];
    let failure = &cells[0]["failure"];
    assert_eq!(failure["how"]["ended"]["signal"], 11, "{report}");
    assert_eq!((&failure["round"], &failure["stderr"]), (&0.into(), &"oh no\n".into()));
    assert_eq!(cells[1]["runs"], 2);
    let (out, err) = exits(3, outcome(heapwright().args(["bench", "--no-files"]).args(args)));
    assert!(err.contains(" on heapwright: crashed: SIGSEGV; it is not run there again"), "{err}");
    assert!(out.contains("crashed: SIGSEGV") && out.contains("| oh no"), "{out}");
}

#[test]
fn a_program_that_always_fails_is_125_with_its_message() {
    let bench = |flags: &[&str]| {
        let fails = ["--", "/bin/sh", "-c", "echo no such input >&2; exit 4"];
        let args = ["bench", "-a", "glibc", "--rounds", "2", "--no-files"];
        ours([&args[..], flags, &fails].concat())
    };
    let err = refused(125, bench(&[]));
    assert!(!err.contains("it is not run there again"), "the error says it once: {err}");
    has(&err, &["fails on every allocator: exit code 4", "| no such input", "--ignore-failure"]);
    exits(0, bench(&["-i"]));
}

#[test]
fn a_preloaded_malloc_does_not_pass_for_glibc() {
    let library = flagship();
    let args = ["bench", "-a", "glibc", "--rounds", "1", "--", "/bin/true"];
    let bench = outcome(heapwright().env("LD_PRELOAD", &library).args(args));
    says(125, bench, &["LD_PRELOAD is set", &library]);
}

#[test]
fn a_program_that_hangs_is_ended_at_the_limit() {
    let mut bench = heapwright();
    bench.args(["bench", "-a", "glibc", "--timeout", "200ms", "--no-files"]);
    bench.args(["--", "/bin/sleep", "60"]).timeout(Duration::from_secs(20));
    says(125, outcome(&mut bench), &["longer than the time limit"]);
}

#[test]
fn output_of_the_program_is_shown_on_request_only() {
    let bench = |flags: &[&str]| {
        let args = ["bench", "-a", "glibc", "--rounds", "1", "--warmup", "0", "--no-files"];
        ours([&args[..], flags, &["--", "/bin/echo", "hello there"]].concat())
    };
    let (out, err, _) = bench(&[]);
    assert!(!err.contains("hello there\n") && !out.contains("\nhello"), "{out}{err}");
    let (out, err, _) = bench(&["--show-output"]);
    assert_eq!(err.matches("hello there\n").count(), 2, "{err}");
    assert!(!out.contains("\nhello"), "standard output is for the result");
}

#[test]
fn an_interrupt_before_any_time_writes_nothing() {
    let parent = tempfile::tempdir().unwrap();
    let folder = parent.path().join("results");
    let mut command = plain();
    command.args(["bench", "-a", "glibc", "--warmup", "1000", "-o"]).arg(&folder);
    let mut child = started(command.args(["--", "/bin/sleep", "0.01"]));
    // The folder is made after the signals are caught and before the first run.
    wait_until(&mut child, |_| folder.exists());
    child.signal(Signal::INT);
    let err = refused(130, ended(child));
    assert!(err.contains("nothing is written") && !folder.exists(), "{err}");
}

/// The kernel may kill the process that measures when memory runs out.
#[test]
fn a_helper_that_is_killed_costs_no_result() {
    let parent = tempfile::tempdir().unwrap();
    let (folder, starts) = (parent.path().join("results"), parent.path().join("starts"));
    // From its tenth run on the program kills who measures it.
    let starts = starts.display();
    let script = format!("echo >>{starts}; [ $(wc -l <{starts}) -lt 10 ] || kill -KILL $PPID");
    let mut bench = heapwright();
    bench.args(["bench", "-a", "glibc", "--rounds", "100", "--warmup", "0", "-o"]).arg(&folder);
    let (out, err) = exits(125, outcome(bench.args(["--", "/bin/sh", "-c", &script])));
    assert!(err.contains("helper failed") && err.contains("measured before"), "{err}");
    assert!(out.contains("glibc again") && out.contains("ended early"), "{out}");
    let result = std::fs::read(folder.join("result.json")).unwrap();
    let result: Value = serde_json::from_slice(&result).unwrap();
    assert_eq!(result["runs"].as_array().unwrap().len(), 9);
}

#[cfg(target_arch = "x86_64")]
#[test]
fn a_static_program_is_refused_without_force() {
    let dir = tempfile::tempdir().unwrap();
    let program = file(dir.path(), "static", &static_program(0), 0o755);
    let bench = |extra: &[&str]| {
        let args = ["bench", "-a", "heapwright,glibc", "--rounds", "1", "--no-files"];
        outcome(heapwright().args(args).args(extra).arg("--").arg(&program))
    };
    refuses(2, bench(&[]), &["statically linked", "--force"]);
    let (out, err) = exits(0, bench(&["--force"]));
    assert!(err.contains("every row measures the same malloc"), "{err}");
    assert!(!out.contains("next "), "no allocator is proposed: {out}");
}

#[test]
fn the_programs_own_seed_is_not_ours() {
    let (report, _) = json(&["-a", "glibc", "--rounds", "1", "--", "/bin/echo", "--seed", "3"]);
    let line: Vec<&str> =
        report["command_line"].as_array().unwrap().iter().map(|w| w.as_str().unwrap()).collect();
    let dashes = line.iter().position(|w| *w == "--").unwrap();
    let seed = line[..dashes].iter().position(|w| *w == "--seed").unwrap();
    assert_eq!(line[seed + 1], report["seed"].to_string(), "{line:?}");
    assert_eq!(line[dashes..], ["--", "echo", "--seed", "3"]);
}

#[test]
fn a_result_names_no_folder_of_this_machine() {
    let dir = tempfile::tempdir().unwrap();
    let program = dir.path().join("program");
    std::fs::copy("/bin/echo", &program).unwrap();
    let library = std::fs::canonicalize(flagship()).unwrap();
    let named = format!("glibc,mine={}", library.display());
    let (results, data) = (dir.path().join("results"), dir.path().join("x.txt"));
    let data = format!("--data={}", data.display());
    let bench = run!["bench", "-a", &named, "--rounds", "1", "-o", &results, "--", &program, &data];
    prints(0, bench, &["program --data=x.txt"]);
    let folders = [dir.path(), library.parent().unwrap()].map(|f| f.to_str().unwrap().to_owned());
    for name in ["result.json", "runs.csv", "table.txt", "report.html"] {
        let text = std::fs::read_to_string(results.join(name)).unwrap();
        for folder in &folders {
            assert!(!text.contains(folder.as_str()), "{folder} is in {name}");
        }
    }
}

#[test]
fn a_wrong_setting_is_2_here_and_in_run() {
    for (words, expected) in [
        (&["--set", "hugepage=off"][..], "hugepages"),
        (&["--set", "keep=lots"], "\"lots\""),
        (&["--set", "safe=1,bogus"], "\"bogus\""),
        (&["-a", "tlsf", "--set", "keep=1m"], "keep"),
    ] {
        for command in [&["run"][..], &["bench", "--no-files", "--rounds", "1"]] {
            let words = [command, words, &["--", "/bin/true"]].concat();
            says(2, ours(words), &[expected]);
        }
    }
    // A key alone, and a list, as in the variable itself.
    let args = ["run", "--set", "stats,keep=64m", "--set", "safe", "--", "/usr/bin/env"];
    prints(0, ours(args), &["HEAPWRIGHT=stats=1,keep=64m,safe=1\n"]);
}

#[test]
fn every_run_reads_the_file_on_standard_input_from_its_place() {
    use std::io::{Seek as _, SeekFrom};
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("in");
    std::fs::write(&path, "1\n2\n3\n4\n5\n6\n7\n").unwrap();
    let mut input = std::fs::File::open(&path).unwrap();
    // What was read before, as by a shell's `read`, is not read again.
    input.seek(SeekFrom::Start(2)).unwrap();
    let mut command = plain();
    command.args(["bench", "-a", "glibc", "--rounds", "2", "--warmup", "0", "--no-files"]);
    command.args(["--show-output", "--", "/usr/bin/wc", "-l"]).stdin(input);
    let output = command.output().unwrap();
    let err = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{err}");
    assert_eq!(err.lines().filter(|l| *l == "6").count(), 4, "{err}");
    assert!(!err.contains("standard input"), "{err}");
}

#[test]
fn a_pipe_on_standard_input_is_not_read_and_that_is_said_once() {
    let args = ["bench", "-a", "glibc", "--rounds", "1", "--no-files", "--", "/bin/cat"];
    let (_, err) = exits(0, outcome(heapwright().args(args).write_stdin("text")));
    assert_eq!(err.matches("empty standard input").count(), 1, "{err}");
    assert!(err.contains("bench -- /bin/cat < FILE"), "{err}");
    let output = plain().args(args).output().unwrap();
    let err = String::from_utf8_lossy(&output.stderr);
    assert!(!err.contains("standard input"), "{err}");
}

#[test]
fn a_text_without_an_interpreter_is_the_shells_as_in_run() {
    let dir = tempfile::tempdir().unwrap();
    let script = file(dir.path(), "script", b"echo \"$0 $1\"\n", 0o755);
    let script = script.to_str().unwrap();
    let (run, _, code) = ours(["run", "--", script, "word"]);
    assert_eq!((code, run), (Some(0), format!("{script} word\n")));
    let args = ["bench", "-a", "glibc", "--rounds", "1", "--warmup", "0", "--no-files"];
    let shown = ["--show-output", "--", script, "word"];
    let (_, err) = exits(0, ours([&args[..], &shown].concat()));
    assert_eq!(err.matches(&format!("{script} word\n")).count(), 2, "{err}");
}

#[test]
fn what_the_system_refuses_to_start_is_126() {
    let dir = tempfile::tempdir().unwrap();
    // Its loader is not there, which only the system finds out.
    let mut program = std::fs::read("/bin/true").unwrap();
    let at = program.windows(9).position(|w| w == b"/ld-linux").unwrap();
    program[at + 1] = b'x';
    let program = file(dir.path(), "program", &program, 0o755);
    let args = ["bench", "-a", "glibc", "--rounds", "1", "--no-files", "--force", "--"];
    exits(126, outcome(heapwright().args(args).arg(program)));
}

#[test]
fn a_program_that_env_takes_the_library_from_is_refused() {
    let words = ["--", "/usr/bin/env", "-i", "/bin/true"];
    let args = [&["bench", "-a", "glibc", "--rounds", "1", "--no-files"], &words[..]].concat();
    says(2, ours(args), &["'-i' keeps LD_PRELOAD", "--force"]);
}

#[test]
fn a_program_that_does_not_end_is_told_how_servers_are_measured() {
    let args =
        ["bench", "-a", "glibc,heapwright", "--time", "1s", "--no-files", "--", "sleep", "1000"];
    let err = refused(125, ours(args));
    let said =
        "the program had not ended after twice --time; a server does not end by itself: --for 20s";
    assert_eq!(err.matches(said).count(), 1, "{err}");
    let args = ["bench", "-a", "glibc", "--for", "5s", "--no-files", "--", "true"];
    says(125, ours(args), &["the program ended by itself before the time of --for was over"]);
    for wrong in [&["--drive", "true", "--", "true"][..], &["--for", "1s", "cfrac"]] {
        exits(2, outcome(heapwright().arg("bench").args(wrong)));
    }
}

/// Listens on the socket that its argument names, and ends when it is asked to.
const SERVER: &str = "use Socket; unlink $ARGV[0]; socket(S, PF_UNIX, SOCK_STREAM, 0); \
     bind(S, sockaddr_un($ARGV[0])) and listen(S, 1); sleep 1000";

#[test]
fn a_server_is_driven_and_stopped() {
    let dir = tempfile::tempdir().unwrap();
    let socket = dir.path().join("socket");
    let (socket, seen) = (socket.to_str().unwrap(), dir.path().join("seen"));
    let server = ["--no-tails", "--", "perl", "-e", SERVER, socket];
    let drive = format!("echo \"$LD_PRELOAD\" >>{}; test -S {socket}", seen.display());
    let driven = ["-a", "glibc,heapwright", "--for", "100s", "--rounds", "1", "--drive", &drive];
    let (report, code) = json(&[&driven[..], &server].concat());
    assert_eq!(code, Some(0), "{report}");
    for cell in report["workloads"][0]["cells"].as_array().unwrap() {
        for metric in ["time", "cpu", "peak_rss"] {
            assert!(cell[metric]["median"].as_f64().unwrap() > 0.0, "{metric}: {cell}");
        }
    }
    let seen = std::fs::read_to_string(seen).unwrap();
    assert!(seen.lines().count() >= 6 && seen.trim().is_empty(), "on its own malloc: {seen}");
    let watched = ["-a", "glibc", "--for", "100ms", "--rounds", "1"];
    let (report, code) = json(&[&watched[..], &server].concat());
    assert_eq!(code, Some(0), "{report}");
    let cell = &report["workloads"][0]["cells"][0];
    assert!(cell["time"].is_null() && cell["peak_rss"]["median"].as_f64() > Some(0.0), "{cell}");
    let in_vain = ["bench", "-a", "glibc,heapwright", "--for", "4s", "--drive"];
    let in_vain = [&in_vain[..], &["echo no such key >&2; false"], &server].concat();
    says(125, ours(in_vain), &["did not end with 0 in the time", "| no such key"]);
}

#[test]
fn a_column_on_another_malloc_is_refused_and_several_programs_are_named() {
    let spin = "perl -e '$x++ for 1..12000000'";
    let without = format!("env -u LD_PRELOAD {spin}");
    let once = ["--rounds", "1", "--warmup", "0", "--", "sh", "-c"];
    let args = [&["-a", "glibc,heapwright"], &once[..], &[&without]].concat();
    let (report, code) = json(&args);
    assert_eq!(code, Some(3), "{report}");
    let cells = &report["workloads"][0]["cells"];
    assert_eq!(cells[0]["failure"], Value::Null, "it is glibc's all the same");
    let failure = &cells[2]["failure"];
    assert_eq!(failure["how"], "other_malloc", "{report}");
    assert!(failure["stderr"].as_str().unwrap().starts_with("perl ran on glibc ("), "{failure}");
    let (report, code) = json(&[&["--force"], &args[..]].concat());
    assert_eq!(code, Some(0), "{report}");
    let computed = &report["workloads"][0]["cells"][2]["programs"][0];
    assert_eq!((&computed["name"], &computed["malloc"]), (&"perl".into(), &"glibc".into()));
    // Most of it on ours: half and half is refused or not as the clock's ticks fall.
    let both = format!("{}; {without}", spin.replace("12000000", "36000000"));
    let (report, code) = json(&[&["-a", "heapwright"], &once[..], &[&both]].concat());
    assert_eq!(code, Some(0), "{report}");
    let warnings = report["warnings"].to_string();
    assert!(warnings.contains("the figures are of several programs"), "{warnings}");
}
