//! What `env` starts, and whether the preloaded library is lost on the way: `env -i`, `env -u LD_PRELOAD`.

use std::ffi::OsString;
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};

use crate::environment::PRELOAD;

/// The long options, as far as they matter here; each may be cut short.
const LONG: [(&str, Long); 4] = [
    ("ignore-environment", Long::Empties),
    ("unset", Long::Unsets),
    ("chdir", Long::Takes),
    ("argv0", Long::Takes),
];

#[derive(Debug, Clone, Copy)]
enum Long {
    Empties,
    Unsets,
    Takes,
}

#[derive(Debug, PartialEq, Eq)]
pub(super) struct Started {
    pub(super) command: OsString,
    pub(super) arguments: Vec<OsString>,
    /// The argument that takes the preloaded library away from it.
    pub(super) loses: Option<String>,
}

/// What `env` with these arguments starts; nothing if no command is among them.
pub(super) fn started(arguments: &[OsString]) -> Option<Started> {
    let words = split(arguments);
    let mut loses = None;
    let mut at = 0;
    // A word with another letter than these is `env`'s to complain about.
    while let Some(word) = words.get(at).map(|w| w.as_bytes()).filter(|w| w.starts_with(b"-")) {
        let next = words.get(at + 1).map_or(&b""[..], |w| w.as_bytes());
        at += 1;
        let (takes_next, empties, unset) = match word {
            b"--" => break,
            b"-" => (false, true, None),
            [b'-', b'-', long @ ..] => long_option(long, next),
            [_, letters @ ..] => short_options(letters, next),
            [] => break,
        };
        at += usize::from(takes_next);
        if empties || unset == Some(PRELOAD.as_bytes()) {
            let all = if takes_next { [word, next].join(&b' ') } else { word.to_vec() };
            loses = Some(String::from_utf8_lossy(&all).into_owned());
        }
    }
    while let Some(word) = words.get(at).filter(|w| w.as_bytes().contains(&b'=')) {
        if word.as_bytes().strip_prefix(PRELOAD.as_bytes()).is_some_and(|w| w.starts_with(b"=")) {
            loses = Some(word.to_string_lossy().into_owned());
        }
        at += 1;
    }
    let command = words.get(at)?.clone();
    Some(Started { command, arguments: words[at + 1..].to_vec(), loses })
}

/// `-S` splits one argument into words; a `#!` line with several words needs it.
fn split(arguments: &[OsString]) -> Vec<OsString> {
    let Some((first, rest)) = arguments.split_first() else { return Vec::new() };
    let bytes = first.as_bytes();
    let (text, rest) = if bytes == b"-S" || bytes == b"--split-string" {
        let Some((text, rest)) = rest.split_first() else { return Vec::new() };
        (text.as_bytes(), rest)
    } else {
        let text = bytes.strip_prefix(b"-S").or_else(|| bytes.strip_prefix(b"--split-string="));
        let Some(text) = text else { return arguments.to_vec() };
        (text, rest)
    };
    text.split(u8::is_ascii_whitespace)
        .filter(|w| !w.is_empty())
        .map(|w| OsString::from_vec(w.to_vec()))
        .chain(rest.iter().cloned())
        .collect()
}

/// Whether the next word belongs to it, whether it empties the environment, and the variable that it takes away.
type Meaning<'a> = (bool, bool, Option<&'a [u8]>);

fn long_option<'a>(long: &'a [u8], next: &'a [u8]) -> Meaning<'a> {
    let equals = long.iter().position(|&b| b == b'=');
    let name = &long[..equals.unwrap_or(long.len())];
    let value = equals.map(|at| &long[at + 1..]);
    let meant = LONG.iter().find(|(full, _)| full.as_bytes().starts_with(name));
    match meant.map(|(_, what)| what) {
        Some(Long::Empties) => (false, true, None),
        Some(Long::Unsets) => (value.is_none(), false, Some(value.unwrap_or(next))),
        Some(Long::Takes) => (value.is_none(), false, None),
        None => (false, false, None),
    }
}

/// Several letters may stand in one word; what follows a letter that takes a value is the value.
fn short_options<'a>(letters: &'a [u8], next: &'a [u8]) -> Meaning<'a> {
    let mut empties = false;
    for (i, letter) in letters.iter().enumerate() {
        let rest = &letters[i + 1..];
        match letter {
            b'i' => empties = true,
            b'u' => {
                let value = if rest.is_empty() { next } else { rest };
                return (rest.is_empty(), empties, Some(value));
            }
            b'C' | b'a' => return (rest.is_empty(), empties, None),
            _ => {}
        }
    }
    (false, empties, None)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<OsString> {
        text.split(' ').map(OsString::from).collect()
    }

    #[test]
    fn the_command() {
        let of = |text: &str| started(&words(text)).map(|s| s.command);
        assert_eq!(of("python3 x.py"), Some("python3".into()));
        assert_eq!(
            of("-i A=1 -u B perl -w"),
            Some("-u".into()),
            "after a variable come no options"
        );
        assert_eq!(of("-i -u B A=1 perl -w"), Some("perl".into()));
        assert_eq!(of("-C / --chdir=/ --unset A -- B=2 perl"), Some("perl".into()));
        assert_eq!(of("-i A=1"), None);
        let split = started(&["-S ruby -w".into(), "x.rb".into()]).unwrap();
        assert_eq!((split.command, split.arguments), ("ruby".into(), words("-w x.rb")));
        let split = started(&["-S".into(), "ruby -w".into(), "x.rb".into()]).unwrap();
        assert_eq!((split.command, split.arguments), ("ruby".into(), words("-w x.rb")));
    }

    #[test]
    fn what_takes_the_library_away_is_named() {
        let of = |text: &str| started(&words(text)).unwrap().loses;
        for (arguments, named) in [
            ("-i x", "-i"),
            ("- x", "-"),
            ("--ignore-environment x", "--ignore-environment"),
            ("--ig x", "--ig"),
            ("-vi A=1 x", "-vi"),
            ("-u LD_PRELOAD x", "-u LD_PRELOAD"),
            ("-uLD_PRELOAD x", "-uLD_PRELOAD"),
            ("--unset=LD_PRELOAD x", "--unset=LD_PRELOAD"),
            ("--unset LD_PRELOAD x", "--unset LD_PRELOAD"),
            ("LD_PRELOAD= x", "LD_PRELOAD="),
            ("-i A=1 LD_PRELOAD=/y.so x", "LD_PRELOAD=/y.so"),
        ] {
            assert_eq!(of(arguments).as_deref(), Some(named), "{arguments}");
        }
        for harmless in [
            "x -i",
            "-u A x",
            "-C -i x",
            "A=LD_PRELOAD= x",
            "LD_PRELOAD_NOT= x",
            "-- x -u LD_PRELOAD",
        ] {
            assert_eq!(of(harmless), None, "{harmless}");
        }
    }
}
