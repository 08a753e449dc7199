//! Which sites hold what is live: found in a pass of its own, counted while the pictures are gathered.
//!
//! ```text
//! first    frame ─► its callers, as far as they tell uses apart ─► site; those that held most at the peak have a colour each
//! second   bytes and blocks of each site now; at each moment the sites that hold most
//! ```
//!
//! Of a sample each block stands for its like.

use std::collections::HashMap;
use std::rc::Rc;

use symbols::SitePath;
use trace::{Block, Frame, Live, NumberMap, Paths, Stacks, Trace};

use crate::class::CLASSES;

/// Sites that are told of at each moment.
const TOLD: usize = 10;
/// Blocks are counted in so many parts, as a sampled one stands for a broken number.
const PARTS: f64 = 256.0;

/// The sites of a trace.
#[derive(Debug, Default)]
pub(crate) struct Sites {
    stacks: Stacks,
    of_frame: NumberMap<Frame, u32>,
    names: Vec<String>,
    /// Which colour each has.
    classes: Vec<u8>,
    pub(crate) class_names: Vec<String>,
}

/// How much is of a site, or of all.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Held {
    pub(crate) bytes: u64,
    parts: u64,
}

impl Held {
    pub(crate) fn blocks(&self) -> f64 {
        self.parts as f64 / PARTS
    }
}

/// What the first pass counts.
#[derive(Debug, Default)]
struct Counted {
    paths: Paths,
    /// Bytes that were allocated by each path.
    allocated: Vec<f64>,
    /// Bytes that are live.
    live: Vec<u64>,
}

impl Sites {
    /// Those of a trace; none if it has no stacks, or they cannot be read. `told` is called with the share of the steps that
    /// was read.
    pub(crate) fn of(trace: &Trace, told: &mut dyn FnMut(f64)) -> Self {
        let stacks = Stacks::of(trace).unwrap_or_default();
        if stacks.is_empty() {
            return Self::default();
        }
        // Sizes and the numbers of paths.
        let mut live: Live<[u64; 2], 2> = Live::default();
        let mut counted = Counted::default();
        let mut at_peak = Vec::new();
        let (peak, all) = (trace.peak().1, trace.about().events.max(1));
        for (number, step) in (0u64..).zip(trace.steps()) {
            let Ok(step) = step else { continue };
            let gone = step.op.gone().and_then(|block: Block| live.remove(block));
            let made = step.op.made().filter(|new| new.frame != 0);
            let before = made.and_then(|new| {
                let path = counted.paths.number(&stacks, new.frame);
                counted.allocated.resize(counted.paths.all.len(), 0.0);
                counted.live.resize(counted.paths.all.len(), 0);
                let bytes = weight(&stacks, new.size).bytes;
                counted.allocated[path] += bytes as f64;
                counted.live[path] += bytes;
                live.insert(new.block, [new.size, path as u64])
            });
            for [size, path] in gone.into_iter().chain(before) {
                counted.live[path as usize] -= weight(&stacks, size).bytes;
            }
            if number == peak {
                at_peak = counted.live.clone();
            }
            if number % (all / 100).max(1) == 0 {
                told(number as f64 / all as f64);
            }
        }
        Self::told(stacks, &counted, &at_peak)
    }

    fn told(stacks: Stacks, counted: &Counted, at_peak: &[u64]) -> Self {
        let mut numbers: HashMap<SitePath, u32> = HashMap::new();
        let (mut names, mut held) = (Vec::new(), Vec::new());
        let mut sites = Vec::new();
        let paths = counted.paths.all.iter().copied();
        let paths: Vec<(SitePath, f64)> = paths.zip(counted.allocated.iter().copied()).collect();
        for ((path, _), len) in paths.iter().zip(symbols::told(&paths)) {
            let path = path.cut(len);
            let next = names.len() as u32;
            let site = *numbers.entry(path).or_insert(next);
            if site == next {
                names.push(stacks.names.path_name(path.sites()));
                held.push(0);
            }
            held[site as usize] += at_peak.get(sites.len()).copied().unwrap_or(0);
            sites.push(site);
        }
        let mut most: Vec<usize> = (0..names.len()).collect();
        most.sort_by_key(|&site| core::cmp::Reverse(held[site]));
        let coloured = if names.len() < CLASSES { names.len() } else { CLASSES - 1 };
        let mut classes = vec![(CLASSES - 1) as u8; names.len()];
        let mut class_names: Vec<String> = Vec::new();
        for &site in &most[..coloured] {
            classes[site] = class_names.len() as u8;
            class_names.push(names[site].clone());
        }
        class_names.resize(CLASSES - 1, String::new());
        class_names
            .push(if stacks.interval > 0 { "others, or not sampled" } else { "others" }.into());
        let of_frame = counted.paths.frames().map(|(frame, path)| (frame, sites[path]));
        Self { of_frame: of_frame.collect(), stacks, names, classes, class_names }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    pub(crate) fn is_sampled(&self) -> bool {
        self.stacks.interval > 0
    }

    fn site(&self, frame: Frame) -> Option<usize> {
        self.of_frame.get(&frame).map(|&site| site as usize)
    }

    pub(crate) fn name(&self, site: u32) -> &str {
        self.names.get(site as usize).map_or("", String::as_str)
    }

    /// The colour of what was allocated from this frame.
    pub(crate) fn class(&self, frame: Frame) -> u8 {
        self.site(frame).map_or((CLASSES - 1) as u8, |site| self.classes[site])
    }
}

/// For how many bytes and blocks a block of this size stands.
#[expect(clippy::cast_sign_loss, reason = "neither is negative")]
fn weight(stacks: &Stacks, size: u64) -> Held {
    let p = stacks.likely(size);
    if p >= 1.0 {
        return Held { bytes: size, parts: PARTS as u64 };
    }
    Held { bytes: (size as f64 / p) as u64, parts: (PARTS / p) as u64 }
}

/// What is live by site, while steps come.
#[derive(Debug, Default)]
pub(crate) struct Now {
    sites: Rc<Sites>,
    held: Vec<Held>,
    all: Held,
}

/// The sites that hold most at a moment, and how much all do.
#[derive(Debug, Clone, Default)]
pub(crate) struct Most {
    pub(crate) all: Held,
    pub(crate) sites: Vec<(u32, Held)>,
}

impl Now {
    pub(crate) fn new(sites: Rc<Sites>) -> Self {
        Self { held: vec![Held::default(); sites.names.len()], sites, all: Held::default() }
    }

