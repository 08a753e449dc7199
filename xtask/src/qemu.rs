//! `cargo xtask qemu`: kernels that try the allocators, booted on machines that QEMU has.
//!
//! The kernels are in `bare-metal`; [`toolchain`] builds them with what the machine has, [`machine`] boots them.
//! `memtest` tries every allocator; `measure` counts its instructions, which [`counts`] reads.

mod counts;
pub(crate) mod machine;
pub(crate) mod toolchain;

use comfy_table::{Table, presets};
use core::time::Duration;
use counts::{Counts, Golden};
use machine::{MACHINES, Machine, Run};
use std::path::PathBuf;
use std::process::ExitCode;

const USAGE: &str = "\
usage: cargo xtask qemu [--machine NAME]... [--verbose]
       cargo xtask qemu --measure [--machine NAME]... [--check | --write]
       cargo xtask qemu --list

  --machine NAME   only this machine; may be given more than once
  --verbose        all that the kernels print
  --measure        instructions of malloc and free, least/mean/most, ours and the allocators compared with
  --check          fail when a count is above bench/golden/icount.toml
  --write          record the counts there
  --list           the machines, and whether their QEMU is there
";

/// A kernel has to power off by then.
const LIMIT: Duration = Duration::from_secs(60);

/// What the command line asks for.
#[derive(Debug, Default)]
struct Options {
    machines: Vec<String>,
    verbose: bool,
    measure: bool,
    check: bool,
    write: bool,
    list: bool,
}

/// The command.
pub(crate) fn run(args: &[String]) -> ExitCode {
    let options = match parse(args) {
        Ok(options) => options,
        Err(why) => {
            eprint!("qemu: {why}\n{USAGE}");
            return ExitCode::from(2);
        }
    };
    match act(&options) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(why) => {
            eprintln!("qemu: {why}");
            ExitCode::FAILURE
        }
    }
}

fn parse(args: &[String]) -> Result<Options, String> {
    let mut options = Options::default();
    let mut args = args.iter();
    while let Some(arg) = args.next() {
        match arg.as_str() {
            "--machine" => {
                options.machines.push(args.next().cloned().ok_or("--machine needs a name")?);
            }
            "--verbose" => options.verbose = true,
            "--measure" => options.measure = true,
            "--check" => options.check = true,
            "--write" => options.write = true,
            "--list" => options.list = true,
            other => return Err(format!("there is no {other:?}")),
        }
    }
    if (options.check || options.write) && !options.measure {
        return Err("--check and --write go with --measure".to_owned());
    }
    Ok(options)
}

fn act(options: &Options) -> Result<bool, String> {
    if options.list {
        for machine in MACHINES {
            let state = machine.missing().unwrap_or_else(|| "there".to_owned());
            println!("{:<12} {:<36} {state}", machine.name, machine.what);
        }
        return Ok(true);
    }
    let machines = chosen(&options.machines)?;
    if let Some(why) = machines.iter().find_map(|machine| machine.missing()) {
        return Err(why);
    }
    if options.measure { measure(&machines, options) } else { memtest(&machines, options) }
}

/// What is missing to boot every machine, if anything is.
pub(crate) fn missing() -> Option<String> {
    MACHINES.iter().find_map(Machine::missing)
}

fn chosen(names: &[String]) -> Result<Vec<&'static Machine>, String> {
    if names.is_empty() {
        return Ok(MACHINES.iter().collect());
    }
    let find = |name: &String| {
        MACHINES.iter().find(|machine| machine.name == name).ok_or_else(|| {
            let known: Vec<_> = MACHINES.iter().map(|machine| machine.name).collect();
            format!("there is no machine {name:?}; there are {}", known.join(", "))
        })
    };
    names.iter().map(find).collect()
}

/// Boots `memtest` on each machine and shows how each allocator did. Whether all passed.
fn memtest(machines: &[&Machine], options: &Options) -> Result<bool, String> {
    let mut summary = Table::new();
    summary.load_style(presets::ASCII_MARKDOWN);
    summary.set_header(["machine", "passed", "failed", "end", "seconds"]);
    let mut all = true;
    for machine in machines {
        let run = boot(machine, "memtest")?;
        let lines = |word: &str| {
            run.printed.lines().filter(|line| line.split(' ').any(|one| one == word)).count()
        };
        let (ok, failed) = (lines("ok"), lines("FAILED"));
        let passed = run.passed && failed == 0 && ok > 0;
        if options.verbose || !passed {
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
    for machine in machines {
        let compiler = toolchain::compiler(machine.target)?;
        let run = boot(machine, "measure")?;
        println!("{}: {}, {compiler}", machine.name, machine.what);
        if options.verbose || !run.passed {
            print!("{}", run.printed);
        }
        if !run.passed {
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
    for complaint in &complaints {
        println!("{complaint}");
    }
    Ok(all && (complaints.is_empty() || !options.check))
}

/// Builds a kernel of `bare-metal` and boots it.
fn boot(machine: &Machine, kernel: &str) -> Result<Run, String> {
    let program = toolchain::Build::new(&manifest(), kernel, machine.target).run()?;
    machine.boot(&program, LIMIT)
}

/// The workspace of the kernels.
fn manifest() -> PathBuf {
    crate::peers::root().join("bare-metal/Cargo.toml")
}
