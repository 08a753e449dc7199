//! What programs read on standard input: the file that heapwright's own is, from the same place in every run, or nothing.

use std::fs::File;
use std::io::{self, Seek as _, SeekFrom};

use rustix::fs::{FileType, fstat, seek};

/// It also leads to a file that has no name any more, as what `<<` makes.
const LINK: &str = "/proc/self/fd/0";

/// A file that is opened anew for each run: with one descriptor for all, the first run would leave nothing to the others.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Input {
    offset: u64,
}

/// What standard input of this process is.
#[derive(Debug)]
pub enum Given {
    /// A regular file, for every run.
    File(Input),
    /// Something that can be read once only, in words.
    Once(&'static str),
    /// A regular file that cannot be opened again, and why.
    Closed(io::Error),
    /// A terminal, `/dev/null`, or none.
    Nothing,
}

impl Input {
    pub fn of_this_process() -> Given {
        let stdin = io::stdin();
        let Ok(meta) = fstat(&stdin) else { return Given::Nothing };
        match FileType::from_raw_mode(meta.st_mode) {
            FileType::Fifo => Given::Once("a pipe"),
            FileType::Socket => Given::Once("a socket"),
            FileType::RegularFile => {
                let offset = seek(&stdin, rustix::fs::SeekFrom::Current(0)).unwrap_or(0);
                let input = Self { offset };
                match input.open() {
                    Ok(_) => Given::File(input),
                    Err(error) => Given::Closed(error),
                }
            }
            _ => Given::Nothing,
        }
    }

    /// The file, at the place at which this process was given it.
    pub(super) fn open(&self) -> io::Result<File> {
        let mut file = File::open(LINK)?;
        file.seek(SeekFrom::Start(self.offset))?;
        Ok(file)
    }
}
