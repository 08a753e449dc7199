//! What is run: everything about a run follows from its seed, and all seeds from the first one.
//!
//! - **P1** The first run's seed is the master seed, so one run is repeated by giving its own seed as the master seed.
//! - **P2** Storms come in cycles, each of which has every storm once, in an order of its own.

use super::programs::Storm;
use std::time::{SystemTime, UNIX_EPOCH};

/// The options in `HEAPWRIGHT` that a run may have. Unset twice: that is how most programs run.
const ENVIRONMENTS: [Option<&str>; 8] = [
    None,
    None,
    Some("safe=1"),
    Some("check=1"),
    Some("keep=0"),
    Some("hugepages=on"),
    Some("hugepages=off"),
    Some("background=1"),
];

/// What a storm takes beyond its seconds: the end of its last round, and looking for what it left.
const OVERHEAD: f64 = 1.0;

#[derive(Debug, Clone, Copy)]
pub(super) struct Run {
    pub(super) number: u64,
    pub(super) storm: &'static Storm,
    pub(super) seed: u64,
    pub(super) environment: Option<&'static str>,
    pub(super) one_cpu: bool,
}

/// Runs without end; `options` says whether the library reads `HEAPWRIGHT`.
pub(super) fn runs(
    master: u64,
    storms: &[&'static Storm],
    options: bool,
) -> impl Iterator<Item = Run> {
    let mut order: Vec<&'static Storm> = Vec::new();
    let mut shuffle = Rng::new(master);
    (0..).map(move |number: u64| {
        if order.is_empty() {
            order = shuffled(storms, &mut shuffle);
        }
        let seed = if number == 0 { master } else { first(master.wrapping_add(number << 32)) };
        let mut rng = Rng::new(seed);
        let environment = ENVIRONMENTS[below(&mut rng, ENVIRONMENTS.len())];
        let one_cpu = below(&mut rng, 4) == 0;
        Run {
            number,
            storm: order.pop().expect("a cycle has a storm"),
            seed,
            environment: environment.filter(|_| options),
            one_cpu,
        }
    })
}

/// How long each run is, so that all storms fit into `total` seconds.
pub(super) fn seconds_each(total: f64, storms: usize) -> f64 {
    let each = total / f64::from(u32::try_from(storms).unwrap_or(1)) - OVERHEAD;
    each.clamp(1.0, 20.0).floor()
}

pub(super) fn fresh_seed() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    // Short enough to be typed.
    first(since.as_secs() << 20 ^ u64::from(since.subsec_nanos())) >> 32
}

fn shuffled(storms: &[&'static Storm], rng: &mut Rng) -> Vec<&'static Storm> {
    let mut order = storms.to_vec();
    for end in (1..order.len()).rev() {
        order.swap(end, below(rng, end + 1));
    }
    order
}

/// By the remainder: seeds that failed once must give the same runs again.
fn below(rng: &mut Rng, limit: usize) -> usize {
    let limit = u64::try_from(limit).unwrap_or(1);
    usize::try_from(rng.next_u64() % limit).unwrap_or(0)
}

fn first(seed: u64) -> u64 {
    Rng::new(seed).next_u64()
}

/// SplitMix64, of which a seed of long ago gives what it gave then.
struct Rng(u64);

impl Rng {
    fn new(seed: u64) -> Self {
        Self(seed)
    }

    fn next_u64(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }
}
