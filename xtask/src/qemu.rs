//! `cargo xtask qemu`: kernels that try the allocators, booted on machines that QEMU has.
//!
//! The kernels are in `bare-metal`; [`toolchain`] builds them with what the machine has, [`machine`] boots them.
//! `memtest` tries every allocator; `measure` counts its instructions, which [`counts`] reads.

mod counts;
pub(crate) mod machine;
pub(crate) mod toolchain;

use crate::command::{chosen, each};
use crate::expected::told;
use crate::figures;
use clap::Args;
use clap::builder::PossibleValuesParser;
use core::time::Duration;
use counts::Counts;
pub(crate) use counts::Golden;
use machine::{MACHINES, Machine};
use std::path::PathBuf;
use toolchain::Build;

const LIMIT: Duration = Duration::from_secs(60);

#[derive(Debug, Args)]
pub(crate) struct Options {
    /// Only this machine; may be given more than once
    #[arg(long = "machine", value_name = "NAME", value_parser = names())]
    machines: Vec<String>,
    /// Instructions of malloc and free, least/mean/most, ours and the allocators compared with
    #[arg(long)]
    measure: bool,
    /// Fail when a count is above bench/golden/icount.toml
    #[arg(long, requires = "measure", conflicts_with = "write")]
    check: bool,
    /// Record the counts there
    #[arg(long, requires = "measure")]
    write: bool,
    /// The machines, and whether their QEMU is there
    #[arg(long)]
    list: bool,
}

fn names() -> PossibleValuesParser {
    PossibleValuesParser::new(MACHINES.iter().map(|machine| machine.name))
}

pub(crate) fn run(options: &Options) -> Result<bool, String> {
    if options.list {
        for machine in MACHINES {
            let state = machine.missing().unwrap_or_else(|| "there".to_owned());
            println!("{:<12} {:<36} {state}", machine.name, machine.what);
        }
        return Ok(true);
    }
    let machines: Vec<&Machine> = chosen(MACHINES, &options.machines, |m| m.name).collect();
    if let Some(why) = machines.iter().find_map(|machine| machine.missing()) {
        return Err(why);
    }
    if options.measure { measure(&machines, options) } else { memtest(&machines) }
}

/// What is missing to boot every machine, if anything is.
pub(crate) fn missing() -> Option<String> {
    MACHINES.iter().find_map(Machine::missing)
}

/// Boots `memtest` on each machine and shows how each allocator did. Whether all passed.
fn memtest(machines: &[&Machine]) -> Result<bool, String> {
    let mut summary = figures::table(["machine", "passed", "failed", "end", "seconds"]);
    let mut all = true;
    for (machine, kernel) in machines.iter().zip(kernels(machines, "memtest")?) {
        let run = machine.boot(&kernel, LIMIT)?;
        let lines = |word: &str| {
            run.printed.lines().filter(|line| line.split(' ').any(|one| one == word)).count()
        };
        let (ok, failed) = (lines("ok"), lines("FAILED"));
        let passed = run.passed && failed == 0 && ok > 0;
        if !passed {
            print!("{}: {}\n{}", machine.name, machine.what, run.printed);
        }
        summary.add_row([
            machine.name.to_owned(),
            ok.to_string(),
            failed.to_string(),
            if passed { "powered off, passed".to_owned() } else { run.end.clone() },
            format!("{:.2}", run.took.as_secs_f64()),
        ]);
        all &= passed;
    }
    println!("{summary}");
    Ok(all)
}

/// Boots `measure` on each machine and shows the counts.
fn measure(machines: &[&Machine], options: &Options) -> Result<bool, String> {
    let mut golden = Golden::read()?;
    let mut complaints = Vec::new();
    let mut all = true;
    for (machine, kernel) in machines.iter().zip(kernels(machines, "measure")?) {
        let compiler = toolchain::compiler(machine.target)?;
        let run = machine.boot(&kernel, LIMIT)?;
        println!("{}: {}, {compiler}", machine.name, machine.what);
        if !run.passed {
            print!("{}", run.printed);
            println!("{}: {}", machine.name, run.end);
            all = false;
            continue;
        }
        let counts = Counts::read(&run.printed)?;
        println!("{}\n", counts.table());
        complaints.extend(golden.complaints(machine.key, &compiler, &counts));
        golden.set(machine.key, &compiler, &counts);
    }
    if options.write && all {
        println!("wrote {}", golden.write()?.display());
        return Ok(true);
    }
    Ok((told(&complaints) || !options.check) && all)
}

/// Builds a kernel of `bare-metal` for each machine.
fn kernels(machines: &[&Machine], kernel: &str) -> Result<Vec<PathBuf>, String> {
    let manifest = manifest();
    let build = |machine: &&Machine| Build::new(&manifest, kernel, machine.target).run();
    each(machines, build).into_iter().collect()
}

pub(crate) fn manifest() -> PathBuf {
    crate::peers::root().join("bare-metal/Cargo.toml")
}
