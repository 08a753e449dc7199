//! Recorders that wait in running programs: each has a file that its process has mapped, and both read and write it.
//!
//! ```text
//! NAME-PID.armed   [ n: record │ the last n │ beats │ … │ what is asked for, from byte 64 on, and a zero ]      abi/interpose has the other end
//! ```

use core::time::Duration;
use std::env;
use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io;
use std::os::unix::fs::{DirBuilderExt as _, FileExt as _, MetadataExt as _};
use std::path::{Path, PathBuf};
use std::thread::sleep;

use launch::tree::with_memory;

use crate::finish::number;
use crate::request::Request;

/// Where the number of what is asked for stands (0: nothing), that of the last, and how often who asked has said that it is there.
const NUMBER: u64 = 0;
const LAST: u64 = 4;
const BEATS: u64 = 8;
/// Where what is asked for begins, and how long it may be.
const ASKED: u64 = 64;
const LONGEST: usize = 2000;

#[derive(Debug)]
pub struct Armed {
    file: File,
}

impl Armed {
    /// The folder for the files of programs that are started now; files of processes that have gone are removed.
    /// Errors: none can be made, or others can write to all that are there.
    pub fn folder() -> io::Result<PathBuf> {
        let mine = fs::metadata("/proc/self")?.uid();
        folder_of(mine, &[env::temp_dir(), "/tmp".into(), "/var/tmp".into(), "/dev/shm".into()])
    }

    /// The recorder that waits in a process. `None`: none does.
    /// Errors: there is no such process, or it is another user's.
    pub fn find(process: u32) -> io::Result<Option<Self>> {
        let one = with_memory(process.cast_signed()).unwrap_or(process.cast_signed());
        let maps = fs::read_to_string(format!("/proc/{one}/maps"))?;
        let files = maps.lines().filter_map(|line| Some(&line[line.find('/')?..]));
        let mut armed = files.filter(|file| file.ends_with(".armed")).map(Path::new);
        let Some(path) = armed.find(|path| number(path) == Some(process)) else {
            return Ok(None);
        };
        OpenOptions::new().read(true).write(true).open(path).map(|file| Some(Self { file }))
    }

    /// Has it record.
    /// Errors: the file cannot be written, or what is asked for is too long.
    pub fn begin(&self, request: &Request) -> io::Result<()> {
        let mut asked = request.value().into_encoded_bytes();
        if asked.len() > LONGEST {
            return Err(io::Error::other("the folder's path is too long"));
        }
        asked.push(0);
        self.file.write_all_at(&asked, ASKED)?;
        let number = self.word(LAST)?.wrapping_add(1).max(1);
        self.set(LAST, number)?;
        self.beat()?;
        self.set(NUMBER, number)
    }

    /// Says that who asked is there: if it is not said for ten seconds the recording ends.
    /// Errors: the file cannot be written.
    pub fn beat(&self) -> io::Result<()> {
        self.set(BEATS, self.word(BEATS)?.wrapping_add(1).max(1))
    }

    /// Whether it records for somebody who is there: looks twice, `wait` apart.
    pub fn is_taken(&self, wait: Duration) -> bool {
        let beats = self.word(BEATS).ok();
        self.is_on() && {
            sleep(wait);
            self.word(BEATS).ok() != beats
        }
    }

    /// Whether it records, or is about to.
    pub fn is_on(&self) -> bool {
        self.word(NUMBER).is_ok_and(|number| number != 0)
    }

    /// Has it stop: at once where it allocates, else when it does again.
    /// Errors: the file cannot be written.
    pub fn end(&self) -> io::Result<()> {
        self.set(NUMBER, 0)
    }

    fn word(&self, at: u64) -> io::Result<u32> {
        let mut word = [0; 4];
        self.file.read_exact_at(&mut word, at)?;
        Ok(u32::from_le_bytes(word))
    }

    fn set(&self, at: u64, word: u32) -> io::Result<()> {
        self.file.write_all_at(&word.to_le_bytes(), at)
    }
}

/// The first of these places where a folder of this user is or can be made. Anybody may have made one of that name.
fn folder_of(user: u32, places: &[PathBuf]) -> io::Result<PathBuf> {
    let mut why = io::Error::from(io::ErrorKind::NotFound);
    for place in places {
        match own_folder(&place.join(format!("heapwright-armed-{user}")), user) {
            Ok(folder) => return Ok(folder),
            Err(error) => why = error,
        }
    }
    Err(why)
}

fn own_folder(folder: &Path, user: u32) -> io::Result<PathBuf> {
    DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    let about = fs::symlink_metadata(folder)?;
    if !about.is_dir() || about.uid() != user || about.mode() & 0o022 != 0 {
        return Err(io::Error::other(format!("others can write to {}", folder.display())));
    }
    for entry in fs::read_dir(folder)?.flatten() {
        if number(&entry.path()).is_some_and(|process| !runs(process)) {
            // Another command may have removed it.
            let _ = fs::remove_file(entry.path());
        }
    }
    Ok(folder.to_owned())
}

pub fn runs(process: u32) -> bool {
    Path::new(&format!("/proc/{process}")).exists()
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    use super::*;

    #[test]
    fn a_folder_that_others_made_is_passed_over() {
        let (home, user) =
            (tempfile::tempdir().unwrap(), fs::metadata("/proc/self").unwrap().uid());
        let places = ["a", "b", "c"].map(|name| home.path().join(name));
        let name = format!("heapwright-armed-{user}");
        let taken = places[0].join(&name);
        fs::create_dir_all(&taken).unwrap();
        fs::set_permissions(&taken, fs::Permissions::from_mode(0o777)).unwrap();
        fs::create_dir(&places[1]).unwrap();
        symlink(&taken, places[1].join(&name)).unwrap();
        assert_eq!(folder_of(user, &places).unwrap(), places[2].join(&name));
        let gone = places[2].join(&name).join("sh-4194305.armed");
        fs::write(&gone, "").unwrap();
        assert!(folder_of(user, &places).is_ok() && !gone.exists());
        assert!(folder_of(user, &places[..2]).is_err());
    }
}
