//! A trace's plan in a file, or why there is none.

use core::ops::ControlFlow;
use core::sync::atomic::{AtomicBool, Ordering};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};
use bench::machine;
use launch::unpack::unpack;
use replay::{Order, Plan, Planned};
use show::number::bytes;
use trace::Trace;

use super::{recorded, room};
use crate::exit::Usage;
use crate::{embedded, exit};

/// More steps than this take a while to read, which is said.
const MANY: u64 = 10_000_000;

pub(in crate::commands) fn program() -> anyhow::Result<PathBuf> {
    let program =
        embedded::program("heapwright-replay").context("there is no program to replay")?;
    Ok(unpack(program)?)
}

/// Makes the plan in `file` of the trace that was named `path`, where marks of the name `mark` begin periods; none if that was
/// interrupted.
pub(in crate::commands) fn planned(
    (path, trace): (&Path, &Trace),
    (order, mark): (Order, Option<&str>),
    file: &Path,
    came: &AtomicBool,
    warnings: &mut Vec<String>,
) -> anyhow::Result<Option<Planned>> {
    let steps = trace.about().events;
    if steps > MANY {
        exit::say(&format!("reading {} million steps", steps / 1_000_000));
    }
    room::check(steps, file.parent().unwrap_or(file))?;
    let mut go_on = |_| match came.load(Ordering::Relaxed) {
        true => ControlFlow::Break(()),
        false => ControlFlow::Continue(()),
    };
    let Some(Plan { planned, cut }) =
        replay::plan(trace, file, order, mark, &mut go_on).map_err(room::or_full)?
    else {
        return Ok(None);
    };
    let name = path.display();
    if planned.head.events == 0 {
        let why = cut.map_or(String::new(), |error| format!(": {error}"));
        bail!(Usage(format!("{name} has no calls of malloc to do again{why}")));
    }
    warnings.extend(cut.map(|error| format!("done again is what is before this: {error}")));
    warnings.extend(recorded::missing(trace, &planned));
    let there_is = machine::available();
    let needed = planned.head.peak_live.min(planned.head.most_touched.max(1));
    if needed > there_is {
        bail!(
            "{name} has {} live at its peak, and this machine has {} to spare",
            bytes(planned.head.peak_live as f64),
            bytes(there_is as f64)
        );
    }
    Ok(Some(planned))
}
