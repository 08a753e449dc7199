//! Millions of random operations on each heap of handles, with pins and compaction: every handle and byte is checked.

use clap::Parser;
use handle::zsmalloc::{Classes, Rule};
use handle::{XvMalloc, Zbud, ZsMalloc};
use heapwright_store::soak::{Report, compact_as_promised, run};
use kernel::SourcePages;
use source::os::Os;
use std::process::ExitCode;
use std::time::Instant;

/// Stores, frees, overwrites, pins and compacts at random; panics at the first wrong byte, handle or count.
#[derive(Parser)]
#[command(version, max_term_width = 100)]
struct Options {
    /// Operations on each heap
    #[arg(long, default_value_t = 10_000_000)]
    steps: u64,
    /// The same operations for the same number
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

fn print(name: &str, start: Instant, report: Report) {
    let Report { steps, compactions, compacted, refused, .. } = report;
    let (mib, seconds) = (compacted >> 20, start.elapsed().as_secs_f64());
    println!(
        "{name:<22} {steps:>11} operations, {compactions:>6} compactions gave back {mib:>6} MiB, \
         {refused:>8} stale handles refused, {seconds:6.1} s"
    );
}

fn go(options: &Options) -> Result<(), base::HandleError> {
    let pages = || SourcePages::new(Os, 1 << 30);
    for (name, rule, most) in [
        ("zsmalloc, chains of 8", Rule::LeastWaste, 8),
        ("zsmalloc, 16, percent", Rule::MostPercent, 16),
    ] {
        let start = Instant::now();
        let mut heap = ZsMalloc::new(pages(), Classes::new(rule, most));
        print(name, start, run(&mut heap, options.steps, options.seed, compact_as_promised)?);
    }
    let start = Instant::now();
    let report = run(&mut XvMalloc::new(pages()), options.steps, options.seed, |_, _| 0)?;
    print("xvmalloc", start, report);
    let start = Instant::now();
    let report = run(&mut Zbud::new(pages()), options.steps, options.seed, |_, _| 0)?;
    print("zbud", start, report);
    Ok(())
}

fn main() -> ExitCode {
    match go(&Options::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("soak: {error}");
            ExitCode::FAILURE
        }
    }
}
