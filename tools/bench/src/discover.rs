//! Finds the allocator libraries of this machine: known names in the directories the dynamic loader searches.

use std::collections::BTreeMap;
use std::env;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

use crate::allocator::Allocator;
use crate::inspect::elf;
use crate::probe;

/// What a library's file is called up to `.so`, and what its allocator is called here. The first of two files with
/// the same allocator name wins.
const KNOWN: [(&str, &str); 14] = [
    ("libmimalloc", "mimalloc"),
    ("libmimalloc-secure", "mimalloc-secure"),
    ("libjemalloc", "jemalloc"),
    ("libtcmalloc_minimal", "tcmalloc"),
    ("libtcmalloc", "tcmalloc-full"),
    ("libsnmallocshim", "snmalloc"),
    ("libsnmallocshim-checks", "snmalloc-checks"),
    ("libsnmalloc", "snmalloc"),
    ("librpmallocwrap", "rpmalloc"),
    ("librpmalloc", "rpmalloc"),
    ("libhoard", "hoard"),
    ("libsupermalloc", "supermalloc"),
    ("libltalloc", "ltalloc"),
    ("libhardened_malloc", "hardened_malloc"),
];

/// Where the loader looks when nothing else is configured.
const DEFAULT_DIRECTORIES: [&str; 10] = [
    "/usr/local/lib",
    "/usr/local/lib64",
    "/lib/x86_64-linux-gnu",
    "/usr/lib/x86_64-linux-gnu",
    "/lib/aarch64-linux-gnu",
    "/usr/lib/aarch64-linux-gnu",
    "/lib64",
    "/usr/lib64",
    "/lib",
    "/usr/lib",
];

/// The directories of the loader: `LD_LIBRARY_PATH`, those configured in `/etc/ld.so.conf`, and the default ones.
#[must_use]
pub fn library_directories() -> Vec<PathBuf> {
    let mut all: Vec<PathBuf> = env::var_os("LD_LIBRARY_PATH")
        .map(|path| env::split_paths(&path).filter(|p| p.is_absolute()).collect())
        .unwrap_or_default();
    configured(Path::new("/etc/ld.so.conf"), 0, &mut all);
    all.extend(DEFAULT_DIRECTORIES.iter().map(PathBuf::from));
    let mut seen = Vec::new();
    all.retain(|directory| match fs::canonicalize(directory) {
        Ok(real) if !seen.contains(&real) => {
            seen.push(real);
            true
        }
        _ => false,
    });
    all
}

/// Reads one file of the loader's configuration: a directory a line, `include PATTERN`, `#` comments.
fn configured(file: &Path, depth: u32, found: &mut Vec<PathBuf>) {
    let Ok(text) = fs::read_to_string(file) else { return };
    for line in text.lines().map(|l| l.split('#').next().unwrap_or(l).trim()) {
        if let Some(pattern) = line.strip_prefix("include ") {
            // Deeper nesting than this is a loop.
            if depth < 4 {
                for included in matching(Path::new(pattern.trim())) {
                    configured(&included, depth + 1, found);
                }
            }
        } else if line.starts_with('/') {
            found.push(line.into());
        }
    }
}

/// The files that a pattern with `*` in its last part means; the only form in use.
fn matching(pattern: &Path) -> Vec<PathBuf> {
    let (Some(directory), Some(name)) =
        (pattern.parent(), pattern.file_name().and_then(OsStr::to_str))
    else {
        return Vec::new();
    };
    let Some((start, end)) = name.split_once('*') else { return vec![pattern.to_owned()] };
    let mut files: Vec<PathBuf> = entries(directory)
        .filter(|path| {
            let name = path.file_name().and_then(OsStr::to_str).unwrap_or_default();
            name.len() >= start.len() + end.len() && name.starts_with(start) && name.ends_with(end)
        })
        .collect();
    files.sort();
    files
}

fn entries(directory: &Path) -> impl Iterator<Item = PathBuf> {
    fs::read_dir(directory).into_iter().flatten().flatten().map(|entry| entry.path())
}

/// A library file whose name says that it is an allocator.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Candidate {
    name: &'static str,
    /// The place of its file name in [`KNOWN`]; a smaller one is preferred.
    rank: usize,
    /// What follows `.so.`, as numbers.
    version: Vec<u64>,
    path: PathBuf,
}

/// What the file name says; `None` for anything but a shared library of a known allocator.
fn candidate(path: PathBuf) -> Option<Candidate> {
    let file = path.file_name()?.to_str()?;
    let (stem, rest) = file.split_once(".so")?;
    let version = match rest.strip_prefix('.') {
        Some(numbers) => numbers.split('.').map(|n| n.parse().ok()).collect::<Option<_>>()?,
        None if rest.is_empty() => Vec::new(),
        None => return None,
    };
    let rank = KNOWN.iter().position(|(known, _)| *known == stem)?;
    Some(Candidate { name: KNOWN[rank].1, rank, version, path })
}

