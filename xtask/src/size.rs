//! `cargo xtask size`: how many bytes of code an allocator is in firmware, and how many its control block has.
//!
//! `bare-metal/size` is compiled with one allocator at a time, once with and once without realloc, and [`measure`]
//! counts what is more than in the same program without an allocator. Bytes are exact for a compiler;
//! `bench/golden/size.toml` holds what is expected.

mod golden;
pub(crate) mod measure;

use crate::command::{chosen, each};
use crate::expected::{Expected, told};
use crate::figures;
use crate::qemu;
use crate::qemu::toolchain::{self, Build, Target};
use clap::Args;
use comfy_table::Table;
use measure::Size;

struct Named {
    name: &'static str,
    target: Target,
}

const TARGETS: [Named; 4] = [
    Named { name: "thumbv7em", target: Target::new("thumbv7em-none-eabi") },
    Named { name: "thumbv6m", target: toolchain::THUMBV6M },
    Named { name: "riscv32imac", target: toolchain::RISCV32 },
    Named { name: "riscv64gc", target: toolchain::RISCV64 },
];

/// The features of `bare-metal/size`.
const OURS: [&str; 8] = [
    "tlsf",
    "tlsf-compact",
    "malloc-compact",
    "half-fit",
    "first-fit",
    "best-fit",
    "buddy",
    "slabs",
];
const PEERS: [&str; 4] = ["rlsf", "talc", "linked-list", "buddy-system"];

/// How the compiler optimises.
const OPTIMISED: &str = "z";

/// What one allocator was found to take.
struct Row {
    allocator: &'static str,
    /// init, alloc and free.
    plain: Size,
    realloc: Size,
}

#[derive(Debug, Args)]
pub(crate) struct Options {
    #[command(flatten)]
    expected: Expected,
    /// Only this target; may be given more than once
    #[arg(long = "target", value_name = "NAME", value_parser = TARGETS.map(|target| target.name))]
    targets: Vec<String>,
    /// Also rlsf, talc, linked_list_allocator, buddy_system_allocator
    #[arg(long)]
    peers: bool,
}

/// The chore; whether no allocator has grown.
pub(crate) fn run(options: &Options) -> Result<bool, String> {
    let golden = golden::read()?;
    let mut fresh = golden.clone();
    let mut complaints = Vec::new();
    let chosen: Vec<_> = chosen(&TARGETS, &options.targets, |target| target.name).collect();
    for (named, rows) in chosen.iter().zip(each(&chosen, |named| rows(named.target, options))) {
        let (compiler, rows) = (toolchain::compiler(named.target)?, rows?);
        println!("{}, opt-level {OPTIMISED}, {compiler}", named.name);
        println!("{}\n", table(named.name, &rows));
        complaints.extend(golden.complaints(named.name, &compiler, &rows));
        fresh.set(named.name, &compiler, &rows);
    }
    if options.expected.is_written() {
        println!("wrote {}", fresh.write()?.display());
        return Ok(true);
    }
    Ok(told(&complaints))
}

fn rows(target: Target, options: &Options) -> Result<Vec<Row>, String> {
    let built = |features: &[&str]| built(target, features);
    let (empty, empty_realloc) = (built(&["nothing"])?, built(&["nothing", "realloc"])?);
    let peers: &[&str] = if options.peers { &PEERS } else { &[] };
    let row = |&allocator: &&'static str| {
        let plain = built(&[allocator])?.net_of(empty);
        let realloc = built(&[allocator, "realloc"])?.net_of(empty_realloc);
        Ok(Row { allocator, plain, realloc })
    };
    OURS.iter().chain(peers).map(row).collect()
}

/// Compiles the program with these features and counts.
fn built(target: Target, features: &[&str]) -> Result<Size, String> {
    let env = [("CARGO_PROFILE_RELEASE_OPT_LEVEL", OPTIMISED)];
    let manifest = qemu::manifest();
    let build = Build { features, env: &env, ..Build::new(&manifest, "size", target) };
    measure::measure(&build.run()?)
}

fn table(target: &str, rows: &[Row]) -> Table {
    let heads = "allocator|init, alloc, free|limit|with realloc|limit|control block|limit";
    let mut table = figures::table(heads.split('|'));
    for row in rows {
        let limits = golden::limits(target, row.allocator);
        let limit = |n: Option<u64>| n.map_or_else(String::new, |n| n.to_string());
        table.add_row([
            row.allocator.to_owned(),
            row.plain.code.to_string(),
            limit(limits.map(|l| l.plain)),
            row.realloc.code.to_string(),
            limit(limits.map(|l| l.realloc)),
            row.plain.control_block.to_string(),
            limit(limits.map(|l| l.control_block)),
        ]);
    }
    table
}

#[cfg(test)]
mod tests;
