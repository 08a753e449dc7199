//! The workloads of the kernel's allocators, each for a moment on each of them: they end well, print what they should, and the seed
//! decides all of it but the times.

use crate::common::{printed, run};
use registry::{KERNELS, Kind};

fn points(text: &str, series: &str) -> Vec<(f64, f64)> {
    let point = |line: &str| {
        let words: Vec<&str> = line.split(' ').collect();
        match words[..] {
            ["point", name, x, y] if name == series => {
                Some((x.parse().expect("a number"), y.parse().expect("a number")))
            }
            _ => None,
        }
    };
    text.lines().filter_map(point).collect()
}

fn refused(text: &str) -> u64 {
    let line = text.lines().find_map(|line| line.strip_prefix("refused "));
    line.and_then(|count| count.parse().ok()).expect("a line for what was refused")
}

fn all(kinds: &[Kind]) -> Vec<&'static str> {
    let named = |kind| KERNELS.iter().filter(move |row| row.kind == kind).map(|row| row.name);
    kinds.iter().copied().flat_map(named).chain(["malloc", "tlsf"]).collect()
}

#[test]
fn every_allocator_is_swept_and_what_it_refuses_is_never_timed() {
    let least = ["scale=0.004", "slots=60", "step=1024"];
    for name in all(&[Kind::Handles, Kind::Caches, Kind::Objects, Kind::Pages]) {
        let allocator = format!("allocator={name}");
        let words = [&["kernel-sweep", &allocator][..], &least].concat();
        let text = printed(&words);
        // Where each request is a system call its time has a curve of its own.
        let is_pages = KERNELS.iter().any(|row| row.name == name && row.kind == Kind::Pages);
        let series = if is_pages { "areas" } else { "pair" };
        let (pairs, waste) = (points(&text, series), points(&text, "waste"));
        // A few pairs may take less than reading the clock did: then they took nothing.
        assert!(pairs.iter().all(|point| point.1 >= 0.0) && !waste.is_empty(), "{text}");
        let only_to_a_page =
            KERNELS.iter().any(|row| row.name == name && row.kind == Kind::Handles);
        if only_to_a_page {
            assert!(pairs.last().is_some_and(|point| point.0 <= 4096.0), "{name}: {text}");
            assert!(refused(&text) > 0, "{name}: {text}");
            let shares = points(&text, "refused");
            // zbud refuses what is larger than 3,968 bytes.
            let first = if name == "zbud" { 3072.0 } else { 4096.0 };
            assert_eq!(shares.first().map(|share| share.0), Some(first), "{name}: {text}");
            assert_eq!(shares.last(), Some(&(15360.0, 100.0)), "{name}: {text}");
        } else {
            let found = (pairs.len(), waste.len(), refused(&text));
            assert_eq!(found, (16, 16, 0), "{name}: {text}");
        }
        let xs = |points: &[(f64, f64)]| points.iter().map(|point| point.0).collect::<Vec<f64>>();
        let again = printed(&words);
        assert_eq!(xs(&points(&again, series)), xs(&pairs), "{name}");
        let is_ours = KERNELS.iter().any(|row| row.name == name);
        if is_ours {
            assert_eq!(points(&again, "waste"), waste, "{name}: the seed decides it");
        }
    }
}

#[test]
fn wide_ranges_are_run_fifty_times() {
    for name in all(&[Kind::Handles, Kind::Objects]) {
        let text =
            printed(&["kernel-wide", &format!("allocator={name}"), "scale=0.05", "slots=40"]);
        for range in ["0-512", "2048-4096"] {
            assert_eq!(points(&text, range).len(), 50, "{name} {range}");
        }
    }
}

