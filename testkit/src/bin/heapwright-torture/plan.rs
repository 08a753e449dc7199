//! What a round consists of: the same for the same seed and number, in every process.
use heapwright_testkit::rng::Rng;
use heapwright_testkit::{Distribution, Generator, Program};

use crate::args::Args;

/// Live bytes of all the threads of a round together.
const BUDGET: usize = 192 << 20;

#[derive(Debug)]
pub(crate) struct Round {
    /// What it looks like, for people.
    pub(crate) name: String,
    /// One program for each thread; a single one may switch threads itself.
    pub(crate) programs: Vec<Program>,
}

pub(crate) fn round(args: &Args, number: u64) -> Round {
    let mut rng = Rng::stream(args.seed, number);
    let turn = usize::try_from(number % Distribution::ALL.len() as u64).unwrap_or(0);
    let distribution = args.dist.unwrap_or(Distribution::ALL[turn]);
    let together = args.threads > 1 && !rng.one_in(4);
    let threads = if together { args.threads } else { 1 };
    let switching = if !together && args.threads > 1 { rng.between(1, 4) } else { 1 };
    let generator = Generator {
        distribution,
        ops: match distribution {
            Distribution::Huge => args.ops.div_ceil(30),
            Distribution::Large => args.ops.div_ceil(3),
            _ => args.ops,
        },
        slots: rng.pick(&[8, 64, 256, 1024]),
        budget: BUDGET / threads,
        threads: switching,
        exchange: together || rng.one_in(2),
        impossible: true,
        forks: args.forks && rng.one_in(3),
    };
    let programs = (0..threads).map(|_| generator.program(rng.next_u64())).collect();
    let how = match (together, switching) {
        (true, _) => format!("{threads} at once"),
        (false, 1) => "alone".to_string(),
        (false, n) => format!("{n} in turn"),
    };
    Round { name: format!("{distribution}, {how}, {} slots", generator.slots), programs }
}
