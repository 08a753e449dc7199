//! What a child of `fork` has from its parent: the blocks that were live when it was made.
//!
//! ```text
//! parent's trace   malloc A │ malloc B │ free A │ fork 4712 │ …        the child's: B was there before
//! ```
//!
//! The parent's trace is looked for beside the child's recording. Without it, or where the process was forked past the C
//! library, the child's blocks are known by their frees only.

use std::fs;
use std::path::Path;

use crate::about::About;
use crate::live::{Live, Lived};
use crate::step::Op;
use crate::trace::Trace;

/// How far the clocks of two recordings may be apart, in nanoseconds; the parent says that it has forked when it goes on.
const APART: u64 = 1_000_000_000;

/// Addresses and sizes of the blocks that the process of a recording has inherited, the oldest first.
pub(crate) fn inherited(raw: &Path, about: &About) -> Vec<(u64, u64)> {
    let Some(parent) = about.note("forked_from").and_then(|number| number.parse().ok()) else {
        return Vec::new();
    };
    let folder = raw.parent().filter(|folder| !folder.as_os_str().is_empty());
    let Ok(files) = fs::read_dir(folder.unwrap_or(Path::new("."))) else { return Vec::new() };
    let paths = files.flatten().map(|entry| entry.path());
    // A process may have been several programs, each with a trace of its own.
    let mut traces = paths.filter(|path| is_of(path, parent));
    let found = traces.find_map(|path| at_fork(&Trace::open_packed(&path).ok()?, parent, about));
    found.unwrap_or_default()
}

/// Whether a file is a trace `NAME-PID.trace` or `NAME-PID.2.trace` of this process.
fn is_of(path: &Path, process: u32) -> bool {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let number = stem.rsplit('-').next().and_then(|end| end.split('.').next());
    path.extension().is_some_and(|extension| extension == "trace")
        && number.is_some_and(|number| number.parse() == Ok(process))
}

/// The blocks of the parent where it says that it has forked this child: the last time before the child's recording began, as the
/// numbers of processes come again.
fn at_fork(trace: &Trace, parent: u32, child: &About) -> Option<Vec<(u64, u64)>> {
    let about = trace.about();
    if about.pid != parent || !about.addresses {
        return None;
    }
    let latest = (child.start + APART).checked_sub(about.start)?;
    let mut live = Live::<Lived, 6>::default();
    let mut found = None;
    for step in trace.steps() {
        let Ok(step) = step else { break };
        if step.time > latest {
            break;
        }
        step.op.gone().map(|block| live.remove(block));
        step.op.made().map(|new| live.insert(new.block, Lived::new(&new, &step)));
        if matches!(step.op, Op::Fork { child: number } if number == child.pid) {
            found = Some(live.iter().map(|(_, lived)| (lived.address, lived.size)).collect());
        }
    }
    found
}
