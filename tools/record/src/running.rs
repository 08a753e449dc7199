//! The recording of a process that runs, found by its number.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use launch::tree::with_memory;
use trace::{began, stopped};

use crate::finish::number;

/// The chunks that a process writes now. Its descriptor leads there whatever its folder and root are; the path in it is taken where it
/// leads there too, as beside that file lies what a forked child has inherited.
pub fn written_by(pid: i32) -> Option<PathBuf> {
    let own = own_number(pid)?;
    let entries = fs::read_dir(format!("/proc/{}/fd", with_memory(pid)?)).ok()?;
    let files = entries.flatten().filter_map(|entry| {
        let (descriptor, link) = (entry.path(), fs::read_link(entry.path()).ok()?);
        is_of(&link, own).then(|| if is_same(&link, &descriptor) { link } else { descriptor })
    });
    let mapped = mapped_by(pid.cast_unsigned()).into_iter().filter(|file| is_of(file, own));
    // A recording that is over is closed a little later.
    let written = files.chain(mapped).filter(|file| stopped(file).is_none());
    // A process may have been several programs.
    written.filter_map(|file| Some((began(&file)?, file))).max().map(|(_, file)| file)
}

/// The files that a process has mapped: it may have closed every descriptor, also the recorder's, which opens its file anew when it needs it.
pub(crate) fn mapped_by(pid: u32) -> Vec<PathBuf> {
    let Some(one) = with_memory(pid.cast_signed()) else { return Vec::new() };
    let maps = fs::read(format!("/proc/{one}/maps")).unwrap_or_default();
    let mut files: Vec<PathBuf> = maps
        .split(|&byte| byte == b'\n')
        .filter_map(|line| line.iter().position(|&byte| byte == b'/').map(|at| &line[at..]))
        .map(|path| OsStr::from_bytes(path).into())
        .collect();
    files.dedup();
    files
}

/// The number that the process itself has, in a container another than outside of it.
fn own_number(pid: i32) -> Option<u32> {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let numbers = status.lines().find_map(|line| line.strip_prefix("NSpid:"));
    let last = numbers.and_then(|line| line.split_whitespace().last());
    last.map_or(Some(pid.cast_unsigned()), |last| last.parse().ok())
}

/// Whether these are chunks of this process, and not of the one that forked it.
fn is_of(link: &Path, process: u32) -> bool {
    let path = link.to_string_lossy();
    let is_one = path.trim_end_matches(" (deleted)").ends_with(".chunks");
    is_one && number(link) == Some(process)
}

fn is_same(a: &Path, b: &Path) -> bool {
    let identity = |path: &Path| fs::metadata(path).ok().map(|about| (about.dev(), about.ino()));
    identity(a).is_some_and(|a| Some(a) == identity(b))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chunks_are_a_processes_by_its_number() {
        for (path, is) in [
            ("/a/redis-server-12.chunks", true),
            ("/a/b-12.3.chunks (deleted)", true),
            ("/a/b-112.chunks", false),
            ("/a/b-12.trace", false),
            ("pipe:[12]", false),
        ] {
            assert_eq!(is_of(Path::new(path), 12), is, "{path}");
        }
        let pid = std::process::id();
        assert_eq!(own_number(pid.cast_signed()), Some(pid));
        // Not this one: other tests write chunks that have its number.
        let mut other = std::process::Command::new("sleep").arg("1000").spawn().unwrap();
        let written = written_by(other.id().cast_signed());
        other.kill().and_then(|()| other.wait()).unwrap();
        assert_eq!(written, None);
    }
}
