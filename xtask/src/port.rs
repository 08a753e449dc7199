//! `cargo xtask port`: the drop-in library on another C library and on another processor.
//!
//! ```text
//! musl      x86-64 with musl     musl-gcc               musl's loader
//! aarch64   aarch64 with glibc   aarch64-linux-gnu-gcc  qemu-aarch64, which can pretend to have larger pages
//! ```
//!
//! The library is built by the route that bare metal takes ([`toolchain`]); then the runner of `abi/tests` compiles the
//! programs of `abi/tests/c` and `tests/misuse` for the target and runs them. Which of them cannot run there, and why, is
//! in `abi/tests/runner/target.rs`. On aarch64 the recorder's tests of single processes follow, and python3.

mod python;
mod tally;

use clap::Args;

use crate::command;
use crate::peers::root;
use crate::qemu::toolchain::{self, AARCH64, MUSL, Target};
use std::path::PathBuf;
use std::process::Stdio;
use tally::Tally;

pub(crate) struct Port {
    name: &'static str,
    target: Target,
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
const QUICK: &str = "exports c::aligned_alloc c::calloc_zero c::dlopen_library c::free_ \
                     c::linked c::mallinfo c::malloc_alignment c::malloc_info c::own_heap \
                     c::posix_memalign c::realloc_null c::thread_keys c::usable_size c::valloc \
                     cxx::new_forms cxx::new_replaced misuse::free_twice_small misuse::free_wild";

/// The word that asks for the recorder alone, and the tests of it that run in the emulator.
const RECORDER: [&str; 1] = ["recorder"];
const RECORDED: [&str; 3] = [
    "recorder::every_call_is_there",
    "recorder::threads_pass_blocks_on",
    "recorder::what_was_done_before_a_hard_end_is_there",
];

#[derive(Debug, Args)]
pub(crate) struct Options {
    /// Of the emulated system; may be given more than once
    #[arg(long = "page-size", value_name = "BYTES", value_parser = ["4096", "16384", "65536"])]
    pages: Vec<String>,
    /// Without the long programs, in the emulator only a fixed part
    #[arg(long)]
    quick: bool,
    /// musl or aarch64: only there; recorder: only that; any other word: only programs whose name contains it, and no python3
    #[arg(value_name = "WORD")]
    words: Vec<String>,
}

/// What is missing to build and run on every port, if anything is.
pub(crate) fn missing() -> Option<String> {
    PORTS.iter().find_map(Port::missing)
}

impl Options {
    /// The ports asked for, or all; and the other words.
    pub(crate) fn ports(&self) -> Result<(Vec<&'static Port>, Vec<&str>), String> {
        let port = |word: &str| PORTS.iter().find(|port| port.name == word);
        let words = self.words.iter().map(String::as_str);
        let (named, filters): (Vec<&str>, Vec<&str>) = words.partition(|w| port(w).is_some());
        let mut ports: Vec<&Port> = named.into_iter().filter_map(port).collect();
        if ports.is_empty() {
            ports = PORTS.iter().collect();
        }
        if !self.pages.is_empty() && ports.iter().all(|port| port.pages.is_empty()) {
            return Err("only the emulated port has pages of other sizes".to_owned());
        }
        Ok((ports, filters))
    }
}

/// The chore: builds and runs; whether every program did what it should.
pub(crate) fn run(options: &Options) -> Result<bool, String> {
    let (ports, asked) = options.ports()?;
    let mut well = true;
    for port in ports {
        if let Some(why) = port.missing() {
            return Err(why);
        }
        let emulated = port.emulator.is_some();
        let library = port.build("heapwright-abi", "libheapwright.so")?;
        let mut pages: Vec<Option<&str>> = vec![None];
        if emulated && !options.pages.is_empty() {
            pages = options.pages.iter().map(|page| Some(page.as_str())).collect();
        }
        if asked == RECORDER {
            pages.clear();
        }
        let mut filters = asked.clone();
        if emulated && options.quick && filters.is_empty() {
            filters = QUICK.split_whitespace().collect();
        }
        for page in pages {
            let tally = port.suite(&library, page, &filters, !options.quick)?;
            println!("{}", tally.shown(port.name, page));
            well &= tally.is_well();
        }
        if emulated && (asked.is_empty() || asked == RECORDER) {
            let is_well = port.recorder()?;
            println!("{} recorder: {}", port.name, if is_well { "as here" } else { "failed" });
            well &= is_well;
        }
        if let Some(emulator) = port.emulator.filter(|_| asked.is_empty()) {
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
    fn missing(&self) -> Option<String> {
        self.needs.iter().find_map(|(program, package)| command::missing(program, package))
    }

    /// Builds a package's library, in release; the static one lies beside it.
    fn build(&self, package: &str, library: &str) -> Result<PathBuf, String> {
        let mut cargo = toolchain::cargo(self.target)?;
        cargo.args(["--release", "--quiet", "--package", package, "--manifest-path"]);
        cargo.arg(root().join("Cargo.toml"));
        let status = cargo.status().map_err(|e| format!("cargo did not start: {e}"))?;
        if !status.success() {
            return Err(format!("{library} for {} was not built: {status}", self.name));
        }
        Ok(toolchain::built(self.target, library))
    }

    /// The recorder's tests that need no more of a kernel than the emulator has, with programs and the recorder of this port.
    fn recorder(&self) -> Result<bool, String> {
        let library = self.build("heapwright-record", "libheapwright_record.so")?;
        let mut cargo = command::cargo();
        cargo.args(["test", "--quiet", "--package", "heapwright-recording", "--test", "record"]);
        cargo.args(["--", "--exact"]).args(RECORDED);
        cargo.env("HEAPWRIGHT_TARGET", self.name).env("HEAPWRIGHT_SO", library);
        let status = cargo.status().map_err(|e| format!("cargo did not start: {e}"))?;
        Ok(status.success())
    }

    /// The programs of `abi/tests` on the library, with pages of `page` bytes.
    fn suite(
        &self,
        library: &PathBuf,
        page: Option<&str>,
        filters: &[&str],
        whole: bool,
    ) -> Result<Tally, String> {
        let mut cargo = command::cargo();
        cargo.args(["test", "--quiet", "--package", "heapwright-abi"]);
        cargo.args(["--test", "c", "--", "--nocapture", "--skip", "drop_ins"]);
        cargo.args(["--skip", "refusing_kernel"]).args(filters);
        if whole {
            cargo.env("HEAPWRIGHT_WHOLE", "1");
        }
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
