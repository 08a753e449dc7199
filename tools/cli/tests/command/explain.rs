//! `explain`: its page, its JSON, and what it says of files that are no traces.

use std::fs;

use crate::common::{exits, heapwright, outcome, parsed, says};

/// A trace in which of each ten blocks one stays, with a look at resident memory now and then.
fn leaking() -> trace::testing::TestTrace {
    let mut script = "memory 1M 1M 0\n".to_owned();
    for n in 0..4000 {
        script += &format!("malloc a{n} 600\n");
        for m in 0..9 {
            script += &format!("malloc b{m} 100\nfree b{m}\n");
        }
        if n % 40 == 0 {
            script += &format!("memory {} 1M 0\n", (1 << 20) + n * 608);
        }
    }
    trace::testing::script(&script)
}

fn explained(trace: &trace::Trace) -> (String, String) {
    exits(0, outcome(heapwright().env("COLUMNS", "200").arg("explain").arg(trace.path())))
}

#[test]
fn the_page_names_the_leak_and_the_next_command() {
    let trace = leaking();
    let (out, _) = explained(&trace);
    assert!(out.contains("1. Leak, likely: 1.14 MiB more in the second half"), "{out}");
    assert!(out.contains("next  heapwright replay "), "{out}");
    let long = |line: &&str| line.chars().count() > 80 && !line.contains(" heapwright ");
    assert_eq!(out.lines().find(long), None);
}

#[test]
fn what_the_recorder_said_is_said_again() {
    let notes = ["attached=1", "before=unknown", "stopped=the disk is full"].map(String::from);
    let about = trace::About { notes: notes.into(), ..trace::testing::about() };
    let trace = trace::testing::packed(&about, |_| {});
    let (out, err) = explained(&trace);
    let all = out + &err;
    assert!(all.contains("was running when the recording began; what it had allocated"), "{all}");
    assert!(all.contains("ends before the program: the disk is full"), "{all}");
}

#[test]
fn the_json_has_facts_and_findings() {
    let trace = leaking();
    let whole = parsed(run!["explain", "--json", trace.path()]);
    assert_eq!((&whole["schema"], &whole["version"]), (&"heapwright-explain".into(), &1.into()));
    assert_eq!(whole["findings"][0]["kind"], "leak");
    assert_eq!(whole["facts"]["end"]["blocks"], 4000);
}

#[test]
fn a_result_of_bench_is_no_replay() {
    let folder = tempfile::tempdir().unwrap();
    let (bench, trace) = (folder.path().join("bench"), leaking());
    exits(0, run!["bench", "-a", "glibc", "--rounds", "1", "-o", &bench, "--", "/bin/true"]);
    let explain = run!["explain", trace.path(), "--replayed", &bench];
    says(2, explain, &["is a result of bench, not of replay"]);
}

#[test]
fn the_newest_replay_of_the_trace_is_found_by_itself() {
    let trace = leaking();
    let folder = trace.path().parent().unwrap();
    let written = folder.join("again");
    exits(0, run!["replay", trace.path(), "--rounds", "1", "-a", "heapwright", "-o", &written]);
    let (out, _, _) = run!["explain", trace.path()];
    assert!(out.contains("replayed on"), "{out}");
    let other = trace::testing::script("malloc a 100\nfree a\n");
    let copy = folder.join("other.trace");
    fs::copy(other.path(), &copy).unwrap();
    let (out, _, _) = run!["explain", &copy];
    assert!(!out.contains("replayed on"), "of another trace: {out}");
    // Given by hand it was taken, and another program recommended.
    let explain = run!["explain", &copy, "--replayed", &written];
    says(2, explain, &["is a replay of", "which is not"]);
}
