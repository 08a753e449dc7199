//! Starts workers until the time is up; when one fails, makes its round small.
use core::time::Duration;
use std::ffi::OsString;
use std::io::{IsTerminal, Write};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

use heapwright_testkit::together::to_text;
use heapwright_testkit::{Program, shrink};

use crate::args::Args;
use crate::child::{self, End};
use crate::plan;

/// Rounds a worker runs before a fresh one takes over.
const BATCH: u64 = 64;
/// Replays before a failure counts as gone.
const TRIES: usize = 8;
const SHRINKING: Duration = Duration::from_secs(120);

/// Runs until the time is up or something fails.
pub(crate) fn run(args: &Args) -> ExitCode {
    let preload = std::env::var("LD_PRELOAD").unwrap_or_default();
    let malloc = if preload.is_empty() { "the C library's malloc" } else { &preload };
    eprintln!("torturing {malloc}: seed {}, {} threads", args.seed, args.threads);
    let start = Instant::now();
    let mut first = args.first;
    let mut progress = Progress::new(args, start);
    loop {
        let done = first - args.first;
        let left = match args.rounds {
            Some(rounds) => rounds.saturating_sub(done).min(BATCH),
            None if start.elapsed() >= args.time => 0,
            None => BATCH,
        };
        if left == 0 {
            progress.end();
            let (blocks, nulls) = (progress.blocks, progress.nulls);
            println!("nothing found in {done} rounds: seed {}", args.seed);
            println!("{blocks} blocks allocated, {nulls} refused where that is allowed");
            return ExitCode::SUCCESS;
        }
        let mut at = first;
        let mut words = words(args, &["--work"]);
        words.extend(["--first".into(), first.to_string().into()]);
        if args.rounds.is_some() {
            words.extend(["--rounds".into(), left.to_string().into()]);
        } else {
            // A worker also ends at the end of its batch's share of the time.
            let rest = args.time.saturating_sub(start.elapsed()).as_secs().clamp(1, 5);
            words.extend(["--seconds".into(), rest.to_string().into()]);
        }
        let result = child::run(&words, args.timeout, false, |line| {
            at = number(line).unwrap_or(at);
            progress.hear(line);
        });
        match result {
            Ok(()) => first = at + 1,
            Err(Ok(end)) => {
                progress.end();
                return failed(args, first, at, &end);
            }
            Err(Err(error)) => {
                eprintln!("heapwright-torture: cannot start a worker: {error}");
                return ExitCode::from(2);
            }
        }
    }
}

/// The round a worker's line announces.
fn number(line: &str) -> Option<u64> {
    line.strip_prefix("round ")?.split(' ').next()?.parse().ok()
}

fn words(args: &Args, mode: &[&str]) -> Vec<OsString> {
    let mode = mode.iter().map(OsString::from);
    mode.chain(args.shared().into_iter().map(OsString::from)).collect()
}

/// Reports round `at` of a worker that started with round `first`.
fn failed(args: &Args, first: u64, at: u64, end: &End) -> ExitCode {
    let round = plan::round(args, at);
    println!("FAILED: round {at} ({}): {end}", round.name);
    let again = args.shared().join(" ");
    println!(
        "again: heapwright-torture --work --first {first} --rounds {} {again}",
        at - first + 1
    );
    let mut replays = Replays { args, path: path(args, at), last: None };
    let alone = (0..TRIES).any(|_| replays.fails(&round.programs));
    if !alone {
        println!("round {at} alone does not fail in {TRIES} tries; it needs the rounds before it");
        return ExitCode::FAILURE;
    }
    let programs = if args.shrink { small(&mut replays, round.programs) } else { round.programs };
    let text = to_text(&programs);
    let kept = std::fs::write(&replays.path, &text);
    let how = replays.last.map_or_else(|| end.to_string(), |end| end.to_string());
    println!("smallest found: {how}");
    print!("{text}");
    if let [program] = programs.as_slice() {
        println!("as code: {}", program.to_rust());
    }
    match kept {
        Ok(()) => println!("replay: heapwright-torture --replay {}", replays.path.display()),
        Err(error) => println!("cannot write {}: {error}", replays.path.display()),
    }
    ExitCode::FAILURE
}

fn path(args: &Args, round: u64) -> PathBuf {
    let name = format!("heapwright-torture-{}-{round}.ops", args.seed);
    std::env::temp_dir().join(name)
}

/// Fewer threads, then fewer operations on each.
fn small(replays: &mut Replays<'_>, mut programs: Vec<Program>) -> Vec<Program> {
    let until = Instant::now() + SHRINKING;
    let mut i = 0;
    while programs.len() > 1 && i < programs.len() {
        let mut fewer = programs.clone();
        fewer.remove(i);
        if replays.fails_in(&fewer, 3) {
            programs = fewer;
        } else {
            i += 1;
        }
    }
    let tries = if programs.len() == 1 { 1 } else { 3 };
    for i in 0..programs.len() {
        let mut with = programs.clone();
        programs[i] = shrink(&programs[i], 4000, |program| {
            with[i] = program.clone();
            Instant::now() < until && replays.fails_in(&with, tries)
        });
    }
    programs
}

/// Runs programs in processes of their own.
struct Replays<'a> {
    args: &'a Args,
    path: PathBuf,
    last: Option<End>,
}

impl Replays<'_> {
    fn fails_in(&mut self, programs: &[Program], tries: usize) -> bool {
        (0..tries).any(|_| self.fails(programs))
    }

    fn fails(&mut self, programs: &[Program]) -> bool {
        if std::fs::write(&self.path, to_text(programs)).is_err() {
            return false;
        }
        let mut words = words(self.args, &["--replay"]);
        words.insert(1, self.path.clone().into());
        let timeout = self.args.timeout.min(Duration::from_secs(10));
        match child::run(&words, timeout, true, |_| {}) {
            Err(Ok(end)) => {
                self.last = Some(end);
                true
            }
            _ => false,
        }
    }
}

/// One line on stderr: rewritten on a terminal, every ten seconds elsewhere.
struct Progress {
    start: Instant,
    time: Duration,
    shown: Instant,
    every: Duration,
    terminal: bool,
    blocks: u64,
    nulls: u64,
}

impl Progress {
    fn new(args: &Args, start: Instant) -> Progress {
        let terminal = std::io::stderr().is_terminal();
        let every = if terminal { Duration::from_millis(200) } else { Duration::from_secs(10) };
        Progress { start, time: args.time, shown: start, every, terminal, blocks: 0, nulls: 0 }
    }

    /// A worker's line: a round that starts, or what one did.
    fn hear(&mut self, line: &str) {
        let Some(counts) = line.strip_prefix("ran ") else { return self.show(line) };
        let mut counts = counts.split(' ').filter_map(|count| count.parse::<u64>().ok());
        self.blocks += counts.next().unwrap_or(0);
        self.nulls += counts.next().unwrap_or(0);
    }

    fn show(&mut self, line: &str) {
        if self.shown.elapsed() < self.every {
            return;
        }
        self.shown = Instant::now();
        let (spent, time) = (self.start.elapsed().as_secs(), self.time.as_secs());
        let mut err = std::io::stderr().lock();
        let _ = if self.terminal {
            write!(err, "\r\x1b[K{spent} of {time} s: {line}")
        } else {
            writeln!(err, "{spent} of {time} s: {line}")
        };
    }

    fn end(&mut self) {
        if self.terminal {
            eprint!("\r\x1b[K");
        }
    }
}
