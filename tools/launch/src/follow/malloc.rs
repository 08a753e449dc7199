//! Which malloc a process has, from what is mapped into it.
//!
//! The loader takes the first library that has one: of those in `LD_PRELOAD`, then of those that the program is linked to, and
//! the C library comes last. A program that brings a malloc inside its own file is not told apart here, unless it has no loader.

use std::fs;
use std::path::{Path, PathBuf};

use crate::environment::{PRELOAD, entries};
use crate::inspect::elf::Elf;
use crate::inspect::is_allocator;

/// C++'s library, whose `operator new` calls malloc.
const CXX: &str = "libstdc++.so";

const TOOLS: &str = "/valgrind/";

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Malloc {
    /// Of the library that was to be preloaded.
    Asked,
    /// Another library's, `glibc`, `musl` or `its own`.
    Other(String),
}

impl Malloc {
    fn other(name: &str) -> Self {
        Self::Other(name.to_owned())
    }
}

/// The malloc of `process`, which executes `executable`. `None`: it cannot be seen, or not yet.
pub(super) fn of(process: i32, executable: &Path, preloaded: Option<&Path>) -> Option<Malloc> {
    let maps = fs::read(format!("/proc/{process}/maps")).ok()?;
    let environment = fs::read(format!("/proc/{process}/environ")).unwrap_or_default();
    // Between the two it may have executed another file.
    if fs::read_link(format!("/proc/{process}/exe")).ok()? != executable {
        return None;
    }
    let environment = String::from_utf8_lossy(&environment);
    let elf = || Elf::read(executable).ok().flatten();
    decide(&String::from_utf8_lossy(&maps), preload(&environment), preloaded, elf)
}

/// The value of `LD_PRELOAD` in an environment as the kernel shows it. `None`: the program has written its title over it.
fn preload(environment: &str) -> Option<&str> {
    let mut entries = environment.split('\0').filter_map(|entry| entry.split_once('=')).peekable();
    entries.peek()?;
    Some(entries.find(|(key, _)| *key == PRELOAD).map_or("", |(_, value)| value))
}

fn decide(
    maps: &str,
    preload: Option<&str>,
    preloaded: Option<&Path>,
    elf: impl FnOnce() -> Option<Elf>,
) -> Option<Malloc> {
    let files = || maps.lines().filter_map(|line| line.find('/').map(|at| Path::new(&line[at..])));
    if files().any(|file| name(file).starts_with("ld-musl")) {
        return Some(Malloc::other("musl"));
    }
    if !files().any(is_libc) {
        // The loader is not done, or there is none. A tool of valgrind's has none, but loads the program's.
        let is_tool = files().any(|file| file.to_string_lossy().contains(TOOLS));
        return (!is_tool && elf()?.loader.is_none()).then(|| Malloc::other("its own"));
    }
    let mapped = |entry: &str| {
        let path = Path::new(entry).canonicalize().unwrap_or_else(|_| PathBuf::from(entry));
        files().find(|file| if entry.contains('/') { *file == path } else { name(file) == entry })
    };
    // A script may have copied it for another user.
    let is_asked =
        |file: &Path| preloaded.is_some_and(|asked| file == asked || is_copy(file, asked));
    let has_malloc = |file: &&Path| is_libc(file) || is_allocator(name(file)) || is_asked(file);
    let first = match preload {
        Some(list) => entries(list).filter_map(mapped).find(has_malloc),
        // Then what was asked for comes first if it is there at all.
        None => files().find(|file| is_asked(file)),
    };
    let linked = || files().find(|file| is_allocator(name(file)));
    let found = first.or_else(linked);
    // Who is linked to an allocator that has an `operator new` too calls that one.
    let new_is_elsewhere = found.is_some_and(is_libc)
        && linked().is_some()
        && preload.is_some_and(|list| !list.contains(CXX))
        && files().any(|file| name(file).starts_with(CXX))
        && elf().is_some_and(|elf| elf.needed.iter().any(|needed| needed.starts_with(CXX)));
    let found = if new_is_elsewhere { linked() } else { found };
    Some(match found {
        Some(file) if is_asked(file) => Malloc::Asked,
        Some(file) if !is_libc(file) => Malloc::other(name(file)),
        // It is glibc's also where nothing was preloaded.
        _ if preloaded.is_some_and(is_libc) => Malloc::Asked,
        _ => Malloc::other("glibc"),
    })
}

fn name(file: &Path) -> &str {
    file.file_name().and_then(|name| name.to_str()).unwrap_or_default()
}

fn is_copy(a: &Path, b: &Path) -> bool {
    let length = |file: &Path| fs::metadata(file).map(|meta| meta.len()).ok();
    length(a).is_some() && length(a) == length(b)
}

