//! From a process's number to the tables of its mallocs: through the program headers and notes of what is mapped, in memory.
//!
//! No file is opened: one that was replaced, deleted, stripped, or is in a container is as good as any.

use core::time::Duration;
use std::thread::sleep;

use base::live::{At, NOTE};

use crate::Trouble;
use crate::maps::{Mapping, mappings};
use crate::memory::{Bytes, Memory};
use crate::process;
use crate::table::Table;

// Offsets in the headers of a 64-bit ELF file and of its program headers, and kinds of the latter (elf.h).
const HEADER: usize = 64;
const PROGRAM_HEADERS: usize = 32;
const PROGRAM_HEADER_SIZE: usize = 54;
const PROGRAM_HEADER_COUNT: usize = 56;
const LOAD: u32 = 1;
const NOTES: u32 = 4;
const P_OFFSET: usize = 8;
const P_ADDRESS: usize = 16;
const P_BYTES: usize = 40;
const CLASS_64: u8 = 2;

/// Program headers are more in no sane file, and notes longer in none.
const MOST_HEADERS: usize = 128;
const MOST_NOTES: usize = 64 << 10;

const TRIES: usize = 50;
const BETWEEN: Duration = Duration::from_millis(2);

#[derive(Debug)]
pub(crate) struct Found {
    pub(crate) memory: Memory,
    pub(crate) tables: Vec<Table>,
    pub(crate) program: Program,
}

/// How a program is made, as far as that says whether it can have a malloc of ours.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Program {
    /// A loader has put it together.
    #[default]
    Dynamic,
    /// Nothing was loaded but itself.
    Static,
    /// Of a kind for which there is no malloc of ours.
    Of32Bits,
}

/// Whether a process has a malloc of ours and has asked it for anything; if it shows that.
pub(crate) fn uses_ours(pid: i32) -> bool {
    // Threads of the kernel have no memory: to wait for their program would take 0.1 s for each.
    if process::maps(pid).map_or(true, |maps| maps.is_empty()) {
        return false;
    }
    let Ok(Found { memory, tables, .. }) = find(pid) else { return false };
    let granules = |table: &Table| memory.word(table.place(At::Granules)).unwrap_or(0);
    tables.iter().any(|table| !table.shows || granules(table) != 0)
}

/// Looks at all that is mapped.
/// Errors: it cannot be read, or has a table of another version.
pub(crate) fn find(pid: i32) -> Result<Found, Trouble> {
    let mut text = process::maps(pid)?;
    // Of one that just becomes another program there is but a stack for a moment.
    for _ in 0..TRIES {
        if files(&text).next().is_some() {
            break;
        }
        sleep(BETWEEN);
        text = process::maps(pid)?;
    }
    let first = files(&text).next().ok_or_else(|| {
        Trouble::Unreadable(pid, "it has no program any more, or not yet".to_owned())
    })?;
    let memory = Memory::open(pid, first.start)?;
    let program = match is_elf(&memory, first.start) {
        Some(false) => Program::Of32Bits,
        _ if files(&text).all(|file| file.path == first.path) => Program::Static,
        _ => Program::Dynamic,
    };
    let mut tables = Vec::new();
    for file in files(&text) {
        for at in notes(&memory, file.start).unwrap_or_default() {
            tables.extend(Table::read(&memory, pid, at)?);
        }
    }
    Ok(Found { memory, tables, program })
}

/// What is mapped from the begin of a file.
fn files(text: &str) -> impl Iterator<Item = Mapping<'_>> {
    mappings(text).filter(|map| map.readable && map.offset == 0 && map.path.starts_with('/'))
}

/// Whether a file of programs begins here, and whether a 64-bit one.
fn is_elf(memory: &Memory, at: u64) -> Option<bool> {
    let mut magic = [0; 5];
    memory.read(at, &mut magic).ok()?;
    magic.starts_with(b"\x7fELF").then_some(magic[4] == CLASS_64)
}

/// The addresses of tables that the notes of the file name that begins here.
fn notes(memory: &Memory, start: u64) -> Option<Vec<u64>> {
    if is_elf(memory, start) != Some(true) {
        return None;
    }
    let mut header = [0; HEADER];
    memory.read(start, &mut header).ok()?;
    let header = Bytes(&header);
    let size = usize::from(header.u16(PROGRAM_HEADER_SIZE));
    let count = usize::from(header.u16(PROGRAM_HEADER_COUNT)).min(MOST_HEADERS);
    let mut headers = vec![0; size * count];
    memory.read(start.wrapping_add(header.u64(PROGRAM_HEADERS)), &mut headers).ok()?;
    let each = || (0..count).map(|i| Bytes(&headers[i * size..(i + 1) * size]));
    let first = each().find(|header| header.u32(0) == LOAD && header.u64(P_OFFSET) == 0)?;
    let bias = start.wrapping_sub(first.u64(P_ADDRESS));
    let mut found = Vec::new();
    for header in each().filter(|header| header.u32(0) == NOTES) {
        let at = bias.wrapping_add(header.u64(P_ADDRESS));
        let mut bytes = vec![0; (header.u64(P_BYTES) as usize).min(MOST_NOTES)];
        if memory.read(at, &mut bytes).is_ok() {
            found.extend(named(&bytes, at));
        }
    }
    found.sort_unstable();
    found.dedup();
    Some(found)
}

/// The addresses that our notes among these at `start` name.
fn named(bytes: &[u8], start: u64) -> Vec<u64> {
    let (all, mut at, mut found) = (Bytes(bytes), 0, Vec::new());
    while at + 12 <= bytes.len() {
        let (name, len) = (all.u32(at) as usize, all.u32(at + 4) as usize);
        let says = at + 12 + name.next_multiple_of(4);
        if all.text(at + 12, name.min(64)) == NOTE && len == 8 && says + 8 <= bytes.len() {
            let here = start.wrapping_add(says as u64);
            found.push(here.wrapping_add(all.u64(says)));
        }
        at = says.saturating_add(len.next_multiple_of(4));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn note(name: &[u8], says: &[u8]) -> Vec<u8> {
        let mut bytes = Vec::new();
        for number in [name.len(), says.len(), 1] {
            bytes.extend((number as u32).to_ne_bytes());
        }
        bytes.extend(name);
        bytes.resize(bytes.len().next_multiple_of(4), 0);
        bytes.extend(says);
        bytes.resize(bytes.len().next_multiple_of(4), 0);
        bytes
    }

    #[test]
    fn only_our_notes_are_followed() {
        let mut bytes = note(b"GNU\0", &[1; 20]);
        let before = bytes.len() as u64;
        bytes.extend(note(b"heapwright\0", &0x100u64.to_ne_bytes()));
        bytes.extend(note(b"heapwright\0", &[1; 4]));
        assert_eq!(named(&bytes, 0x1000), [0x1000 + before + 24 + 0x100]);
        // Nonsense ends.
        assert!(named(&[0xff; 64], 0).is_empty());
        assert!(named(&bytes[..bytes.len() - 30], 0).len() <= 1);
    }

    #[test]
    fn a_process_on_another_malloc_has_no_table() {
        let pid = std::process::id() as i32;
        let found = find(pid).unwrap();
        assert!(found.tables.is_empty() && found.program == Program::Dynamic);
    }
}
