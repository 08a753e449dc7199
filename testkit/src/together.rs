//! Several programs at once, one thread each, with blocks handed over between them.
//!
//! Two threads' blocks are told apart by their patterns: if one is handed the other's memory,
//! whichever is verified first shows it.
use core::sync::atomic::{AtomicBool, Ordering};
use std::sync::Barrier;

use crate::program::{ParseError, Program};
use crate::run::{Exchange, Options, Ran, Runner};
use crate::subject::Subject;
use crate::wrong::Failure;

/// Runs every program on its own thread, starting together; when all have ended, frees what was
/// left in the exchange and checks the structure. Between, `check` is called only where a program
/// says so.
/// Errors: the index of the first program that failed, and how.
pub fn run_together(
    subject: &Subject<'_>,
    programs: &[Program],
    options: &Options,
) -> Result<Ran, (usize, Failure)> {
    let exchange = Exchange::default();
    let barrier = Barrier::new(programs.len());
    let stop = AtomicBool::new(false);
    let during = Options { check_every: 0, ..*options };
    let results: Vec<Result<Ran, Failure>> = std::thread::scope(|scope| {
        let start = |program| {
            let (exchange, barrier, stop, during) = (&exchange, &barrier, &stop, &during);
            scope.spawn(move || {
                let mut runner = Runner::new(subject, program, during, exchange);
                barrier.wait();
                let result = one(&mut runner, program, stop);
                if result.is_err() {
                    stop.store(true, Ordering::Relaxed);
                }
                result.map(|()| runner.ran())
            })
        };
        let threads: Vec<_> = programs.iter().map(start).collect();
        threads.into_iter().map(|thread| thread.join().expect("runners do not panic")).collect()
    });
    let mut total = Ran::default();
    for (i, result) in results.into_iter().enumerate() {
        let ran = result.map_err(|failure| (i, failure))?;
        total.blocks += ran.blocks;
        total.nulls += ran.nulls;
        total.peak += ran.peak;
    }
    let last = Options { check_every: 1, ..*options };
    let mut rest = Runner::new(subject, &Program::default(), &last, &exchange);
    rest.drain(0).map_err(|failure| (programs.len(), failure))?;
    Ok(total)
}

fn one(runner: &mut Runner<'_>, program: &Program, stop: &AtomicBool) -> Result<(), Failure> {
    for (i, &op) in program.ops.iter().enumerate() {
        if stop.load(Ordering::Relaxed) {
            return Ok(());
        }
        runner.step(i, op)?;
    }
    runner.finish(program.ops.len())
}

const PART: &str = "--- thread";

/// Several programs as one text, each after a line of its own.
pub fn to_text(programs: &[Program]) -> String {
    let part = |(i, program)| format!("{PART} {i}\n{program}");
    programs.iter().enumerate().map(part).collect()
}

/// Reads what [`to_text`] wrote, or a single program.
/// Errors: the first operation that could not be read.
pub fn from_text(text: &str) -> Result<Vec<Program>, ParseError> {
    let mut programs = vec![Program::default()];
    let mut named = false;
    for (i, line) in text.lines().enumerate() {
        if line.starts_with(PART) {
            if named {
                programs.push(Program::default());
            }
            named = true;
            continue;
        }
        let part: Program =
            line.parse().map_err(|e: ParseError| ParseError { line: i + 1, ..e })?;
        programs.last_mut().expect("there is one from the start").ops.extend(part.ops);
    }
    Ok(programs)
}

#[cfg(test)]
mod tests;
