//! The options in `HEAPWRIGHT="key=value,key=value"`.
//!
//! Parsed without allocating, before or after the first allocation: every option can change
//! at run time. A set-uid program ignores the variable. What means nothing is a warning, one for all of it.
use core::ffi::{CStr, c_char};
use core::fmt;
use core::str;

use source::Report;
use source::os::imp::process::is_secure;

/// What the variable may say. `None`: not mentioned.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct Options<'a> {
    /// `stats=1`: print a table at exit; `stats=peak`: of when the heap was largest.
    pub stats: Option<Stats>,
    /// `stats=/PATH`: a file of figures, with those of when the heap was largest; `%p` in it is the process's number.
    pub file: Option<&'a str>,
    /// `stats=60s:/PATH`: the file is written each time so many seconds have passed, with the figures of then.
    pub every: Option<u32>,
    /// `check=1`: walk every structure at exit; a broken invariant aborts.
    pub check: Option<bool>,
    /// `safe=1`: no magazines; every free is checked at once.
    pub safe: Option<bool>,
    /// `hugepages=SIZE|on|off`: huge pages once the heap passes SIZE.
    pub huge_from: Option<usize>,
    /// `keep=SIZE`: free memory kept at least.
    pub keep: Option<usize>,
    /// `deepbind=1`: a drop-in library's `dlopen` leaves RTLD_DEEPBIND; nothing elsewhere.
    pub deepbind: Option<bool>,
    /// `background=1`: a drop-in library has a thread that gives memory back; nothing elsewhere.
    pub background: Option<bool>,
}

/// Which table is printed at exit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stats {
    /// None.
    Off,
    /// Of the end.
    Now,
    /// Of when the heap was largest.
    Peak,
}

/// The keys there are, for the message about one there is not.
pub const KEYS: &str = "stats, check, safe, hugepages, keep, deepbind, background";

/// A piece of the variable that means nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mistake<'a> {
    /// There is no such key.
    Key(&'a str),
    /// The key is there, its value is not one of it.
    Value(&'a str, &'a str),
}

/// All mistakes of a text: the first is named, the others are counted.
#[derive(Debug, Default)]
pub struct Mistakes<'a> {
    first: Option<Mistake<'a>>,
    others: usize,
}

impl<'a> Mistakes<'a> {
    /// One more.
    pub fn note(&mut self, mistake: Mistake<'a>) {
        self.others += usize::from(self.first.is_some());
        self.first.get_or_insert(mistake);
    }

    /// Says in one line what they are; nothing if there are none. `there_are` goes on with the keys there are.
    pub fn print<R: Report>(&self, there_are: impl fmt::Display) {
        let rest = Rest(self.others);
        match self.first {
            None => (),
            Some(Mistake::Key(key)) => R::print(format_args!(
                "heapwright: HEAPWRIGHT has no key {key:?}{there_are}{rest}\n"
            )),
            Some(Mistake::Value(key, value)) => R::print(format_args!(
                "heapwright: HEAPWRIGHT: {value:?} is no value of {key:?}; it keeps its default{rest}\n"
            )),
        }
    }
}

/// How many mistakes more, as a line's end.
struct Rest(usize);

impl fmt::Display for Rest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            0 => Ok(()),
            1 => f.write_str("; 1 more mistake"),
            more => write!(f, "; {more} more mistakes"),
        }
    }
}

impl<'a> Options<'a> {
    /// Reads the variable's text; mistakes go to `complain`, the rest counts.
    pub fn parse(text: &'a str, mut complain: impl FnMut(Mistake<'a>)) -> Self {
        let mut options = Self::default();
        for (key, value) in items(text) {
            let known = match key {
                "stats" => match file(value) {
                    Some((every, path)) => {
                        (options.file, options.every) = (Some(path), every);
                        true
                    }
                    None => set(&mut options.stats, stats(value)),
                },
                "check" => set(&mut options.check, switch(value)),
                "safe" => set(&mut options.safe, switch(value)),
                "hugepages" => set(&mut options.huge_from, threshold(value)),
                "keep" => set(&mut options.keep, bytes(value)),
                "deepbind" => set(&mut options.deepbind, switch(value)),
                "background" => set(&mut options.background, switch(value)),
                _ => {
                    complain(Mistake::Key(key));
                    continue;
                }
            };
            if !known {
                complain(Mistake::Value(key, value));
            }
        }
        options
    }
}

