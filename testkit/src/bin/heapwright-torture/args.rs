//! The command line.
use core::num::ParseIntError;
use core::time::Duration;
use std::path::PathBuf;
use std::time::{SystemTime, UNIX_EPOCH};

use clap::builder::PossibleValuesParser;
use clap::builder::TypedValueParser as _;
use clap::{ArgAction, Parser, value_parser};
use heapwright_testkit::Distribution;

const AFTER: &str = "LD_PRELOAD=/path/lib.so heapwright-torture … tortures that library.\n\
                     Exit: 0 nothing found, 1 a failure (its program on stdout), 2 usage";

/// Tortures the C malloc of this process with random programs; without --work and --replay in processes that it looks after
#[derive(Debug, Parser)]
#[command(after_help = AFTER)]
pub(crate) struct Args {
    /// Run for N seconds
    #[arg(long = "seconds", value_name = "N", default_value = "10", value_parser = seconds)]
    pub(crate) time: Duration,
    /// Programs at once, handing blocks over
    #[arg(long, value_name = "T", default_value = "2")]
    #[arg(value_parser = value_parser!(u16).range(1..=256).map(usize::from))]
    pub(crate) threads: usize,
    /// Where the programs come from: else the clock
    #[arg(long, value_name = "S", default_value_t = clock(), hide_default_value = true)]
    pub(crate) seed: u64,
    /// The sizes: small edges powers large huge drain mixed; all, in turn, if nothing is said
    #[arg(long, value_name = "NAME")]
    pub(crate) dist: Option<Distribution>,
    /// Operations a program, from 10 on; fewer of the larger sizes
    #[arg(long, value_name = "N", default_value = "3000")]
    #[arg(value_parser = value_parser!(u32).range(10..=10_000_000).map(|ops| ops as usize))]
    pub(crate) ops: usize,
    /// The first round
    #[arg(long, value_name = "R", default_value_t = 0)]
    pub(crate) first: u64,
    /// Stop after K rounds, however long they take
    #[arg(long, value_name = "K")]
    pub(crate) rounds: Option<u64>,
    /// A round that takes N seconds hangs
    #[arg(long, value_name = "N", default_value = "60", value_parser = seconds)]
    pub(crate) timeout: Duration,
    /// Half of the sizes from a heap of heapwright's own
    #[arg(long)]
    pub(crate) heaps: bool,
    /// Null is a right answer: memory is limited
    #[arg(long)]
    pub(crate) allow_null: bool,
    /// Blocks under 16 bytes are aligned to N only
    #[arg(long, value_name = "N", default_value = "16")]
    #[arg(value_parser = PossibleValuesParser::new(["1", "2", "4", "8", "16"]).try_map(|n| n.parse::<usize>()))]
    pub(crate) small_align: usize,
    /// No programs that fork
    #[arg(long = "no-fork", action = ArgAction::SetFalse)]
    pub(crate) forks: bool,
    /// Print the failing round as it is
    #[arg(long = "no-shrink", action = ArgAction::SetFalse)]
    pub(crate) shrink: bool,
    /// Run the programs in FILE once, in this process
    #[arg(long, value_name = "FILE", conflicts_with = "work")]
    pub(crate) replay: Option<PathBuf>,
    /// Run the rounds in this process; one line each
    #[arg(long)]
    pub(crate) work: bool,
}

impl Args {
    /// The arguments that make another process run the same rounds, or replay in the same way.
    pub(crate) fn shared(&self) -> Vec<String> {
        let numbers = [
            ("--threads", self.threads.to_string()),
            ("--seed", self.seed.to_string()),
            ("--ops", self.ops.to_string()),
            ("--small-align", self.small_align.to_string()),
        ];
        let dist = self.dist.map(|dist| ("--dist", dist.to_string()));
        let values = numbers.into_iter().chain(dist);
        let flags = [
            (self.heaps, "--heaps"),
            (!self.forks, "--no-fork"),
            (self.allow_null, "--allow-null"),
        ];
        let flags = flags.into_iter().filter(|flag| flag.0).map(|flag| flag.1.to_owned());
        values.flat_map(|(flag, value)| [flag.to_owned(), value]).chain(flags).collect()
    }
}

fn seconds(text: &str) -> Result<Duration, ParseIntError> {
    text.parse().map(Duration::from_secs)
}

fn clock() -> u64 {
    let clock = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    (clock.as_secs() << 20) ^ u64::from(clock.subsec_nanos())
}
