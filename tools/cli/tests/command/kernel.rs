//! `bench` of the kernel's allocators: who takes part, what is printed and written, what is refused.

use std::fs;

use crate::common::{exits, has, heapwright, names, outcome, parsed, refuses};

#[test]
fn sequences_are_printed_and_written() {
    let dir = tempfile::tempdir().unwrap();
    let (out, _) = exits(0, run!["bench", "kmem-stack", "--rounds", "1", "-o", dir.path()]);
    assert!(out.contains("9 7 6 5 3 2 0 1 8 4\n"), "{out}");
    assert!(out.contains("18 of 18 sequences are as expected"), "{out}");
    let csv = fs::read_to_string(dir.path().join("curves.csv")).unwrap();
    assert!(csv.contains("kmem-stack,kmem_cache,A/batch,0,9\n"), "{csv}");
    // Letters are explained, and nothing empty stands around.
    has(&out, &["A: Linux up to 6.17", "B: Linux since 7.0", "C: distributions"]);
    assert!(!out.contains("peak memory") && !out.contains("one round"), "{out}");
    let page = fs::read_to_string(dir.path().join("report.html")).unwrap();
    assert!(page.contains("<h1>18 of 18 sequences are as expected</h1>"));
    assert!(page.contains("9 7 6 5 3 2 0 1 8 4") && !page.contains("class=\"plot\""));
}

#[test]
fn the_kernels_allocators_stand_beside_libraries_and_blocks() {
    let dir = tempfile::tempdir().unwrap();
    let sweep = "kernel-sweep:step=1024:slots=50";
    let bench = run!["bench", sweep, "--rounds", "1", "--scale", "0.01", "-o", dir.path()];
    let (out, _) = exits(0, bench);
    let rows = registry::KERNELS.iter().map(|row| row.name);
    for name in rows.chain(["glibc", "heapwright", "tlsf", "null"]) {
        assert!(out.lines().any(|line| line.trim_start().starts_with(name)), "{name}: {out}");
    }
    assert!(out.contains("refused  xvmalloc"), "{out}");
    // A system call each: it does a fiftieth, in the whole process and in each figure.
    let work = out.lines().find(|line| line.starts_with("work     vmalloc")).unwrap();
    assert!(work.contains("not compared") && work.ends_with("2.0 %"), "{work}");
    let rows: Vec<&str> =
        out.lines().filter(|line| line.trim_start().starts_with("kernel-sweep:")).collect();
    assert!(!rows.is_empty(), "{out}");
    for file in ["plots/curve-kernel-sweep-step-1024-slots-50-pair.svg", "curves.csv", "table.txt"]
    {
        assert!(dir.path().join(file).metadata().unwrap().len() > 100, "{file}");
    }
}

#[test]
fn a_kernels_allocator_is_measured_as_it_is_set() {
    let older = "older=zsmalloc:chain=4:rule=most-percent";
    let (sweep, both) =
        ("kernel-sweep:first=3300:last=3300:slots=300", format!("zsmalloc,{older}"));
    let result = parsed(run!["bench", sweep, "-a", both, "--rounds", "1", "--format", "json"]);
    let place =
        |name: &str| names(&result["allocators"]).iter().position(|one| *one == name).unwrap();
    let settings = &result["allocators"][place("older")]["settings"];
    assert_eq!(*settings, serde_json::json!(["chain=4", "rule=most-percent"]));
    let waste = |name: &str| {
        let series = result["workloads"][0]["cells"][place(name)]["series"].as_array().unwrap();
        let waste = series.iter().find(|series| series["name"] == "waste").unwrap();
        waste["points"][0][1].as_f64().unwrap()
    };
    // With chains of 4 such an object has a page to itself.
    assert!(waste("older") > 700.0 && waste("zsmalloc") < 500.0, "{result}");
}

#[test]
fn what_is_of_no_use_is_2() {
    for (args, expected) in [
        (&["kernel-sweep", "-a", "zsmalloc:chain=17"][..], "from 1 to 16"),
        (&["kernel-sweep", "-a", "zsmalloc:rule=best"], "least-waste or most-percent"),
        (&["kernel-sweep", "-a", "zsmalloc:chians=4"], "did you mean chain"),
        (&["kernel-sweep", "-a", "xvmalloc:chain=4"], "it has no settings"),
        (&["kernel-sweep:pages=none"], "'none' is not kernel or bare"),
        (&["kernel-sweep", "-a", "xvmaloc"], "did you mean xvmalloc"),
        (&["kernel-sweep", "--region"], "leave out --region"),
        (&["kernel-sweep:slot=3"], "there are slots"),
        (&["bench-tiny", "-a", "zsmalloc"], "heapwright bench kernel-sweep"),
        (&["kmem-stack", "-a", "tlsf"], "there are kmem_cache"),
        (&["chain", "-a", "xvmalloc,glibc"], "there are kmem_cache"),
    ] {
        refuses(2, outcome(heapwright().args(["bench", "--no-files"]).args(args)), &[expected]);
    }
}
