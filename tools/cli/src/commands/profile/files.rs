//! The files of a profile, for other tools and for a browser.

use std::path::Path;

use anyhow::Context as _;
use bench::whole;
use profile::{Cost, Inuse, Pprof, Profile, Tree, collapsed, html, speedscope, svg};

/// Writes all of them beside the trace, under its name. What cannot be written is the error; the rest is.
pub(super) fn write(
    profile: &Profile,
    folder: &Path,
    trace: &Path,
    by: Cost,
) -> anyhow::Result<()> {
    let name = trace.file_stem().unwrap_or_default().to_string_lossy();
    let file = |ending: &str, bytes: &[u8]| {
        let path = folder.join(format!("{name}.{ending}"));
        whole::write(&path, bytes).with_context(|| format!("cannot write {}", path.display()))
    };
    let tree = Tree::of(profile);
    let mut written = vec![
        file("pb.gz", &Pprof::of(profile, Inuse::End).encode()),
        file("peak.pb.gz", &Pprof::of(profile, Inuse::Peak).encode()),
        file("collapsed", collapsed(&tree, by).as_bytes()),
        file("speedscope.json", speedscope(&tree, &profile.command).as_bytes()),
        file("svg", svg(&tree, by).as_bytes()),
        file("html", html(profile, &tree, by).as_bytes()),
    ];
    for moment in &profile.moments {
        let seconds = moment.time as f64 / 1e9;
        let bytes = Pprof::of(profile, Inuse::At(moment)).encode();
        written.push(file(&format!("{seconds}s.pb.gz"), &bytes));
    }
    written.into_iter().collect()
}
