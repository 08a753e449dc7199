//! The files of a profile, for other tools and for a browser.

use std::path::{Path, PathBuf};

use anyhow::Context as _;
use bench::whole;
use profile::{Cost, Inuse, Moment, Pprof, Profile, Tree, collapsed, html, speedscope, svg};

fn path(folder: &Path, trace: &Path, ending: &str) -> PathBuf {
    let name = trace.file_stem().unwrap_or_default().to_string_lossy();
    folder.join(format!("{name}.{ending}"))
}

fn file(path: &Path, bytes: &[u8]) -> anyhow::Result<()> {
    whole::write(path, bytes).with_context(|| format!("cannot write {}", path.display()))
}

/// Writes all of them beside the trace, under its name. What cannot be written is the error; the rest is.
pub(super) fn write(
    profile: &Profile,
    folder: &Path,
    trace: &Path,
    by: Cost,
) -> anyhow::Result<()> {
    let file = |ending: &str, bytes: &[u8]| file(&path(folder, trace, ending), bytes);
    let tree = Tree::of(profile);
    let written = [
        file("pb.gz", &Pprof::of(profile, Inuse::End).encode()),
        file("peak.pb.gz", &Pprof::of(profile, Inuse::Peak).encode()),
        file("collapsed", collapsed(&tree, by).as_bytes()),
        file("speedscope.json", speedscope(&tree, &profile.command).as_bytes()),
        file("svg", svg(&tree, by).as_bytes()),
        file("html", html(profile, &tree, by).as_bytes()),
        write_moments(profile, folder, trace, false),
    ];
    written.into_iter().collect()
}

/// Writes what was live at each moment; or `only_new`: at those that have no file yet.
pub(super) fn write_moments(
    profile: &Profile,
    folder: &Path,
    trace: &Path,
    only_new: bool,
) -> anyhow::Result<()> {
    let write = |moment: &Moment| {
        let path = path(folder, trace, &format!("{}s.pb.gz", moment.time as f64 / 1e9));
        if only_new && path.exists() {
            return Ok(());
        }
        file(&path, &Pprof::of(profile, Inuse::At(moment)).encode())
    };
    let written: Vec<_> = profile.moments.iter().map(write).collect();
    written.into_iter().collect()
}
