//! Two workers take steps from one queue; what a step says is shown as it comes, and what failed is told again at the end.
//!
//! - **Q1** A step that builds in the workspace's folder waits until the libraries that the command carries along are built,
//!   once for all.
//! - **Q2** Beside such a step a worker takes one that builds alone, as long as there is one: two cargos would wait for each
//!   other.
//! - **Q3** Of those that it may take, a worker takes the longest.

use core::fmt::Write as _;
use std::io::{BufRead as _, BufReader, pipe};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

use super::plan::Plan;
use super::steps::{Builds, Step};
use super::tally::{Said, Tally};

/// Cargo uses every processor while it compiles, tests seldom do: more workers would only make each step longer.
const WORKERS: usize = 2;

struct State {
    left: Vec<&'static Step>,
    libraries: Libraries,
    in_workspace: usize,
    tally: Tally,
    failures: String,
}

#[derive(PartialEq, Eq)]
enum Libraries {
    ToBuild,
    Building,
    Built(PathBuf),
}

enum Next {
    BuildLibraries,
    Take(&'static Step),
    /// Until another worker has come further.
    Wait,
    End,
}

/// Runs the steps: the tests of all, and what is to be told of those that failed.
pub(super) fn run(plan: &Plan) -> (Tally, String) {
    let state = Mutex::new(State {
        left: plan.steps.iter().map(|(step, _)| *step).collect(),
        libraries: Libraries::ToBuild,
        in_workspace: 0,
        tally: Tally::default(),
        failures: String::new(),
    });
    let turned = Condvar::new();
    thread::scope(|scope| {
        for _ in 0..WORKERS {
            scope.spawn(|| work(plan, &state, &turned));
        }
    });
    let State { tally, failures, .. } = state.into_inner().unwrap_or_else(PoisonError::into_inner);
    (tally, failures)
}

fn work(plan: &Plan, state: &Mutex<State>, turned: &Condvar) {
    let lock = || state.lock().unwrap_or_else(PoisonError::into_inner);
    let mut now = lock();
    loop {
        match now.next(plan.all) {
            Next::End => return,
            Next::Wait => now = turned.wait(now).unwrap_or_else(PoisonError::into_inner),
            Next::BuildLibraries => {
                drop(now);
                let said = child("libraries", &["libraries".to_owned()], None);
                now = lock();
                // The folder is the last line. Without it each step builds them itself, and says why it cannot.
                let folder = said.log.lines().last().map(PathBuf::from).unwrap_or_default();
                now.libraries = Libraries::Built(folder);
                turned.notify_all();
            }
            Next::Take(step) => now = take(step, plan, now, lock, turned),
        }
    }
}

/// Runs a step, unlocked meanwhile.
fn take<'a>(
    step: &'static Step,
    plan: &Plan,
    now: MutexGuard<'a, State>,
    lock: impl Fn() -> MutexGuard<'a, State>,
    turned: &Condvar,
) -> MutexGuard<'a, State> {
    let embed = match &now.libraries {
        Libraries::Built(folder) if folder.is_dir() => Some(folder.clone()),
        _ => None,
    };
    drop(now);
    let mut words = vec!["ci".to_owned(), step.name.clone()];
    if plan.all {
        words.push("--all".to_owned());
    }
    if step.name == "test" {
        words.extend(plan.packages.iter().map(|package| format!("--package={package}")));
    }
    let said = child(&step.name, &words, embed.as_deref());
    let mut now = lock();
    if step.builds == Builds::Workspace {
        now.in_workspace -= 1;
    }
    if now.tally.add(&said) {
        let _ = write!(now.failures, "{}", said.why());
    }
    turned.notify_all();
    now
}

impl State {
    fn next(&mut self, all: bool) -> Next {
        let builds_alone = |step: &&'static Step| step.builds == Builds::Alone;
        let needs_libraries = self.left.iter().any(|step| !builds_alone(step));
        if needs_libraries && self.libraries == Libraries::ToBuild {
            self.libraries = Libraries::Building;
            return Next::BuildLibraries;
        }
        let longest = |of: &mut dyn Iterator<Item = &&'static Step>| {
            of.max_by_key(|step| step.takes(all)).copied()
        };
        let alone = longest(&mut self.left.iter().filter(|step| builds_alone(step)));
        let in_workspace = longest(&mut self.left.iter().filter(|step| !builds_alone(step)));
        let chosen = match (alone, in_workspace) {
            (None, None) => return Next::End,
            (alone, _) if matches!(self.libraries, Libraries::Building) => alone,
            (alone @ Some(_), _) if self.in_workspace > 0 => alone,
            (alone, in_workspace) => in_workspace.or(alone),
        };
        let Some(step) = chosen else { return Next::Wait };
        self.left.retain(|one| one.name != step.name);
        self.in_workspace += usize::from(step.builds == Builds::Workspace);
        Next::Take(step)
    }
}

/// Runs this program with other words; each line of what it says is shown with its name in front.
fn child(name: &str, words: &[String], embed: Option<&Path>) -> Said {
    let mut said = Said { name: name.to_owned(), log: String::new(), success: false };
    let started = std::env::current_exe().and_then(|program| {
        started(&program, words, embed, |line| {
            println!("{name:>9} | {line}");
            said.log += line;
            said.log.push('\n');
        })
    });
    match started {
        Ok(status) => said.success = status.success(),
        Err(why) => said.log += &format!("{name} did not start: {why}\n"),
    }
    said
}

/// Starts a program and reads to its end what it and its children write to standard output and error.
fn started(
    program: &Path,
    words: &[String],
    embed: Option<&Path>,
    mut line: impl FnMut(&str),
) -> std::io::Result<ExitStatus> {
    let (out, into) = pipe()?;
    let mut child = {
        let mut program = Command::new(program);
        program.args(words).stdin(Stdio::null()).stderr(into.try_clone()?).stdout(into);
        if let Some(folder) = embed {
            program.env("HEAPWRIGHT_EMBED", folder);
        }
        program.spawn()?
        // The command's own ends of the pipe are closed here.
    };
    let mut lines = BufReader::new(out);
    let mut bytes = Vec::new();
    while lines.read_until(b'\n', &mut bytes)? > 0 {
        line(String::from_utf8_lossy(&bytes).trim_end());
        bytes.clear();
    }
    child.wait()
}

#[cfg(test)]
mod tests;
