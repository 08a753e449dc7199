//! `larson`: a server whose blocks outlive the threads that allocated them.
//!
//! Each thread replaces random blocks of a table, then hands the table to a new thread and ends: most blocks are freed by
//! a thread that did not allocate them (Larson & Krishnan, "Memory allocation for long-running server applications",
//! 1998). The original runs for a fixed time; this one does a fixed number of replacements.

use std::thread::{self, Scope};

use crate::arguments::{Arguments, fixed, scaled};
use crate::block::{Block, free_all};
use crate::list::Workload;
use crate::results::Results;
use crate::rng::Rng;

pub(crate) const WORKLOAD: Workload = Workload {
    name: "larson",
    parameters: &[
        fixed("threads", 4, "tables, with one thread each"),
        fixed("blocks", 1000, "blocks of a table"),
        fixed("smallest", 8, "bytes of the smallest block"),
        fixed("largest", 1000, "bytes of the largest block"),
        fixed("steps", 50_000, "blocks that a thread replaces before it hands the table on"),
        scaled("generations", 500, "threads that a table goes through"),
    ],
    run,
};

struct Plan {
    smallest: usize,
    largest: usize,
    steps: u64,
    generations: u64,
}

struct Table {
    blocks: Vec<Block>,
    rng: Rng,
    generation: u64,
}

fn run(arguments: &Arguments, results: &mut Results) {
    let plan = Plan {
        smallest: arguments.size("smallest"),
        largest: arguments.size("largest").max(arguments.size("smallest")),
        steps: arguments.get("steps"),
        generations: arguments.get("generations"),
    };
    let (count, blocks) = (arguments.size("threads"), arguments.size("blocks").max(1));
    let mut tables: Vec<Table> =
        (0..count as u64).map(|i| table(&plan, blocks, arguments.seed + i)).collect();
    let start = timing::now();
    thread::scope(|scope| {
        for table in &mut tables {
            let plan = &plan;
            scope.spawn(move || serve(scope, plan, table));
        }
    });
    let ns = timing::now() - start;
    for table in &mut tables {
        free_all(&mut table.blocks);
    }
    results.work(2 * count as u64 * plan.generations * plan.steps, ns);
    results.peak_live(count * blocks * usize::midpoint(plan.smallest, plan.largest));
}

/// The first blocks are the main thread's.
fn table(plan: &Plan, blocks: usize, seed: u64) -> Table {
    let mut rng = Rng::new(seed);
    let blocks = (0..blocks)
        .map(|i| Block::new(rng.between(plan.smallest, plan.largest), i as u64))
        .collect();
    Table { blocks, rng, generation: 0 }
}

/// One thread's life; it starts the next one itself.
fn serve<'scope, 'env>(
    scope: &'scope Scope<'scope, 'env>,
    plan: &'env Plan,
    table: &'env mut Table,
) {
    // Where the thread's own registers can hold it.
    let mut rng = table.rng.clone();
    let (blocks, smallest) = (table.blocks.as_mut_slice(), plan.smallest);
    let (slots, sizes) = (blocks.len(), plan.largest - smallest + 1);
    for step in 0..plan.steps {
        let (slot, more) = rng.two_below(slots, sizes);
        blocks[slot].replace(|| Block::new(smallest + more, step));
    }
    table.rng = rng;
    table.generation += 1;
    if table.generation < plan.generations {
        scope.spawn(move || serve(scope, plan, table));
    }
}
