//! `cargo xtask port`: the drop-in library on another C library and on another processor.
//!
//! ```text
//! musl      x86-64 with musl     musl-gcc               musl's loader
//! aarch64   aarch64 with glibc   aarch64-linux-gnu-gcc  qemu-aarch64, which can pretend to have larger pages
//! ```
//!
//! The library is built by the route that bare metal takes ([`toolchain`]); then the runner of `abi/tests` compiles the
//! programs of `abi/tests/c` and `tests/misuse` for the target and runs them. Which of them cannot run there, and why, is
//! in `abi/tests/runner/target.rs`. On aarch64 python3 follows.

mod python;
mod tally;

use crate::peers::root;
use crate::qemu::toolchain::{self, AARCH64, MUSL, Target};
use std::path::PathBuf;
use std::process::{Command, ExitCode, Stdio};
use tally::Tally;

const USAGE: &str = "\
usage: cargo xtask port [musl | aarch64]... [--page-size BYTES]... [--quick] [FILTER]...

  musl, aarch64      only these
  --page-size BYTES  of the emulated system: 4096, 16384, 65536; may be given more than once
  --quick            without the longest programs, in the emulator only a fixed part
  FILTER             only programs whose name contains it, and no python3
";

/// A system that is not this one.
#[derive(Debug)]
struct Port {
    name: &'static str,
    target: Target,
    /// Programs it needs, and the packages they are in.
    needs: &'static [(&'static str, &'static str)],
    /// What runs its programs, if this machine cannot.
    emulator: Option<&'static str>,
    /// Page sizes it can be run with; none: the machine's.
    pages: &'static [&'static str],
}

const PORTS: [Port; 2] = [
    Port {
        name: "musl",
        target: MUSL,
        needs: &[("musl-gcc", "musl-tools")],
        emulator: None,
        pages: &[],
    },
    Port {
        name: "aarch64",
        target: AARCH64,
        needs: &[
            ("aarch64-linux-gnu-gcc", "gcc-aarch64-linux-gnu and libc6-dev-arm64-cross"),
            ("aarch64-linux-gnu-g++", "g++-aarch64-linux-gnu"),
            ("qemu-aarch64", "qemu-user"),
        ],
        emulator: Some("qemu-aarch64"),
        pages: &["4096", "16384", "65536"],
    },
];

/// The programs of `--quick` in the emulator: every kind of block, C++'s operators, threads, misuse.
const QUICK: &[&str] = &[
    "exports",
    "c::aligned_alloc",
    "c::calloc_zero",
    "c::config_safe",
    "c::dlopen_library",
    "c::free_",
    "c::linked",
    "c::mallinfo",
    "c::malloc_alignment",
    "c::malloc_info",
    "c::own_heap",
    "c::posix_memalign",
    "c::realloc_null",
    "c::thread_keys",
    "c::usable_size",
    "c::valloc",
    "cxx::new_forms",
    "cxx::new_replaced",
    "misuse::free_twice_small",
    "misuse::free_wild",
];

/// What `--quick` leaves out elsewhere: long, and depending on how threads overlap.
const LONG: [&str; 4] = ["c::exhaustion", "c::fork_", "c::region_terabyte", "c::rlimit_as_late"];

/// What the command line asks for.
#[derive(Debug, Default)]
struct Options {
    ports: Vec<&'static Port>,
    pages: Vec<String>,
    quick: bool,
    filters: Vec<String>,
}

/// The command.
pub(crate) fn run(args: &[String]) -> ExitCode {
    match parse(args).and_then(|options| act(&options)) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(why) => {
            eprint!("port: {why}\n{USAGE}");
            ExitCode::from(2)
        }
    }
}

/// What is missing to build and run on every port, if anything is.
pub(crate) fn missing() -> Option<String> {
    PORTS.iter().find_map(Port::missing)
}

