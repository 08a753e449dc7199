//! The command line.
use core::time::Duration;
use std::path::PathBuf;
use std::time::{SystemTime, UNIX_EPOCH};

use heapwright_testkit::Distribution;

pub(crate) const USAGE: &str = "\
usage: heapwright-torture [--seconds N] [--threads T] [--seed S] [--dist NAME]
       LD_PRELOAD=/path/lib.so heapwright-torture ...      tortures that library

  --seconds N      run for N seconds (10)
  --threads T      programs at once, handing blocks over (2)
  --seed S         where the programs come from (the clock)
  --dist NAME      small edges powers large huge drain mixed (all in turn)
  --ops N          operations a program (3000; fewer of the larger sizes)
  --first R        the first round (0)
  --rounds K       stop after K rounds, however long they take
  --timeout N      a round that takes N seconds hangs (60)
  --heaps          half of the sizes from a heap of heapwright's own
  --allow-null     null is a right answer: memory is limited
  --small-align N  blocks under 16 bytes are aligned to N only (16)
  --no-fork        no programs that fork
  --no-shrink      print the failing round as it is
  --replay FILE    run the programs in FILE once, in this process
  --work           run the rounds in this process; one line each

exit: 0 nothing found, 1 a failure (its program on stdout), 2 usage";

#[derive(Debug)]
pub(crate) enum Mode {
    Help,
    /// Start workers and look after them.
    Supervise,
    Work,
    Replay(PathBuf),
}

#[derive(Debug)]
pub(crate) struct Args {
    pub(crate) mode: Mode,
    pub(crate) time: Duration,
    pub(crate) threads: usize,
    pub(crate) seed: u64,
    pub(crate) dist: Option<Distribution>,
    pub(crate) ops: usize,
    pub(crate) first: u64,
    pub(crate) rounds: Option<u64>,
    pub(crate) timeout: Duration,
    pub(crate) allow_null: bool,
    pub(crate) shrink: bool,
    pub(crate) forks: bool,
    pub(crate) heaps: bool,
    pub(crate) small_align: usize,
}

impl Args {
    pub(crate) fn parse(words: impl Iterator<Item = String>) -> Result<Args, String> {
        let clock = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let mut args = Args {
            mode: Mode::Supervise,
            time: Duration::from_secs(10),
            threads: 2,
            seed: (clock.as_secs() << 20) ^ u64::from(clock.subsec_nanos()),
            dist: None,
            ops: 3000,
            first: 0,
            rounds: None,
            timeout: Duration::from_secs(60),
            allow_null: false,
            shrink: true,
            forks: true,
            heaps: false,
            small_align: 16,
        };
        let mut words = words;
        while let Some(word) = words.next() {
            let mut value = || words.next().ok_or(format!("{word} needs a value"));
            match word.as_str() {
                "-h" | "--help" => args.mode = Mode::Help,
                "--work" => args.mode = Mode::Work,
                "--replay" => args.mode = Mode::Replay(value()?.into()),
                "--seconds" => args.time = Duration::from_secs(number(&word, &value()?)?),
                "--timeout" => args.timeout = Duration::from_secs(number(&word, &value()?)?),
                "--threads" => {
                    let threads = number(&word, &value()?)?;
                    args.threads = usize::try_from(threads).unwrap_or(0);
                    if !(1..=256).contains(&args.threads) {
                        return Err(format!("--threads {threads}: give a number from 1 to 256"));
                    }
                }
                "--seed" => args.seed = number(&word, &value()?)?,
                "--dist" => {
                    let name = value()?;
                    args.dist = if name == "all" { None } else { Some(name.parse()?) };
                }
                "--ops" => {
                    let ops = number(&word, &value()?)?.clamp(10, 10_000_000);
                    args.ops = usize::try_from(ops).unwrap_or(3000);
                }
                "--first" => args.first = number(&word, &value()?)?,
                "--rounds" => args.rounds = Some(number(&word, &value()?)?),
                "--heaps" => args.heaps = true,
                "--no-fork" => args.forks = false,
                "--allow-null" => args.allow_null = true,
                "--small-align" => {
                    args.small_align = match number(&word, &value()?)? {
                        1 => 1,
                        2 => 2,
                        4 => 4,
                        8 => 8,
                        16 => 16,
                        n => return Err(format!("--small-align {n}: give 1, 2, 4, 8 or 16")),
                    };
                }
                "--no-shrink" => args.shrink = false,
                _ => return Err(format!("unknown argument `{word}`")),
            }
        }
        Ok(args)
    }

    /// The arguments that make another process run the same rounds, or replay in the same way.
    pub(crate) fn shared(&self) -> Vec<String> {
        let mut words = vec![
            "--threads".to_string(),
            self.threads.to_string(),
            "--seed".to_string(),
            self.seed.to_string(),
            "--ops".to_string(),
            self.ops.to_string(),
        ];
        if let Some(dist) = self.dist {
            words.extend(["--dist".to_string(), dist.to_string()]);
        }
        words.extend(["--small-align".to_string(), self.small_align.to_string()]);
        if self.heaps {
            words.push("--heaps".to_string());
        }
        if !self.forks {
            words.push("--no-fork".to_string());
        }
        if self.allow_null {
            words.push("--allow-null".to_string());
        }
        words
    }
}

fn number(name: &str, text: &str) -> Result<u64, String> {
    text.parse().map_err(|_| format!("{name} {text}: give a whole number"))
}
