//! Asks a library what it is, from inside a process that it was preloaded into.
//!
//! heapwright starts itself with the hidden subcommand [`SUBCOMMAND`] and the library in `LD_PRELOAD`; that process
//! looks up `malloc` as every program's calls are resolved, names the file it comes from, and asks the version
//! functions that the known allocators export. It also allocates a little: a library that crashes, hangs or has no memory to
//! give does so there, before anything is measured.

mod exercise;

use core::ffi::{CStr, c_char, c_int, c_void};
use core::time::Duration;
use core::{mem, ptr};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};

use crate::allocator::Allocator;
use crate::pipe::Keep;
use crate::{Exit, Launch, environment};

/// The hidden subcommand under which the command calls [`answer`].
pub const SUBCOMMAND: &str = "__probe";

/// A probe that takes longer hangs.
const TIMEOUT: Duration = Duration::from_secs(5);

const KEPT: usize = 1 << 20;

/// The lines of the probe's answer begin with these: the library may print lines of its own.
const MALLOC: &str = "heapwright probe: malloc ";
const VERSION: &str = "heapwright probe: version ";
const PROBLEM: &str = "heapwright probe: problem ";

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    /// The file that `malloc` resolves to.
    pub malloc: PathBuf,
    pub version: Option<String>,
    /// What it said on standard error, the first line: it may not know a variable that is set for it.
    pub complaint: Option<String>,
}

/// Why a library does not serve as malloc.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error(transparent)]
    Environment(#[from] environment::Error),
    #[error("cannot start the probe: {0}")]
    Start(#[from] std::io::Error),
    /// The probe died or hung, or its malloc does not work; heapwright's own code is not to blame for it.
    #[error("a small program does not run with {0} preloaded: {1}")]
    Broken(PathBuf, String),
    #[error("{0} was not used: malloc comes from {1}{2}")]
    NotUsed(PathBuf, PathBuf, String),
}

/// Runs `executable` as the probe under `allocator`.
/// Errors: the library does not load, crashes, hangs, or does not provide `malloc`.
pub fn ask(executable: &Path, allocator: &Allocator) -> Result<Answer, Error> {
    let mut command = Command::new(executable);
    command.arg(SUBCOMMAND).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let library = allocator.library().map(Path::to_owned).unwrap_or_default();
    if let Some(library) = allocator.library() {
        let inherited = std::env::var_os(environment::PRELOAD);
        command
            .env(environment::PRELOAD, environment::preload(library, inherited.as_deref())?)
            .env_remove(environment::SETTINGS);
    }
    command.envs(allocator.environment.iter().map(|(name, value)| (name, value)));
    let Some((status, out, complaint)) = finished(&mut command)? else {
        return Err(Error::Broken(library, format!("it does not end within {TIMEOUT:?}")));
    };
    if !status.success() {
        let last = last_line(&complaint).or_else(|| undefined(&mut command));
        let last = last.map(|line| format!(" ({line})")).unwrap_or_default();
        return Err(Error::Broken(library, format!("{}{last}", Exit::from(status))));
    }
    let mut answer = parse(&out)
        .ok_or_else(|| Error::Broken(library.clone(), "it gives no answer".to_owned()))?;
    let same = |a: &Path, b: &Path| fs::canonicalize(a).ok() == fs::canonicalize(b).ok();
    if allocator.library().is_some_and(|library| !same(library, &answer.malloc)) {
        let reason = match complaint.lines().next() {
            Some(line) => format!(" ({line})"),
            None => String::new(),
        };
        return Err(Error::NotUsed(library, answer.malloc, reason));
    }
    answer.complaint = complaint.lines().next().map(str::to_owned);
    match field(&out, PROBLEM) {
        Some(problem) => Err(Error::Broken(library, problem.to_owned())),
        None => Ok(answer),
    }
}

/// How `command` ended, what it printed and what it complained of, of each the end; `None` if it had to be killed.
fn finished(command: &mut Command) -> io::Result<Option<(ExitStatus, String, String)>> {
    let kept = Keep::Last(KEPT);
    let mut probe = Launch::new(command).limit(TIMEOUT).keep(kept, kept).spawn()?;
    Ok(probe.wait()?.map(|status| (status, probe.stdout.text(), probe.stderr.text())))
}

/// The symbol that the library lacks, in the loader's words. It cannot say so once malloc is what it lacks it for: its own
/// message needs memory.
fn undefined(command: &mut Command) -> Option<String> {
    let (_, _, complaint) = finished(command.env("LD_BIND_NOW", "1")).ok()??;
    last_line(&complaint).filter(|line| line.contains("undefined symbol"))
}

fn last_line(text: &str) -> Option<String> {
    // What Rust's library adds to "memory allocation of 64 bytes failed" says nothing of the allocator.
    let is_of_use = |line: &&str| !line.is_empty() && !line.starts_with("skipping backtrace");
    text.lines().rev().map(str::trim).find(is_of_use).map(str::to_owned)
}

fn field<'a>(out: &'a str, name: &str) -> Option<&'a str> {
    let value = out.lines().find_map(|l| l.strip_prefix(name))?;
    Some(value.trim()).filter(|v| !v.is_empty())
}

