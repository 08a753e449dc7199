//! A result as a full run gives it: every kind of workload and of failure, tails, curves, memory over time. The numbers
//! are made up, always the same, and only look right.

use std::sync::OnceLock;

use bench::definition::{Curve, Group};
use bench::launch::Exit;
use bench::result::{Cell, Compared, Entry, Overall, Prepared, Report, Series, Tail, Value, Work};
use bench::session::{Failure, How, Role, Run, Stop, SubjectIndex, WorkloadIndex};
use bench::stats::Ratio;
use bench::testing;
use fastrand::Rng;

const NAMES: [(&str, f64, f64); 10] = [
    ("heapwright", 0.74, 1.04),
    ("mimalloc", 0.81, 1.31),
    ("jemalloc", 0.93, 1.12),
    ("tcmalloc", 0.84, 1.22),
    ("snmalloc", 0.80, 1.52),
    ("rpmalloc", 0.86, 1.71),
    ("mimalloc2", 0.815, 1.29),
    ("tlsf", 1.42, 0.97),
    ("hardened_malloc", 2.61, 1.88),
    ("bestfit", 1.93, 0.95),
];

const WORKLOADS: [(&str, Group, u32, f64); 20] = [
    ("basic", Group::Texts, 1, 1.2),
    ("multi-thread", Group::Texts, 4, 0.9),
    ("glibc-simple", Group::Texts, 1, 1.7),
    ("glibc-thread", Group::Texts, 2, 2.1),
    ("malloc-large", Group::Texts, 1, 1.1),
    ("tlsf-sweep", Group::Texts, 1, 1.9),
    ("larson", Group::Community, 4, 2.0),
    ("mstress", Group::Community, 4, 1.1),
    ("rptest", Group::Community, 2, 1.8),
    ("xmalloc", Group::Community, 4, 0.7),
    ("sh6bench", Group::Community, 1, 0.8),
    ("cache-scratch", Group::Community, 2, 0.5),
    ("frame-audio", Group::Ours, 2, 4.0),
    ("producer-consumer-chains", Group::Ours, 4, 1.4),
    ("phase-change", Group::Ours, 1, 1.6),
    ("fragmentation", Group::Ours, 1, 5.0),
    ("idle-return", Group::Ours, 0, 3.0),
    ("python3", Group::Real, 1, 2.4),
    ("g++", Group::Real, 1, 1.3),
    ("redis", Group::Real, 1, 3.4),
];

/// Around 1; the factor by which it is off has at most this logarithm.
fn about(numbers: &mut Rng, spread: f64) -> f64 {
    ((numbers.f64() * 2.0 - 1.0) * spread).exp()
}

/// The 20 workloads on glibc, its control, ten others and the null allocator.
pub(crate) fn report() -> Report {
    large(20, 10)
}

/// Its page.
pub(crate) fn page() -> &'static str {
    static PAGE: OnceLock<String> = OnceLock::new();
    PAGE.get_or_init(|| heapwright_report::html(&report()))
}

/// One program of the user's own, with nine curves that are saws.
pub(crate) fn one() -> Report {
    let mut report = report();
    let at = report.workloads.iter().position(|w| w.name == "fragmentation");
    let mut work = report.workloads.swap_remove(at.unwrap());
    work.group = Group::Own;
    for (who, cell) in work.cells.iter_mut().enumerate() {
        let saw = |i: u32| (f64::from(i), f64::from((i * 7 + u32::try_from(who).unwrap()) % 40));
        cell.series = vec![testing::series("saw", &(0..200).map(saw).collect::<Vec<_>>())];
    }
    report.workloads = vec![work];
    report
}

/// A report with these numbers of workloads and contenders; those beyond the named ones repeat them with a number.
pub(crate) fn large(workloads: usize, contenders: usize) -> Report {
    let mut numbers = Rng::with_seed(7);
    let mut allocators = vec![entry("glibc", Role::Baseline), entry("glibc again", Role::Control)];
    let mut nature = vec![(1.0, 1.0), (1.0, 1.0)];
    for i in 0..contenders {
        let (name, time, memory) = NAMES[i % NAMES.len()];
        let name = if i < NAMES.len() {
            name.to_owned()
        } else {
            format!("{name}-{}", i / NAMES.len() + 1)
        };
        allocators.push(entry(&name, Role::Contender));
        nature.push((time + 0.013 * (i / NAMES.len()) as f64, memory));
    }
    allocators.push(entry("null", Role::Floor));
    nature.push((0.4, 1.0));
    let works: Vec<Work> =
        (0..workloads).map(|w| work(w, &allocators, &nature, &mut numbers)).collect();
    let runs = runs(&works, &mut numbers);
    let overall = overall(&allocators, &nature, workloads);
    Report {
        command_line: ["heapwright", "bench", "--time", "60m", "-o", "a folder"]
            .map(String::from)
            .to_vec(),
        seed: 4711,
        stop: Stop::Budget,
        elapsed: 3541.7,
        prepared: vec![
            Prepared {
                what: "frequency governor".into(),
                before: Some("powersave".into()),
                after: Some("performance".into()),
                problem: None,
            },
            Prepared {
                what: "turbo".into(),
                before: Some("on".into()),
                after: None,
                problem: Some(
                    "/sys/devices/system/cpu/intel_pstate/no_turbo: permission denied".into(),
                ),
            },
        ],
        steal: 0.013,
        warnings: vec![
            "the load was 1.3 when measuring began: close what else runs".into(),
            "this is a virtual machine: what others do on it cannot be seen".into(),
        ],
        overall,
        ..testing::report(allocators, works, runs)
    }
}