/// One candidate for each real library, named: the newest `mimalloc` is that, another major version `mimalloc2`.
fn named(mut candidates: Vec<Candidate>) -> Vec<(String, Candidate)> {
    // Of the names of one file the one with the longest version says most.
    candidates.sort_by_key(|c| (c.rank, core::cmp::Reverse(c.version.clone())));
    let mut files = Vec::new();
    candidates.retain(|c| {
        let real = fs::canonicalize(&c.path).unwrap_or_else(|_| c.path.clone());
        let new = !files.contains(&real);
        if new {
            files.push(real);
        }
        new
    });
    let mut taken = BTreeMap::new();
    for c in candidates {
        let major = c.version.first().map(u64::to_string).unwrap_or_default();
        let name = if taken.contains_key(c.name) {
            format!("{}{major}", c.name)
        } else {
            c.name.to_owned()
        };
        taken.entry(name).or_insert(c);
    }
    let mut all: Vec<(String, Candidate)> = taken.into_iter().collect();
    all.sort_by_key(|(_, c)| c.rank);
    all
}

/// A library that was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// The allocator, with its version where it can be read.
    pub allocator: Allocator,
    /// Why it cannot be used although its file is there.
    pub problem: Option<String>,
}

/// Every allocator library of this machine, each asked by a probe process of `executable` what it is.
///
/// Cost: reads about ten directories and starts one small process for each library.
#[must_use]
pub fn installed(executable: &Path) -> Vec<Found> {
    in_directories(&library_directories(), executable)
}

fn in_directories(directories: &[PathBuf], executable: &Path) -> Vec<Found> {
    let candidates = directories
        .iter()
        .flat_map(|d| entries(d))
        .filter_map(candidate)
        .filter(|c| elf::defines_malloc(&c.path))
        .collect();
    named(candidates)
        .into_iter()
        .map(|(name, c)| {
            let from_name = || {
                let numbers: Vec<String> = c.version.iter().map(u64::to_string).collect();
                (!numbers.is_empty()).then(|| format!("so.{}", numbers.join(".")))
            };
            let allocator = Allocator::preloaded(name, &c.path);
            match probe::ask(executable, &allocator) {
                Ok(answer) => Found {
                    allocator: allocator.with_version(answer.version.or_else(from_name)),
                    problem: None,
                },
                Err(error) => Found {
                    allocator: allocator.with_version(from_name()),
                    problem: Some(error.to_string()),
                },
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(path: &str) -> Option<(&'static str, Vec<u64>)> {
        candidate(path.into()).map(|c| (c.name, c.version))
    }

    #[test]
    fn file_names_say_which_allocator() {
        assert_eq!(of("/l/libmimalloc.so.2.0"), Some(("mimalloc", vec![2, 0])));
        assert_eq!(of("/l/libmimalloc-secure.so"), Some(("mimalloc-secure", vec![])));
        assert_eq!(of("/l/libjemalloc.so.2"), Some(("jemalloc", vec![2])));
        assert_eq!(of("/l/libtcmalloc_minimal.so.4.5.10"), Some(("tcmalloc", vec![4, 5, 10])));
        for other in [
            "/l/libtcmalloc_minimal_debug.so.4",
            "/l/libjemalloc.a",
            "/l/libjemalloc.so.2.bak",
            "/l/libc.so.6",
        ] {
            assert_eq!(of(other), None, "{other}");
        }
    }

    #[test]
    fn links_to_one_file_are_one_allocator_and_majors_are_told_apart() {
        let dir = tempfile::tempdir().unwrap();
        let path = |name: &str| dir.path().join(name);
        for file in ["libmimalloc.so.2.1", "libmimalloc.so.3.0", "librpmalloc.so"] {
            fs::write(path(file), "").unwrap();
        }
        std::os::unix::fs::symlink("libmimalloc.so.3.0", path("libmimalloc.so.3")).unwrap();
        std::os::unix::fs::symlink("libmimalloc.so.3", path("libmimalloc.so")).unwrap();
        let found = named(entries(dir.path()).filter_map(candidate).collect());
        let names: Vec<_> = found.iter().map(|(n, c)| (n.as_str(), c.path.clone())).collect();
        assert_eq!(
            names,
            [
                ("mimalloc", path("libmimalloc.so.3.0")),
                ("mimalloc2", path("libmimalloc.so.2.1")),
                ("rpmalloc", path("librpmalloc.so")),
            ]
        );
    }

    #[test]
    fn the_loaders_configuration_is_followed() {
        let dir = tempfile::tempdir().unwrap();
        let conf = dir.path().join("ld.so.conf");
        let more = dir.path().join("more.d");
        fs::create_dir(&more).unwrap();
        fs::write(&conf, format!("/one # comment\ninclude {}/*.conf\n", more.display())).unwrap();
        fs::write(more.join("b.conf"), "/three\n").unwrap();
        fs::write(more.join("a.conf"), format!("/two\ninclude {}\n", conf.display())).unwrap();
        fs::write(more.join("a.txt"), "/never\n").unwrap();
        let mut found = Vec::new();
        configured(&conf, 0, &mut found);
        assert_eq!(&found[..2], [Path::new("/one"), Path::new("/two")]);
        assert!(found.contains(&"/three".into()) && !found.contains(&"/never".into()));
    }

    #[test]
    fn what_is_no_library_is_not_found() {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("libjemalloc.so.2"), "not an ELF file").unwrap();
        assert_eq!(in_directories(&[dir.path().to_owned()], Path::new("/bin/true")), []);
    }
}