fn parse(out: &str) -> Option<Answer> {
    let version = field(out, VERSION).map(str::to_owned);
    Some(Answer { malloc: field(out, MALLOC)?.into(), version, complaint: None })
}

/// The probe's side: the text for [`ask`] to read.
pub fn answer() -> String {
    let malloc = symbol(c"malloc").and_then(file_of).unwrap_or_default();
    let version = own_version()
        .or_else(mimalloc_version)
        .or_else(jemalloc_version)
        .or_else(tcmalloc_version)
        .unwrap_or_default();
    let problem = exercise::problem().unwrap_or_default();
    // The library may have left a line without its end.
    format!("\n{MALLOC}{malloc}\n{VERSION}{version}\n{PROBLEM}{problem}\n")
}

/// The address that `name` has for every library of this process.
fn symbol(name: &CStr) -> Option<ptr::NonNull<c_void>> {
    // SAFETY: `name` is a C string; the default handle needs no library of ours.
    ptr::NonNull::new(unsafe { libc::dlsym(libc::RTLD_DEFAULT, name.as_ptr()) })
}

fn file_of(address: ptr::NonNull<c_void>) -> Option<String> {
    // SAFETY: all-zero bytes are a valid `Dl_info`.
    let mut info: libc::Dl_info = unsafe { mem::zeroed() };
    // SAFETY: the out-pointer is to a live local.
    if unsafe { libc::dladdr(address.as_ptr(), &raw mut info) } == 0 {
        return None;
    }
    text(info.dli_fname)
}

fn text(string: *const c_char) -> Option<String> {
    if string.is_null() {
        return None;
    }
    // SAFETY: not null, and the loader and the version functions give C strings that stay.
    Some(unsafe { CStr::from_ptr(string) }.to_string_lossy().into_owned())
}

/// Defines `fn $name` that looks up an exported function and returns it with its C type.
macro_rules! exported {
    ($name:ident, $symbol:literal, $type:ty) => {
        #[expect(clippy::disallowed_methods, reason = "the only way from dlsym to a function")]
        fn $name() -> Option<$type> {
            let address = symbol($symbol)?;
            // SAFETY: the function of this name has this type in the allocator's public header.
            Some(unsafe { mem::transmute::<*mut c_void, $type>(address.as_ptr()) })
        }
    };
}

type MallCtl = unsafe extern "C" fn(
    *const c_char,
    *mut c_void,
    *mut libc::size_t,
    *mut c_void,
    libc::size_t,
) -> c_int;
type TcVersion = unsafe extern "C" fn(*mut c_int, *mut c_int, *mut *const c_char) -> *const c_char;

exported!(heapwright_version, c"heapwright_version", unsafe extern "C" fn() -> *const c_char);
exported!(mi_version, c"mi_version", unsafe extern "C" fn() -> c_int);
exported!(mallctl, c"mallctl", MallCtl);
exported!(tc_version, c"tc_version", TcVersion);

fn own_version() -> Option<String> {
    let ask = heapwright_version()?;
    // SAFETY: it takes nothing and returns a static string.
    text(unsafe { ask() })
}

fn mimalloc_version() -> Option<String> {
    let ask = mi_version()?;
    // SAFETY: it takes nothing and returns a number.
    Some(mimalloc_dotted(unsafe { ask() }))
}

/// 212 is 2.1.2; since 2.3 the number has two digits each: 20302 is 2.3.2.
fn mimalloc_dotted(version: c_int) -> String {
    match version {
        100..1000 => format!("{}.{}.{}", version / 100, version / 10 % 10, version % 10),
        10_000..100_000 => {
            format!("{}.{}.{}", version / 10_000, version / 100 % 100, version % 100)
        }
        _ => version.to_string(),
    }
}

fn jemalloc_version() -> Option<String> {
    let ask = mallctl()?;
    let mut version: *const c_char = ptr::null();
    let mut size = size_of_val(&version);
    let name = c"version".as_ptr();
    // SAFETY: "version" is read-only and of type `const char *`, which is what the buffer holds.
    if unsafe { ask(name, (&raw mut version).cast(), &raw mut size, ptr::null_mut(), 0) } != 0 {
        return None;
    }
    // "5.3.0-0-g54eaed1d…": the commit is of no use in a table.
    text(version).map(|v| v.split('-').next().unwrap_or(&v).to_owned())
}

fn tcmalloc_version() -> Option<String> {
    let ask = tc_version()?;
    // SAFETY: the out-pointers may be null.
    let version = unsafe { ask(ptr::null_mut(), ptr::null_mut(), ptr::null_mut()) };
    text(version).map(|v| v.trim_start_matches("gperftools ").to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_spellings_of_mimalloc_versions() {
        assert_eq!(mimalloc_dotted(212), "2.1.2");
        assert_eq!(mimalloc_dotted(30_300), "3.3.0");
        assert_eq!(mimalloc_dotted(20_302), "2.3.2");
        assert_eq!(mimalloc_dotted(7), "7");
    }

    #[test]
    fn an_answer_without_a_version() {
        let answer = parse(&format!("malloc 24\n{MALLOC}/lib/libc.so.6\n{VERSION}\n")).unwrap();
        assert_eq!((answer.malloc, answer.version), ("/lib/libc.so.6".into(), None));
        assert_eq!(parse(&format!("malloc 24\n{VERSION}1\n")), None);
    }
}
