//! A program's source file: its rule and the marks it carries.
//!
//! The file starts with comment lines. The first names the rule and where it is written, and may go on in lines indented by
//! three spaces; one that begins with `heapwright: ` is the flagship's only. The others are marks, `// key: value`:
//!
//! | mark | meaning |
//! |---|---|
//! | `also: glibc` | passes on the C library's own malloc too; that proves the program |
//! | `link: heapwright` | calls functions of heapwright.h, so it is linked to the library |
//! | `link: static` | linked with `-static` to the static library, and run without a preload |
//! | `link: archive` | linked to the static library, to the others as usual, and run without a preload |
//! | `library: NAME.c FLAGS` | linked to a shared library built from `tests/c/lib/NAME.c` |
//! | `plugin: NAME.c FLAGS` | the same, but not linked: its path is in the environment as `PLUGIN` |
//! | `flags: FLAGS` | more compiler flags |
//! | `run: alone` | no preload: it opens the library, whose path is in the environment as `HEAPWRIGHT_SO` |
//! | `args: ARGS` | its command line |
//! | `env: KEY=VALUE` | one more variable in its environment |
//! | `again: KEY=VALUE` | run once more on heapwright with this variable |
//! | `timeout: SECONDS` | instead of 60 |
//! | `long: only on the flagship` | runs elsewhere only where everything is tried: `HEAPWRIGHT_WHOLE` |
//! | `expect: REGEX` | must abort with SIGABRT, and a line on standard error matches; `{ptr}` is the last line of its output |
//! | `stderr: REGEX` | a line on standard error matches |
use core::time::Duration;
use std::{
    fs,
    path::{Path, PathBuf},
};

/// A shared library that a program needs, built from `tests/c/lib`.
pub(crate) struct Helper {
    pub(crate) file: PathBuf,
    pub(crate) flags: Vec<String>,
    pub(crate) linked: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Link {
    /// Nothing of ours: the library is preloaded.
    Nothing,
    Shared,
    /// The static library, the others being shared.
    Archive,
    /// The static library, with `-static`.
    Static,
}

/// A program and what its marks say.
pub(crate) struct Source {
    pub(crate) path: PathBuf,
    pub(crate) rule: String,
    pub(crate) also_glibc: bool,
    pub(crate) link: Link,
    pub(crate) helpers: Vec<Helper>,
    pub(crate) flags: Vec<String>,
    pub(crate) preload: bool,
    pub(crate) args: Vec<String>,
    pub(crate) env: Vec<(String, String)>,
    pub(crate) again: Vec<(String, String)>,
    pub(crate) timeout: Duration,
    pub(crate) is_long: bool,
    pub(crate) expect: Option<String>,
    pub(crate) stderr: Option<String>,
}

/// The package's directory; the paths of programs start here.
pub(crate) fn home() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Whether a file is in C++.
pub(crate) fn is_cxx(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "cc")
}

impl Source {
    /// Reads the marks of the program `name`, a path such as `tests/c/free_null.c`. Panics on a mark it does not know.
    pub(crate) fn read(name: &str) -> Self {
        let path = home().join(name);
        let text =
            fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let mut header = text.lines().map_while(|line| line.strip_prefix("// "));
        let rule = header
            .next()
            .unwrap_or_else(|| panic!("{name}: the first line must be a comment naming the rule"));
        let mut source = Self {
            path,
            rule: rule.to_owned(),
            also_glibc: false,
            link: Link::Nothing,
            helpers: Vec::new(),
            flags: Vec::new(),
            preload: true,
            args: Vec::new(),
            env: Vec::new(),
            again: Vec::new(),
            timeout: Duration::from_secs(60),
            is_long: false,
            expect: None,
            stderr: None,
        };
        for mark in header.filter(|line| !line.starts_with("  ")) {
            let known = mark.split_once(": ").is_some_and(|(key, value)| source.apply(key, value));
            assert!(known, "{name}: '// {mark}' is no mark that tests/runner/source.rs lists");
        }
        source
    }

    fn apply(&mut self, key: &str, value: &str) -> bool {
        let words = || value.split_whitespace().map(str::to_owned);
        match (key, value) {
            ("also", "glibc") => self.also_glibc = true,
            ("link", "heapwright") => self.link = Link::Shared,
            ("long", "only on the flagship") => self.is_long = true,
            ("link", "archive") => (self.link, self.preload) = (Link::Archive, false),
            ("link", "static") => (self.link, self.preload) = (Link::Static, false),
            ("run", "alone") => self.preload = false,
            ("library" | "plugin", _) => {
                let mut words = words();
                let Some(file) = words.next() else { return false };
                let file = home().join("tests/c/lib").join(file);
                self.helpers.push(Helper {
                    file,
                    flags: words.collect(),
                    linked: key == "library",
                });
            }
            ("flags", _) => self.flags = words().collect(),
            ("args", _) => self.args = words().collect(),
            ("env" | "again", _) => {
                let Some((name, value)) = value.split_once('=') else { return false };
                let list = if key == "env" { &mut self.env } else { &mut self.again };
                list.push((name.to_owned(), value.to_owned()));
            }
            ("timeout", _) => match value.parse() {
                Ok(seconds) => self.timeout = Duration::from_secs(seconds),
                Err(_) => return false,
            },
            ("expect", _) => self.expect = Some(value.to_owned()),
            ("stderr", _) => self.stderr = Some(value.to_owned()),
            _ => return false,
        }
        true
    }

    /// Whether the rule is one for any malloc that is preloaded: not the flagship's own, calls nothing of heapwright's, and asks
    /// for no message.
    pub(crate) fn is_for_any_malloc(&self) -> bool {
        let is_plain = self.link == Link::Nothing && self.preload && self.expect.is_none();
        is_plain && !self.rule.starts_with("heapwright: ")
    }

    /// Whether it misuses a malloc and asks for the message, without settings or calls of heapwright's own.
    pub(crate) fn is_misuse_of_any(&self) -> bool {
        let is_plain = self.link == Link::Nothing && self.preload && self.env.is_empty();
        is_plain && self.expect.is_some() && self.rule.starts_with("misuse: ")
    }

    pub(crate) fn is_cxx(&self) -> bool {
        is_cxx(&self.path)
    }

    pub(crate) fn name(&self) -> &str {
        self.path.file_stem().and_then(|stem| stem.to_str()).expect("a program has a plain name")
    }
}

/// The programs of a directory with this ending.
pub(crate) fn all(directory: &str, ending: &str) -> Vec<String> {
    let entries = fs::read_dir(home().join(directory));
    let mut all: Vec<String> = entries
        .unwrap_or_else(|error| panic!("{directory}: {error}"))
        .map(|entry| entry.expect("a directory entry").file_name().to_string_lossy().into_owned())
        .filter(|file| file.rsplit_once('.').is_some_and(|(_, found)| found == ending))
        .map(|file| format!("{directory}/{file}"))
        .collect();
    all.sort();
    all
}

/// Those in C and in C++.
pub(crate) fn of_both(directory: &str) -> impl Iterator<Item = Source> {
    let all = [all(directory, "c"), all(directory, "cc")].concat();
    all.into_iter().map(|file| Source::read(&file))
}
