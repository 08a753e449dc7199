//! pprof's `profile.proto`, compressed: what `go tool pprof`, Pyroscope and Parca read.
//!
//! ```text
//! Profile ─► Pprof::of ─► samples: addresses, innermost first, and four values ─► encode ─► .pb.gz ─► decode ─► compare
//!                         alloc_objects, alloc_space, inuse_objects, inuse_space
//! ```
//!
//! Values are no counts of samples but estimates of what they stand for, as the format asks; the period is the sample's interval.

mod message;
mod otlp;
mod read;
mod write;

use core::fmt;

use trace::{Estimate, Frame, Module, NumberMap};

use crate::cost::{Cost, Costs};
use crate::gather::{Moment, Profile};

#[derive(Debug, Clone, Copy)]
pub enum Inuse<'a> {
    End,
    /// When most was live.
    Peak,
    At(&'a Moment),
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Line {
    pub function: String,
    pub file: String,
    /// The line, or 0.
    pub line: u32,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Location {
    /// Which of the mappings it lies in.
    pub mapping: Option<usize>,
    pub address: u64,
    /// The functions there, the innermost first.
    pub lines: Vec<Line>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Sample {
    /// Which of the locations, the innermost first.
    pub locations: Vec<usize>,
    /// One for each of the profile's types.
    pub values: Vec<i64>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Pprof {
    /// What the values are, and their unit.
    pub types: Vec<(String, String)>,
    pub samples: Vec<Sample>,
    pub mappings: Vec<Module>,
    pub locations: Vec<Location>,
    /// Nanoseconds since 1970.
    pub time: i64,
    /// In nanoseconds.
    pub duration: i64,
    /// Bytes from one sample to the next, in the mean; 1: every block is one.
    pub period: i64,
    pub comments: Vec<String>,
    pub default_type: String,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PprofError(pub(crate) String);

impl fmt::Display for PprofError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl core::error::Error for PprofError {}

/// Types of a heap profile, by the names that all tools know.
const TYPES: [(&str, &str); 4] = [
    ("alloc_objects", "count"),
    ("alloc_space", "bytes"),
    ("inuse_objects", "count"),
    ("inuse_space", "bytes"),
];

impl Pprof {
    /// The profile with what is in use at a time.
    pub fn of(profile: &Profile, inuse: Inuse<'_>) -> Self {
        let moment = match inuse {
            Inuse::At(moment) => moment.stacks.iter().copied().collect(),
            _ => NumberMap::<Frame, Estimate>::default(),
        };
        let in_use = |frame: Frame, costs: &Costs| match inuse {
            Inuse::End => *costs.of(Cost::Live),
            Inuse::Peak => *costs.of(Cost::Peak),
            Inuse::At(_) => moment.get(&frame).copied().unwrap_or_default(),
        };
        let mut places = Places { profile, numbers: NumberMap::default(), locations: Vec::new() };
        let mut samples = Vec::new();
        let allocated = |number: usize, costs: &Costs| match inuse {
            Inuse::At(moment) => moment.allocated.get(number).copied().unwrap_or_default(),
            _ => *costs.of(Cost::Allocated),
        };
        for (number, stack) in profile.stacks.iter().enumerate() {
            let all = allocated(number, &stack.costs);
            let now = in_use(stack.frame, &stack.costs);
            let values = [all.blocks, all.bytes, now.blocks, now.bytes].map(whole).to_vec();
            if values.iter().all(|&value| value == 0) {
                continue;
            }
            // 0 stands for callers that are not known.
            let ips = profile.frames.stack(stack.frame).filter(|&ip| ip != 0);
            samples.push(Sample { locations: ips.map(|ip| places.of(ip)).collect(), values });
        }
        let when = match inuse {
            Inuse::End => "at the end of the recording".to_owned(),
            Inuse::Peak => "when most was live".to_owned(),
            Inuse::At(moment) => format!("after {}", show::number::nanoseconds(moment.time as f64)),
        };
        let (time, duration) = match inuse {
            Inuse::At(moment) => (profile.start.saturating_add(moment.time), moment.time),
            _ => (profile.start, profile.duration),
        };
        Self {
            types: TYPES.map(|(name, unit)| (name.to_owned(), unit.to_owned())).to_vec(),
            samples,
            mappings: profile.modules.clone(),
            locations: places.locations,
            time: i64::try_from(time).unwrap_or(i64::MAX),
            duration: i64::try_from(duration).unwrap_or(i64::MAX),
            period: i64::try_from(profile.interval.max(1)).unwrap_or(i64::MAX),
            comments: vec![format!("{}, in use: {when}", profile.command)],
            default_type: "inuse_space".to_owned(),
        }
    }
}

#[expect(clippy::cast_possible_truncation, reason = "it is cut to what there is")]
fn whole(value: f64) -> i64 {
    value.round() as i64
}

struct Places<'a> {
    profile: &'a Profile,
    numbers: NumberMap<u64, usize>,
    locations: Vec<Location>,
}

impl Places<'_> {
    fn of(&mut self, ip: u64) -> usize {
        if let Some(&number) = self.numbers.get(&ip) {
            return number;
        }
        // That of the call, and not where it returns to.
        let address = ip.wrapping_sub(1);
        let mapping = |module: &Module| (module.start..module.end).contains(&address);
        let lines = self.profile.names.at(ip).filter(|symbol| !symbol.function.is_empty());
        let lines = lines.map(|symbol| Line {
            function: symbol.function.to_owned(),
            file: symbol.file.to_owned(),
            line: symbol.line,
        });
        self.locations.push(Location {
            mapping: self.profile.modules.iter().position(mapping),
            address,
            lines: lines.collect(),
        });
        self.numbers.insert(ip, self.locations.len() - 1);
        self.locations.len() - 1
    }
}

#[cfg(test)]
mod tests;
