//! `cargo xtask firmware`: the C library of the block allocators in firmware, compiled by the makers' own compilers.
//!
//! `libheapwright_block.a` is built for each target, small; gcc compiles the programs of `abi/block/tests/c` for the
//! machine and links them with it and with `tests/c/machine`; QEMU runs them. Then how many bytes of code the
//! library is in a program that uses little of it.

use crate::command::{self, chosen};
use crate::figures;
use crate::files;
use crate::peers::{output, root};
use crate::qemu::machine::{MACHINES, Machine};
use crate::qemu::toolchain::{self, Build, Target};
use crate::size::measure::code_of;
use clap::Args;
use core::time::Duration;
use std::path::{Path, PathBuf};
use std::process::Command;

const LIMIT: Duration = Duration::from_secs(60);

/// A target: the compiler for its C, and the machine of QEMU that runs it.
struct Board {
    name: &'static str,
    target: Target,
    gcc: &'static str,
    package: &'static str,
    flags: &'static [&'static str],
    /// None: there is only code to count.
    machine: Option<&'static str>,
    /// What is beside the machine's name in `tests/c/machine` and `bare-metal/machine/link`.
    kind: &'static str,
}

const ARM: Board = Board {
    name: "thumbv7em",
    target: Target::new("thumbv7em-none-eabi"),
    gcc: "arm-none-eabi-gcc",
    package: "gcc-arm-none-eabi",
    flags: &["-mcpu=cortex-m4", "-mthumb", "-mfloat-abi=soft"],
    machine: None,
    kind: "cortex-m",
};

const RISCV: Board = Board {
    name: "riscv64gc",
    target: toolchain::RISCV64,
    gcc: "riscv64-unknown-elf-gcc",
    package: "gcc-riscv64-unknown-elf",
    flags: &["-march=rv64gc_zicsr", "-mabi=lp64d", "-mcmodel=medany"],
    machine: Some("riscv64"),
    kind: "riscv",
};

const BOARDS: [Board; 5] = [
    ARM,
    Board {
        name: "thumbv7m",
        target: toolchain::THUMBV7M,
        flags: &["-mcpu=cortex-m3", "-mthumb"],
        machine: Some("cortex-m3"),
        ..ARM
    },
    Board {
        name: "thumbv6m",
        target: toolchain::THUMBV6M,
        flags: &["-mcpu=cortex-m0", "-mthumb"],
        machine: Some("cortex-m0"),
        ..ARM
    },
    Board {
        name: "riscv32imac",
        target: toolchain::RISCV32,
        flags: &["-march=rv32imac_zicsr", "-mabi=ilp32", "-mcmodel=medany"],
        machine: Some("riscv32"),
        ..RISCV
    },
    RISCV,
];

/// What is not the library's: the start, and functions of memory, which a program that copies anything has already.
const FRAME: [&str; 6] = ["_start", "memcpy", "memmove", "memset", "memclr", "memcmp"];

/// Of every board's C.
const FLAGS: &str = "-std=c11 -Os -ffreestanding -fno-builtin -nostdlib -Wall -Wextra -Wpedantic -Werror \
                     -Wno-unused-result -ffunction-sections -fdata-sections -Wl,--gc-sections";

/// The libraries, by their features beside the default ones.
const LIBRARIES: [&str; 3] = ["", "compact", "canaries"];

#[derive(Debug, Args)]
pub(crate) struct Options {
    /// Only the bytes of code
    #[arg(long = "size", conflicts_with = "only_run")]
    only_size: bool,
    /// Only the programs
    #[arg(long = "run")]
    only_run: bool,
    /// Only this target; may be given more than once
    #[arg(long = "target", value_name = "NAME", value_parser = BOARDS.map(|board| board.name))]
    targets: Vec<String>,
}

/// What is missing to compile and run for every target, if anything is.
pub(crate) fn missing() -> Option<String> {
    BOARDS.iter().find_map(Board::missing)
}