fn entry(name: &str, role: Role) -> Entry {
    let preloaded = role == Role::Contender;
    Entry {
        library: preloaded.then(|| format!("/usr/lib/x86_64-linux-gnu/lib{name}.so.2").into()),
        version: (role != Role::Floor).then(|| "2.41".to_owned()),
        ..testing::entry(name, role)
    }
}

fn ratio(estimate: f64, margin: f64) -> Ratio {
    Ratio {
        estimate,
        low: estimate * (1.0 - margin),
        high: estimate * (1.0 + margin * 1.3),
        pairs: 14,
    }
}

fn compared(median: f64, r: Option<Ratio>) -> Option<Compared> {
    Some(Compared { median, ratio: r, same: r.is_some_and(|r| r.is_same()) })
}

fn work(w: usize, allocators: &[Entry], nature: &[(f64, f64)], numbers: &mut Rng) -> Work {
    let (name, group, threads, seconds) = WORKLOADS[w % WORKLOADS.len()];
    let name = if w < WORKLOADS.len() {
        name.to_owned()
    } else {
        format!("{name}-{}", w / WORKLOADS.len() + 1)
    };
    let noise = 0.002 + 0.012 * numbers.f64();
    let cells = (0..allocators.len())
        .map(|a| {
            let role = allocators[a].role;
            let uses_floor = w % 20 < 12;
            if role == Role::Floor && !uses_floor {
                return Cell {
                    skipped: Some("it does not count its calls".into()),
                    ..Cell::default()
                };
            }
            cell(w % 20, a, role, (seconds, threads), nature[a], noise, numbers)
        })
        .collect();
    Work {
        group,
        about: format!("{name}: allocates, writes, checks and frees as its description says"),
        source: "the text that describes it, section 3".into(),
        command: vec!["heapwright-workloads".into(), "a name".into(), "threads=4".into()],
        threads,
        precise: w % 5 != 3,
        noise_floor: Some(noise),
        curve: (w % 20 == 5).then(|| Curve {
            x: "bytes".into(),
            y: "ns a pair".into(),
            x_log: true,
            y_log: true,
            ..Curve::default()
        }),
        ..testing::work(&name, 14, cells)
    }
}

fn cell(
    w: usize,
    a: usize,
    role: Role,
    (seconds, threads): (f64, u32),
    (time, memory): (f64, f64),
    noise: f64,
    numbers: &mut Rng,
) -> Cell {
    let runs = 14;
    match (w, a) {
        (3, 9) => return Cell { runs, refused: 1_250_000, ..Cell::default() },
        (6, 10) => {
            return Cell {
                failure: Some(failure(How::Ended(Exit::Signal(11)))),
                ..Cell::default()
            };
        }
        (18, 11) => return Cell { failure: Some(failure(How::TimedOut)), ..Cell::default() },
        (19, 9 | 11) => {
            let skipped = Some("redis-server cannot be interposed by it: it brings its own".into());
            return Cell { skipped, ..Cell::default() };
        }
        (9, 5) => return Cell { flagged: 14, ..Cell::default() },
        _ => {}
    }
    let is_base = role == Role::Baseline;
    let (t, m) = match role {
        Role::Control => (1.0 + noise * (numbers.f64() - 0.5), 1.0),
        _ => (time * about(numbers, 0.35), memory * about(numbers, 0.25)),
    };
    let (t, m) = if is_base { (1.0, 1.0) } else { (t, m) };
    let r = |v: f64, margin: f64| (!is_base).then(|| ratio(v, margin));
    let peak = 90e6 * m * (1.0 + (w % 5) as f64);
    let counts = w < 12;
    Cell {
        runs,
        flagged: if w == 12 { 3 } else { 0 },
        time: compared(seconds * t, r(t, noise * 1.4 + 0.02 * numbers.f64())),
        cpu: compared(seconds * t * f64::from(threads.max(1)), r(t, noise)),
        ns: if counts { compared(22.0 * t * seconds, r(t, noise)) } else { None },
        peak_rss: compared(peak, r(m, 0.01)),
        faults: compared(peak / 4096.0, r(m, 0.01)),
        mean_rss: Some(peak * 0.8),
        end_rss: Some(peak * 0.3),
        rss_per_live: Some(1.15 * m),
        tails: if counts && w % 3 != 1 { tails(t, numbers) } else { Vec::new() },
        rss: if w >= 12 { over_time(peak, seconds, numbers) } else { Vec::new() },
        live: if (12..17).contains(&w) {
            over_time(72e6 * (1.0 + (w % 5) as f64), seconds, numbers)
        } else {
            Vec::new()
        },
        series: if w == 5 { sweep(t, numbers) } else { Vec::new() },
        values: if w == 12 {
            vec![
                Value {
                    name: "missed deadlines".into(),
                    value: (40.0 * t * numbers.f64()).round(),
                    unit: String::new(),
                },
                Value { name: "longest frame".into(), value: 3.1e6 * t, unit: "ns".into() },
            ]
        } else {
            Vec::new()
        },
        ..Cell::default()
    }
}

