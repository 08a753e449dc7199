//! Finds the allocator libraries of this machine.
//!
//! ```text
//! own     $HEAPWRIGHT_ALLOCATORS (libraries or folders, between colons), then $XDG_DATA_HOME/heapwright/allocators
//!         (~/.local/share/…): every library that exports malloc, by any name
//! others  the checkout's target/peers/allocators, which `cargo xtask peers` fills, then the directories of the
//!         dynamic loader: known names only
//! ```
//!
//! Of two libraries with one name, the own one has it, then the newer one; the other is called by its major version
//! too, such as `mimalloc2`.

mod places;

use core::cmp::Reverse;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use crate::allocator::{Allocator, GLIBC, HEAPWRIGHT};
use crate::inspect::elf;
use crate::probe;

pub use places::library_directories;

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

/// The names that allocators of other people have here, whether they are on this machine or not.
pub fn known() -> impl Iterator<Item = &'static str> {
    let is_first = |place: usize| KNOWN[..place].iter().all(|(_, name)| *name != KNOWN[place].1);
    (0..KNOWN.len()).filter(move |&place| is_first(place)).map(|place| KNOWN[place].1)
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Candidate {
    name: String,
    own: bool,
    /// The place of its file name in [`KNOWN`]; a smaller one is preferred.
    rank: usize,
    /// What follows `.so.`, as numbers.
    version: Vec<u64>,
    path: PathBuf,
}

/// What the file name says; `None` for anything but a shared library, and unless it is the user's own, of a known
/// allocator.
fn candidate(path: PathBuf, own: bool) -> Option<Candidate> {
    let file = path.file_name()?.to_str()?;
    let (stem, rest) = file.split_once(".so")?;
    let version = match rest.strip_prefix('.') {
        Some(numbers) => numbers.split('.').map(|n| n.parse().ok()).collect::<Option<_>>()?,
        None if rest.is_empty() => Vec::new(),
        None => return None,
    };
    let (rank, name) = match KNOWN.iter().position(|(known, _)| *known == stem) {
        Some(rank) => (rank, KNOWN[rank].1),
        None if own => (KNOWN.len(), stem.strip_prefix("lib").unwrap_or(stem)),
        None => return None,
    };
    // These two names are taken.
    let name = match name {
        "" => return None,
        GLIBC | HEAPWRIGHT => format!("{name}-own"),
        _ => name.to_owned(),
    };
    Some(Candidate { name, own, rank, version, path })
}

/// One candidate for each real library, named: the user's own or the newest `mimalloc` is that, another major version
/// `mimalloc2`. A second library with the same major version is left out.
fn named(mut candidates: Vec<Candidate>) -> Vec<(String, Candidate)> {
    // Of the names of one file the one with the longest version says most. What is equal stays in the order of places.
    candidates.sort_by_key(|c| (c.rank, !c.own, Reverse(c.version.clone())));
    let mut files = Vec::new();
    candidates.retain(|c| {
        let real = fs::canonicalize(&c.path).unwrap_or_else(|_| c.path.clone());
        let new = !files.contains(&real);
        if new {
            files.push(real);
        }
        new
    });
    let mut taken: BTreeMap<String, Candidate> = BTreeMap::new();
    for c in candidates {
        let major = c.version.first().copied();
        let name = match taken.get(&c.name) {
            None => c.name.clone(),
            Some(first) if major.is_none() || first.version.first().copied() == major => continue,
            Some(_) => format!("{}{}", c.name, major.unwrap_or(0)),
        };
        taken.entry(name).or_insert(c);
    }
    let mut all: Vec<(String, Candidate)> = taken.into_iter().collect();
    all.sort_by_key(|(_, c)| c.rank);
    all
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    pub allocator: Allocator,
    /// Why it cannot be used although its file is there.
    pub problem: Option<String>,
}

