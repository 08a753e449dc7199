//! `arena`: TLSF's form that grows and gives back, and its tiers of hardening, against the plain one.
use core::time::Duration;

use base::{AddMemory, BlockAllocator};
use testkit::block::Memory;

use crate::Plan;
use crate::samples::Samples;
use crate::table::{figure, markdown};
use crate::work::{Churn, Op, memory, stream};
use heapwright_blocks::subjects::{self, ARENA, TIERS, TLSF, Visit};

const OPS: usize = 400_000;
const MOST: Duration = Duration::from_millis(200);

/// Live blocks and sizes: steady; and a heap that empties and fills again.
const KINDS: [(&str, usize, usize, usize); 3] =
    [("small", 1_000, 16, 256), ("mixed", 5_000, 16, 4_096), ("large", 200, 4_096, 65_536)];

struct Round<'a> {
    round: usize,
    kind: (&'static str, usize),
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
        let (kind, live) = self.kind;
        let mut churn = Churn::new(make, self.memory, live, self.ops);
        churn.mean(&self.ops[..self.ops.len() / 5], MOST);
        let mean = churn.mean(self.ops, MOST);
        self.samples.put(self.round, "arena", name, format!("{kind}_ns"), mean);
        // From nothing to all of it and back, a hundred times.
        let start = std::time::Instant::now();
        let mut calls = 0;
        for _ in 0..20 {
            let mut full = Churn::new(make, self.memory, live, self.ops);
            calls += 2 * live;
            full.drain();
            core::hint::black_box(full.heap());
        }
        let waves = start.elapsed().as_secs_f64() * 1e9 / calls as f64 * 2.0;
        self.samples.put(self.round, "arena", name, format!("{kind}_waves_ns"), waves);
    }
}

pub(crate) fn measure(plan: &Plan, samples: &mut Samples) {
    let memory = memory(64 << 20);
    for round in 0..plan.rounds {
        for (kind, live, low, high) in KINDS {
            let ops = stream(500 + round as u64, plan.of(OPS).max(live), live, low, high);
            let visit =
                &mut Round { round, kind: (kind, live), memory: &memory, ops: &ops, samples };
            let mut order = [TLSF, ARENA, TIERS[0], TIERS[1]];
            order.rotate_left(round % 4);
            order.into_iter().for_each(|name| subjects::one(name, visit));
        }
    }
}

pub(crate) fn show(samples: &Samples) -> String {
    let header = ["", "fixed, ns a pair", "arena", "arena ÷ fixed", "neighbours ÷", "canaries ÷"];
    let mut table = markdown(&header);
    for (kind, live, low, high) in KINDS {
        for (suffix, says) in [("", "replaced at random"), ("_waves", "filled, then emptied")] {
            let key = format!("{kind}{suffix}_ns");
            table.add_row([
                format!("{live} blocks of {low} to {high} bytes, {says}"),
                figure(samples.median("arena", TLSF, &key), 1),
                figure(samples.median("arena", ARENA, &key), 1),
                figure(samples.ratio("arena", ARENA, &[TLSF], &key), 2),
                figure(samples.ratio("arena", TIERS[0], &[TLSF], &key), 2),
                figure(samples.ratio("arena", TIERS[1], &[TLSF], &key), 2),
            ]);
        }
    }
    format!(
        "### Fixed and growing\n\nTLSF on 64 MiB that it was given at once, and as an arena that asks for \
         64 KiB at a time and gives the end back; and fixed, with the tiers that look at neighbours, and \
         that keep sums in headers, against none.\n\n{table}\n"
    )
}
