//! `cargo xtask arceos`: the component OS ArceOS from crates.io, with its memory test, on its allocators and on ours.
//!
//! The application and the firmware are in `bare-metal/arceos`. They are built twice, as they stand and with
//! `compat/axallocator` patched in ([`build`]), booted in QEMU with one instruction a nanosecond ([`boot`]), and the
//! instructions of the test's bodies are compared: the same counts in every run, on every machine.

mod boot;
mod build;

use boot::Run;
use clap::Args;
use clap::builder::PossibleValuesParser;
use comfy_table::Table;

use crate::figures;

/// The allocators that the OS may be built with.
const SHIPPED: [&str; 3] = ["tlsf", "slab", "buddy"];

/// Ours that it has no name for: they are compared with its default.
const OTHERS: [&str; 6] = ["sharded", "first-fit", "next-fit", "best-fit", "worst-fit", "half-fit"];

fn allocators() -> Vec<&'static str> {
    SHIPPED.into_iter().chain(OTHERS).collect()
}

#[derive(Debug, Args)]
pub(crate) struct Options {
    /// What the OS is built with, which has tlsf by default; may be given more than once. Those it does not have stand in the
    /// place of its tlsf
    #[arg(long = "allocator", value_name = "NAME", default_value = SHIPPED[0], value_parser = PossibleValuesParser::new(allocators()))]
    allocators: Vec<String>,
}

/// Whether everything that it takes is here; if not, what is missing.
pub(crate) fn missing() -> Option<String> {
    boot::missing().or_else(build::missing)
}

pub(crate) fn run(options: &Options) -> Result<bool, String> {
    if let Some(missing) = missing() {
        return Err(missing);
    }
    let mut passed = true;
    for allocator in &options.allocators {
        let is_other = OTHERS.contains(&allocator.as_str());
        let on = |ours: bool| -> Result<Run, String> {
            let built = if is_other && !ours { SHIPPED[0] } else { allocator };
            let booted = boot::boot(&build::kernel(built, ours)?)?;
            let (run, whose) = (&booted.run, if ours { "ours" } else { "shipped" });
            println!("{built}, {whose}: {}, {:.2} s of QEMU", run.end, run.took.as_secs_f64());
            if !run.passed {
                // The banner is no news.
                let lines: Vec<&str> = run.printed.lines().collect();
                println!("{}", lines[lines.len().saturating_sub(8)..].join("\n"));
            }
            Ok(booted)
        };
        let (shipped, ours) = (on(false)?, on(true)?);
        println!("{}\n", table(&shipped, &ours));
        // That another design takes more is no failure.
        passed &= compared(allocator, &shipped, &ours) || is_other && ours.run.passed;
    }
    Ok(passed)
}

/// Says which is faster. Whether it is ours; it is when only ours finishes.
fn compared(allocator: &str, shipped: &Run, ours: &Run) -> bool {
    let all = |run: &Run| run.instructions("all").filter(|_| run.run.passed);
    let (theirs, ours) = match (all(shipped), all(ours)) {
        (Some(theirs), Some(ours)) => (theirs, ours),
        (theirs, None) => {
            let too = if theirs.is_none() { ", nor did the shipped one" } else { "" };
            println!("{allocator}: ours did not pass{too}");
            return false;
        }
        (None, Some(_)) => {
            println!("{allocator}: only ours came to an end");
            return true;
        }
    };
    let ratio = ours as f64 / theirs as f64;
    let verdict = if ours <= theirs { "no slower than" } else { "SLOWER than" };
    println!("{allocator}: ours takes {ratio:.3} of the shipped one's instructions: {verdict} it");
    ours <= theirs
}

fn table(shipped: &Run, ours: &Run) -> Table {
    let heads = ["body of the test", "instructions, shipped", "instructions, ours", "ratio"];
    let mut table = figures::table(heads);
    let bodies = |run: &Run| run.bodies.iter().map(|(name, _)| name.clone()).collect::<Vec<_>>();
    let (a, b) = (bodies(shipped), bodies(ours));
    for name in if a.len() > b.len() { a } else { b } {
        let (theirs, ours) = (shipped.instructions(&name), ours.instructions(&name));
        let shown = |n: Option<u64>| n.map_or_else(|| "-".to_owned(), |n| n.to_string());
        let ratio = theirs.zip(ours).map(|(theirs, ours)| ours as f64 / theirs as f64);
        let ratio = ratio.map_or_else(|| "-".to_owned(), |ratio| format!("{ratio:.3}"));
        table.add_row([name.clone(), shown(theirs), shown(ours), ratio]);
    }
    table
}

#[cfg(test)]
mod tests;
