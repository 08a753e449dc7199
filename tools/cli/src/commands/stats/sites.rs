//! `--sites`: which code a running process's blocks come from, and what is free beside them.

use anyhow::{Context as _, bail};
use live::{Detail, Watched};
use profile::Profile;
use trace::Trace;

use crate::format::shell;
use crate::traces;

/// Looks now. Errors: it is not recorded, without call stacks, or cannot be read.
pub(crate) fn look(watched: &mut Watched) -> anyhow::Result<Profile> {
    let pid = watched.pid;
    let Some(chunks) = recording::written_by(pid) else {
        let figures = watched.look(Detail::Blocks)?;
        let command = figures.process.command.first().map_or("CMD", String::as_str);
        let on = if figures.heap.is_some() { " -a heapwright" } else { "" };
        let profile = shell(&["heapwright", "profile"]) + on;
        bail!(
            "nobody records which code process {pid} allocates from: '{profile} -- {command} …' starts it so; one that \
             'heapwright run --armed{on} -- {command} …' started is recorded while 'heapwright profile --pid {pid}' runs"
        );
    };
    let folder =
        tempfile::tempdir().context("nothing can be written to the folder for temporary files")?;
    let packed = trace::pack(&chunks, folder.path().join("now.trace"), &mut |_| {});
    let packed = packed.map_err(traces::failed)?;
    watched.look(Detail::Blocks)?;
    let trace = Trace::open(&packed.path).map_err(traces::failed)?;
    let beside = watched.beside();
    let share = beside.map(|beside| move |address: u64| beside.share(address));
    let share = share.as_ref().map(|share| share as &dyn Fn(u64) -> u64);
    let mut profile = profile::gather_beside(&trace, None, share).map_err(traces::failed)?;
    if trace.about().note("forked_from").is_some() {
        profile
            .missing
            .push("what it has from its parent is not in here: it was forked.".to_owned());
    }
    if profile.samples == 0 && !trace.about().is_sampled_only() {
        bail!(
            "process {pid} is recorded without call stacks: 'heapwright profile' and 'heapwright record --stacks sampled' have them"
        );
    }
    Ok(profile)
}
