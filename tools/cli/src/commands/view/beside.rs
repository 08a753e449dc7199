//! `view -a`: the same program on other allocators, each done again once, with where it put each block.

use core::sync::atomic::Ordering;
use std::env;
use std::ffi::OsString;
use std::path::Path;

use anyhow::{Context as _, bail};
use bench::launch::Exit;
use bench::measured::{Job, Launcher, Outcome};
use bench::metrics::Metrics;
use launch::allocator::Allocator;
use launch::environment::variables;
use replay::{Moved, Order};
use tempfile::TempDir;
use trace::Trace;
use view::{Gather, Moment, Pictures, Plan};

use crate::commands::bench::allocators::{Among, chosen};
use crate::commands::bench::interrupts::Interrupts;
use crate::commands::replay::planned;
use crate::exit::Usage;
use crate::flags::subject::AllocatorArg;
use crate::{allocators as known, exit};

/// Beside the recorded heap a picture has room for so many.
const MOST: usize = 3;

/// What the program has resident, as a replay prints it.
const RESIDENT: &str = "resident";

/// The pictures of the trace that was named `path` on each of the allocators, to stand beside those of the recording; none if that
/// was interrupted.
pub(super) fn all(
    (path, trace): (&Path, &Trace),
    asked: &[AllocatorArg],
    (at, recorded): (Moment, &Pictures),
    told: &mut dyn FnMut(&str, f64),
) -> anyhow::Result<Option<Vec<Pictures>>> {
    let mut warnings = Vec::new();
    let allocators = chosen(asked, &Among::Libraries, None, &mut warnings)?;
    if allocators.len() > MOST {
        let many = allocators.len();
        bail!(Usage(format!(
            "{many} allocators are too many for one picture: at most {MOST} beside the recorded one"
        )));
    }
    let interrupts = Interrupts::catch()?;
    let folder = TempDir::with_prefix("heapwright-view-").with_context(|| {
        format!("cannot make a folder in {}; TMPDIR names another one", env::temp_dir().display())
    })?;
    interrupts.remove(Some(folder.path()), None);
    let plan = folder.path().join("plan");
    let came = interrupts.came();
    let planned =
        planned::planned((path, trace), (Order::Causal, None), &plan, came, &mut warnings)?;
    warnings.iter().for_each(|warning| exit::say(&format!("warning  {warning}")));
    if planned.is_none() {
        return Ok(None);
    }
    let launcher = Launcher::new(known::this_executable()?);
    let program = planned::program()?;
    let places = folder.path().join("places");
    let mut all = Vec::new();
    for allocator in &allocators {
        told(&allocator.name, 0.0);
        let mut option = OsString::from("places=");
        option.push(&places);
        let argv = [program.clone().into(), plan.clone().into(), option];
        let environment = variables(allocator, &[], None)?;
        let job = Job { environment: &environment, capture: true, ..Job::new(&program, &argv) };
        let Some(printed) = printed(launcher.run(&job, came)?, allocator)? else {
            return Ok(None);
        };
        let metrics = Metrics::parse(&printed);
        let looks = metrics.points.iter().filter(|(series, ..)| series == RESIDENT);
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "printed as whole numbers"
        )]
        let looks = looks.map(|(_, calls, bytes)| (*calls as u64, *bytes as u64)).collect();
        let moved = Moved::open(&places, Order::Causal, looks)?;
        let plan = Plan::replayed(trace, at, &allocator.name, recorded);
        let mut go_on = |share| {
            told(&allocator.name, share);
            !came.load(Ordering::Relaxed)
        };
        match pictures(trace, plan, moved, &mut go_on)? {
            Some(pictures) => all.push(pictures),
            None => return Ok(None),
        }
    }
    Ok(Some(all))
}

/// What the replay printed; none if it was interrupted.
fn printed(outcome: Outcome, allocator: &Allocator) -> anyhow::Result<Option<String>> {
    let name = &allocator.name;
    match outcome {
        Outcome::Interrupted => Ok(None),
        Outcome::Ran(ran) => match ran.figures.exit {
            Exit::Code(0) => Ok(Some(ran.printed)),
            Exit::Code(code) => {
                bail!("the replay on {name} ended with {code}: {}", ran.said.trim())
            }
            Exit::Signal(signal) => {
                bail!("the replay on {name} was ended by signal {signal} {}", ran.said.trim())
            }
        },
        Outcome::NotStarted(errno) => bail!("the replay on {name} was not started ({errno})"),
        Outcome::TimedOut(said) | Outcome::NotDriven(said) | Outcome::EndedEarly(said) => {
            bail!("the replay on {name}: {said}")
        }
    }
}

/// What one pass over the moved steps gathers; none if `go_on`, which hears the share that was read, ended it.
fn pictures(
    trace: &Trace,
    plan: Plan,
    mut moved: Moved,
    go_on: &mut dyn FnMut(f64) -> bool,
) -> anyhow::Result<Option<Pictures>> {
    let mut gather = Gather::new(plan);
    let all = trace.about().events.max(1);
    let each = (all / 100).max(1);
    for (number, step) in (0u64..).zip(trace.steps()) {
        match step {
            Ok(step) => {
                let step = moved.step(step)?;
                if let Some(bytes) = moved.resident() {
                    gather.resident(&step, bytes);
                }
                gather.push(&step);
            }
            Err(error) => gather.lost(&error.to_string()),
        }
        if number % each == 0 && !go_on(number as f64 / all as f64) {
            return Ok(None);
        }
    }
    Ok(Some(gather.finish()))
}
