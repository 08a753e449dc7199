//! `pairs`: a block is freed and another allocated, 5,000 live, 16 to 4,096 bytes, 64 MiB.
use core::time::Duration;

use base::{AddMemory, BlockAllocator};
use testkit::block::Memory;

use crate::samples::Samples;
use crate::table::{figure, markdown};
use crate::work::{Churn, Op, memory, stream};
use crate::{Plan, clock};
use heapwright_blocks::subjects::{self, NAMES, RLSF, TALC, Visit};

const POOL: usize = 64 << 20;
const LIVE: usize = 5_000;
const OPS: usize = 1_000_000;
/// One allocator's share of a round, at the most, for each of the two passes.
const MOST: Duration = Duration::from_millis(400);

struct Round<'a> {
    round: usize,
    memory: &'a Memory,
    ops: &'a [Op],
    samples: &'a mut Samples,
}

impl Visit for Round<'_> {
    fn visit<A: BlockAllocator + AddMemory + 'static>(
        &mut self,
        name: &'static str,
        make: fn() -> A,
    ) {
        let mut churn = Churn::new(make, self.memory, LIVE, self.ops);
        let (warm, timed) = self.ops.split_at(self.ops.len() / 5);
        churn.mean(warm, MOST / 2);
        let mean = churn.mean(timed, MOST);
        let each = churn.each(timed, MOST);
        let mut put = |key: &str, value| self.samples.put(self.round, "pairs", name, key, value);
        put("mean_ns", mean);
        put("p50_ns", clock::quantile(&each, 0.5));
        put("p999_ns", clock::quantile(&each, 0.999));
        put("refused", churn.refused as f64);
    }
}

pub(crate) fn measure(plan: &Plan, samples: &mut Samples) {
    let memory = memory(POOL);
    for round in 0..plan.rounds {
        let ops = stream(round as u64, plan.of(OPS), LIVE, 16, 4_096);
        subjects::each(round, &mut Round { round, memory: &memory, ops: &ops, samples });
    }
}

pub(crate) fn show(samples: &Samples) -> String {
    let mut table = markdown(&[
        "",
        "a pair, ns",
        "÷ faster of rlsf, talc",
        "one call, median ns",
        "one call, 99.9 %, ns",
        "÷ lower of rlsf, talc",
    ]);
    for name in NAMES {
        let median = |key| figure(samples.median("pairs", name, key), 1);
        let ratio = |key| figure(samples.ratio("pairs", name, &[RLSF, TALC], key), 2);
        table.add_row([
            name.to_owned(),
            median("mean_ns"),
            ratio("mean_ns"),
            median("p50_ns"),
            median("p999_ns"),
            ratio("p999_ns"),
        ]);
    }
    format!(
        "### A free and an allocation\n\n64 MiB, 16 to 4,096 bytes, 5,000 live blocks, one of them at \
         random replaced by another of random size.\n\n{table}\n"
    )
}
