//! `heapwright run`: becomes the program, with the allocator preloaded; with `--stats` it waits for it.

mod collected;
mod processes;
pub(crate) mod words;

use std::env;
use std::ffi::OsString;
use std::io;
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Command, ExitCode};

use anyhow::{Context as _, anyhow, bail};
use clap::Args;
use launch::allocator::{Allocator, HEAPWRIGHT};
use launch::environment::{PRELOAD, Setting, variables};
use launch::inspect::{self, Inspection};
use launch::resolve;
use launch::unpack::unpack;
use recording::{Armed, Request};

use self::collected::Collected;
use super::check;
use crate::exit::Usage;
use crate::flags::allocator::OneAllocator;
use crate::flags::form::Form;
use crate::flags::program::Program;
use crate::flags::settings::{self, SettingsFlags, knows};
use crate::flags::stats::{Stats, StatsWord};
use crate::{allocators, embedded, exit};

const EXAMPLES: &str = "\
Examples:
  heapwright run -- python3 app.py
  heapwright run --stats -- ./server --port 8080
  heapwright run --set keep=64m -- ./server
  heapwright run -a mimalloc -- ./server
  heapwright run -a glibc:MALLOC_ARENA_MAX=2 -- ./server
  heapwright run -a tlsf --stats -- ./firmware-simulator
  heapwright run -a mine=./libmine.so -- ./server
  heapwright run --armed -a glibc -- ./server      and later: heapwright record --pid PID --for 60s
  heapwright run --check -- ./server

Exit codes: those of the program; 125 heapwright itself failed, or there is no such allocator (2 may be the \
program's own code); 126 the program cannot be executed; 127 it was not found; 2 a wrong flag or setting; with \
--check 0 and 1 are the verdict.";

/// Run a program on an allocator, unchanged
///
/// heapwright replaces itself by the program: the exit code, signals and terminal are the program's own. What was in
/// LD_PRELOAD stays there, after the allocator.
///
/// With --stats it waits instead, passes signals on, stops and goes on with the program and ends as that did. What it tells
/// is of the program's peak, and comes however the program ends: by exit, SIGTERM, Ctrl-C or the kernel when it is out of
/// memory (of a classic design only by exit). Behind a wrapper or a script, such as timeout, it is of the process that
/// needed most memory. Without heapwright: HEAPWRIGHT=stats=/tmp/%p writes the same figures to a file, as JSON.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Run {
    #[command(flatten)]
    allocator: OneAllocator,

    #[command(flatten)]
    settings: SettingsFlags,

    /// Tell what memory the program needed, on standard error, when it has ended
    ///
    /// WHAT is a list of: full (every row and size), all (every process, and not only the one that needed most), json, and
    /// FILE, such as ./%p.json, to write to; %p is the process's number
    #[arg(
        long,
        value_name = "WHAT",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "short",
        value_delimiter = ','
    )]
    stats: Vec<StatsWord>,

    /// Have a recorder wait before the malloc until 'heapwright record --pid' has it record: at most some per cent of the time
    #[arg(long, conflicts_with_all = ["stats", "check"])]
    armed: bool,

    /// Do not run the program: say whether its malloc can be replaced (exit code 0) or not (1)
    #[arg(long)]
    check: bool,

    /// The form of what --check says: table or json
    #[arg(
        long,
        value_name = "FORMAT",
        default_value = "table",
        requires = "check",
        hide_possible_values = true
    )]
    format: Form,

    #[command(flatten)]
    program: Program,
}

impl Run {
    pub(crate) fn run(self) -> anyhow::Result<ExitCode> {
        let file = self.program.file()?;
        // 125 even where the name is wrong: 2 may be the program's own exit code.
        let mut allocator = allocators::find(&self.allocator.allocator)
            .map_err(|error| anyhow!(exit::said(&error)))?;
        if self.check {
            return check::check(&file, &self.program, &allocator, self.format);
        }
        // What cannot be read may still be executed; then there is nothing to say.
        let inspection = inspect::program(&file, self.program.arguments()).ok();
        if let Some(found) = inspection.as_ref().filter(|_| allocator.library().is_some())
            && let Some(obstacle) = found.obstacle()
        {
            let target = found.program().unwrap_or(&file).display();
            exit::warn(&format!("{target} keeps its own malloc ({})", obstacle.text));
        }
        let settings = self.settings(&allocator)?;
        let collected = Stats::of(&self.stats).filter(|_| is_ours(&allocator)).map(Collected::new);
        allocator.settings.extend(collected.iter().map(Collected::setting));
        let mut command = Command::new(&file);
        command.args(self.program.arguments());
        if let Some(name) = self.program.command.first() {
            command.arg0(name);
        }
        let mut variables = variables(&allocator, &settings, inspection.as_ref())?;
        if self.armed {
            let name = allocator.library().map(|_| allocator.name.as_str());
            variables = armed(variables, name)?;
        }
        command.envs(variables);
        match collected {
            Some(collected) => collected.run(&file, &mut command),
            None => Err(anyhow!(resolve::Error::not_executed(&file, command.exec()))),
        }
    }

    fn settings(&self, allocator: &Allocator) -> anyhow::Result<Vec<Setting>> {
        let settings = self.settings.settings.clone();
        if allocator.library().is_some()
            && let Some(other) = settings.iter().find(|s| !knows(allocator, s))
        {
            bail!(Usage(settings::unknown(allocator, &other.key)));
        }
        let asks = !settings.is_empty() || !self.stats.is_empty();
        if asks && !is_ours(allocator) {
            exit::warn(&format!(
                "--stats and --set are for heapwright's library; {} does not know them",
                allocator.base
            ));
        }
        Ok(settings)
    }
}

/// A recorder that waits before the malloc of this name that these put the program on.
fn armed(
    variables: Vec<(OsString, OsString)>,
    name: Option<&str>,
) -> anyhow::Result<Vec<(OsString, OsString)>> {
    let recorder = embedded::recorder().context("this heapwright has no recorder in it")?;
    let folder = Armed::folder().context("a recorder needs a file to be called by")?;
    let inherited = env::var_os(PRELOAD);
    Ok(Request::armed(&folder, &unpack(recorder)?, name, inherited.as_deref(), variables)?)
}

fn is_ours(allocator: &Allocator) -> bool {
    let file = allocator.library().and_then(Path::file_name).unwrap_or_default();
    allocator.base == HEAPWRIGHT || file.to_string_lossy().contains(HEAPWRIGHT)
}

/// What is known of a program without running it. One that cannot be started is told as if it were.
pub(crate) fn inspected(file: &Path, arguments: &[OsString]) -> anyhow::Result<Inspection> {
    inspect::program(file, arguments).map_err(|error| match error.kind() {
        // The file itself was found, so that it is its interpreter.
        io::ErrorKind::NotFound => anyhow!(resolve::Error::not_executed(file, error)),
        _ => anyhow!(error).context(format!("cannot inspect {}", file.display())),
    })
}
