//! The workloads of the community and of the texts, each for a moment, as `heapwright bench` runs them: they end well, print
//! what they should, and the seed decides all of it but the times.

use crate::common::run;

struct Short {
    name: &'static str,
    words: &'static [&'static str],
    /// Lines it prints beside `refused`, and beside `ops` and `ns` if it `counts` its calls, and how often.
    more: &'static [(&'static str, usize)],
    counts: bool,
}

const fn short(
    name: &'static str,
    words: &'static [&'static str],
    more: &'static [(&'static str, usize)],
) -> Short {
    Short { name, words, more, counts: true }
}

const fn text(name: &'static str, counts: bool, more: &'static [(&'static str, usize)]) -> Short {
    Short { counts, ..short(name, &["scale=0.002"], more) }
}

/// One that takes its time whatever its scale is: it is made smaller too.
const fn smaller(words: &'static [&'static str], short: Short) -> Short {
    Short { words, ..short }
}

const PEAK: &[(&str, usize)] = &[("peak_live", 1)];
const ANSWER: &[(&str, usize)] = &[("answer", 1)];
const SLOTS: &[&str] = &["slots=100", "scale=0.002"];
const OTHERS: &[&str] = &["others=20000", "scale=0.002"];

const COMMUNITY: &[Short] = &[
    short("larson", &["steps=500", "scale=0.01"], PEAK),
    short("mstress", &["trees=60", "scale=0.2"], PEAK),
    short("rptest", &["scale=0.002"], PEAK),
    short("xmalloc", &["scale=0.002"], PEAK),
    short("sh6", &["scale=0.002"], PEAK),
    short("sh8", &["scale=0.002"], PEAK),
    short("alloc-test", &["last=4096", "scale=0.001"], &[("peak_live", 1), ("point", 3)]),
    short("cache-scratch", &["writes=500", "scale=0.01"], PEAK),
    short("cache-thrash", &["writes=500", "scale=0.01"], PEAK),
    short("mleak", &["scale=0.01"], &[("peak_live", 1), ("live", 24), ("value", 3)]),
    short("cfrac", &["bits=48", "primes=40", "scale=0.25"], ANSWER),
    short("espresso", &["variables=10", "scale=0.01"], ANSWER),
    short("barnes", &["bodies=500", "scale=0.2"], &[("peak_live", 1), ("answer", 1)]),
];

const TEXTS: &[Short] = &[
    smaller(
        &["numbers=3000", "vectors=300", "entries=500", "scale=0.002"],
        text("basic", false, PEAK),
    ),
    text("align-test", true, PEAK),
    text("multi-thread", false, PEAK),
    text("mitest", false, PEAK),
    text("glibc-simple", true, &[("peak_live", 1), ("point", 9 * 4)]),
    text("glibc-thread", true, PEAK),
    text("malloc-large", false, PEAK),
    text("multi-thread-c", true, PEAK),
    text("t-test1", true, PEAK),
    text("t-test1-grid", true, &[("peak_live", 1), ("point", 9 * 12 * 2)]),
    text("bursts", true, &[("peak_live", 1), ("point", 14)]),
    text("two-phases", true, &[("peak_live", 1), ("value", 4)]),
    text("bench-tiny", true, PEAK),
    text("bench-tiny-mt", true, PEAK),
    smaller(SLOTS, text("tlsf-sweep", true, &[("peak_live", 1), ("point", 256)])),
    smaller(SLOTS, text("tlsf-wide", true, &[("peak_live", 1), ("point", 6 * 50)])),
    smaller(OTHERS, text("list-walk", false, &[("peak_live", 1), ("point", 9), ("value", 9)])),
    smaller(
        OTHERS,
        text("addresses", false, &[("peak_live", 1), ("point", 2 * 19), ("value", 2 * 3)]),
    ),
];

impl Short {
    /// The lines it prints, as words; it ends well.
    fn lines(&self, more: &[&str]) -> Vec<Vec<String>> {
        crate::common::lines(&[&[self.name], self.words, more].concat())
    }
}

fn count(lines: &[Vec<String>], key: &str) -> usize {
    lines.iter().filter(|line| line[0] == key).count()
}

/// What does not depend on the time, nor on which of several threads came first.
pub(crate) fn decided_by_the_seed(name: &str, lines: &[Vec<String>]) -> Vec<Vec<String>> {
    let of_all = ["ops", "answer", "point", "live", "value", "peak_live", "refused"];
    let mut all: Vec<Vec<String>> =
        lines.iter().filter(|line| of_all.contains(&line[0].as_str())).cloned().collect();
    // What is in shared slots, or waits for a thread, is a matter of who came first.
    all.retain(|line| !["mstress", "rptest"].contains(&name) || line[0] != "peak_live");
    for line in &mut all {
        match line[0].as_str() {
            "point" => line.truncate(3),
            "value" => line.truncate(2),
            "live" => drop(line.remove(1)),
            _ => {}
        }
    }
    all
}

#[test]
fn each_prints_its_figures_and_the_seed_decides_them() {
    for short in COMMUNITY.iter().chain(TEXTS) {
        let name = short.name;
        let first = short.lines(&["seed=5"]);
        let always = [("ops", short.counts), ("ns", short.counts), ("refused", true)];
        for (key, is_there) in always {
            assert_eq!(count(&first, key), usize::from(is_there), "{name}: {key}");
        }
        for &(key, times) in short.more {
            assert_eq!(count(&first, key), times, "{name}: {key}");
        }
        let others = short.more.iter().map(|(_, times)| times).sum::<usize>();
        let always = always.iter().filter(|(_, is_there)| *is_there).count();
        assert_eq!(first.len(), always + others, "{name}: {first:?}");
        let number = |key: &str| {
            let line = first.iter().find(|line| line[0] == key)?;
            line[1].parse::<u64>().ok()
        };
        assert!(!short.counts || number("ops") > Some(0) && number("ns") > Some(0), "{name}");
        // Threads of the two have 64 bytes each.
        let least = if name.starts_with("cache-") { 100 } else { 1000 };
        assert!(number("peak_live").is_none_or(|bytes| bytes > least), "{name}");
        // A few calls may take less than reading the clock did: then they took nothing.
        let is_figure = |y: &str| y.parse::<f64>().is_ok_and(|y| y >= 0.0 && y.is_finite());
        let mut points = first.iter().filter(|line| line[0] == "point");
        assert!(points.all(|point| point.len() == 4 && is_figure(&point[3])), "{name}");
        assert_eq!(number("refused"), Some(0), "{name}");
        let second = short.lines(&["seed=5"]);
        assert_eq!(decided_by_the_seed(name, &first), decided_by_the_seed(name, &second), "{name}");
        if count(&first, "answer") == 1 {
            let other = short.lines(&["seed=6"]);
            let answer = |lines: &[Vec<String>]| lines.iter().find(|l| l[0] == "answer").cloned();
            assert_ne!(answer(&first), answer(&other), "{name}");
        }
    }
}

#[test]
fn each_runs_on_nothing_on_a_region_and_with_every_call_timed() {
    for short in COMMUNITY {
        let name = short.name;
        let with_malloc = short.lines(&["seed=2"]);
        for more in ["allocator=null", "allocator=tlsf", "tail=1"] {
            let lines = short.lines(&["seed=2", more]);
            assert_eq!(count(&lines, "ops"), 1, "{name} {more}");
            assert_eq!(count(&lines, "hist") > 0, more == "tail=1", "{name} {more}");
            // Whichever allocator it is, the work is the same.
            let ours = decided_by_the_seed(name, &lines);
            assert_eq!(ours, decided_by_the_seed(name, &with_malloc), "{name} {more}");
        }
    }
}

#[test]
fn parameters_that_leave_no_work_are_refused_by_name() {
    let check = |words: &[&str]| {
        let output = run(&[&["check"], words].concat());
        (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
    };
    for (words, named) in [
        (&["larson", "threads=0"][..], "larson: threads: 0 is too little; it is at least 1"),
        (&["larson", "blocks=0"], "blocks"),
        (&["larson", "largest=0"], "largest"),
        (&["larson", "generations=0"], "generations"),
        (&["larson", "smallest=500", "largest=8"], "at least smallest, which is 500"),
        (&["xmalloc", "threads=1"], "at least 2"),
        (&["chains", "stages=1"], "at least 2"),
        (&["fork-storm", "children=0"], "children"),
    ] {
        let (code, said) = check(words);
        assert_eq!(code, Some(2), "{words:?}: {said}");
        assert!(said.contains(named), "{words:?}: {said}");
    }
    for words in [
        &["larson", "threads=1", "smallest=8", "largest=8"][..],
        &["rptest", "cross=0"],
        &["glibc-simple", "size=0"],
        &["fork-storm", "threads=0", "heap=0"],
    ] {
        assert_eq!(check(words), (Some(0), String::new()), "{words:?}");
    }
}

#[test]
fn what_is_usual_is_of_use() {
    let list = crate::common::printed(&["list"]);
    let names: Vec<&str> = list
        .lines()
        .take_while(|l| *l != "each of them")
        .filter(|l| !l.starts_with(' ') && !l.is_empty())
        .collect();
    assert!(names.contains(&"larson"), "{list}");
    for name in names {
        let checked = run(&["check", name]);
        assert!(checked.status.success(), "{name}: {checked:?}");
    }
}
