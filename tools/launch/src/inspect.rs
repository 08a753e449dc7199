//! Can this program be put on another malloc with `LD_PRELOAD`? Decided from its files, without running it.
//!
//! ```text
//! CMD ─ script? ─► its interpreter ─ /usr/bin/env? ─► what env starts ─► an ELF file ─► findings ─► verdict
//! ```
//!
//! What stands in the way: no dynamic loader (static), a loader that ignores `LD_PRELOAD` (privileges) or cannot
//! load our library (musl, another processor), a malloc inside the program that is found before ours.

pub mod elf;
mod env;
mod inside;
pub mod loader;
pub mod privilege;
pub mod script;

use core::fmt;
use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};

use elf::{Defined, Elf};
use serde::Serialize;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    Ok,
    /// Works, but there is something to know.
    Warn,
    Fail,
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Ok => "ok",
            Self::Warn => "warn",
            Self::Fail => "fail",
        })
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Finding {
    pub subject: String,
    pub text: String,
    pub level: Level,
}

impl Finding {
    pub fn new(subject: impl Into<String>, level: Level, text: impl Into<String>) -> Self {
        Self { subject: subject.into(), text: text.into(), level }
    }

    pub fn ok(subject: impl Into<String>, text: impl Into<String>) -> Self {
        Self::new(subject, Level::Ok, text)
    }

    pub fn warn(subject: impl Into<String>, text: impl Into<String>) -> Self {
        Self::new(subject, Level::Warn, text)
    }

    pub fn fail(subject: impl Into<String>, text: impl Into<String>) -> Self {
        Self::new(subject, Level::Fail, text)
    }
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Inspection {
    /// The files that are executed one after the other; the last one is the program.
    pub chain: Vec<PathBuf>,
    pub loader: Option<PathBuf>,
    /// An allocator that is linked in and may be called past the loader.
    pub own_malloc: Option<String>,
    /// A shared library among those it asks for that is an allocator: what replaces glibc's malloc when nothing is preloaded.
    pub linked_to: Option<String>,
    pub is_cxx: bool,
    pub findings: Vec<Finding>,
}

impl Inspection {
    /// Whether a preloaded library becomes the program's malloc.
    pub fn is_usable(&self) -> bool {
        self.obstacle().is_none()
    }

    pub fn obstacle(&self) -> Option<&Finding> {
        self.findings.iter().find(|f| f.level == Level::Fail)
    }

    /// The file that matters: the program at the end of the chain.
    pub fn program(&self) -> Option<&Path> {
        self.chain.last().map(PathBuf::as_path)
    }