/// The chore: builds, runs and counts; whether every program did what it should.
pub(crate) fn run(options: &Options) -> Result<bool, String> {
    let boards: Vec<&Board> = chosen(&BOARDS, &options.targets, |board| board.name).collect();
    if let Some(why) = boards.iter().find_map(|board| board.missing()) {
        return Err(why);
    }
    let programs = listed("abi/block/tests/c")?;
    let sizes = listed("abi/block/tests/size")?;
    let mut ran = figures::table(["target", "features", "ran", "failed"]);
    let mut counted = figures::table(["target", "features", "program", "bytes of code"]);
    let mut well = true;
    for board in boards {
        for features in LIBRARIES {
            let library = board.library(features)?;
            let shown = if features.is_empty() { "-" } else { features };
            if let (Some(machine), false) = (board.machine(), options.only_size) {
                let mut failed = 0;
                let mine: Vec<_> = programs.iter().filter(|p| p.is_for(features)).collect();
                for program in &mine {
                    let kernel = board.link(program, &library, true)?;
                    let run = machine.boot(&kernel, LIMIT)?;
                    if !run.passed {
                        failed += 1;
                        println!(
                            "{} on {}: {}\n{}",
                            program.name, board.name, run.end, run.printed
                        );
                    }
                }
                well &= failed == 0 && !mine.is_empty();
                ran.add_row([board.name, shown, &mine.len().to_string(), &failed.to_string()]);
            }
            if !options.only_run {
                for program in &sizes {
                    let linked = board.link(program, &library, false)?;
                    let bytes = code_of(&linked, &FRAME)?.to_string();
                    counted.add_row([board.name, shown, &program.rule, &bytes]);
                }
            }
        }
    }
    if !options.only_size {
        println!("{ran}");
    }
    if !options.only_run {
        println!("{counted}");
    }
    Ok(well)
}

struct Program {
    name: String,
    path: PathBuf,
    rule: String,
    marks: Vec<(String, String)>,
}

impl Program {
    fn read(path: PathBuf) -> Result<Self, String> {
        let text = files::read(&path)?;
        let name = path.file_stem().map(|stem| stem.to_string_lossy().into_owned());
        let mut comments = text.lines().map_while(|line| line.strip_prefix("// "));
        let rule = comments.next().unwrap_or_default().to_owned();
        let marks = comments.filter_map(|mark| mark.split_once(": "));
        let marks = marks.map(|(key, list)| (key.to_owned(), list.to_owned())).collect();
        Ok(Self { name: name.unwrap_or_default(), path, rule, marks })
    }

    /// Whether it is for a library with these features.
    fn is_for(&self, features: &str) -> bool {
        let has = |list: &str| list.split(' ').any(|feature| feature == features);
        self.marks.iter().all(|(key, list)| has(list) == (key == "only"))
    }
}

fn listed(folder: &str) -> Result<Vec<Program>, String> {
    let mut paths = files::list(&root().join(folder))?;
    // But for the machine where there is a C library.
    paths.retain(|path| path.extension().is_some_and(|c| c == "c") && !path.ends_with("hosted.c"));
    paths.into_iter().map(Program::read).collect()
}

impl Board {
    fn missing(&self) -> Option<String> {
        let missing = command::missing(self.gcc, self.package);
        missing.or_else(|| self.machine().and_then(Machine::missing))
    }

    fn machine(&self) -> Option<&'static Machine> {
        MACHINES.iter().find(|machine| Some(machine.name) == self.machine)
    }

    fn library(&self, features: &str) -> Result<PathBuf, String> {
        let manifest = root().join("Cargo.toml");
        let features: &[&str] = if features.is_empty() { &[] } else { &[features] };
        let env = [("CARGO_PROFILE_RELEASE_OPT_LEVEL", "z")];
        let build = Build::new(&manifest, "heapwright-abi-block", self.target);
        Build { features, env: &env, ..build }.run()
    }

    /// Compiles a program and links it: to run on the machine, or only to be counted.
    fn link(&self, program: &Program, library: &Path, to_run: bool) -> Result<PathBuf, String> {
        let folder = toolchain::folder().join("firmware");
        files::folder(&folder)?;
        let linked = folder.join(&program.name).with_extension(self.name);
        let tests = root().join("abi/block/tests/c");
        let mut gcc = Command::new(self.gcc);
        gcc.args(self.flags).args(FLAGS.split_whitespace());
        gcc.arg("-I").arg(root().join("abi/include")).arg("-I").arg(&tests);
        // What a port for an operating system needs of it.
        gcc.arg("-I").arg(tests.join("stubs"));
        gcc.arg("-o").arg(&linked).arg(&program.path);
        if to_run {
            gcc.arg(tests.join("machine").join(self.kind).with_extension("c"));
            let script = root().join("bare-metal/machine/link").join(self.kind);
            gcc.arg("-T").arg(script.with_extension("ld"));
        }
        output(gcc.arg(library).arg("-lgcc"))?;
        Ok(linked)
    }
}

#[cfg(test)]
mod tests;
