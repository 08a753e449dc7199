//! Which file a command name means, and whether it can be executed: the questions the shell answers with 126 and 127.

use std::env;
use std::ffi::{OsStr, OsString};
use std::io;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use rustix::fs::{Access, AtFlags, CWD, accessat};

#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("{path}: not found{place}", path = .0.display(), place = if .0.as_os_str().as_bytes().contains(&b'/') { "" } else { " in PATH" })]
    NotFound(PathBuf),
    /// The name is empty, which the shell does not find either.
    #[error("the program's name is empty")]
    Empty,
    #[error("{path}: cannot be executed: {1}", path = .0.display())]
    NotExecutable(PathBuf, &'static str),
    /// The system has not executed it, for a reason that may be gone the next time.
    #[error("cannot execute {path}: {1}", path = .0.display())]
    Refused(PathBuf, #[source] io::Error),
}

impl Error {
    /// The exit code that `env`, `nice` and the shells use for it.
    pub fn exit_code(&self) -> u8 {
        match self {
            Self::NotFound(_) | Self::Empty => 127,
            Self::NotExecutable(..) => 126,
            Self::Refused(..) => 125,
        }
    }

    /// The system's reason not to start `file`, which was found.
    pub fn not_executed(file: &Path, error: io::Error) -> Self {
        Self::NotExecutable(
            file.to_owned(),
            match error.kind() {
                io::ErrorKind::NotFound => "its interpreter or loader does not exist",
                io::ErrorKind::PermissionDenied => "permission denied",
                _ if error.raw_os_error() == Some(libc::ENOEXEC) => {
                    "not a program this system can run"
                }
                _ => return Self::Refused(file.to_owned(), error),
            },
        )
    }
}

/// The file that executing `command` would start: itself if it holds a slash, else the first match in `PATH`.
/// Errors: nothing is found, or only something that is not executable.
pub fn command(command: &OsStr) -> Result<PathBuf, Error> {
    command_in(command, env::var_os("PATH"))
}

fn command_in(command: &OsStr, path: Option<OsString>) -> Result<PathBuf, Error> {
    let name = Path::new(command);
    if command.is_empty() {
        return Err(Error::Empty);
    }
    if command.as_bytes().contains(&b'/') {
        return executable(name).map(|()| name.to_owned());
    }
    let path = path.unwrap_or_else(|| "/bin:/usr/bin".into());
    let mut refused = None;
    for directory in env::split_paths(&path) {
        let candidate = if directory.as_os_str().is_empty() {
            Path::new(".").join(name)
        } else {
            directory.join(name)
        };
        match executable(&candidate) {
            Ok(()) => return Ok(candidate),
            Err(Error::NotFound(_)) => {}
            Err(error) => _ = refused.get_or_insert(error),
        }
    }
    Err(refused.unwrap_or_else(|| Error::NotFound(name.to_owned())))
}

fn executable(file: &Path) -> Result<(), Error> {
    let refused = |why| Err(Error::NotExecutable(file.to_owned(), why));
    match file.metadata() {
        Ok(meta) if meta.is_dir() => refused("it is a directory"),
        Ok(meta) if !meta.is_file() => refused("it is not a regular file"),
        Ok(_) if accessat(CWD, file, Access::EXEC_OK, AtFlags::EACCESS).is_err() => {
            refused("permission denied")
        }
        Ok(_) => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
            refused("permission denied")
        }
        Err(_) => Err(Error::NotFound(file.to_owned())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(dir: &Path, name: &str, mode: u32) -> PathBuf {
        crate::testing::file(dir, name, b"#!/bin/sh\n", mode)
    }

    #[test]
    fn the_first_executable_in_path_is_found_past_one_that_is_not() {
        let (a, b) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        file(a.path(), "tool", 0o644);
        let good = file(b.path(), "tool", 0o755);
        let path = env::join_paths([a.path(), b.path()]).unwrap();
        assert_eq!(command_in("tool".as_ref(), Some(path)).unwrap(), good);
        let only_a = Some(a.path().as_os_str().to_owned());
        let error = command_in("tool".as_ref(), only_a).unwrap_err();
        assert_eq!(error.exit_code(), 126, "{error}");
    }
}
