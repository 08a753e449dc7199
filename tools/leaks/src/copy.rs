//! The copy of a process that its recorder left: which process it is, where its threads were, and what it has mapped.

use core::ops::Range;
use std::fs;
use std::io;

use rustix::process::{Pid, Signal, kill_process};
use trace::About;

use crate::error::Error;
use crate::memory::Memory;

/// What the recorder says: `copy=PID ADDRESS THREADS SILENT BLOCK LEN TABLE FRAMES`.
const NOTE: &str = "copy=";
const NAME: &[u8] = b"heapwright-copy";
/// Of one that is not there any more.
const ENDED: &str = "it has ended since";
const NO_FILE: i32 = 2;
const NO_PROCESS: i32 = 3;
const NO_NOTE: &str = "no_copy=";
/// Words that are kept of a thread.
const WORDS: usize = 3;
/// Threads that the recorder keeps.
const MOST: usize = 16 << 10;

#[derive(Debug, Clone, Copy)]
pub(crate) struct Thread {
    /// Where its stack ended.
    pub(crate) stack: u64,
    /// What it found its thread-local storage by, or 0.
    pub(crate) pointer: u64,
}

#[derive(Debug, Clone, Default)]
pub(crate) struct Mapping {
    pub(crate) range: Range<u64>,
    pub(crate) is_writable: bool,
    /// A file, a name in brackets, or nothing.
    pub(crate) path: String,
}

/// A copy; it ends when this is dropped.
#[derive(Debug)]
pub(crate) struct Copy {
    process: u32,
    /// The process that it is a copy of.
    of: u32,
    /// Where its list of threads is.
    list: Range<u64>,
    pub(crate) threads: Vec<Thread>,
    /// Threads whose stacks are not known.
    pub(crate) silent: u64,
    /// From a thread's pointer on: what the recorder keeps of it.
    pub(crate) recorder: Range<u64>,
    /// Where its table of live blocks is.
    pub(crate) table: u64,
    /// How many frames the table's blocks have.
    pub(crate) frames: u64,
    pub(crate) mappings: Vec<Mapping>,
}

pub(crate) fn number(about: &About) -> Option<u32> {
    let note = about.notes.iter().find_map(|note| note.strip_prefix(NOTE))?;
    note.split(' ').next()?.parse().ok()
}

impl Copy {
    pub(crate) fn of(about: &About) -> Result<(Self, Memory), Error> {
        let process = about.pid;
        let no_copy = |why: &str| Error::NoCopy { process, why: why.to_owned() };
        let find = |key| about.notes.iter().find_map(|note| note.strip_prefix(key));
        let Some(note) = find(NOTE) else {
            if let Some(why) = about.note("stopped") {
                return Err(no_copy(&format!("its recording had ended before ({why})")));
            }
            let why = "it was killed, left by _exit, or became another program";
            return Err(no_copy(find(NO_NOTE).unwrap_or(why)));
        };
        let numbers: Result<Vec<u64>, _> = note.split(' ').map(str::parse).collect();
        let Ok(&[number, place, count, silent, block, len, table, frames]) = numbers.as_deref()
        else {
            return Err(no_copy("its recorder's line about it is damaged"));
        };
        let number = u32::try_from(number).unwrap_or_default();
        if !is_copy(number) {
            return Err(no_copy(ENDED));
        }
        // From here on it ends, whatever happens.
        let mut copy = Self {
            process: number,
            threads: Vec::new(),
            silent,
            of: process,
            list: 0..0,
            recorder: block..block.wrapping_add(len.min(1 << 20)),
            table,
            frames,
            mappings: Vec::new(),
        };
        let unreadable = |why: io::Error| match why.raw_os_error() {
            Some(NO_FILE | NO_PROCESS) => no_copy(ENDED),
            _ => Error::Unreadable { process, why },
        };
        let mut memory = Memory::of(number, about.page).map_err(unreadable)?;
        let maps = fs::read(format!("/proc/{number}/maps")).map_err(unreadable)?;
        copy.mappings = String::from_utf8_lossy(&maps).lines().filter_map(mapping).collect();
        let bytes = usize::try_from(count).unwrap_or(MOST).min(MOST) * WORDS * 8;
        copy.list = place..place.saturating_add(bytes as u64);
        let words = memory.words(copy.list.clone()).map_err(unreadable)?;
        let threads = words.chunks_exact(WORDS);
        copy.threads = threads.map(|of| Thread { stack: of[0], pointer: of[1] }).collect();
        Ok((copy, memory))
    }

    /// What cannot be read of a copy seems empty, so behind all that was read it must be there still.
    pub(crate) fn is_there(&self, memory: &mut Memory) -> Result<(), Error> {
        match memory.words(self.list.clone()) {
            Ok(_) => Ok(()),
            Err(why) => Err(Error::Unreadable { process: self.of, why }),
        }
    }
}

impl Drop for Copy {
    fn drop(&mut self) {
        let number = i32::try_from(self.process).ok().and_then(Pid::from_raw);
        if is_copy(self.process) {
            // If it has gone already, so much the better.
            let _ = number.map(|number| kill_process(number, Signal::KILL));
        }
    }
}

/// Whether a process is a copy: a number may come again, and belong to any other.
fn is_copy(process: u32) -> bool {
    fs::read(format!("/proc/{process}/comm")).is_ok_and(|name| name.trim_ascii_end() == NAME)
}

/// `7f12a000-7f12b000 rw-p 00000000 00:00 0    [stack]`.
fn mapping(line: &str) -> Option<Mapping> {
    let mut words = line.splitn(6, ' ');
    let (start, end) = words.next()?.split_once('-')?;
    let number = |digits| u64::from_str_radix(digits, 16).ok();
    let range = number(start)?..number(end)?;
    let is_writable = words.next()?.starts_with("rw");
    let path = words.nth(3).unwrap_or_default().trim_start().to_owned();
    Some(Mapping { range, is_writable, path })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_the_list() {
        let file = mapping("7f00-7fff rw-p 00001000 fe:00 4711     /usr/lib/a b.so").unwrap();
        assert_eq!(
            (file.range, file.is_writable, file.path.as_str()),
            (0x7f00..0x7fff, true, "/usr/lib/a b.so")
        );
        let anonymous = mapping("1000-2000 r--p 00000000 00:00 0 ").unwrap();
        assert_eq!((anonymous.is_writable, anonymous.path.as_str()), (false, ""));
        assert!(mapping("").is_none() && mapping("x-y rw-p").is_none());
    }

    #[test]
    fn without_a_copy_it_is_said_why() {
        let about = |note: &str| About { notes: vec![note.to_owned()], ..About::default() };
        let killed = Copy::of(&about("thp=never")).unwrap_err().to_string();
        assert!(killed.contains("it was killed"), "{killed}");
        let said = Copy::of(&about("no_copy=there is no memory")).unwrap_err().to_string();
        assert!(said.contains("there is no memory"), "{said}");
        let stopped = Copy::of(&about("stopped=the disk is full")).unwrap_err().to_string();
        assert!(stopped.contains("ended before (the disk is full)"), "{stopped}");
        let damaged = Copy::of(&about("copy=4711 12")).unwrap_err().to_string();
        assert!(damaged.contains("damaged"), "{damaged}");
    }
}