fn parse(args: &[String]) -> Result<Options, String> {
    let mut options = Options::default();
    let mut args = args.iter();
    while let Some(arg) = args.next() {
        match arg.as_str() {
            "--quick" => options.quick = true,
            "--page-size" => {
                options.pages.push(args.next().cloned().ok_or("--page-size needs a number")?);
            }
            flag if flag.starts_with('-') => return Err(format!("there is no {flag:?}")),
            name => match PORTS.iter().find(|port| port.name == name) {
                Some(port) => options.ports.push(port),
                None => options.filters.push(name.to_owned()),
            },
        }
    }
    if options.ports.is_empty() {
        options.ports = PORTS.iter().collect();
    }
    let known = |page: &&String| options.ports.iter().all(|p| !p.pages.contains(&page.as_str()));
    match options.pages.iter().find(known) {
        Some(page) => Err(format!("no port has pages of {page} bytes")),
        None => Ok(options),
    }
}

/// Builds and runs; whether every program did what it should.
fn act(options: &Options) -> Result<bool, String> {
    let mut well = true;
    for port in &options.ports {
        if let Some(why) = port.missing() {
            return Err(why);
        }
        let library = port.build()?;
        let emulated = port.emulator.is_some();
        let mut pages: Vec<Option<&str>> = vec![None];
        if emulated && !options.pages.is_empty() {
            pages = options.pages.iter().map(|page| Some(page.as_str())).collect();
        }
        let mut filters: Vec<&str> = options.filters.iter().map(String::as_str).collect();
        if emulated && options.quick && filters.is_empty() {
            filters = QUICK.to_vec();
        }
        let skipped: &[&str] = if options.quick { &LONG } else { &[] };
        for page in pages {
            let tally = port.suite(&library, page, &filters, skipped)?;
            println!("{}", tally.shown(port.name, page));
            well &= tally.is_well();
        }
        if let Some(emulator) = port.emulator.filter(|_| options.filters.is_empty()) {
            let result = python::same_on_both(emulator, &library);
            println!(
                "{} python3: {}",
                port.name,
                result.as_ref().err().map_or("the same output", |why| why)
            );
            well &= result.is_ok();
        }
    }
    Ok(well)
}

impl Port {
    /// What is missing, if anything is.
    fn missing(&self) -> Option<String> {
        let there = |program: &str| {
            let mut command = Command::new(program);
            command.arg("--version").stdout(Stdio::null()).stderr(Stdio::null());
            command.status().is_ok_and(|status| status.success())
        };
        let (program, package) = self.needs.iter().find(|(program, _)| !there(program))?;
        Some(format!("{program} is missing: install the package {package}"))
    }

    /// Builds the library, in release; the static one lies beside it.
    fn build(&self) -> Result<PathBuf, String> {
        let mut cargo = toolchain::cargo(self.target, &[])?;
        cargo.args(["--release", "--quiet", "--package", "heapwright-abi", "--manifest-path"]);
        cargo.arg(root().join("Cargo.toml"));
        let status = cargo.status().map_err(|e| format!("cargo did not start: {e}"))?;
        if !status.success() {
            return Err(format!("the library for {} was not built: {status}", self.name));
        }
        Ok(toolchain::built(self.target, "libheapwright.so"))
    }

    /// The programs of `abi/tests` on the library, with pages of so many bytes.
    fn suite(
        &self,
        library: &PathBuf,
        page: Option<&str>,
        filters: &[&str],
        skipped: &[&str],
    ) -> Result<Tally, String> {
        let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
        cargo.current_dir(root()).args(["test", "--quiet", "--package", "heapwright-abi"]);
        cargo.args(["--test", "c", "--", "--nocapture", "--skip", "drop_ins"]).args(filters);
        cargo.args(skipped.iter().flat_map(|&name| ["--skip", name]));
        cargo.env("HEAPWRIGHT_TARGET", self.name).env("HEAPWRIGHT_SO", library);
        match page {
            Some(page) => cargo.env("HEAPWRIGHT_PAGE_SIZE", page),
            None => cargo.env_remove("HEAPWRIGHT_PAGE_SIZE"),
        };
        let out = cargo.stderr(Stdio::piped()).output();
        let out = out.map_err(|e| format!("cargo did not start: {e}"))?;
        let said = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        Ok(Tally::read(&said(&out.stdout), &said(&out.stderr), out.status.success()))
    }
}

#[cfg(test)]
mod tests;