    pub(crate) fn made(&mut self, frame: Frame, size: u64) {
        self.change(frame, size, u64::wrapping_add);
    }

    pub(crate) fn gone(&mut self, frame: Frame, size: u64) {
        self.change(frame, size, u64::wrapping_sub);
    }

    /// What is added is taken away again.
    fn change(&mut self, frame: Frame, size: u64, by: fn(u64, u64) -> u64) {
        let Some(site) = self.sites.site(frame) else { return };
        let weight = weight(&self.sites.stacks, size);
        for held in [&mut self.held[site], &mut self.all] {
            held.bytes = by(held.bytes, weight.bytes);
            held.parts = by(held.parts, weight.parts);
        }
    }

    pub(crate) fn most(&self) -> Most {
        let held = (0u32..).zip(&self.held).filter(|(_, held)| held.bytes > 0);
        let mut sites: Vec<(u32, Held)> = held.map(|(site, held)| (site, *held)).collect();
        sites.sort_unstable_by_key(|(site, held)| (core::cmp::Reverse(held.bytes), *site));
        sites.truncate(TOLD);
        Most { all: self.all, sites }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::class::By;
    use crate::gather::testing::{gathered, with_stacks};

    #[test]
    fn what_is_live_is_told_by_the_function_that_allocated_it() {
        let pictures = with_stacks();
        let last = pictures.frames.last().unwrap();
        let told: Vec<(&str, u64, f64)> = last
            .sites
            .sites
            .iter()
            .map(|(site, held)| (pictures.sites.name(*site), held.bytes, held.blocks()))
            .collect();
        assert_eq!(
            told,
            [("load (app.cpp:10)", 400_000, 100.0), ("copy < parse (app.cpp:11)", 100_000, 100.0)]
        );
        assert_eq!(last.sites.all.bytes, 500_000);
        // The one that holds most has the first colour, and cells know whose they are.
        assert_eq!(pictures.sites.class_names[0], "load (app.cpp:10)");
        let classes: Vec<u8> = last.cells.iter().take(2).map(|(_, shade)| shade.site).collect();
        assert_eq!(classes, [0, 1]);
        assert!(pictures.colours().any(|by| by == By::Site));
        let first = &pictures.frames[1].sites;
        assert!(first.all.bytes < 20_000 && !first.sites.is_empty(), "{first:?}");
    }

    #[test]
    fn without_stacks_there_are_none() {
        let pictures = gathered(&[(0x1000, 64)]);
        assert!(!pictures.has_sites() && pictures.colours().all(|by| by != By::Site));
        assert!(pictures.frames.iter().all(|frame| frame.sites.sites.is_empty()));
    }

    #[test]
    fn of_a_sample_each_block_stands_for_its_like_and_goes_as_it_came() {
        let stacks = Stacks { interval: 8192, ..Stacks::default() };
        let weight = weight(&stacks, 100);
        assert!((weight.bytes as f64 / 100.0 - weight.blocks()).abs() < 1.0, "{weight:?}");
        assert!((8000..8400).contains(&weight.bytes), "{weight:?}");
        let sites = Sites {
            of_frame: [(7, 0)].into_iter().collect(),
            names: vec!["a".into()],
            stacks,
            ..Sites::default()
        };
        let mut now = Now::new(Rc::new(sites));
        now.made(7, 100);
        now.made(7, 3000);
        now.made(9, 3000);
        now.gone(7, 100);
        now.gone(7, 3000);
        assert_eq!(now.most().all, Held::default());
    }
}
