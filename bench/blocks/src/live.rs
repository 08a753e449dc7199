//! `live`: the time of a pair with 100 to 1,000,000 live blocks.
//!
//! *Spread*: any live block is replaced, so with many of them each call finds its headers and
//! bins in memory instead of in a cache; no design escapes that. *Hot*: after the same churn, only
//! 100 of the live blocks are replaced, so what is left is the price of the structure.
use core::time::Duration;

use base::{AddMemory, BlockAllocator};
use testkit::block::Memory;

use crate::Plan;
use crate::samples::Samples;
use crate::table::{figure, markdown, thousands};
use crate::work::{Churn, Op, memory, stream};
use heapwright_blocks::subjects::{self, LINKED_LIST, NAMES, Visit};

/// How many blocks are live.
pub(crate) const LIVE: [usize; 5] = [100, 1_000, 10_000, 100_000, 1_000_000];
const POOL: usize = 384 << 20;
const OPS: usize = 400_000;
const HOT: usize = 100;
const MOST: Duration = Duration::from_millis(150);

struct Round<'a> {
    round: usize,
    live: usize,
    memory: &'a Memory,
    first: &'a [Op],
    spread: &'a [Op],
    hot: &'a [Op],
    samples: &'a mut Samples,
}

impl Visit for Round<'_> {
    fn visit<A: BlockAllocator + AddMemory + 'static>(
        &mut self,
        name: &'static str,
        make: fn() -> A,
    ) {
        // A list that is walked would take minutes to get there.
        if name == LINKED_LIST && self.live > 10_000 {
            return;
        }
        let mut churn = Churn::new(make, self.memory, self.live, self.first);
        churn.mean(self.spread, 4 * MOST);
        let spread = churn.mean(self.spread, MOST);
        churn.mean(&self.hot[..self.hot.len() / 10], MOST);
        let hot = churn.mean(self.hot, MOST);
        let live = self.live;
        self.samples.put(self.round, "live", name, format!("spread_{live}_ns"), spread);
        self.samples.put(self.round, "live", name, format!("hot_{live}_ns"), hot);
        self.samples.put(self.round, "live", name, format!("refused_{live}"), churn.refused as f64);
    }
}

pub(crate) fn measure(plan: &Plan, samples: &mut Samples) {
    let memory = memory(POOL);
    let rounds = plan.rounds.div_ceil(2);
    for round in 0..rounds {
        for live in LIVE.into_iter().filter(|&live| !plan.quick || live <= 10_000) {
            let seed = (round * 10) as u64;
            let first = stream(seed, live, live, 16, 256);
            let spread = stream(seed + 1, plan.of(OPS).max(live), live, 16, 256);
            let hot = stream(seed + 2, plan.of(OPS), HOT.min(live), 16, 256);
            let mut visit = Round {
                round,
                live,
                memory: &memory,
                first: &first,
                spread: &spread,
                hot: &hot,
                samples,
            };
            subjects::each(round, &mut visit);
        }
        eprintln!("blocks: live, round {} of {rounds}", round + 1);
    }
}

pub(crate) fn show(samples: &Samples) -> String {
    let mut text = "### From 100 to 1,000,000 live blocks\n\n".to_owned();
    for (kind, says) in [
        (
            "hot",
            "Hot: 100 of the live blocks are replaced, the rest stays. Nanoseconds for a pair.",
        ),
        ("spread", "Spread: any of them is replaced, and the caches miss. Nanoseconds for a pair."),
    ] {
        let counts = LIVE.map(thousands);
        let mut header = vec![""];
        header.extend(counts.iter().map(String::as_str));
        header.push("most ÷ at 100");
        let mut table = markdown(&header);
        for name in NAMES {
            let values =
                LIVE.map(|live| samples.median("live", name, &format!("{kind}_{live}_ns")));
            let mut row = vec![name.to_owned()];
            row.extend(values.map(|value| figure(value, 1)));
            row.push(figure(growth(samples, name, kind), 2));
            table.add_row(row);
        }
        text.push_str(&format!("{says}\n\n{table}\n\n"));
    }
    text.push_str(
        "16 to 256 bytes in 384 MiB. A list that is walked is not taken beyond 10,000.\n",
    );
    text
}

/// The largest of the medians to that of the fewest blocks: whether more blocks cost more.
pub(crate) fn growth(samples: &Samples, name: &str, kind: &str) -> Option<f64> {
    let value = |live: usize| samples.median("live", name, &format!("{kind}_{live}_ns"));
    let most = LIVE.into_iter().filter_map(value).reduce(f64::max)?;
    Some(most / value(LIVE[0])?)
}
