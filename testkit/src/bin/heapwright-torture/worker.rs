//! Runs rounds, or one file's programs, on this process's malloc.
use std::io::Write;
use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

use heapwright_testkit::c::C;
use heapwright_testkit::c::heaps::Heaps;
use heapwright_testkit::pattern::Samples;
use heapwright_testkit::together::{from_text, run_together};
use heapwright_testkit::{Nulls, Options, Program, Ran, Subject, run};

use crate::args::Args;
use crate::plan;

/// Rounds from `args.first` on, each announced on stdout before it starts.
pub(crate) fn rounds(args: &Args) -> ExitCode {
    let start = Instant::now();
    let mut number = args.first;
    loop {
        let done = match args.rounds {
            Some(rounds) => number - args.first >= rounds,
            None => start.elapsed() >= args.time,
        };
        if done {
            return ExitCode::SUCCESS;
        }
        let round = plan::round(args, number);
        say(&format!("round {number} {}", round.name));
        match once(args, &round.programs) {
            Ok(ran) => say(&format!("ran {} {}", ran.blocks, ran.nulls)),
            Err(message) => {
                say(&format!("failed {message}"));
                return ExitCode::FAILURE;
            }
        }
        number += 1;
    }
}

pub(crate) fn replay(args: &Args, path: &Path) -> ExitCode {
    let text = match std::fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) => {
            eprintln!("heapwright-torture: {}: {error}", path.display());
            return ExitCode::from(2);
        }
    };
    let programs = match from_text(&text) {
        Ok(programs) => programs,
        Err(error) => {
            eprintln!("heapwright-torture: {}: {error}", path.display());
            return ExitCode::from(2);
        }
    };
    match once(args, &programs) {
        Ok(_) => ExitCode::SUCCESS,
        Err(message) => {
            say(&format!("failed {message}"));
            ExitCode::FAILURE
        }
    }
}

fn once(args: &Args, programs: &[Program]) -> Result<Ran, String> {
    let c = C::new();
    if !args.heaps {
        return on(args, &Subject::new(&c).with_check(&c).with_purge(&|| c.purge()), programs);
    }
    let heaps = Heaps::new(c).ok_or("--heaps: this malloc has no heaps (heapwright_heap_new)")?;
    on(args, &Subject::new(&heaps).with_check(&heaps).with_purge(&|| heaps.purge()), programs)
}

fn on(args: &Args, subject: &Subject<'_>, programs: &[Program]) -> Result<Ran, String> {
    let nulls = if args.allow_null { Nulls::Allowed } else { Nulls::Wrong };
    let (small_align, samples) = (args.small_align, Samples::ALL);
    let options = Options { nulls, small_align, samples, check_every: 64, ..Options::default() };
    match programs {
        [program] => run(subject, program, &options).map_err(|failure| failure.to_string()),
        programs => run_together(subject, programs, &options)
            .map_err(|(thread, failure)| format!("thread {thread}, {failure}")),
    }
}

/// One line on stdout, now; nobody listening is no reason to stop.
fn say(line: &str) {
    let mut out = std::io::stdout().lock();
    let _ = writeln!(out, "{line}").and_then(|()| out.flush());
}
