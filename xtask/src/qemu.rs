//! `cargo xtask qemu`: kernels that try the allocators, booted on machines that QEMU has.
//!
//! The kernels are in `bare-metal`; [`toolchain`] builds them with what the machine has, [`machine`] boots them.

mod machine;
pub(crate) mod toolchain;

use machine::{MACHINES, Machine, Run};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

const USAGE: &str = "\
usage: cargo xtask qemu [--machine NAME]... [--list]

  --machine NAME   only this machine; may be given more than once
  --list           the machines, and whether their QEMU is there
";

/// A kernel has to power off by then.
const LIMIT: Duration = Duration::from_secs(60);

/// What the command line asks for.
#[derive(Debug, Default)]
struct Options {
    machines: Vec<String>,
    list: bool,
    measure: bool,
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
            "--measure" => options.measure = true,
            "--list" => options.list = true,
            other => return Err(format!("there is no {other:?}")),
        }
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
    let mut passed = true;
    for machine in chosen(&options.machines)? {
        let run = boot(machine, if options.measure { "measure" } else { "memtest" })?;
        print!("{}", run.printed);
        println!("{}: {} in {:.2} s", machine.name, run.end, run.took.as_secs_f64());
        passed &= run.passed;
    }
    Ok(passed)
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

/// Builds a kernel of `bare-metal` and boots it.
fn boot(machine: &Machine, kernel: &str) -> Result<Run, String> {
    let program = toolchain::Build::new(&manifest(), kernel, machine.target).run()?;
    machine.boot(&program, LIMIT)
}

/// The workspace of the kernels.
pub(crate) fn manifest() -> PathBuf {
    crate::peers::root().join("bare-metal/Cargo.toml")
}
