//! From what is executed to the program that does the work: `#!` lines, and `/usr/bin/env` in them.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, Read as _};
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::{Path, PathBuf};

use crate::resolve;

/// The bytes of a `#!` line that the kernel reads.
const LINE: u64 = 256;

/// The kernel follows at most five interpreters that are scripts themselves.
const DEPTH: usize = 5;

/// The files that are executed when `file` is: the script, its interpreter, and so on, the program last.
///
/// # Errors
///
/// A file of the chain cannot be read.
pub fn chain(file: &Path, arguments: &[OsString]) -> io::Result<Vec<PathBuf>> {
    let mut chain = vec![file.to_owned()];
    let mut arguments = arguments.to_vec();
    while chain.len() <= DEPTH {
        let last = &chain[chain.len() - 1];
        let next = if is_env(last) {
            match started_by_env(&arguments) {
                Some((command, rest)) => {
                    arguments = rest;
                    resolve::command(&command).ok()
                }
                None => None,
            }
        } else {
            match first_line(last)? {
                Some((interpreter, argument)) => {
                    let script = last.clone().into_os_string();
                    arguments = argument.into_iter().chain([script]).chain(arguments).collect();
                    Some(interpreter)
                }
                None => None,
            }
        };
        match next {
            Some(next) => chain.push(next),
            None => break,
        }
    }
    Ok(chain)
}

/// The interpreter and its one argument that the first line names; a text without `#!` is for the shell.
fn first_line(file: &Path) -> io::Result<Option<(PathBuf, Option<OsString>)>> {
    let mut start = Vec::new();
    File::open(file)
        .and_then(|f| f.take(LINE).read_to_end(&mut start))
        .map_err(|e| io::Error::new(e.kind(), format!("{}: {e}", file.display())))?;
    Ok(interpreter(&start))
}

fn interpreter(start: &[u8]) -> Option<(PathBuf, Option<OsString>)> {
    let Some(line) = start.strip_prefix(b"#!") else {
        // What the C library's execvp does with a file that the kernel does not know.
        let is_text = !start.is_empty() && !start.contains(&0) && !start.starts_with(b"\x7fELF");
        return is_text.then(|| ("/bin/sh".into(), None));
    };
    let line = line.split(|&b| b == b'\n').next().unwrap_or(line).trim_ascii();
    let end = line.iter().position(u8::is_ascii_whitespace).unwrap_or(line.len());
    let (path, argument) = line.split_at(end);
    if path.is_empty() {
        return None;
    }
    let own = |bytes: &[u8]| OsString::from_vec(bytes.to_vec());
    let argument = argument.trim_ascii();
    Some((own(path).into(), (!argument.is_empty()).then(|| own(argument))))
}

fn is_env(file: &Path) -> bool {
    file.file_name() == Some(OsStr::new("env"))
}

/// What `env` with these arguments starts, and the arguments that remain for it.
fn started_by_env(arguments: &[OsString]) -> Option<(OsString, Vec<OsString>)> {
    // `-S` splits one argument into words; a `#!` line with several words needs it.
    let mut words = Vec::new();
    for (i, argument) in arguments.iter().enumerate() {
        let bytes = argument.as_bytes();
        let split = bytes.strip_prefix(b"-S").or_else(|| bytes.strip_prefix(b"--split-string="));
        match split {
            Some(text) if i == 0 => words.extend(
                text.split(u8::is_ascii_whitespace)
                    .filter(|w| !w.is_empty())
                    .map(|w| OsString::from_vec(w.to_vec())),
            ),
            _ => words.push(argument.clone()),
        }
    }
    let mut at = 0;
    while let Some(word) = words.get(at) {
        match word.as_bytes() {
            b"-u" | b"-C" | b"--unset" | b"--chdir" => at += 2,
            b"--" => at += 1,
            word if word.starts_with(b"-") || word.contains(&b'=') => at += 1,
            _ => return Some((word.clone(), words[at + 1..].to_vec())),
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<OsString> {
        text.split(' ').map(OsString::from).collect()
    }

    #[test]
    fn first_lines() {
        let of = |text: &str| interpreter(text.as_bytes());
        assert_eq!(of("#!/bin/sh\necho"), Some(("/bin/sh".into(), None)));
        assert_eq!(
            of("#! /usr/bin/env  -S a b \n"),
            Some(("/usr/bin/env".into(), Some("-S a b".into())))
        );
        assert_eq!(of("echo hello\n"), Some(("/bin/sh".into(), None)));
        assert_eq!(of("#!\n"), None);
        assert_eq!(of(""), None);
        assert_eq!(of("\x7fELF\x02"), None);
    }

    #[test]
    fn what_env_starts() {
        let of = |text: &str| started_by_env(&words(text)).map(|(command, _)| command);
        assert_eq!(of("python3 x.py"), Some("python3".into()));
        assert_eq!(of("-i A=1 -u B perl -w"), Some("perl".into()));
        assert_eq!(of("-i A=1"), None);
        let split = started_by_env(&["-S ruby -w".into(), "x.rb".into()]);
        assert_eq!(split, Some(("ruby".into(), words("-w x.rb"))));
    }

    #[test]
    fn a_script_of_a_script() {
        use std::fs;
        let dir = tempfile::tempdir().unwrap();
        let (outer, inner) = (dir.path().join("outer"), dir.path().join("inner"));
        fs::write(&inner, "#!/usr/bin/env sh\n").unwrap();
        fs::write(&outer, format!("#!{}\n", inner.display())).unwrap();
        let found = chain(&outer, &[]).unwrap();
        assert_eq!(found[..3], [outer, inner, "/usr/bin/env".into()]);
        assert_eq!(found[3].file_name().unwrap(), "sh");
    }

    #[test]
    fn scripts_in_a_circle_end() {
        let dir = tempfile::tempdir().unwrap();
        let script = dir.path().join("loop");
        std::fs::write(&script, format!("#!{}\n", script.display())).unwrap();
        assert_eq!(chain(&script, &[]).unwrap().len(), DEPTH + 1);
    }
}