    fn say(&mut self, subject: &str, level: Level, text: impl Into<String>) {
        self.findings.push(Finding::new(subject, level, text));
    }
}

/// Inspects the program that executing `file` with `arguments` (without `argv[0]`) would start.
pub fn program(file: &Path, arguments: &[OsString]) -> io::Result<Inspection> {
    let chain = script::chain(file, arguments)?;
    let mut found = Inspection { chain: chain.files, ..Inspection::default() };
    for pair in found.chain.windows(2).map(<[PathBuf]>::to_vec).collect::<Vec<_>>() {
        found.say(&name(&pair[0]), Level::Ok, format!("starts {}", pair[1].display()));
    }
    if let Some(argument) = chain.loses {
        let text = format!("'{argument}' keeps LD_PRELOAD from what it starts");
        found.say("env", Level::Fail, text);
    }
    let Some(target) = found.chain.last().cloned() else { return Ok(found) };
    match Elf::read(&target)? {
        None => found.say(&name(&target), Level::Fail, "is neither an ELF program nor a script"),
        Some(elf) => {
            describe(&mut found, &target, &elf);
            privileges(&mut found, &target);
            symbols(&mut found, &elf);
            if found.is_usable()
                && let Some(note) = inside::note(&target, &elf)
            {
                found.say("note", Level::Warn, note);
            }
            if is_shell(&target) {
                let text = "what a shell starts inherits LD_PRELOAD, but is not looked at here";
                found.say("note", Level::Ok, text);
            }
        }
    }
    Ok(found)
}

fn name(file: &Path) -> String {
    file.file_name().unwrap_or(file.as_os_str()).to_string_lossy().into_owned()
}

fn is_shell(file: &Path) -> bool {
    let real = file.canonicalize().unwrap_or_else(|_| file.to_owned());
    ["sh", "bash", "dash", "zsh", "ksh", "busybox"].contains(&&*name(&real))
}

fn describe(found: &mut Inspection, target: &Path, elf: &Elf) {
    let what = format!("ELF {}", elf.architecture());
    let (level, text) = match &elf.loader {
        _ if !elf.is_native() => {
            (Level::Fail, format!("{what}: our library is for {}", std::env::consts::ARCH))
        }
        None => {
            let own = elf.private_allocator.as_ref();
            let own = own.map_or_else(String::new, |own| format!(", with {own} inside"));
            let why = "no loader reads LD_PRELOAD, its malloc cannot be replaced";
            (Level::Fail, format!("{what}, statically linked{own}: {why}"))
        }
        Some(loader) => {
            found.loader = Some(loader.clone());
            match name(loader) {
                name if name.starts_with("ld-musl") => {
                    let why = "libraries made for glibc cannot be loaded into it";
                    (Level::Fail, format!("{what}, dynamic, musl: {why}"))
                }
                _ if loader::is_glibc(loader) => (Level::Ok, format!("{what}, dynamic, glibc")),
                name => (Level::Warn, format!("{what}, dynamic, with the unknown loader {name}")),
            }
        }
    };
    found.say(&name(target), level, text);
}

fn privileges(found: &mut Inspection, target: &Path) {
    use privilege::Privilege;
    let (level, text) = match privilege::of(target) {
        None => return,
        Some(Privilege::Gained(how)) => {
            (Level::Fail, format!("{how}: the loader ignores LD_PRELOAD here"))
        }
        Some(Privilege::AlreadyHeld(how)) => {
            let but = "works for you, but LD_PRELOAD is ignored for other users";
            (Level::Warn, format!("{how}, which you are: {but}"))
        }
        Some(Privilege::Disabled(how, why)) => {
            (Level::Ok, format!("{how}, without effect ({why})"))
        }
    };
    found.say("privileges", level, text);
}

fn symbols(found: &mut Inspection, elf: &Elf) {
    if elf.loader.is_none() || !elf.is_native() {
        return;
    }
    let (level, text) = match elf.malloc {
        Defined::Exported => (
            Level::Fail,
            "defined and exported by the program itself: it is found before any library's",
        ),
        Defined::Inside => {
            (Level::Fail, "linked into the program itself: its calls do not go through the loader")
        }
        Defined::No => (Level::Ok, "resolved by the loader: LD_PRELOAD replaces it"),
    };
    found.say("malloc", level, text);
    if let Some(library) = elf.needed.iter().find(|n| is_sanitizer(n)) {
        let why = "such a program ends at once where another library comes before that";
        found.say("malloc", Level::Fail, format!("is {library}'s, a sanitizer's: {why}"));
    }
    if let Some(library) = elf.needed.iter().find(|n| is_allocator(n)) {
        let text = format!("{library}: the preloaded library comes before it");
        found.say("linked to", Level::Warn, text);
        found.linked_to = Some(library.clone());
    }
    found.is_cxx = elf.needed.iter().any(|n| n.starts_with("libstdc++"));
    if elf.operator_new != Defined::No {
        let text =
            "defines its own operator new: C++ allocations reach us only if that ends in malloc";
        found.say("C++", Level::Warn, text);
    }
    if let Some(own) = &elf.private_allocator {
        let what = "what calls that directly, as Rust's global allocator does, is not replaced";
        found.say("own malloc", Level::Warn, format!("{own} is linked in: {what}"));
        found.own_malloc = Some(own.clone());
    }
}

/// The allocators that programs are linked to. `libheapwright` is also how the names of the classic designs begin.
const ALLOCATORS: &str =
    "libheapwright libjemalloc libmimalloc libtcmalloc libsnmalloc librpmalloc libhoard libscudo";

/// Whether a needed library's name is that of an allocator. A library without a name of its own is needed by its path.
pub(crate) fn is_allocator(needed: &str) -> bool {
    let file = needed.rsplit('/').next().unwrap_or(needed);
    ALLOCATORS.split_whitespace().any(|known| file.starts_with(known))
}

/// The libraries of GCC's sanitizers that have a malloc, and look at where they are loaded.
const SANITIZERS: [&str; 4] = ["libasan.so", "libhwasan.so", "liblsan.so", "libtsan.so"];

fn is_sanitizer(needed: &str) -> bool {
    SANITIZERS.iter().any(|known| needed.starts_with(known))
}

#[cfg(test)]
mod tests;
