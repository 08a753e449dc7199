//! Rules of random programs; a failing one is shrunk before it is reported.
use super::{Lend, fresh};
use crate::generate::{Distribution, Generator};
use crate::program::Program;
use crate::run::{Options, run};
use crate::shrink::shrink;
use crate::together::{run_together, to_text};

/// Of each distribution.
const PROGRAMS: u64 = 3;

pub(super) fn alone(lend: &Lend<'_>) -> Result<(), String> {
    each(lend, Generator { ops: 1500, ..Generator::default() })
}

pub(super) fn in_turn(lend: &Lend<'_>) -> Result<(), String> {
    each(lend, Generator { ops: 1000, threads: 4, exchange: true, ..Generator::default() })
}

pub(super) fn kept(lend: &Lend<'_>) -> Result<(), String> {
    crate::kept::kept().try_for_each(|(name, program)| {
        one(lend, &program).map_err(|message| format!("programs/{name}.ops: {message}"))
    })
}

fn each(lend: &Lend<'_>, by: Generator) -> Result<(), String> {
    for distribution in Distribution::ALL {
        let ops = if distribution == Distribution::Huge { by.ops / 20 } else { by.ops };
        for seed in 0..PROGRAMS {
            one(lend, &Generator { distribution, ops, ..by }.program(seed))?;
        }
    }
    Ok(())
}

fn one(lend: &Lend<'_>, program: &Program) -> Result<(), String> {
    let options = Options { check_every: 16, ..Options::default() };
    let once = |program: &Program, options: &Options| {
        let mut result = Ok(());
        lend(&mut |subject| result = run(subject, program, options).map(|_| ()));
        result
    };
    let Err(first) = once(program, &options) else { return Ok(()) };
    let strict = Options { check_every: 1, ..options };
    let small = shrink(program, 2000, |program| {
        once(program, &strict).is_err_and(|failure| failure.wrong.kind() == first.wrong.kind())
    });
    let failure = once(&small, &strict).err().unwrap_or(first);
    Err(format!("{failure}; the smallest program found:\n{small}"))
}

pub(super) fn at_once(lend: &Lend<'_>) -> Result<(), String> {
    for distribution in [Distribution::Small, Distribution::Mixed, Distribution::Drain] {
        let by = Generator {
            distribution,
            ops: 4000,
            budget: 16 << 20,
            exchange: true,
            ..Generator::default()
        };
        let programs: Vec<Program> = (0..4).map(|seed| by.program(seed)).collect();
        fresh(lend, |subject| {
            let result = run_together(subject, &programs, &Options::default());
            result.map_err(|(thread, failure)| {
                let text = to_text(&programs);
                let lines = text.lines().count();
                format!("thread {thread} of 4: {failure} ({distribution}, {lines} operations)")
            })
        })?;
    }
    Ok(())
}
