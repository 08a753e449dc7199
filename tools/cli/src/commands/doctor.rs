//! `heapwright doctor`: is this machine fit to run and to measure?

use std::env;
use std::fs;
use std::path::Path;
use std::process::ExitCode;

use bench::machine::{self, Busyness, Machine};
use clap::Args;
use launch::environment::{PRELOAD, SETTINGS};
use launch::inspect::{Finding, Level};
use launch::{discover, probe};
use rustix::process::{Resource, getrlimit};
use serde_json::json;

use super::check;
use crate::flags::form::Form;
use crate::{allocators, exit, format};

/// The oldest C library whose loader and threads we rely on.
const OLDEST_GLIBC: (u32, u32) = (2, 17);

/// Below this, a limit on the address space leaves little for a region that is reserved ahead.
const SMALL_ADDRESS_SPACE: u64 = 64 << 30;

const EXAMPLES: &str = "\
Examples:
  heapwright doctor
  heapwright doctor --format json

The exit code is 1 when a line says fail, else 0.";

/// Check what of this machine would disturb
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Doctor {
    /// The form of what is found: table or json
    #[arg(long, value_name = "FORMAT", default_value = "table", hide_possible_values = true)]
    format: Form,
}

impl Doctor {
    pub(crate) fn run(self) -> anyhow::Result<ExitCode> {
        let machine = Machine::describe();
        let mut findings = vec![
            processor(&machine),
            c_library(&machine),
            Finding::ok("kernel", machine.kernel.clone()),
            proc_files(),
        ];
        findings.extend(inherited());
        let preload = preload();
        let works = preload.level != Level::Fail;
        findings.push(preload);
        findings.extend([huge_pages(&machine), overcommit(), address_space(), group_limit()]);
        findings.extend(quiet(&machine));
        findings.push(peers());
        let failed = findings.iter().any(|f| f.level == Level::Fail);
        let next = if failed {
            "next     mend what says fail, then run heapwright doctor again\n"
        } else if works {
            "next     heapwright run -- CMD   or   heapwright bench -- CMD\n"
        } else {
            ""
        };
        let table = format!("{}\n{next}", check::lines(&findings));
        self.format.print(&table, &json!({ "fit": !failed, "findings": findings }))?;
        Ok(ExitCode::from(u8::from(failed)))
    }
}

fn processor(machine: &Machine) -> Finding {
    let text = format!(
        "{}, {}, {} core{}, {}",
        machine.arch,
        machine.cpu,
        machine.cores,
        if machine.cores == 1 { "" } else { "s" },
        format::bytes(machine.memory_bytes as f64),
    );
    match machine.arch.as_str() {
        "x86_64" => Finding::ok("processor", text),
        _ => Finding::warn("processor", format!("{text}: tried on x86_64 only")),
    }
}

fn c_library(machine: &Machine) -> Finding {
    let Some(version) = &machine.glibc else {
        return Finding::fail("C library", "not glibc: the drop-in library is made for glibc");
    };
    let mut numbers = version.split('.').map_while(|n| n.parse::<u32>().ok());
    let own = (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0));
    if own < OLDEST_GLIBC {
        let (major, minor) = OLDEST_GLIBC;
        return Finding::fail(
            "C library",
            format!("glibc {version} is older than {major}.{minor}"),
        );
    }
    Finding::ok("C library", format!("glibc {version}"))
}

fn proc_files() -> Finding {
    for file in ["/proc/self/maps", "/proc/self/status", "/proc/self/smaps_rollup"] {
        if let Err(error) = fs::read(file) {
            return Finding::warn("/proc", format!("{file} cannot be read: {error}"));
        }
    }
    Finding::ok("/proc", "readable")
}

fn inherited() -> Vec<Finding> {
    [PRELOAD, SETTINGS]
        .into_iter()
        .filter_map(|name| {
            let value = env::var_os(name).filter(|v| !v.is_empty())?;
            let text = format!("is set to {:?}, for every program started from here", value);
            Some(Finding::warn(name, text))
        })
        .collect()
}

