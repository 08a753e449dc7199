//! Two profiles beside each other: what grew, what shrank, and what may be chance.
//!
//! Functions are the same by name and module, not by line: the two may be of two builds. Margins are not in the files, but follow from what
//! is: `n` blocks of `s` bytes, of which a sample with the probability `p` had some, vary by `n s² (1 - p) / p`.

use std::collections::HashMap;

use serde::Serialize;
use symbols::{Names, Symbol};
use trace::{Estimate, likely};

use crate::cost::{Cost, Costs};
use crate::pprof::{Pprof, PprofError};
use crate::sites::Grouping;

#[derive(Debug, Clone, Serialize)]
pub struct Change {
    pub name: String,
    pub old: f64,
    pub new: f64,
    /// The true change is no further off than this, in 95 of 100 cases.
    pub margin: f64,
}

impl Change {
    pub fn by(&self) -> f64 {
        self.new - self.old
    }

    pub fn is_sure(&self) -> bool {
        self.by().abs() > self.margin
    }
}

#[derive(Debug, Clone, Serialize)]
pub struct Comparison {
    /// What is compared: `inuse_space`, or another type of the profiles.
    pub what: String,
    pub all: Change,
    /// By function, the largest change first.
    pub changes: Vec<Change>,
}

/// Compares two profiles: what is in use, or with `is_allocated` all that was allocated.
/// Errors: one of them has no such type.
pub fn compare(old: &Pprof, new: &Pprof, is_allocated: bool) -> Result<Comparison, PprofError> {
    let (what, sides) = sides(old, new, is_allocated)?;
    let mut rows: HashMap<String, (String, [Estimate; 2])> = HashMap::new();
    let mut all = [Estimate::default(); 2];
    for (side, sites) in sides.into_iter().enumerate() {
        for site in sites {
            let estimate = site.costs.of(Cost::Live);
            let row = rows.entry(site.function).or_default();
            row.0 = site.name;
            row.1[side].join(estimate);
            all[side].join(estimate);
        }
    }
    let half = |estimate: Estimate, of: &Pprof| {
        let (low, high) = estimate.between(interval(of));
        (high - low) / 2.0
    };
    let change = |name: String, [before, now]: [Estimate; 2]| Change {
        name,
        old: before.bytes,
        new: now.bytes,
        margin: half(before, old).hypot(half(now, new)),
    };
    let mut changes: Vec<Change> = rows.into_values().map(|(name, of)| change(name, of)).collect();
    changes.sort_by(|a, b| b.by().abs().total_cmp(&a.by().abs()).then(a.name.cmp(&b.name)));
    Ok(Comparison { what, all: change("all".to_owned(), all), changes })
}

type Sides = [Vec<crate::sites::Site>; 2];

fn sides(old: &Pprof, new: &Pprof, is_allocated: bool) -> Result<(String, Sides), PprofError> {
    let prefix = if is_allocated { "alloc" } else { "inuse" };
    let bytes = format!("{prefix}_space");
    let of = |profile: &Pprof, which: &str| {
        let Some(space) = column(profile, &bytes) else {
            let types: Vec<&str> = profile.types.iter().map(|(name, _)| name.as_str()).collect();
            return Err(PprofError(format!("{which} has no {bytes}, only {}", types.join(", "))));
        };
        let objects = column(profile, &format!("{prefix}_objects"));
        Ok(sites(profile, space, objects))
    };
    let sides = [of(old, "the first profile")?, of(new, "the second profile")?];
    Ok((bytes, sides))
}

fn column(profile: &Pprof, name: &str) -> Option<usize> {
    profile.types.iter().position(|(of, _)| of == name)
}