fn is_libc(file: &Path) -> bool {
    name(file).starts_with("libc.so.") || name(file).starts_with("libc-2.")
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIBC: &str = "/usr/lib/libc.so.6";
    const JEMALLOC: &str = "/usr/lib/libjemalloc.so.2";
    const MINE: &str = "/x/libmine.so";

    /// What a process has that has mapped these, asked to have the malloc of the first in its `LD_PRELOAD`.
    fn malloc(files: &[&str], preload: &str, asked: Option<&str>) -> Option<String> {
        let maps: Vec<String> =
            files.iter().map(|f| format!("7f00-7f01 r-xp 00000000 fe:00 99    {f}")).collect();
        let maps = "0400-0401 rw-p 00000000 00:00 0\n".to_owned() + &maps.join("\n");
        decide(&maps, Some(preload), asked.map(Path::new), || None).map(word)
    }

    fn word(malloc: Malloc) -> String {
        match malloc {
            Malloc::Asked => "=".to_owned(),
            Malloc::Other(name) => name,
        }
    }

    #[test]
    fn the_first_preloaded_then_what_is_linked_then_glibcs() {
        let found = |files: &[&str], preload, asked| malloc(files, preload, asked).unwrap();
        assert_eq!(found(&[LIBC], "", None), "glibc");
        assert_eq!(found(&[LIBC], "", Some(LIBC)), "=");
        assert_eq!(found(&[JEMALLOC, LIBC], "", Some(LIBC)), "libjemalloc.so.2");
        assert_eq!(found(&[JEMALLOC, LIBC], LIBC, Some(LIBC)), "=");
        assert_eq!(found(&[JEMALLOC, MINE, LIBC], MINE, Some(MINE)), "=");
        assert_eq!(found(&[LIBC], "", Some(MINE)), "glibc", "the variable was dropped");
        assert_eq!(found(&["/y/libfaketime.so", LIBC], "/y/libfaketime.so", None), "glibc");
        assert_eq!(found(&[MINE, JEMALLOC, LIBC], "/x/libmine.so:/b", Some(MINE)), "=");
        assert_eq!(found(&[JEMALLOC, LIBC], "libjemalloc.so.2", Some(MINE)), "libjemalloc.so.2");
    }

    #[test]
    fn a_copy_of_the_library_is_the_library() {
        let dir = tempfile::tempdir().unwrap();
        let [asked, copy, other] = ["a.so", "b.so", "c.so"].map(|name| dir.path().join(name));
        for (file, text) in [(&asked, "abc"), (&copy, "abc"), (&other, "ab")] {
            fs::write(file, text).unwrap();
        }
        let found = |file: &Path| {
            let file = file.to_str().unwrap();
            malloc(&[file, LIBC], file, asked.to_str())
        };
        assert_eq!(
            (found(&copy).unwrap(), found(&other).unwrap()),
            ("=".to_owned(), "glibc".to_owned())
        );
    }

    #[test]
    fn a_title_over_the_environment_hides_nothing() {
        assert_eq!(preload("A=b\0LD_PRELOAD=/x.so:/y=z.so\0"), Some("/x.so:/y=z.so"));
        assert_eq!(
            (preload("A=b\0"), preload("\0\0 0.0.0.0:7791\0"), preload("")),
            (Some(""), None, None)
        );
        let map = |file| format!("7f00-7f01 r-xp 00000000 fe:00 99    {file}\n");
        let maps = [JEMALLOC, MINE, LIBC].map(map).concat();
        let found = |asked| decide(&maps, None, Some(Path::new(asked)), || None).map(word).unwrap();
        assert_eq!(
            (found(MINE), found(LIBC), found("/z.so")),
            ("=".into(), "=".into(), "libjemalloc.so.2".into())
        );
    }

    #[test]
    fn a_tool_of_valgrinds_has_the_malloc_of_its_program() {
        let own = Elf::read(Path::new("/proc/self/exe")).unwrap().unwrap();
        let tool = "/usr/libexec/valgrind/cachegrind-amd64-linux";
        let found = |files: &[&str]| {
            let map = |file: &&str| format!("7f00-7f01 r-xp 00000000 fe:00 99    {file}\n");
            let maps: String = files.iter().map(map).collect();
            let elf = || Some(Elf { loader: None, ..own.clone() });
            decide(&maps, Some(MINE), Some(Path::new(MINE)), elf).map(word)
        };
        assert_eq!(found(&["/bin/static"]).as_deref(), Some("its own"));
        assert_eq!(found(&[tool, MINE]), None, "the program's loader is not done");
        assert_eq!(found(&[tool, MINE, LIBC]).as_deref(), Some("="));
    }

    #[test]
    fn what_is_not_there_yet_is_not_known() {
        for files in
            [&[][..], &["/bin/x"], &["/bin/x", "/lib64/ld-linux-x86-64.so.2"], &["/bin/x", MINE]]
        {
            assert_eq!(malloc(files, MINE, Some(MINE)), None, "{files:?}");
        }
        assert_eq!(malloc(&["/bin/x", "/lib/ld-musl-x86_64.so.1"], "", None).unwrap(), "musl");
    }
}