fn failure(how: How) -> Failure {
    Failure { how, round: 1, stderr: "free(): invalid pointer in <thread 3> & others".into() }
}

fn tails(t: f64, numbers: &mut Rng) -> Vec<Tail> {
    let call = |call: &str, base: f64, numbers: &mut Rng| {
        let curve: Vec<(f64, f64)> = (0..=60)
            .map(|i| {
                let share = 10_f64.powf(-f64::from(i) / 10.0);
                (base * t * (1.0 + (1.0 / share).powf(0.62)) * about(numbers, 0.02), share)
            })
            .collect();
        Tail {
            call: call.to_owned(),
            calls: 1_000_000,
            p50_ns: base * t * 2.5,
            p999_ns: curve[30].0,
            max_ns: curve[60].0,
            curve,
            ..Tail::default()
        }
    };
    vec![call("malloc", 11.0, numbers), call("free", 7.0, numbers)]
}

fn over_time(peak: f64, seconds: f64, numbers: &mut Rng) -> Vec<(f64, f64)> {
    let mut points = Vec::new();
    for i in 0..500 {
        let part = f64::from(i) / 499.0;
        let shape = (part * 5.0).min(1.0) * (0.72 + 0.25 * (part * 19.0).sin().abs());
        let shape = if part > 0.93 { shape * 0.35 } else { shape };
        points.push((part * seconds, peak * shape * about(numbers, 0.01)));
    }
    points
}

fn sweep(t: f64, numbers: &mut Rng) -> Vec<Series> {
    ["one size", "random sizes"]
        .into_iter()
        .map(|name| Series {
            name: name.to_owned(),
            points: (1..=255)
                .map(|i| {
                    let bytes = f64::from(i) * 64.0;
                    let jump = if bytes > 8192.0 { 2.2 } else { 1.0 };
                    (bytes, 18.0 * t * (1.0 + bytes / 9000.0) * jump * about(numbers, 0.04))
                })
                .collect(),
        })
        .collect()
}

fn overall(allocators: &[Entry], nature: &[(f64, f64)], workloads: usize) -> Vec<Overall> {
    let one = |(a, &(t, m)): (usize, &(f64, f64))| Overall {
        workloads: workloads - usize::from(a >= 9),
        time: Some(ratio(t, 0.011)),
        peak_rss: Some(ratio(m, 0.008)),
        ..Overall::default()
    };
    let mut all: Vec<Overall> = nature.iter().enumerate().map(one).collect();
    let compared = |a: &usize| matches!(allocators[*a].role, Role::Baseline | Role::Contender);
    Overall::mark_pareto(&mut all, (0..allocators.len()).filter(compared));
    all
}

fn runs(works: &[Work], numbers: &mut Rng) -> Vec<Run> {
    let mut all = Vec::new();
    for (w, work) in works.iter().enumerate() {
        for (a, cell) in work.cells.iter().enumerate() {
            let Some(time) = cell.time else { continue };
            for round in 1..=work.rounds {
                let run = testing::run(
                    WorkloadIndex(w),
                    SubjectIndex(a),
                    round,
                    testing::nanoseconds(time.median * about(numbers, 0.03)),
                );
                all.push(Run { starved: cell.flagged > 0 && round <= 3, ..run });
            }
        }
    }
    all
}
