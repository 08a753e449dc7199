//! Which function of a call stack is the one to name: the innermost that is not an allocator's or a standard library's.
//!
//! ```text
//! malloc  (libc.so.6)                                  passed over: a library that everybody uses
//! operator new, std::vector<int>::push_back            passed over: by its name, or its file
//! zmalloc                                              passed over: it says of itself that it allocates
//! cache::insert  cache.cpp:88                          the site
//! main
//! ```

use crate::demangle::{short, without_parameters};
use crate::names::{Entry, Names, Symbol};

/// Where memory is allocated, for people. Equal sites are one.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Site {
    entry: Entry,
    module: u32,
    /// Where in the module, if no function is known.
    offset: u64,
}

/// Libraries that are passed over, by how their file's name begins.
const LIBRARIES: [&str; 19] = [
    "libc.so",
    "libc-2",
    "libc.musl",
    "ld-linux",
    "ld-musl",
    "libstdc++",
    "libc++",
    "libgcc_s",
    "libheapwright",
    "libjemalloc",
    "libmimalloc",
    "libtcmalloc",
    "libsnmalloc",
    "librpmalloc",
    "libhoard",
    "libheaptrack",
    "libgomp",
    "[vdso]",
    "linux-vdso",
];

/// Functions of standard libraries, and of what a Rust program profiles itself with, by how their names begin.
const FUNCTIONS: [&str; 19] = [
    "std::",
    "core::",
    "alloc::",
    "hashbrown::",
    "<std::",
    "<core::",
    "<alloc::",
    "<hashbrown::",
    "<T as ",
    "<F as ",
    "__gnu_cxx::",
    "__cxxabiv1::",
    "operator new",
    "__rust_",
    "__rdl_",
    "__rg_",
    "__rustc::",
    "recorder::profiled::",
    "<recorder::profiled::",
];

/// Files of the same, by a part of their path.
const FILES: [&str; 6] = [
    "/include/c++/",
    "/rustlib/src/rust/library/",
    "/rust/deps/",
    "/c++/v1/",
    "/recorder/src/profiled.rs",
    "/heapwright-recorder-",
];

/// How a function says that all it does is to allocate.
const ALLOCATES: [&str; 6] = ["malloc", "calloc", "memalign", "reallocarray", "strdup", "strndup"];

impl Site {
    /// The function, whichever of its lines.
    pub fn function(self) -> Self {
        Self { entry: Entry { function: self.entry.function, ..Entry::default() }, ..self }
    }
}

impl Names {
    /// The site of a call stack: return addresses, the innermost first. `malloc` is the file of the malloc that was recorded.
    pub fn site(&self, stack: impl IntoIterator<Item = u64>, malloc: &str) -> Site {
        let mut path = [Site::default()];
        self.path(stack, malloc, &mut path);
        path[0]
    }

    /// The site and those that called it, as many as there is room for: functions that [`site`](Self::site) passes over are not among them, and one
    /// that calls itself is there once. Returns how many there are, at least one.
    pub fn path(
        &self,
        stack: impl IntoIterator<Item = u64>,
        malloc: &str,
        path: &mut [Site],
    ) -> usize {
        let mut len = 0;
        let (mut innermost, mut wrapper) = (None, None);
        // 0 stands for callers that are not known.
        for ip in stack.into_iter().filter(|&ip| ip != 0) {
            let module = self.place(ip).map_or(0, |place| place.module);
            let offset = self.place(ip).map_or(ip, |place| place.offset);
            let unnamed = [Entry::default()];
            let entries = match self.entries(ip) {
                [] => &unnamed[..],
                entries => entries,
            };
            for &entry in entries {
                let offset = if entry.function == 0 { offset } else { 0 };
                let site = Site { entry, module, offset };
                innermost.get_or_insert(site);
                if is_library(self.string(module), malloc) || is_standard(self.symbol(entry)) {
                    continue;
                }
                if allocates(self.string(entry.function)) {
                    wrapper.get_or_insert(site);
                    continue;
                }
                if len > 0 && path[len - 1].function() == site.function() {
                    continue;
                }
                path[len] = site;
                len += 1;
                if len == path.len() {
                    return len;
                }
            }
        }
        if len == 0 {
            path[0] = wrapper.or(innermost).unwrap_or_default();
        }
        len.max(1)
    }

    pub fn at_site(&self, site: Site) -> (Symbol<'_>, &str, u64) {
        (self.symbol(site.entry), self.string(site.module), site.offset)
    }

    /// A path as people read it: `sdsnew < createObject (object.c:12)`.
    pub fn path_name(&self, path: &[Site]) -> String {
        let Some((outermost, inner)) = path.split_last() else { return String::new() };
        let function = |site: &Site| match self.string(site.entry.function) {
            "" => self.site_name(*site),
            function => short(function),
        };
        let names = inner.iter().map(function).chain([self.site_name(*outermost)]);
        names.collect::<Vec<_>>().join(" < ")
    }

    /// The site as people read it: `insert (cache.cpp:88)`; `libfoo.so+0x1234` where no function is known.
    pub fn site_name(&self, site: Site) -> String {
        let (symbol, module, place) = self.at_site(site);
        let base = |path: &str| path.rsplit('/').next().unwrap_or(path).to_owned();
        if symbol.function.is_empty() && symbol.file.is_empty() {
            let module = if module.is_empty() { "?".to_owned() } else { base(module) };
            return format!("{module}+{place:#x}");
        }
        let at = match (symbol.file, symbol.line) {
            ("", _) => base(module),
            (file, 0) => base(file),
            (file, line) => format!("{}:{line}", base(file)),
        };
        match symbol.function {
            "" => at,
            function => format!("{} ({at})", short(function)),
        }
    }