/// The keys and values of the variable's text; a key alone means 1.
pub fn items(text: &str) -> impl Iterator<Item = (&str, &str)> {
    let items = text.split(',').map(str::trim).filter(|item| !item.is_empty());
    items.map(|item| item.split_once('=').unwrap_or((item, "1")))
}

/// The variable's text in an environment. A null one, and that of a set-uid program, has none.
/// # Safety
/// `environment` is null or a null-terminated array of C strings that outlives the text.
#[must_use]
pub unsafe fn variable<'a>(environment: *const *const c_char) -> Option<&'a str> {
    if environment.is_null() || is_secure() {
        return None;
    }
    let mut entry = environment;
    loop {
        // SAFETY: not past the array's null.
        let text = unsafe { *entry };
        if text.is_null() {
            return None;
        }
        // SAFETY: entries are C strings.
        let bytes = unsafe { CStr::from_ptr(text) }.to_bytes();
        if let Some(value) = bytes.strip_prefix(b"HEAPWRIGHT=") {
            return Some(str::from_utf8(value).unwrap_or("(not UTF-8)"));
        }
        // SAFETY: there is a next entry, at least the null.
        entry = unsafe { entry.add(1) };
    }
}

fn set<T>(option: &mut Option<T>, value: Option<T>) -> bool {
    let known = value.is_some();
    *option = value.or(option.take());
    known
}

/// On or off; `None`: neither.
#[must_use]
pub fn switch(text: &str) -> Option<bool> {
    match text {
        "1" | "on" | "yes" | "true" => Some(true),
        "0" | "off" | "no" | "false" => Some(false),
        _ => None,
    }
}

/// `/PATH`, or `60s:/PATH`: how often, in seconds, and where to.
#[must_use]
pub fn file(text: &str) -> Option<(Option<u32>, &str)> {
    if text.starts_with('/') {
        return Some((None, text));
    }
    let (time, path) = text.split_once(':')?;
    path.starts_with('/').then_some((Some(seconds(time)?), path))
}

/// A time of at least a second: digits and perhaps s, m or h.
fn seconds(text: &str) -> Option<u32> {
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (digits, unit) = text.split_at(end);
    let each = match unit {
        "" | "s" => 1,
        "m" => 60,
        "h" => 3600,
        _ => return None,
    };
    digits.parse::<u32>().ok()?.checked_mul(each).filter(|seconds| *seconds > 0)
}

fn stats(text: &str) -> Option<Stats> {
    match text {
        "peak" => Some(Stats::Peak),
        _ => switch(text).map(|on| if on { Stats::Now } else { Stats::Off }),
    }
}

fn threshold(text: &str) -> Option<usize> {
    match switch(text) {
        Some(true) => Some(0),
        Some(false) => Some(usize::MAX),
        None => bytes(text),
    }
}

/// A number of bytes: digits and perhaps k, m, g or kib, mib, gib.
pub(crate) fn bytes(text: &str) -> Option<usize> {
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (digits, unit) = text.split_at(end);
    let shift = match unit.trim_end_matches(['b', 'B']).trim_end_matches('i') {
        "" => 0,
        "k" | "K" => 10,
        "m" | "M" => 20,
        "g" | "G" => 30,
        _ => return None,
    };
    digits.parse::<usize>().ok()?.checked_mul(1 << shift)
}

#[cfg(test)]
mod tests;