/// Unpacks the library and runs a small program on it.
fn preload() -> Finding {
    let asked = allocators::heapwright()
        .and_then(|ours| Ok((probe::ask(&allocators::this_executable()?, &ours)?, ours)));
    match asked {
        Err(error) => Finding::fail("preload", exit::said(&error)),
        Ok((answer, ours)) => {
            let version = answer.version.unwrap_or_else(|| "of unknown version".to_owned());
            let path = ours.library().unwrap_or(Path::new("")).display().to_string();
            let text = format!("a child ran on heapwright {version}, {path}");
            Finding::ok("preload", text)
        }
    }
}

fn huge_pages(machine: &Machine) -> Finding {
    match machine.huge_pages.as_deref() {
        Some(mode @ ("always" | "madvise")) => Finding::ok("huge pages", mode),
        Some(mode) => {
            Finding::warn("huge pages", format!("{mode}: large heaps are slower than with madvise"))
        }
        None => Finding::warn("huge pages", "this kernel has none: large heaps are slower"),
    }
}

fn overcommit() -> Finding {
    let mode = fs::read_to_string("/proc/sys/vm/overcommit_memory").unwrap_or_default();
    match mode.trim() {
        "0" => Finding::ok("overcommit", "0, heuristic"),
        "1" => Finding::ok("overcommit", "1, always"),
        "2" => Finding::warn(
            "overcommit",
            "2, strict: every allocator gets ENOMEM earlier than memory runs out",
        ),
        _ => Finding::warn("overcommit", "unknown"),
    }
}

fn address_space() -> Finding {
    match getrlimit(Resource::As).current {
        None => Finding::ok("address space", "unlimited"),
        Some(limit) => {
            let text = format!("limited to {} (ulimit -v)", format::bytes(limit as f64));
            if limit >= SMALL_ADDRESS_SPACE {
                return Finding::ok("address space", text);
            }
            let text = format!(
                "{text}: memory comes piece by piece, which is slower; raise it if you can"
            );
            Finding::warn("address space", text)
        }
    }
}

fn group_limit() -> Finding {
    let text = match machine::group_limit() {
        Some(group) => format!("limited to {}", format::bytes(group.limit as f64)),
        None => "no limit".to_owned(),
    };
    Finding::ok("memory group", text)
}

fn quiet(machine: &Machine) -> Vec<Finding> {
    let mut findings = Vec::new();
    if let Some(warning) = Busyness::now().load_warning(machine.cores) {
        findings.push(Finding::warn("load", warning));
    }
    match machine.governor.as_deref() {
        None | Some("performance") => {}
        Some(governor) => findings.push(Finding::warn("governor", format!("{governor}: the clock changes with the load, and with it the times; 'bench --prepare' sets performance"),
        )),
    }
    if machine.virtual_machine {
        let text = "a virtual machine: no hardware counters, and neighbours may disturb the times";
        findings.push(Finding::ok("machine", text));
    }
    findings
}

fn peers() -> Finding {
    let Ok(executable) = allocators::this_executable() else {
        return Finding::warn("allocators", "cannot look for them without /proc");
    };
    let found = discover::installed(&executable);
    let broken: Vec<String> = found
        .iter()
        .filter_map(|f| Some(format!("{}: {}", f.allocator.name, f.problem.as_ref()?)))
        .collect();
    let names: Vec<&str> =
        found.iter().filter(|f| f.problem.is_none()).map(|f| f.allocator.name.as_str()).collect();
    if !broken.is_empty() {
        return Finding::warn("allocators", broken.join("; "));
    }
    if names.is_empty() {
        let text = "none installed besides glibc; 'bench' compares with those that 'heapwright list' finds, and 'cargo xtask peers' builds them";
        return Finding::ok("allocators", text);
    }
    Finding::ok("allocators", format!("to compare with: {}", names.join(", ")))
}
