//! `view`, `export` and `import`: what they print and write, and what they refuse.

use std::fs;
use std::path::Path;

use crate::common::{exits, has, heapwright, ours, outcome, refuses, says};
use launch::testing::file;
use trace::Packer;
use trace::testing::{about, script};

const TRACE: &str = "
name app
malloc a 100 at 0x10000
malloc b 9000 at 0x20000
+10ms memory 10M 2M 0
mark loaded
t1 free a
+10ms t0 malloc c 48 at 0x10000
";

#[test]
fn a_pipe_gets_text_of_all_pictures() {
    let trace = script(TRACE);
    let path = trace.path().to_str().unwrap();
    let (out, err, code) = ours(["view", path]);
    assert_eq!((code, err.as_str()), (Some(0), ""), "{out}");
    has(&out, &["8.89 KiB live in 2 blocks", "The heap", "Size × lifetime", "Allocated by", "██"]);
    assert!(!out.contains('\x1b'));
    let (end, _, _) = ours(["view", path, "--at", "end", "--by", "size", "--plain"]);
    assert!(end.contains("behind the mark 'loaded'") && end.contains("2 ≤ 64 B"), "{end}");
    let (inked, _, _) = ours(["--color", "always", "view", path]);
    assert!(inked.contains("\x1b[38;5;"), "{inked}");
}

#[test]
fn one_page_is_written_whole() {
    let trace = script(TRACE);
    let path = trace.path().to_str().unwrap();
    let page = trace.path().with_extension("html");
    refuses(0, run!["view", path, "--html", &page], &["wrote"]);
    let html = fs::read_to_string(&page).unwrap();
    assert!(html.starts_with("<!doctype html>") && html.contains("behind the mark"), "{html:.200}");
    says(125, ours(["view", path, "--html", "/nowhere/at/all.html"]), &["/nowhere/at/all.html"]);
}

#[test]
fn the_heap_on_other_allocators_stands_beside_the_recorded_one() {
    let trace = script(TRACE);
    let path = trace.path().to_str().unwrap();
    let (out, err, code) = ours(["view", path, "-a", "ours=heapwright,glibc", "--at", "end"]);
    assert_eq!((code, err.as_str()), (Some(0), ""), "{out}");
    for name in ["recorded: ", "ours: ", "glibc: "] {
        assert_eq!(out.matches(name).count(), 1, "{name} in {out}");
    }
    assert!(out.contains("╌ ours") && out.contains("of it live"), "{out}");
    let page = trace.path().with_extension("html");
    exits(0, run!["view", path, "-a", "heapwright", "--html", &page]);
    let html = fs::read_to_string(&page).unwrap();
    assert!(html.contains("data-cells=\"1\"") && html.contains("<h3>heapwright</h3>"));
}

#[test]
fn what_is_no_trace_is_refused_by_name() {
    let folder = tempfile::tempdir().unwrap();
    let text = file(folder.path(), "letter.trace", b"dear reader", 0o644);
    let trace = script(TRACE);
    let trace = trace.path().to_str().unwrap().to_owned();
    let [elsewhere, nowhere] = [(); 2].map(|()| tempfile::tempdir().unwrap());
    let empty = elsewhere.path().join("empty.trace");
    Packer::create(&empty, &about()).unwrap().finish().unwrap();
    let cases: [(&[&str], i32, &str); 16] = [
        (&["view", &trace, "--by", "site"], 2, "has no call stacks"),
        (&["view", text.to_str().unwrap()], 2, "letter.trace is no trace"),
        (&["view", "/nowhere.trace"], 125, "/nowhere.trace"),
        (&["view", text.to_str().unwrap(), "--at", "soon"], 2, "is no moment"),
        (&["view", &trace, "-a", "nosuch"], 2, "nosuch"),
        (
            &["view", &trace, "-a", "glibc,a=glibc:M=1,b=glibc:M=2,c=glibc:M=3"],
            2,
            "at most 3 beside",
        ),
        (&["view", empty.to_str().unwrap(), "-a", "glibc"], 2, "no calls of malloc"),
        (&["export", text.to_str().unwrap(), "--to", "csv"], 2, "letter.trace is no trace"),
        (&["export", text.to_str().unwrap(), "--to", "xml"], 2, "xml"),
        (&["import", text.to_str().unwrap()], 2, "letter.trace is no recording of heaptrack"),
        (&["explain", text.to_str().unwrap()], 2, "is no trace of heapwright"),
        (&["explain", nowhere.path().to_str().unwrap()], 2, "has no trace in it"),
        (&["explain", "/nowhere.trace"], 125, "/nowhere.trace"),
        (&["replay", text.to_str().unwrap()], 2, "letter.trace is no trace"),
        (&["replay", empty.to_str().unwrap()], 2, "empty.trace has no calls of malloc"),
        (&["replay", "/nowhere.trace"], 125, "/nowhere.trace"),
    ];
    for (args, expected, words) in cases {
        let (out, err, code) = outcome(heapwright().args(args).current_dir(folder.path()));
        assert_eq!(code, Some(expected), "{args:?}: {err}");
        assert!(err.contains(words) && out.is_empty(), "{args:?}: {err}");
        assert!(err.matches("No such file").count() <= 1, "{args:?}: {err}");
    }
    let left = fs::read_dir(folder.path()).unwrap().count();
    assert_eq!(left, 1, "nothing is left behind");
}

