//! An allocator as written after `-a`: a label, a name or a path, what is set; and lists of them.
//!
//! ```text
//! arena2=glibc:MALLOC_ARENA_MAX=2,je=jemalloc:MALLOC_CONF=dirty_decay_ms:0,muzzy_decay_ms:0,heapwright:keep=0:safe
//! label  name  variable           label name  variable, whose value has colons and a comma     name   two settings of ours
//! ```
//!
//! - A colon begins a setting. Not one of ours within a variable's value, nor one without `=` within a path.
//! - Environment variables are in upper case, settings of ours are not.
//! - A comma begins the next allocator, but for one before KEY:VALUE in a variable's value that is a list of such.

use core::str::FromStr;
use std::path::{Path, PathBuf};

use launch::allocator::GLIBC;
use launch::discover;
use show::text::cut;

use crate::embedded;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct AllocatorArg {
    /// What tables call it: the label, or else the word, with the file's name for a path, cut where it is long.
    pub(crate) name: String,
    pub(crate) what: What,
    pub(crate) set: Vec<Set>,
    pub(crate) word: String,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum What {
    Known(String),
    File(PathBuf),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Set {
    /// A variable of its programs' environment: name and value.
    Variable(String, String),
    Setting(String, String),
}

/// The characters of the longest name that tables have room for.
const LONGEST: usize = 32;

impl AllocatorArg {
    pub(crate) fn known(name: &str) -> Self {
        let (name, what) = (name.to_owned(), What::Known(name.to_owned()));
        Self { word: name.clone(), name, what, set: Vec::new() }
    }

    pub(crate) fn plain(&self) -> Option<&str> {
        match &self.what {
            What::Known(name) if self.set.is_empty() && *name == self.name => Some(name),
            _ => None,
        }
    }
}

impl FromStr for AllocatorArg {
    type Err = String;

    fn from_str(word: &str) -> Result<Self, String> {
        let mut pieces = word.split(':');
        let head = pieces.next().unwrap_or_default();
        let (label, what) = match head.split_once('=') {
            Some((label, what)) if !label.contains('/') => (Some(label), what),
            _ => (None, head),
        };
        let is_file = what.contains('/') || label.is_some() && what.contains(".so");
        let (mut what, mut set) = (what.to_owned(), Vec::new());
        for piece in pieces {
            match (Set::read(piece), set.last_mut()) {
                (Some(variable @ Set::Variable(..)), _) => set.push(variable),
                (_, Some(Set::Variable(_, value))) => *value = format!("{value}:{piece}"),
                (Some(setting), _) if !is_file || piece.contains('=') => set.push(setting),
                (_, None) if is_file => what = format!("{what}:{piece}"),
                _ => {
                    return Err(format!(
                        "'{word}': '{piece}' is no setting, KEY=VALUE, and no variable, NAME=VALUE"
                    ));
                }
            }
        }
        if what.is_empty() {
            return Err(format!("'{word}' is no allocator; 'heapwright list' shows them"));
        }
        if label == Some("") {
            return Err(format!(
                "'{word}': the label before = is empty; without one: {}",
                &word[1..]
            ));
        }
        let name = match label {
            Some(label) if label.chars().count() > LONGEST => {
                return Err(format!("'{word}': a label has at most {LONGEST} characters"));
            }
            Some(label) => label.to_owned(),
            None if is_file => {
                cut(&format!("{}{}", stem(what.as_ref()), &word[what.len()..]), LONGEST)
            }
            None => cut(word, LONGEST),
        };
        let what = if is_file { What::File(what.into()) } else { What::Known(what) };
        Ok(Self { name, what, set, word: word.to_owned() })
    }
}

impl Set {
    /// What a piece between colons says, if it is neither part of a path nor of a value: a key alone means 1.
    fn read(piece: &str) -> Option<Self> {
        let (name, value) = match piece.split_once('=') {
            Some((name, value)) => (name, Some(value)),
            None => (piece, None),
        };
        let is_start = |c: char| c.is_ascii_alphabetic() || c == '_';
        let is_name = name.starts_with(is_start)
            && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
        let is_variable = !name.contains(|c: char| c.is_ascii_lowercase());
        match value {
            _ if !is_name => None,
            Some(value) if is_variable => Some(Self::Variable(name.to_owned(), value.to_owned())),
            None if is_variable => None,
            value => Some(Self::Setting(name.to_owned(), value.unwrap_or("1").to_owned())),
        }
    }
}

pub(crate) fn list(text: &str) -> Result<Vec<AllocatorArg>, String> {
    let mut words: Vec<String> = Vec::new();
    for piece in text.split(',') {
        match words.last_mut() {
            Some(word) if goes_on(word, piece) => *word = format!("{word},{piece}"),
            _ => words.push(piece.to_owned()),
        }
    }
    words.iter().map(|word| word.parse()).collect()
}

/// Whether `piece` after a comma belongs to the value with which `word` ends.
fn goes_on(word: &str, piece: &str) -> bool {
    let Ok(AllocatorArg { set, .. }) = word.parse() else { return false };
    let Some(Set::Variable(_, value)) = set.last() else { return false };
    is_pair(value.rsplit(',').next().unwrap_or_default()) && is_pair(piece)
}

/// Whether it is KEY:VALUE, and not an allocator with a setting.
fn is_pair(text: &str) -> bool {
    let Some((key, _)) = text.split_once(':') else { return false };
    let name = key.trim_end_matches(|c: char| c.is_ascii_digit());
    let is_allocator = || {
        key == GLIBC
            || embedded::find(key).is_some()
            || discover::known().any(|known| known == name)
    };
    matches!(Set::read(key), Some(Set::Setting(..))) && !text.contains('=') && !is_allocator()
}

/// What a library's file is called, without what all are called.
pub(crate) fn stem(path: &Path) -> String {
    let file = path.file_name().unwrap_or_default().to_string_lossy();
    let stem = file.split(".so").next().unwrap_or(&file);
    stem.strip_prefix("lib").unwrap_or(stem).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(word: &str) -> AllocatorArg {
        word.parse().unwrap()
    }

    fn variable(name: &str, value: &str) -> Set {
        Set::Variable(name.to_owned(), value.to_owned())
    }

    fn setting(key: &str, value: &str) -> Set {
        Set::Setting(key.to_owned(), value.to_owned())
    }

    #[test]
    fn names_labels_and_paths() {
        let is = |word: &str, name: &str, what: What| {
            let arg = of(word);
            assert_eq!((arg.name.as_str(), arg.what, arg.set), (name, what, vec![]), "{word}");
        };
        let (known, file) = (|n: &str| What::Known(n.into()), |p: &str| What::File(p.into()));
        is("mimalloc", "mimalloc", known("mimalloc"));
        is("mine=mimalloc", "mine", known("mimalloc"));
        is("x=/lib/y.so", "x", file("/lib/y.so"));
        is("x=y.so", "x", file("y.so"));
        is("./out/libmine.so.2", "mine", file("./out/libmine.so.2"));
        is("/a=b/libz.so", "z", file("/a=b/libz.so"));
        is("/a:b/libz.so", "z", file("/a:b/libz.so"));
        is("x=/a:b c/libz.so", "x", file("/a:b c/libz.so"));
        assert!(of("mimalloc").plain().is_some() && of("mine=mimalloc").plain().is_none());
    }

    #[test]
    fn what_is_set() {
        let is = |word: &str, name: &str, set: &[Set]| {
            assert_eq!((of(word).name.as_str(), &of(word).set[..]), (name, set), "{word}");
        };
        is("ours=heapwright:keep=0", "ours", &[setting("keep", "0")]);
        let two = [setting("magazine", "0"), setting("lazy_init", "1")];
        is("superslab:magazine=0:lazy_init", "superslab:magazine=0:lazy_init", &two);
        is("a=glibc:MALLOC_ARENA_MAX=2", "a", &[variable("MALLOC_ARENA_MAX", "2")]);
        let two = [variable("MALLOC_TOP_PAD_", "0"), variable("MALLOC_ARENA_MAX", "2")];
        is("a=glibc:MALLOC_TOP_PAD_=0:MALLOC_ARENA_MAX=2", "a", &two);
        is("a=heapwright:safe:X=1", "a", &[setting("safe", "1"), variable("X", "1")]);
        is("./libx.so:A=1", "x:A=1", &[variable("A", "1")]);
        is("x=./libheapwright.so:keep=0", "x", &[setting("keep", "0")]);
    }

    #[test]
    fn a_variables_value_has_colons_and_equals_signs() {
        for (word, value) in [
            ("j=jemalloc:V=dirty_decay_ms:1000", "dirty_decay_ms:1000"),
            ("j=jemalloc:V=background_thread:true", "background_thread:true"),
            (
                "g=glibc:V=glibc.malloc.arena_max=1:glibc.malloc.tcache_count=0",
                "glibc.malloc.arena_max=1:glibc.malloc.tcache_count=0",
            ),
            ("a=glibc:V=abort_on_error=1:halt=0", "abort_on_error=1:halt=0"),
            ("a=glibc:V=", ""),
        ] {
            assert_eq!(of(word).set, [variable("V", value)], "{word}");
        }
    }

    #[test]
    fn a_comma_begins_the_next_but_in_a_list_of_pairs() {
        let names = |text: &str| -> Vec<String> {
            list(text).unwrap().into_iter().map(|arg| arg.name).collect()
        };
        let all = "glibc,arena2=glibc:MALLOC_ARENA_MAX=2,trim=glibc:MALLOC_TRIM_THRESHOLD_=131072,\
                   je=jemalloc:MALLOC_CONF=dirty_decay_ms:1000,muzzy_decay_ms:0,ours=heapwright:keep=0";
        assert_eq!(names(all), ["glibc", "arena2", "trim", "je", "ours"]);
        let pairs = "dirty_decay_ms:1000,muzzy_decay_ms:0";
        assert_eq!(list(all).unwrap()[3].set, [variable("MALLOC_CONF", pairs)]);
        assert_eq!(names("a=glibc:M=2,jemalloc"), ["a", "jemalloc"]);
        assert_eq!(names("a=glibc:M=2,superslab:safe"), ["a", "superslab:safe"]);
        assert_eq!(names("j=jemalloc:M=a:1,superslab:safe"), ["j", "superslab:safe"]);
        assert_eq!(names("j=jemalloc:M=a:1,b:2,mimalloc3:N=1"), ["j", "mimalloc3:N=1"]);
        assert_eq!(names("j=jemalloc:M=a:1,k=jemalloc:M=a:2"), ["j", "k"]);
        assert_eq!(names("j=jemalloc:M=a:1,jemaloc"), ["j", "jemaloc"]);
    }

    #[test]
    fn a_name_fits_into_tables() {
        let long = "jemalloc:MALLOC_CONF=dirty_decay_ms:1000";
        assert_eq!(of(long).name, "jemalloc:MALLOC_CONF=dirty_deca…");
        assert_eq!(of(long).word, long);
        let label = |n: usize| format!("{}=glibc:M=1", "ü".repeat(n)).parse::<AllocatorArg>();
        assert!(label(LONGEST).is_ok() && label(LONGEST + 1).is_err());
    }

    #[test]
    fn what_is_no_allocator() {
        for word in ["", "heapwright:", "heapwright:9", "heapwright:keep=0:=1", ":a=1"] {
            assert!(word.parse::<AllocatorArg>().is_err(), "{word:?}");
        }
        assert!(list("glibc,").is_err() && list(",glibc").is_err());
    }
}
