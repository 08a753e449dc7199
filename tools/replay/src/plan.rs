//! A whole trace's plan.

use core::ops::ControlFlow;
use std::path::Path;

use trace::{Trace, TraceError};

use crate::{Error, Order, Planned, Planner};

/// Steps between two words about how far it is.
const SOMETIMES: u64 = 1 << 16;

/// What came of planning a trace.
#[derive(Debug)]
pub struct Plan {
    pub planned: Planned,
    /// Where the trace cannot be read any further, if that is so: the plan has what is before.
    pub cut: Option<TraceError>,
}

/// Which call it is, of all from 0 on, that is at `word` of the plan; none if there is none.
/// Errors: as of [`plan()`].
pub fn locate(trace: &Trace, order: Order, word: u64) -> Result<Option<u64>, Error> {
    let mut planner = Planner::create(Path::new("/dev/null"), order)?.watching(word);
    for step in trace.steps().map_while(Result::ok) {
        planner.push(&step)?;
    }
    Ok(planner.finish()?.watched)
}

/// Plans all steps of `trace` into the file `path`; marks of the name `mark` begin periods. `progress` hears the number of steps that are planned, and may end it.
/// Errors: the plan cannot be written or has no room.
pub fn plan(
    trace: &Trace,
    path: &Path,
    order: Order,
    mark: Option<&str>,
    progress: &mut dyn FnMut(u64) -> ControlFlow<()>,
) -> Result<Option<Plan>, Error> {
    let mut planner = Planner::create(path, order)?;
    if let Some(name) = mark {
        planner = planner.marking(name);
    }
    let mut cut = None;
    for (number, step) in (0_u64..).zip(trace.steps()) {
        match step {
            Ok(step) => planner.push(&step)?,
            Err(error) => {
                cut = Some(error);
                break;
            }
        }
        if number.is_multiple_of(SOMETIMES) && progress(number).is_break() {
            return Ok(None);
        }
    }
    Ok(Some(Plan { planned: planner.finish()?, cut }))
}
