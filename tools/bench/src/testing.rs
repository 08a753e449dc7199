//! Made-up results, for the tests of all packages that show, judge or keep results.
//!
//! Nothing here was measured. Each function gives a whole value, always the same for the same arguments; a test changes the
//! fields that it is about. Public for the tests of other packages, hidden from everybody else.

use core::time::Duration;

use launch::Exit;
use launch::allocator::Allocator;

use crate::definition::Group;
use crate::machine::Machine;
use crate::measured::Figures;
use crate::result::{Cell, Compared, Entry, Report, SCHEMA, Series, VERSION, Work};
use crate::session::{
    Options, Pass, Role, Run, Session, Stop, SubjectIndex, WorkloadIndex, line_up,
};
use crate::workload::Workload;

pub fn figures(wall_ns: u64) -> Figures {
    Figures {
        wall_ns,
        user_us: wall_ns / 1000,
        system_us: 0,
        peak_rss_bytes: 1 << 20,
        peak_rss_floor_bytes: 0,
        peak_anonymous_bytes: None,
        minor_faults: 10,
        major_faults: 0,
        voluntary_switches: 0,
        involuntary_switches: 0,
        exit: Exit::Code(0),
        others_us: None,
        waited_us: None,
    }
}

/// A good run of that workload on that allocator; round 0 is the pass for memory.
pub fn run(workload: WorkloadIndex, allocator: SubjectIndex, round: u32, wall_ns: u64) -> Run {
    Run {
        workload,
        allocator,
        round,
        pass: if round == 0 { Pass::Memory } else { Pass::Time },
        place: allocator.0,
        starved: false,
        ops: None,
        ns: None,
        refused: 0,
        figures: figures(wall_ns),
    }
}

pub fn entry(name: &str, role: Role) -> Entry {
    Entry {
        name: name.to_owned(),
        base: None,
        settings: Vec::new(),
        library: None,
        version: Some("1.0".to_owned()),
        role,
    }
}

/// A workload of one thread that was measured well.
pub fn work(name: &str, rounds: u32, cells: Vec<Cell>) -> Work {
    Work {
        name: name.to_owned(),
        group: Group::Community,
        command: ["/cache/heapwright-workloads", name, "scale=1", "seed=1"]
            .map(str::to_owned)
            .to_vec(),
        threads: 1,
        rounds,
        precise: true,
        cells,
        ..Work::default()
    }
}

pub fn series(name: &str, points: &[(f64, f64)]) -> Series {
    Series { name: name.to_owned(), points: points.to_vec() }
}

pub fn machine() -> Machine {
    Machine {
        kernel: "Linux 6.12.0".to_owned(),
        arch: "x86_64".to_owned(),
        cpu: "Example Processor 9000 @ 2.60GHz".to_owned(),
        cores: 2,
        memory_bytes: 8 << 30,
        huge_pages: Some("always [madvise] never".to_owned()),
        glibc: Some("2.41".to_owned()),
        numa_nodes: 1,
        virtual_machine: true,
        hypervisor: Some("KVM".to_owned()),
        ..Machine::default()
    }
}

/// A result of these, with nothing to warn of and no word about them all.
pub fn report(allocators: Vec<Entry>, workloads: Vec<Work>, runs: Vec<Run>) -> Report {
    Report {
        schema: SCHEMA.to_owned(),
        version: VERSION,
        heapwright: "0.1.0".to_owned(),
        started: "2026-03-01T12:10:05Z".to_owned(),
        command_line: vec!["heapwright".to_owned(), "bench".to_owned()],
        seed: 1,
        scale: 1.0,
        warm: true,
        pinned: true,
        stop: Stop::Precise,
        elapsed: 600.0,
        machine: machine(),
        allocators,
        workloads,
        runs,
        ..Report::default()
    }
}

/// A result of `works` on glibc, its control, heapwright and null, with every run: `seconds` says how long those of a
/// workload and an allocator take on average.
pub fn rounds(works: &[&str], rounds: u32, seconds: impl Fn(&str, &str) -> f64) -> Report {
    let entries = [
        entry("glibc", Role::Baseline),
        entry("glibc again", Role::Control),
        entry("heapwright", Role::Contender),
        entry("null", Role::Floor),
    ];
    let mut runs = Vec::new();
    for round in 0..=rounds {
        // What disturbs a round disturbs all of it.
        let common = 1.0 + f64::from(round * 7 % 5) / 50.0;
        for (workload, work) in works.iter().enumerate() {
            for ((allocator, entry), place) in entries.iter().enumerate().zip(0_u32..) {
                let own = 1.0 + f64::from((round * 5 + place * 3) % 7) / 1000.0;
                let seconds = seconds(work, entry.name.trim_end_matches(" again")) * common * own;
                let ns = nanoseconds(seconds);
                let run = run(WorkloadIndex(workload), SubjectIndex(allocator), round, ns);
                runs.push(Run { ops: Some(1_000_000), ns: Some(ns), ..run });
            }
        }
    }
    let peak = Compared { median: f64::from(1 << 20), ratio: None, same: false };
    let cells = vec![Cell { peak_rss: Some(peak), ..Cell::default() }; entries.len()];
    let works = works.iter().map(|name| work(name, rounds, cells.clone())).collect();
    report(entries.to_vec(), works, runs)
}

/// The same as a whole number.
pub fn nanoseconds(seconds: f64) -> u64 {
    u64::try_from(Duration::from_secs_f64(seconds).as_nanos()).unwrap_or(u64::MAX)
}

/// One round for memory, then as many as precision needs.
pub fn options() -> Options {
    Options {
        warmup: 1,
        rounds: None,
        budget: None,
        seed: 1,
        warm: true,
        tails: true,
        ignore_failure: false,
        show_output: false,
        timeout: None,
        any_malloc: false,
    }
}

/// A measurement of one program on glibc, its control and `contenders`: `wall_ns` says how long the run of a round and of a
/// subject takes.
pub fn session(
    contenders: &[&str],
    rounds: u32,
    wall_ns: impl Fn(u32, SubjectIndex) -> u64,
) -> Session {
    let preloaded = |name: &&str| Allocator::preloaded(*name, format!("/{name}.so"));
    let mut allocators = vec![Allocator::glibc()];
    allocators.extend(contenders.iter().map(preloaded));
    let subjects = line_up(allocators, false);
    let own = Workload::own("own".into(), "/prog".into(), vec!["prog".into(), "-x".into()]);
    let indices = (0..subjects.len()).map(SubjectIndex);
    let runs = (0..=rounds).flat_map(|round| indices.clone().map(move |s| (round, s)));
    Session {
        runs: runs.map(|(round, s)| run(WorkloadIndex(0), s, round, wall_ns(round, s))).collect(),
        rounds: vec![rounds],
        stops: vec![Stop::Precise],
        elapsed: Duration::from_secs(1),
        ..Session::new(vec![own], subjects)
    }
}