fn sites(profile: &Pprof, space: usize, objects: Option<usize>) -> Vec<crate::sites::Site> {
    let mut names = Names::default();
    for (number, location) in (1u64..).zip(&profile.locations) {
        let mapping = location.mapping.and_then(|mapping| profile.mappings.get(mapping));
        let module = mapping.map_or("", |mapping| mapping.path.as_str());
        let place = mapping.map_or(location.address, |mapping| mapping.place(location.address));
        let lines = location.lines.iter().map(|line| Symbol {
            function: &line.function,
            file: &line.file,
            line: line.line,
        });
        names.insert(number, module, place, lines);
    }
    let interval = interval(profile);
    let mut grouping = Grouping::new(&names, "");
    for sample in &profile.samples {
        let value = |at: usize| sample.values.get(at).copied().unwrap_or_default() as f64;
        let bytes = value(space);
        let blocks = objects.map_or(0.0, value);
        let mut costs = Costs::default();
        *costs.of_mut(Cost::Live) = estimate(blocks, bytes, interval);
        // What callers are named by.
        *costs.of_mut(Cost::Allocated) = *costs.of(Cost::Live);
        let ips: Vec<u64> = sample.locations.iter().map(|&at| at as u64 + 1).collect();
        grouping.add(&ips, &costs);
    }
    grouping.sites()
}

/// Bytes from one block of the sample to the next; 0: it has all.
fn interval(profile: &Pprof) -> u64 {
    u64::try_from(profile.period).ok().filter(|&period| period > 1).unwrap_or_default()
}

/// Blocks and bytes with their variance.
fn estimate(blocks: f64, bytes: f64, interval: u64) -> Estimate {
    if blocks < 1.0 {
        return Estimate { blocks, bytes, ..Estimate::default() };
    }
    let size = bytes / blocks;
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a size of blocks")]
    let p = likely(size as u64, interval);
    let blocks_variance = blocks * (1.0 - p) / p;
    Estimate { blocks, bytes, variance: blocks_variance * size * size, blocks_variance }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pprof::{Line, Location, Sample};

    fn profile(period: i64, values: &[(&str, i64, i64)]) -> Pprof {
        let types = [("inuse_objects", "count"), ("inuse_space", "bytes")];
        let mut profile = Pprof {
            types: types.map(|(name, unit)| (name.to_owned(), unit.to_owned())).to_vec(),
            period,
            ..Pprof::default()
        };
        for &(function, blocks, bytes) in values {
            let line = Line { function: function.to_owned(), file: "/a.c".to_owned(), line: 7 };
            let locations = vec![profile.locations.len()];
            profile.locations.push(Location { lines: vec![line], ..Location::default() });
            profile.samples.push(Sample { locations, values: vec![blocks, bytes] });
        }
        profile
    }

    #[test]
    fn what_grew_comes_first_and_what_is_gone_is_there() {
        let old = profile(1, &[("keep", 1, 100), ("gone", 2, 300)]);
        let new = profile(1, &[("keep", 1, 1100), ("keep", 1, 1), ("new", 1, 5)]);
        let both = compare(&old, &new, false).unwrap();
        let rows: Vec<(String, f64)> =
            both.changes.iter().map(|c| (c.name.clone(), c.by())).collect();
        assert_eq!(rows[0], ("keep (a.c:7)".to_owned(), 1001.0));
        assert_eq!(rows[1], ("gone (a.c:7)".to_owned(), -300.0));
        assert_eq!(rows[2], ("new (a.c:7)".to_owned(), 5.0));
        assert_eq!((both.all.by(), both.all.margin), (706.0, 0.0));
        assert!(both.changes.iter().all(Change::is_sure));
    }

    #[test]
    fn a_small_change_of_samples_is_chance() {
        let old = profile(524_288, &[("keep", 20_000, 2_000_000)]);
        let new = profile(524_288, &[("keep", 21_000, 2_100_000)]);
        let both = compare(&old, &new, false).unwrap();
        // Of each some four samples: the margin is about as large as the figure.
        assert!(both.changes[0].margin > 1_000_000.0 && !both.changes[0].is_sure());
    }

    #[test]
    fn a_profile_of_something_else_is_refused() {
        let heap = profile(1, &[]);
        let mut cpu = heap.clone();
        cpu.types = vec![("cpu".to_owned(), "nanoseconds".to_owned())];
        let error = compare(&heap, &cpu, false).unwrap_err().to_string();
        assert_eq!(error, "the second profile has no inuse_space, only cpu");
    }
}