#[test]
fn tables_go_to_a_pipe_or_into_a_folder() {
    let trace = script(TRACE);
    let path = trace.path().to_str().unwrap();
    let (out, err, code) = ours(["export", path, "--to", "csv"]);
    assert_eq!((code, out.lines().count(), err.as_str()), (Some(0), 4, ""), "{out}");
    let folder = tempfile::tempdir().unwrap();
    for form in ["csv", "jsonl", "parquet"] {
        let into = folder.path().to_str().unwrap();
        let args = ["export", path, "--to", form, "-o", into, "--label", "1.0"];
        let (_, err, code) = ours(args);
        assert_eq!((code, err.matches("wrote").count()), (Some(0), 4), "{err}");
        // Another trace of the same name would be lost.
        says(2, ours(args), &["is there", "--force"]);
        let (_, err, code) = ours([&args[..], &["--force"]].concat());
        assert_eq!((code, err.matches("wrote").count()), (Some(0), 4), "{err}");
    }
    let parquet = fs::read_dir(folder.path().join("blocks")).unwrap();
    let parquet = parquet
        .map(|entry| entry.unwrap().path())
        .find(|path| path.extension() == Some("parquet".as_ref()));
    let bytes = fs::read(parquet.unwrap()).unwrap();
    assert!(bytes.starts_with(b"PAR1") && bytes.ends_with(b"PAR1"));
}

/// What could not be read was missing from the tables, and nothing said so.
#[test]
fn tables_of_a_trace_that_was_cut_say_so() {
    let trace = script(TRACE);
    let folder = tempfile::tempdir().unwrap();
    let cut = folder.path().join("cut.trace");
    let bytes = fs::read(trace.path()).unwrap();
    // Half of the last section is there.
    fs::write(&cut, &bytes[..bytes.len() / 2]).unwrap();
    let path = cut.to_str().unwrap();
    says(0, ours(["export", path, "--to", "csv"]), &["1 place of", "cannot be read", "left out"]);
}

#[test]
fn a_recording_of_heaptrack_becomes_a_trace() {
    let folder = tempfile::tempdir().unwrap();
    let recording =
        "v 10400 3\nX /bin/app\nI 1000 4000\na 20 0\n+ 0\nc 5\n+ 0\n- 0\nnonsense\n- 9\n";
    file(folder.path(), "heaptrack.app.12", recording.as_bytes(), 0o644);
    let import = |args: &[&str]| {
        let mut import = heapwright();
        import.args(["import", "heaptrack.app.12"]).args(args).current_dir(folder.path());
        outcome(&mut import)
    };
    let (_, err) = exits(0, import(&["-o", "traces"]));
    let passed_over = "1 lines were passed over, the first at byte";
    has(&err, &["traces/app-12.trace", passed_over, "heapwright explain"]);
    let trace = folder.path().join("traces/app-12.trace");
    let (out, _, _) = run!["view", &trace];
    assert!(out.contains("The recording has no addresses.") && out.contains("/bin/app"), "{out}");
    says(2, import(&["-o", "traces"]), &["--force"]);
    assert_eq!(import(&["-o", "traces", "--force"]).2, Some(0));
    assert!(Path::new(&trace).exists());
}
