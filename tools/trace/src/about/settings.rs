//! What a recorded program's malloc was told by its environment: the recorder keeps variables that mallocs may read.

use super::{About, Malloc};

/// The note that has a variable.
const NOTE: &str = "env=";

/// What is in a variable's name, written small (allocators inside of programs are known by such names in capitals: this list would be
/// found in the command), or with a `_` at its end what it begins with, and what is in the name or file of the malloc that
/// reads it; the first that fits counts.
const READERS: [(&str, &str); 8] = [
    ("malloc_conf", "jemalloc"),
    ("tcmalloc", "tcmalloc"),
    ("mimalloc", "mimalloc"),
    ("snmalloc", "snmalloc"),
    ("glibc_tunables", GLIBC),
    ("scudo_options", "scudo"),
    ("heapwright", "heapwright"),
    ("malloc_", GLIBC),
];
const GLIBC: &str = "glibc";
/// Runtimes read these, and no malloc does.
const OF_RUNTIMES: [&str; 2] = ["PYTHONMALLOC", "G_SLICE"];

impl About {
    /// The variables that were noted: name and value.
    pub fn environment(&self) -> impl Iterator<Item = (&str, &str)> {
        let noted = self.notes.iter().filter_map(|note| note.strip_prefix(NOTE));
        noted.filter_map(|variable| variable.split_once('='))
    }

    /// Those that the recorded malloc reads. One that no known malloc reads may be read by any.
    pub fn settings(&self) -> impl Iterator<Item = (&str, &str)> {
        self.environment().filter(|(name, _)| {
            let small = name.to_ascii_lowercase();
            let fits = |part: &str| match part.ends_with('_') {
                true => small.starts_with(part),
                false => small.contains(part),
            };
            let reader = READERS.iter().find(|(part, _)| fits(part));
            !OF_RUNTIMES.iter().any(|part| name.starts_with(part))
                && reader.is_none_or(|(_, reader)| self.malloc.is(reader))
        })
    }
}

impl Malloc {
    pub fn is_glibc(&self) -> bool {
        let file = self.path.rsplit('/').next().unwrap_or_default();
        file.starts_with("libc.so") || file.starts_with("libc-")
    }

    fn is(&self, reader: &str) -> bool {
        if reader == GLIBC {
            return self.is_glibc();
        }
        self.name.contains(reader) || self.path.contains(reader)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_another_malloc_reads_is_not_this_ones() {
        let variables = [
            "kernel=6",
            "env=GLIBC_TUNABLES=glibc.malloc.tcache_count=4000",
            "env=MALLOC_ARENA_MAX=2",
            "env=MALLOC_CONF=narenas:1,thp:always",
            "env=PYTHONMALLOC=malloc",
            "env=HEAPWRIGHT=keep=0",
            "env=RPMALLOC_X=1",
        ];
        let of = |name: &str, path: &str| {
            let malloc = Malloc { name: name.to_owned(), path: path.to_owned() };
            let about =
                About { malloc, notes: variables.map(str::to_owned).into(), ..About::default() };
            assert_eq!(about.environment().count(), 6);
            about.settings().map(|(name, _)| name.to_owned()).collect::<Vec<_>>()
        };
        let glibc = ["GLIBC_TUNABLES", "MALLOC_ARENA_MAX", "RPMALLOC_X"];
        assert_eq!(of("glibc", "/lib/libc.so.6"), glibc);
        assert_eq!(of("mine", "/lib/libc-2.36.so"), glibc);
        assert_eq!(of("jemalloc", "/lib/libjemalloc.so.2"), ["MALLOC_CONF", "RPMALLOC_X"]);
        assert_eq!(of("sharded", "/run/libheapwright_sharded.so"), ["HEAPWRIGHT", "RPMALLOC_X"]);
        assert_eq!(of("rpmalloc", "/lib/librpmalloc.so"), ["RPMALLOC_X"]);
    }
}
