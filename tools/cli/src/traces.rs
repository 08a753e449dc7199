//! Traces as commands get them: opened, or refused in words that name the file and what to do.

use std::path::Path;

use anyhow::bail;
use show::text::many;
use trace::{Trace, TraceError};

use crate::exit::{self, Usage};
use crate::format;

/// Opens a trace, a recording, or a folder's largest process; the others are named. One that has only a sample of the blocks is refused.
pub(crate) fn open(path: &Path) -> anyhow::Result<Trace> {
    let trace = open_any(path)?;
    if trace.about().is_sampled_only() {
        bail!(Usage(format!(
            "{} has a sample of the blocks, and this takes all of them: 'heapwright record' records them; of a sample there is {}",
            trace.path().display(),
            format::shell(&["heapwright", "export", &path.to_string_lossy(), "--to", "html"])
        )));
    }
    Ok(trace)
}

pub(crate) fn open_any(path: &Path) -> anyhow::Result<Trace> {
    let trace = Trace::open(path).map_err(failed)?;
    if trace.about().has_no_blocks() {
        bail!(Usage(format!(
            "{} was recorded to look for leaks, and has no blocks: {} says what was found",
            trace.path().display(),
            trace.path().with_extension("leaks.json").display()
        )));
    }
    if let Some(first) = trace.others().first() {
        let others = trace.others().len();
        exit::say(&format!(
            "trace    {} has {} processes; this is {}, the largest one; another is {}",
            path.display(),
            others + 1,
            trace.path().display(),
            first.display()
        ));
    }
    Ok(trace)
}

/// Warns of what of a trace cannot be read: tables and stacks for other tools have no place for that.
pub(crate) fn warn_of_damage(trace: &Trace) {
    let missing = &trace.about().missing;
    if let Some(first) = missing.damages.first() {
        let places = many(missing.damaged.try_into().unwrap_or(usize::MAX), "place");
        exit::warn(&format!(
            "{places} of {} cannot be read, the first at byte {}: {}; what was there is left out",
            trace.path().display(),
            first.offset,
            first.what
        ));
    }
}

/// Why there is no profile of what was recorded at a path.
pub(crate) fn no_stacks(path: &Path) -> Usage {
    Usage(format!(
        "{} has no call stacks: 'heapwright profile' or 'heapwright record --stacks sampled' records them",
        path.display()
    ))
}

pub(crate) fn command(name: &str, trace: &Path) -> String {
    format::shell(&["heapwright", name, &trace.to_string_lossy()])
}

/// A file that is no trace, or a newer one's, is wrong usage.
pub(crate) fn failed(error: TraceError) -> anyhow::Error {
    match error {
        TraceError::Foreign { .. } | TraceError::Newer { .. } | TraceError::Empty { .. } => {
            Usage(error.to_string()).into()
        }
        // It names the reason itself.
        other => anyhow::anyhow!("{other}"),
    }
}
