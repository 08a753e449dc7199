//! The workloads of `ours`, a small part of each: they end well, print what they should, and the seed decides what they do.

use crate::common::printed as run;

/// The rest of the line that begins with `name`.
fn figure<'a>(printed: &'a str, name: &str) -> &'a str {
    let rest = |line: &'a str| line.strip_prefix(name)?.strip_prefix(' ');
    printed.lines().find_map(rest).unwrap_or_else(|| panic!("no {name}:\n{printed}"))
}

/// Runs it twice and once with another seed; the first run.
fn is_decided_by_the_seed(words: &[&str]) -> String {
    let first = run(words);
    let again = run(words);
    let other = run(&[words, &["seed=2"]].concat());
    for name in ["ops", "peak_live"] {
        assert_eq!(figure(&first, name), figure(&again, name), "{words:?} {name}");
    }
    for printed in [&first, &again, &other] {
        assert_ne!(figure(printed, "ops"), "0");
        assert_ne!(figure(printed, "ns"), "0");
        assert_eq!(figure(printed, "refused"), "0");
    }
    first
}

fn number(printed: &str, name: &str) -> f64 {
    let words = figure(printed, &format!("value {name}"));
    let number = words.split(' ').next().and_then(|word| word.parse().ok());
    number.unwrap_or_else(|| panic!("{name}: {words}"))
}

#[test]
fn chains() {
    for stages in ["stages=2", "stages=5"] {
        let printed = is_decided_by_the_seed(&["chains", "items=20000", stages]);
        assert!(number(&printed, "items_per_second") > 0.0);
    }
}

#[test]
fn batches_have_a_point_for_each_size_and_number() {
    let printed = is_decided_by_the_seed(&["batches", "blocks=5000"]);
    let points = |series: &str| {
        printed.lines().filter(|line| line.starts_with(&format!("point {series} "))).count()
    };
    for number in [1, 4, 16, 64, 128, 256, 1024, 4096] {
        assert_eq!(points(&format!("{number}-blocks")), 9, "{printed}");
    }
    // 5,000 blocks are whole batches of 1 and of 4, but 313 of 16, 79 of 64, 40, 20, 5 and 2 of 4096.
    let pairs = 2 * 5000 + 313 * 16 + 79 * 64 + 40 * 128 + 20 * 256 + 5 * 1024 + 2 * 4096;
    assert_eq!(figure(&printed, "ops"), (9 * 2 * pairs).to_string());
}

#[test]
fn a_mix_of_sizes_is_decided_by_the_seed() {
    let printed = is_decided_by_the_seed(&["mixed", "blocks=3000", "live=1000"]);
    assert_eq!(figure(&printed, "ops"), "24000");
}

#[test]
fn frames_and_callbacks_are_counted() {
    let printed = run(&["frame-audio", "frames=9", "level=4", "other=100"]);
    for name in ["callback", "frame"] {
        // How many are missed depends on what else the machine does.
        assert!(number(&printed, &format!("missed_{name}s")) <= 30.0);
        let worst = number(&printed, &format!("worst_{name}_us"));
        let median = number(&printed, &format!("median_{name}_us"));
        assert!(worst >= median && median > 0.0, "{printed}");
        assert!(number(&printed, &format!("latest_{name}_us")) >= 0.0);
        for of in [name.to_owned(), format!("{name}-in-malloc")] {
            let bins = printed.lines().filter_map(|l| l.strip_prefix(&format!("hist {of} ")));
            let counts = bins.map(|bin| bin.split(' ').nth(1).unwrap().parse::<u64>().unwrap());
            assert_eq!(counts.sum::<u64>(), if name == "frame" { 9 } else { 30 }, "{printed}");
            assert!(printed.contains(&format!("\nlimit {of} ")), "{printed}");
        }
    }
}

#[test]
fn memory_over_time() {
    let phases = is_decided_by_the_seed(&["phases", "rounds=1", "live=4"]);
    let long = is_decided_by_the_seed(&["long-run", "scale=0.01"]);
    for printed in [&phases, &long] {
        assert!(number(printed, "rss_over_live_mean") > 0.5, "{printed}");
        assert!(number(printed, "rss_over_live_worst") > 0.5);
        let live: Vec<(u64, u64)> = printed
            .lines()
            .filter_map(|line| line.strip_prefix("live ")?.split_once(' '))
            .map(|(at, bytes)| (at.parse().unwrap(), bytes.parse().unwrap()))
            .collect();
        assert!(live.len() > 50 && live.is_sorted_by_key(|l| l.0), "{printed}");
        let peak: u64 = figure(printed, "peak_live").parse().unwrap();
        assert_eq!(live.iter().map(|l| l.1).max(), Some(peak));
    }
    assert!(number(&phases, "live_survivors_bytes") > 0.0);
    // A hundredth has the sizes of the whole.
    assert!(figure(&long, "ops").parse::<u64>().unwrap() > 500_000);
}

#[test]
fn what_is_kept_while_idle_is_told() {
    let printed = is_decided_by_the_seed(&["idle-return", "mib=16", "idle=20"]);
    assert!(number(&printed, "rss_full_bytes") > f64::from(16 << 20));
    let live = number(&printed, "live_after_idle_bytes");
    assert!(live > 0.0 && live < f64::from(4 << 20), "{live}");
    assert!(number(&printed, "rss_after_idle_bytes") > 0.0);
}

#[test]
fn processes_and_threads_come_and_go() {
    let forks = ["fork-storm", "children=9", "heap=2", "blocks=200", "steps=5000", "together=3"];
    let printed = is_decided_by_the_seed(&forks);
    assert!(number(&printed, "fork_us") > 0.0);
    assert_eq!(figure(&printed, "ops"), (9 * (2 * 200 + 1000) + 2 * 2 * 5000).to_string());
    let printed = is_decided_by_the_seed(&["thread-churn", "threads=60", "together=3"]);
    assert!(number(&printed, "thread_us") > 0.0);
    // Every block is allocated and freed.
    assert_eq!(figure(&printed, "ops"), (60 * 300 * 2).to_string());
}

#[test]
fn extreme_parameters_do_not_hurt() {
    for words in [
        &["chains", "items=1", "stages=0", "largest=0"][..],
        &["batches", "blocks=0"],
        &["frame-audio", "frames=0"],
        &["frame-audio", "frames=1", "objects=0", "level-blocks=0", "lasting=0", "buffers=0"],
        &["phases", "rounds=0", "live=1"],
        &["phases", "rounds=1", "live=0", "churn=0", "survivors=0"],
        &["long-run", "steps=0", "looks=0"],
        &["idle-return", "mib=0", "idle=0", "kept=0", "largest=0"],
        &["fork-storm", "children=0", "steps=0", "heap=0", "threads=0"],
        &["fork-storm", "children=1", "together=0", "heap=0", "blocks=0", "inherited=5", "steps=1"],
        &["thread-churn", "threads=0", "together=0"],
        &["thread-churn", "threads=3", "blocks=0", "left=0"],
    ] {
        assert_eq!(figure(&run(words), "refused"), "0", "{words:?}");
    }
}