#[test]
fn chains_and_what_pages_and_calls_cost_are_chosen() {
    let waste = |word: &str, more: &[&str]| {
        let allocator = format!("allocator={word}");
        let least =
            ["kernel-sweep", &allocator, "slots=400", "first=3300", "last=3300", "scale=0.1"];
        points(&printed(&[&least[..], more].concat()), "waste")[0].1
    };
    let (older, newer) =
        (waste("zsmalloc:chain=4:rule=most-percent", &[]), waste("zsmalloc:chain=8", &[]));
    // From 3,257 bytes on an object has a page to itself with chains of 4, from 3,625 on with chains of 8.
    assert!(older > 700.0 && newer < 500.0, "{older} {newer}");
    // What a page or a call costs changes no object's place.
    for more in ["pages=bare", "calls=bare", "page-ns=0", "page-ns=1000"] {
        assert!((waste("zsmalloc", &[more]) - newer).abs() < 1e-9, "{more}");
    }
}

#[test]
fn sequences_of_objects_are_literally_the_kernels() {
    let text = printed(&["kmem-stack"]);
    let sequence =
        |name: &str| -> Vec<f64> { points(&text, name).into_iter().map(|point| point.1).collect() };
    assert_eq!(sequence("A/first"), [0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0]);
    assert_eq!(sequence("A/4-then-1-8"), [4.0, 8.0, 1.0]);
    // The text's own: freed last, first.
    assert_eq!(sequence("A/batch"), [9.0, 7.0, 6.0, 5.0, 3.0, 2.0, 0.0, 1.0, 8.0, 4.0]);
    assert_eq!(sequence("B/first")[..3], [59.0, 58.0, 57.0]);
    let mut judged = 0;
    for line in text.lines().filter(|line| line.starts_with("value ")) {
        assert!(line.contains(" 1 as-expected"), "{line}");
        judged += 1;
    }
    assert_eq!(judged, 18);
    assert!(sequence("distance/kmalloc-32").iter().all(|distance| *distance == 32.0), "{text}");
    assert!(sequence("distance/cache-40").iter().all(|distance| *distance == 40.0), "{text}");
    assert!(sequence("distance/kmalloc-40").iter().any(|distance| *distance > 4096.0), "{text}");
}

#[test]
fn chains_of_a_cache_of_their_own_touch_fewer_lines_and_pages() {
    let seen = |name: &str, series: &str| {
        let words =
            ["chain", &format!("allocator={name}"), "scale=0.001", "others=7000", "chains=1"];
        points(&printed(&words), series).into_iter().find(|point| point.0 == 40.0).expect("40").1
    };
    assert!(seen("kmem_cache", "lines") <= 130.0 && seen("kmem_cache", "pages") <= 3.0);
    assert!(seen("kmalloc", "lines") >= 200.0 && seen("kmalloc", "pages") > 10.0);
    for name in ["malloc", "tlsf"] {
        assert!(seen(name, "walk") > 0.0, "{name}");
    }
}

#[test]
fn pairs_are_measured_in_turn() {
    let text = printed(&["kernel-pairs", "scale=0.003", "pairs=160"]);
    for name in ["cache_over_malloc", "bulk_over_cache", "malloc", "cache", "bulk"] {
        assert!(text.contains(&format!("value {name} ")), "{name} is missing in {text}");
    }
}

#[test]
fn what_is_wrong_is_2_and_named() {
    for (words, said) in [
        (&["kernel-sweep", "allocator=xmalloc"][..], "zsmalloc"),
        (&["chain", "allocator=null"], "null"),
        (&["kernel-sweep", "slot=3"], "slots"),
        (&["kernel-sweep", "pages=new"], "pages: 'new' is not kernel or bare"),
        (&["kernel-sweep", "allocator=zsmalloc:chain=17"], "from 1 to 16"),
        (&["check", "kernel-sweep", "allocator=zsmalloc:rule=best"], "least-waste or most-percent"),
        (&["basic", "allocator=xvmalloc"], "no allocator xvmalloc"),
    ] {
        let output = run(words);
        assert!(!output.status.success(), "{words:?}");
        let error = String::from_utf8_lossy(&output.stderr);
        assert!(error.contains(said), "{words:?}: {error}");
    }
}