    fn symbol(&self, entry: Entry) -> Symbol<'_> {
        let (function, file) = (self.string(entry.function), self.string(entry.file));
        Symbol { function, file, line: entry.line }
    }
}

fn is_library(path: &str, malloc: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    LIBRARIES.iter().any(|begin| name.starts_with(begin)) || (!malloc.is_empty() && path == malloc)
}

fn is_standard(symbol: Symbol<'_>) -> bool {
    let is_rusts = symbol.file.starts_with("/rustc/") && symbol.file.contains("/library/");
    is_rusts
        || FUNCTIONS.iter().any(|begin| symbol.function.starts_with(begin))
        || FILES.iter().any(|part| symbol.file.contains(part))
}

/// Whether its own name, without what it is a part of, says so.
fn allocates(function: &str) -> bool {
    let whole = without_parameters(function);
    let plain = whole.split('<').next().unwrap_or(whole);
    let last = plain.rsplit("::").next().unwrap_or(plain).to_ascii_lowercase();
    let name = last.trim_end_matches(|c: char| c == '_' || c.is_ascii_digit());
    let is_realloc = name.split("realloc").nth(1).is_some_and(|rest| !rest.starts_with("at"));
    is_realloc || name.ends_with("alloc") || ALLOCATES.iter().any(|word| name.contains(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names() -> Names {
        let mut names = Names::default();
        let of = |function, file, line| Symbol { function, file, line };
        names.insert(1, "/usr/lib/libc.so.6", 0x10, [of("malloc", "", 0)]);
        names.insert(
            2,
            "/bin/app",
            0x20,
            [
                of("std::vector<int>::push_back", "/usr/include/c++/12/bits/stl_vector.h", 1200),
                of("cache::insert", "/src/cache.h", 88),
                of("serve", "/src/main.cpp", 12),
            ],
        );
        names.insert(3, "/bin/app", 0x30, [of("zmalloc", "/src/zmalloc.c", 3)]);
        names.insert(4, "/bin/app", 0x40, [of("main", "/src/main.cpp", 40)]);
        names.insert(5, "/bin/app", 0x50, []);
        names.insert(
            6,
            "/bin/app",
            0x60,
            [of(
                "<alloc::vec::Vec<T> as core::clone::Clone>::clone",
                "/rustc/ab/library/alloc/src/vec/mod.rs",
                9,
            )],
        );
        names
    }

    fn site(stack: &[u64]) -> (String, u64) {
        let names = names();
        let (symbol, module, offset) = names.at_site(names.site(stack.iter().copied(), ""));
        (format!("{module} {} {}:{}", symbol.function, symbol.file, symbol.line), offset)
    }

    #[test]
    fn the_innermost_function_that_is_the_programs_own() {
        assert_eq!(site(&[1, 2, 4]).0, "/bin/app cache::insert /src/cache.h:88");
        assert_eq!(site(&[1, 3, 4]).0, "/bin/app main /src/main.cpp:40");
        assert_eq!(site(&[6, 4]).0, "/bin/app main /src/main.cpp:40");
        assert_eq!(site(&[1, 5, 4]), ("/bin/app  :0".to_owned(), 0x50));
    }

    #[test]
    fn a_path_is_of_the_programs_own_functions() {
        let names = names();
        let mut path = [Site::default(); 3];
        assert_eq!(names.path([1, 2, 4, 4], "", &mut path), 3);
        assert_eq!(names.path_name(&path), "cache::insert < serve < main (main.cpp:40)");
        assert_eq!(names.path([1, 3, 4, 4], "", &mut path), 1);
        assert_eq!(names.path([1, 3], "", &mut path), 1);
        assert_eq!(names.path_name(&path[..1]), "zmalloc (zmalloc.c:3)");
    }

    #[test]
    fn where_there_is_no_such_function_the_nearest_to_it() {
        assert_eq!(site(&[1, 3]).0, "/bin/app zmalloc /src/zmalloc.c:3");
        assert_eq!(site(&[1]).0, "/usr/lib/libc.so.6 malloc :0");
        assert_eq!(site(&[99, 0]), ("  :0".to_owned(), 99));
        assert_eq!(site(&[1, 0]).0, "/usr/lib/libc.so.6 malloc :0");
        assert_eq!(site(&[]).0, "  :0");
        let names = names();
        assert_eq!(names.at_site(names.site([4, 1], "/bin/app")).1, "/bin/app");
        let words = |stack: &[u64]| names.site_name(names.site(stack.iter().copied(), ""));
        assert_eq!(words(&[1, 2]), "cache::insert (cache.h:88)");
        assert_eq!(
            [words(&[1]), words(&[5]), words(&[99])],
            ["malloc (libc.so.6)", "app+0x50", "?+0x63"]
        );
    }

    #[test]
    fn functions_that_only_allocate_say_so() {
        for name in [
            "zmalloc",
            "xrealloc_",
            "PyObject_Malloc",
            "l_alloc",
            "xstrdup",
            "ztrymalloc_usable",
            "app::Alloc",
            "xalloc(unsigned long)",
        ] {
            assert!(allocates(name), "{name}");
        }
        for name in
            ["allocate_session", "reallocate_table", "main", "cache::insert<malloc>", "deallocated"]
        {
            assert!(!allocates(name), "{name}");
        }
    }
}
