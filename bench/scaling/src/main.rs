//! The flagship's own code on 1 to 128 simulated processors, fed with a record of a real program's calls.
//!
//! ```text
//! record.c ─► stream ─► replay ─► the flagship, compiled with `--cfg simulated` ─► each atomic access
//!                          └── world: threads, clocks ◄── machine: cache lines ◄──────────┘
//! ```
//!
//! `cargo xtask scaling` records, runs this and makes tables; docs/scaling.md says what is assumed.
//!
//! ```text
//! heapwright-scaling RECORD cores=N [shards=one|number|split|node] [machine=chiplets|mesh] [work=NS]
//! ```

#![cfg_attr(
    not(simulated),
    allow(dead_code, reason = "only a simulated build has a flagship to feed")
)]

mod machine;
#[cfg(simulated)]
mod replay;
mod stream;
mod world;

use std::process::ExitCode;

use machine::{CHIPLETS, Layout, MESH};

/// How threads come to their shards.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Shards {
    /// There is one.
    One,
    /// There are sixteen, by the thread's number.
    Number,
    /// As many as contention makes them, by the thread's number.
    Split,
    /// The same, by the node first.
    Node,
}

/// What is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Settings {
    cores: usize,
    shards: Shards,
    is_mesh: bool,
    /// Nanoseconds that the program works between two calls.
    work: u64,
    /// Whether there are never more blocks than in the record.
    is_bounded: bool,
}

impl Settings {
    fn parse(words: &[String]) -> Result<Self, String> {
        let mut settings =
            Self { cores: 1, shards: Shards::Node, is_mesh: false, work: 20, is_bounded: false };
        for word in words {
            let (key, value) = word.split_once('=').ok_or(format!("{word} is no KEY=VALUE"))?;
            let number = || value.parse().map_err(|_| format!("{word}: {value} is no number"));
            match (key, value) {
                ("cores", _) => settings.cores = number()?,
                ("work", _) => settings.work = number()? as u64,
                ("blocks", "bounded") => settings.is_bounded = true,
                ("shards", "one") => settings.shards = Shards::One,
                ("shards", "number") => settings.shards = Shards::Number,
                ("shards", "split") => settings.shards = Shards::Split,
                ("shards", "node") => settings.shards = Shards::Node,
                ("machine", "chiplets") => settings.is_mesh = false,
                ("machine", "mesh") => settings.is_mesh = true,
                _ => return Err(format!("{word} means nothing here")),
            }
        }
        Ok(settings)
    }

    fn layout(self) -> Layout {
        if self.is_mesh { MESH } else { CHIPLETS }
    }
}

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    match run(&words) {
        Ok(figures) => {
            print!("{figures}");
            ExitCode::SUCCESS
        }
        Err(why) => {
            eprintln!("heapwright-scaling: {why}");
            ExitCode::FAILURE
        }
    }
}

fn run(words: &[String]) -> Result<String, String> {
    let Some((record, settings)) = words.split_first() else {
        return Err("name a record, as `cargo xtask scaling` makes them".to_owned());
    };
    let settings = Settings::parse(settings)?;
    let bytes = std::fs::read(record).map_err(|e| format!("{record}: {e}"))?;
    let streams = stream::Streams::read(&bytes).map_err(|e| format!("{record}: {e}"))?;
    drop(bytes);
    simulate(streams, settings)
}

#[cfg(simulated)]
fn simulate(streams: stream::Streams, settings: Settings) -> Result<String, String> {
    replay::run(streams, settings)
}

#[cfg(not(simulated))]
fn simulate(_: stream::Streams, settings: Settings) -> Result<String, String> {
    let _ = settings.layout();
    Err("build it with --cfg simulated, as `cargo xtask scaling` does".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_are_words_or_a_reason() {
        let parse = |line: &str| {
            Settings::parse(&line.split_whitespace().map(str::to_owned).collect::<Vec<_>>())
        };
        let settings =
            parse("cores=8 shards=one machine=mesh work=5 blocks=bounded").expect("right");
        let wanted =
            Settings { cores: 8, shards: Shards::One, is_mesh: true, work: 5, is_bounded: true };
        assert_eq!(settings, wanted);
        assert_eq!(settings.layout().node_of(40), 1);
        for wrong in ["cores", "cores=x", "shards=two", "rain=1"] {
            assert!(parse(wrong).is_err(), "{wrong}");
        }
    }
}
