//! `cargo xtask wcet`: how many instructions an allocator can take at most, proven from its disassembly.
//!
//! The program `bare-metal/probe` has every entry point under a name like `wcet_tlsf_malloc`. It is compiled for each
//! target, disassembled ([`program`]), and the longest path through the graph of its instructions is searched
//! ([`path`]). Where no back edge is reachable that is a bound which no execution passes; where one is, the length of
//! a path without repetition is printed, and that there is a loop. `bench/golden/wcet.toml` holds what is expected
//! ([`golden`]).
//!
//! Instructions, not cycles; and of the entry point alone, without its caller's.

mod flow;
mod golden;
mod path;
mod program;

use crate::command::{each, missing as program_missing};
use crate::expected::{Expected, told};
use crate::figures;
use crate::qemu;
use crate::qemu::toolchain::{self, Build, Target};
use clap::Args;
use comfy_table::Table;
use path::{Declared, Found};
use program::Program;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// A target, as the tables call it.
struct Named {
    name: &'static str,
    target: Target,
    /// Whether `bench/golden/wcet.toml` must have it.
    golden: bool,
}

const TARGETS: [Named; 6] = [
    Named { name: "riscv64gc", target: toolchain::RISCV64, golden: true },
    Named { name: "riscv64gc+zbb", target: toolchain::RISCV64_ZBB, golden: true },
    Named { name: "thumbv7m", target: toolchain::THUMBV7M, golden: true },
    Named { name: "thumbv6m", target: toolchain::THUMBV6M, golden: false },
    Named { name: "riscv32imac", target: toolchain::RISCV32, golden: false },
    Named { name: "x86-64", target: toolchain::X86_64, golden: true },
];

/// What one entry point was found to take.
struct Entry {
    allocator: String,
    name: String,
    found: Found,
    /// Where a back edge, an unknown target and a stop are, in words.
    notes: Vec<String>,
}

/// The most instructions that were counted, by allocator and entry point.
type Measured = BTreeMap<(String, String), u64>;

#[derive(Debug, Default, Args)]
pub(crate) struct Options {
    #[command(flatten)]
    expected: Expected,
    /// Only this target; may be given more than once
    #[arg(long = "target", value_name = "NAME", value_parser = TARGETS.map(|target| target.name))]
    targets: Vec<String>,
    /// Also rlsf, talc, linked_list_allocator, buddy_system_allocator
    #[arg(long)]
    peers: bool,
    /// Also print the instructions of the longest path of an entry point, such as tlsf_malloc
    #[arg(long, value_name = "ENTRY")]
    path: Option<String>,
}

/// Whether the disassemblers are here; if not, what is missing.
pub(crate) fn missing() -> Option<String> {
    let all = [flow::Arch::Riscv, flow::Arch::Thumb, flow::Arch::X86];
    all.into_iter().find_map(|arch| program_missing(arch.objdump().0, arch.package()))
}

/// The chore; whether no bound is passed and no loop became reachable.
pub(crate) fn run(options: &Options) -> Result<bool, String> {
    let golden = golden::read()?;
    let mut complaints = Vec::new();
    let mut fresh = golden.clone();
    let counted = qemu::Golden::read()?;
    let chosen: Vec<_> = chosen(options).collect();
    let probes = each(&chosen, |named| probe(named.target, options.peers));
    for (&named, elf) in chosen.iter().zip(probes) {
        let elf = elf?;
        let compiler = toolchain::compiler(named.target)?;
        let entries = entries(&elf, golden.declared(), options.path.as_deref())?;
        println!("{}, {compiler}", named.name);
        let measured = counted.most(named.name, &compiler);
        println!("{}\n", table(named.name, &entries, &measured));
        for note in stale(named.name, &entries, &measured) {
            println!("{note}");
        }
        complaints.extend(golden.complaints(named, &compiler, &entries));
        if named.golden {
            fresh.set(named.name, &compiler, &entries);
        }
    }
    if options.expected.is_written() {
        println!("wrote {}", fresh.write()?.display());
        complaints = Vec::new();
    }
    Ok(told(&complaints))
}

/// The targets asked for; without any, those of the golden file.
fn chosen(options: &Options) -> impl Iterator<Item = &'static Named> {
    TARGETS.iter().filter(|named| {
        if options.targets.is_empty() {
            named.golden
        } else {
            options.targets.iter().any(|name| name == named.name)
        }
    })
}