/// Every allocator library of this machine, each asked by a probe process of `executable` what it is.
///
/// Cost: reads about ten directories and starts one small process for each library.
pub fn installed(executable: &Path) -> Vec<Found> {
    let (libraries, folders) = places::own();
    let mut candidates = Vec::new();
    // One that is named and is none is said; what else lies in a folder is of no interest.
    let mut wrong = Vec::new();
    for path in libraries {
        match candidate(path.clone(), true) {
            None => wrong.push(unusable(path, "is not called NAME.so")),
            Some(_) if !elf::defines_malloc(&path) => {
                wrong.push(unusable(path, "is not a library for this machine that exports malloc"));
            }
            Some(c) => candidates.push(c),
        }
    }
    candidates.extend(in_directories(&folders, true));
    let others = places::of_the_checkout(executable).into_iter().chain(library_directories());
    candidates.extend(in_directories(&others.collect::<Vec<_>>(), false));
    let mut found = asked(candidates, executable);
    found.extend(wrong);
    found
}

/// A file beside the peers, in a folder of the user's or where this checkout has them.
pub fn peer(executable: &Path, file: &str) -> Option<PathBuf> {
    let (_, folders) = places::own();
    let all = folders.into_iter().chain(places::of_the_checkout(executable));
    all.map(|folder| folder.join(file)).find(|path| path.is_file())
}

fn unusable(path: PathBuf, why: &str) -> Found {
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let problem = Some(format!("{} {why}", path.display()));
    Found { allocator: Allocator::preloaded(name, path), problem }
}

fn in_directories(directories: &[PathBuf], own: bool) -> Vec<Candidate> {
    directories
        .iter()
        .flat_map(|d| places::entries(d))
        .filter_map(|path| candidate(path, own))
        .filter(|c| elf::defines_malloc(&c.path))
        .collect()
}

fn asked(candidates: Vec<Candidate>, executable: &Path) -> Vec<Found> {
    let one = |(name, c): (String, Candidate)| {
        let from_name = || {
            let numbers: Vec<String> = c.version.iter().map(u64::to_string).collect();
            // A library's own number is not its project's, but for what `cargo xtask peers` has built.
            let prefix = if places::is_of_peers(&c.path) { "" } else { "so." };
            (!numbers.is_empty()).then(|| format!("{prefix}{}", numbers.join(".")))
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
    };
    named(candidates).into_iter().map(one).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(path: &str) -> Option<(&'static str, Vec<u64>)> {
        let c = candidate(path.into(), false)?;
        Some((KNOWN[c.rank].1, c.version))
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
        let found =
            named(places::entries(dir.path()).filter_map(|p| candidate(p, false)).collect());
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
    fn ones_own_comes_first_under_any_name() {
        let all = [
            ("/system/libjemalloc.so.2", false),
            ("/system/libmimalloc.so.3.1", false),
            ("/system/libmimalloc.so.2.0", false),
            ("/own/libmimalloc.so", true),
            ("/own/libjemalloc.so.2", true),
            ("/own/libmine.so", true),
            ("/own/libheapwright.so", true),
            ("/own/notes.txt", true),
            ("/system/libmine.so", false),
        ];
        let candidates = all.iter().filter_map(|(p, own)| candidate(p.into(), *own)).collect();
        let pairs: Vec<_> =
            named(candidates).into_iter().map(|(n, c)| (n, c.path.display().to_string())).collect();
        let expected = [
            ("mimalloc", "/own/libmimalloc.so"),
            ("mimalloc2", "/system/libmimalloc.so.2.0"),
            ("mimalloc3", "/system/libmimalloc.so.3.1"),
            ("jemalloc", "/own/libjemalloc.so.2"),
            ("heapwright-own", "/own/libheapwright.so"),
            ("mine", "/own/libmine.so"),
        ];
        assert_eq!(pairs, expected.map(|(n, p)| (n.to_owned(), p.to_owned())));
    }
}
