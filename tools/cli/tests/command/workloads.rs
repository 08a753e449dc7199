//! `bench` of the workloads it brings, and the folder of results.

use std::fs;
use std::path::Path;

use crate::common::{exits, has, heapwright, ours, outcome, prints, refuses, says};
use serde_json::Value;

fn bench(args: &[&str], folder: &Path) -> (String, String, Option<i32>) {
    outcome(heapwright().arg("bench").args(args).arg("-o").arg(folder))
}

fn result(folder: &Path) -> Value {
    serde_json::from_str(&fs::read_to_string(folder.join("result.json")).unwrap()).unwrap()
}

#[test]
fn a_workload_has_nanoseconds_tails_and_what_it_costs_itself() {
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path().join("new/results");
    let args = ["bench-tiny", "-a", "heapwright,glibc", "--rounds", "2", "--scale", "0.005"];
    let (out, _) = exits(0, bench(&args, &folder));
    let again =
        "next     heapwright bench bench-tiny -a heapwright,glibc --rounds 2 --scale 0.005 --seed ";
    let compare = format!(" -o NEW, later: heapwright compare {} NEW\n", folder.display());
    has(&out, &["ns a call", "null", "peak RSS", "malloc: what all but", again, &compare]);
    for file in ["runs.csv", "table.txt", "report.html", "plots/time.svg"] {
        assert!(folder.join(file).metadata().unwrap().len() > 100, "{file}");
    }
    let result = result(&folder);
    let names: Vec<_> = result["allocators"].as_array().unwrap().iter().collect();
    let null = names.iter().position(|a| a["name"] == "null").unwrap();
    let cells = &result["workloads"][0]["cells"];
    assert_eq!(cells[0]["tails"][0]["call"], "malloc", "{}", cells[0]);
    assert!(cells[null]["ns"]["median"].as_f64().unwrap() > 0.0, "{}", cells[null]);

    says(2, bench(&args, &folder), &["--force"]);
}

#[test]
fn wrong_names_are_2_with_the_closest_before_anything_runs() {
    for (args, expected) in [
        (&["bench-tin"][..], "did you mean bench-tiny"),
        (&["bench-tiny", "-a", "heapwrigt"], "did you mean heapwright"),
        (&["bench-tiny:iteration=3"], "there are size, blocks, iterations"),
        (&["bench-tiny:allocator=tlsf"], "-a"),
        (&["bench-tiny", "--fail-if", "bench-tny.time>1"], "bench-tiny"),
        (&["bench-tiny", "--fail-if", "geomean"], "geomean"),
        (&["sh"], "heapwright bench -- sh"),
        (&["python3:threads=2"], "no parameters"),
    ] {
        refuses(2, outcome(heapwright().args(["bench", "--no-files"]).args(args)), &[expected]);
    }
}

#[test]
fn a_folder_that_cannot_be_written_is_said_before_anything_is_measured() {
    // A folder below a file can be made by nobody, root included.
    let args = ["bench-tiny", "-a", "glibc", "--rounds", "1", "--scale", "0.01", "--no-tails"];
    let (out, err) = exits(125, bench(&args, Path::new("/proc/version/results")));
    assert!(err.contains("nothing can be written to /proc/version/results"), "{err}");
    assert_eq!(out, "");
}

#[test]
fn a_rule_that_holds_is_1() {
    let bench = |rule| {
        let args = ["bench", "bench-tiny", "-a", "heapwright,glibc", "--rounds", "2", "--scale"];
        let more = ["0.001", "--no-tails", "--format", "csv", "--fail-if", rule];
        ours([&args[..], &more].concat())
    };
    says(1, bench("geomean>0.001"), &["geomean"]);
    exits(0, bench("geomean>1000"));
}

#[test]
fn region_allocators_stand_beside_each_other() {
    let dir = tempfile::tempdir().unwrap();
    let args = ["tlsf-wide", "--region", "-a", "tlsf,talc", "--rounds", "1", "--scale", "0.001"];
    prints(0, bench(&args, &dir.path().join("r")), &["tlsf", "talc"]);
}

#[test]
fn a_short_time_leaves_out_nothing_that_is_named() {
    let dir = tempfile::tempdir().unwrap();
    // Of a set the last would be, down to three.
    let args = ["bench-tiny", "cache-thrash", "cache-scratch", "align-test", "-a", "glibc"];
    let short = ["--time", "1s", "--rounds", "1", "--cold", "--no-tails"];
    let args = [&args[..], &short].concat();
    let (_, err) = exits(0, bench(&args, &dir.path().join("r")));
    assert!(!err.contains("left out"), "what is named stays: {err}");
}