fn probe(target: Target, peers: bool) -> Result<PathBuf, String> {
    let features: &[&str] = if peers { &["peers"] } else { &[] };
    Build { features, ..Build::new(&crate::qemu::manifest(), "probe", target) }.run()
}

fn entries(elf: &Path, declared: &Declared, path: Option<&str>) -> Result<Vec<Entry>, String> {
    let program = Program::open(elf)?;
    let mut entries = Vec::new();
    for (symbol, &at) in &program.functions {
        // A compiler's `.cold` is a part of a function that stands elsewhere.
        let entry = symbol.strip_prefix("wcet_").filter(|rest| !rest.contains('.'));
        let Some((allocator, name)) = entry.and_then(|rest| rest.rsplit_once('_')) else {
            continue;
        };
        let found = path::search(&program, declared, at);
        if path.is_some_and(|asked| symbol.strip_prefix("wcet_") == Some(asked)) {
            print_path(&program, symbol, &found);
        }
        let notes = notes(&program, &found);
        entries.push(Entry {
            allocator: allocator.to_owned(),
            name: name.to_owned(),
            found,
            notes,
        });
    }
    if entries.is_empty() {
        return Err(format!("{}: no symbol begins with wcet_", elf.display()));
    }
    Ok(entries)
}

fn print_path(program: &Program, symbol: &str, found: &Found) {
    println!("{symbol}: {} instructions", found.longest);
    let mut function = "";
    for (number, at) in found.path.iter().enumerate() {
        if program.function_at(*at) != function {
            function = program.function_at(*at);
            println!("  {function}");
        }
        let text = program.code.get(at).map_or("", |one| one.text.as_str());
        println!("  {:4}  {at:8x}  {text}", number + 1);
    }
}

fn notes(program: &Program, found: &Found) -> Vec<String> {
    let place = |at: &u64| format!("{at:#x} in {}", program.function_at(*at));
    let back = found.back_edges.iter().map(|(from, _)| format!("jumps back at {}", place(from)));
    let unknown = found.indirect.iter().map(|at| format!("target unknown at {}", place(at)));
    back.chain(unknown).collect()
}

/// The bound in words: with a loop there is none, only the length of a path that goes round once.
fn bound(found: &Found) -> String {
    if found.back_edges.is_empty() && found.indirect.is_empty() {
        found.longest.to_string()
    } else {
        format!("no bound ({} once round)", found.longest)
    }
}

/// Where more was measured than can be: one of the two is of older code.
fn stale(target: &str, entries: &[Entry], measured: &Measured) -> Vec<String> {
    let bounded =
        entries.iter().filter(|e| e.found.back_edges.is_empty() && e.found.indirect.is_empty());
    let over = bounded.filter_map(|entry| {
        let most = *measured.get(&(entry.allocator.clone(), entry.name.clone()))?;
        (most > entry.found.longest).then(|| {
            let (Entry { allocator, name, .. }, longest) = (entry, entry.found.longest);
            format!(
                "{target}: {allocator} {name}: bench/golden/icount.toml has {most} instructions, the longest path {longest}: \
                 one of them is of older code (cargo xtask qemu --measure --write)"
            )
        })
    });
    over.collect()
}

fn table(target: &str, entries: &[Entry], measured: &Measured) -> Table {
    let heads =
        "allocator|entry point|longest path|limit|measured|loops|unknown targets|ways into a panic";
    let mut table = figures::table(heads.split('|'));
    for entry in entries {
        let count = |n: usize| if n == 0 { "none".to_owned() } else { n.to_string() };
        let limit = golden::limit(target, &entry.allocator, &entry.name);
        let measured = measured.get(&(entry.allocator.clone(), entry.name.clone()));
        let number = |n: Option<u64>| n.map_or_else(String::new, |n| n.to_string());
        table.add_row([
            entry.allocator.clone(),
            entry.name.clone(),
            bound(&entry.found),
            number(limit),
            number(measured.copied()),
            count(entry.found.back_edges.len()),
            count(entry.found.indirect.len()),
            count(entry.found.stops.len()),
        ]);
    }
    table
}

#[cfg(test)]
mod tests;
