//! What the handle allocators and the store are held to, as figures: `value NAME NUMBER UNIT`, a line each, which `cargo xtask kernel`
//! reads. What is wrong ends in a panic.

use std::process::ExitCode;

use base::{Compact as _, HandleAllocator};
use clap::Parser;
use handle::store::Page;
use handle::zsmalloc::{Classes, Rule};
use handle::{XvMalloc, Zbud, ZsMalloc};
use heapwright_store::compress::{Either, Lz4};
use heapwright_store::density::{Densities, Lengths, mean};
use heapwright_store::files::{Which, load};
use heapwright_store::pages::ProgramPages;
use heapwright_store::soak::{self, compact_as_promised};
use heapwright_store::trial::{Store, run};
use kernel::SourcePages;
use source::os::Os;

/// Prints density, compaction, a long random run and the store on real files, as figures
#[derive(Parser)]
#[command(version)]
struct Options {
    /// Random operations on zsmalloc with compaction
    #[arg(long, default_value_t = 10_000_000)]
    operations: u64,
    /// MiB of shared libraries below /usr/lib that the store keeps
    #[arg(long, default_value_t = 256, value_parser = clap::value_parser!(u32).range(1..=65_536))]
    size: u32,
    /// Seeds that densities are the mean of
    #[arg(long, default_value_t = 4, value_parser = clap::value_parser!(u32).range(1..=1000))]
    seeds: u32,
}

/// Lengths, and what each allocator makes of them: filled, a random half freed, that compacted, filled again. The table of a
/// simulation of the kernel's rules, one seed; 0 where it has none.
type Line = (Lengths<'static>, [[f64; 4]; 5]);

const ALLOCATORS: [&str; 5] = ["xvmalloc", "zsmalloc-4", "zsmalloc-8", "zsmalloc-16", "zbud"];

const TABLE: [Line; 4] = [
    (
        Lengths::Uniform(1, 4096),
        [
            [0.984, 0.675, 0.0, 0.984],
            [0.923, 0.599, 0.915, 0.920],
            [0.945, 0.545, 0.918, 0.933],
            [0.903, 0.488, 0.826, 0.890],
            [0.958, 0.654, 0.0, 0.0],
        ],
    ),
    (
        Lengths::Uniform(32, 3072),
        [
            [0.982, 0.593, 0.0, 0.982],
            [0.939, 0.499, 0.931, 0.932],
            [0.942, 0.487, 0.918, 0.924],
            [0.900, 0.459, 0.816, 0.874],
            [0.755, 0.503, 0.0, 0.0],
        ],
    ),
    (
        Lengths::Mixed,
        [
            [0.927, 0.600, 0.0, 0.928],
            [0.932, 0.513, 0.919, 0.932],
            [0.934, 0.487, 0.897, 0.923],
            [0.864, 0.441, 0.767, 0.846],
            [0.806, 0.538, 0.0, 0.0],
        ],
    ),
    (
        Lengths::Uniform(2049, 3072),
        [
            [0.625, 0.625, 0.0, 0.626],
            [0.942, 0.503, 0.942, 0.943],
            [0.976, 0.502, 0.972, 0.969],
            [0.971, 0.495, 0.954, 0.958],
            [0.625, 0.625, 0.0, 0.0],
        ],
    ),
];

/// Addresses for a heap; memory only where it is used.
const RANGE: usize = 64 << 30;

/// How far the farthest of an allocator's densities is from the table: filled and half freed and refilled, and compacted.
fn density(at: usize, seeds: u32) -> Result<(f64, f64), String> {
    let (mut farthest, mut compacted) = (0.0_f64, 0.0_f64);
    for (lengths, table) in TABLE {
        let found = match at {
            0 => of(|| XvMalloc::new(ProgramPages), lengths, seeds, |_| ()),
            4 => of(|| Zbud::new(ProgramPages), lengths, seeds, |_| ()),
            _ => {
                let classes = Classes::new(Rule::LeastWaste, 2 << at);
                let make = move || ZsMalloc::new(ProgramPages, classes.clone());
                of(make, lengths, seeds, |heap| _ = heap.compact())
            }
        }?;
        let Densities { fill, half, compact, refill, .. } = found;
        let [of_fill, of_half, of_compact, of_refill] = table[at];
        for (is, should) in [(fill, of_fill), (half, of_half), (refill, of_refill)] {
            if should > 0.0 {
                farthest = farthest.max((is - should).abs());
            }
        }
        if of_compact > 0.0 {
            compacted = compacted.max((compact - of_compact).abs());
        }
        println!(
            "# {:<12} {lengths:?}: {fill:.3} {half:.3} {compact:.3} {refill:.3}",
            ALLOCATORS[at]
        );
    }
    Ok((farthest, compacted))
}

fn of<A: HandleAllocator>(
    make: impl Fn() -> A,
    lengths: Lengths<'_>,
    seeds: u32,
    compact: impl Fn(&mut A),
) -> Result<Densities, String> {
    mean(make, lengths, seeds, compact).map_err(|error| error.to_string())
}

fn go(options: &Options) -> Result<(), String> {
    for (at, name) in ALLOCATORS.into_iter().enumerate() {
        let (farthest, compacted) = density(at, options.seeds)?;
        println!("value density-{name} {farthest:.4} of-1");
        if name.starts_with("zsmalloc") {
            println!("value compacted-{name} {compacted:.4} of-1");
        }
    }
    let mut heap = ZsMalloc::new(SourcePages::new(Os, RANGE), Classes::default());
    let seen = soak::run(&mut heap, options.operations, 1, compact_as_promised);
    let seen = seen.map_err(|error| error.to_string())?;
    println!("value operations {} count", seen.steps);
    println!("value compactions {} count", seen.compactions);
    let folders = ["/usr/lib".into()];
    let most = options.size as usize * (1 << 20);
    let loaded = load(&folders, Which::Libraries, most).map_err(|error| error.to_string())?;
    let pages: &[Page] = loaded.bytes.as_chunks().0;
    let lz4 = || Either::Lz4(Lz4::new());
    let make = || {
        let classes = Classes::new(Rule::LeastWaste, 8);
        let raw_from = classes.huge_from();
        let heap = ZsMalloc::new(SourcePages::new(Os, RANGE), classes);
        Store::new(SourcePages::new(Os, RANGE), heap, lz4()).raw_from(raw_from)
    };
    let trial = run(pages, 1, make, Store::compact, Some(lz4()));
    let trial = trial.map_err(|error| error.to_string())?;
    println!("value store-bytes {} bytes", loaded.bytes.len());
    let (loaded, compacted) = (trial.loaded.report, trial.compacted.report);
    println!("value store-used {:.4} times", loaded.overhead());
    println!("value store-used-compacted {:.4} times", compacted.overhead());
    println!("value resident {:.4} times", trial.dropped as f64 / trial.gone as f64);
    if let Some(gets) = trial.gets {
        for (order, get) in [("in-order", gets.in_order), ("at-random", gets.at_random)] {
            println!("value get-{order} {:.4} times", get.store / get.bare);
            println!("value get-{order}-ns {:.0} ns", get.store);
        }
    }
    Ok(())
}

fn main() -> ExitCode {
    match go(&Options::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("kernel_bounds: {error}");
            ExitCode::FAILURE
        }
    }
}
