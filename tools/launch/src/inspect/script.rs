//! From what is executed to the program that does the work: `#!` lines, and `/usr/bin/env` in them.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, Read as _};
use std::os::unix::ffi::OsStringExt as _;
use std::path::{Path, PathBuf};

use super::env;
use crate::resolve;

const LINE: u64 = 256;

/// The kernel follows at most five interpreters that are scripts themselves.
const DEPTH: usize = 5;

#[derive(Debug)]
pub struct Chain {
    /// The files: the script, its interpreter, and so on, the program last.
    pub files: Vec<PathBuf>,
    /// The argument of an `env` among them with which the program does not get `LD_PRELOAD`.
    pub loses: Option<String>,
}

pub fn chain(file: &Path, arguments: &[OsString]) -> io::Result<Chain> {
    let mut chain = vec![file.to_owned()];
    let mut arguments = arguments.to_vec();
    let mut loses = None;
    while chain.len() <= DEPTH {
        let last = &chain[chain.len() - 1];
        let next = if is_env(last) {
            match env::started(&arguments) {
                Some(started) => {
                    arguments = started.arguments;
                    loses = loses.or(started.loses);
                    resolve::command(&started.command).ok()
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
    Ok(Chain { files: chain, loses })
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

#[cfg(test)]
mod tests {
    use super::*;

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
    fn a_script_of_a_script() {
        use std::fs;
        let dir = tempfile::tempdir().unwrap();
        let (outer, inner) = (dir.path().join("outer"), dir.path().join("inner"));
        fs::write(&inner, "#!/usr/bin/env sh\n").unwrap();
        fs::write(&outer, format!("#!{}\n", inner.display())).unwrap();
        let found = chain(&outer, &[]).unwrap().files;
        assert_eq!(found[..3], [outer, inner, "/usr/bin/env".into()]);
        assert_eq!(found[3].file_name().unwrap(), "sh");
    }

    #[test]
    fn scripts_in_a_circle_end() {
        let dir = tempfile::tempdir().unwrap();
        let script = dir.path().join("loop");
        std::fs::write(&script, format!("#!{}\n", script.display())).unwrap();
        assert_eq!(chain(&script, &[]).unwrap().files.len(), DEPTH + 1);
    }
}
