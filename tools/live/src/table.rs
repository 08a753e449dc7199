//! The table of `base::live` as it stands in a process.

use base::live::{At, BYTES, FORMAT, HEAD, MAGIC, NAMES, Number};

use crate::Trouble;
use crate::memory::{Bytes, Memory};

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Table {
    pub(crate) design: String,
    pub(crate) version: String,
    pub(crate) shows: bool,
    at: [u64; At::COUNT],
    number: [u32; Number::COUNT],
}

impl Table {
    /// The table at an address that a note named; `None`: there is none.
    /// Errors: it is of another version.
    pub(crate) fn read(memory: &Memory, pid: i32, at: u64) -> Result<Option<Self>, Trouble> {
        let mut bytes = [0; BYTES];
        if memory.read(at, &mut bytes[..HEAD]).is_err() {
            return Ok(None);
        }
        let head = Bytes(&bytes);
        let (format, places, numbers) = (head.u32(8), head.u32(12), head.u32(16));
        let (names, len) = NAMES;
        let (design, version) = (head.text(names, len), head.text(names + len, len));
        if head.u64(0) != MAGIC {
            return Ok(None);
        }
        let counts = (places as usize, numbers as usize);
        if (format, counts) != (FORMAT, (At::COUNT, Number::COUNT)) {
            let ours = env!("CARGO_PKG_VERSION");
            return Err(Trouble::Version { pid, design, version, ours, format: FORMAT });
        }
        if memory.read(at, &mut bytes).is_err() {
            return Ok(None);
        }
        let bytes = Bytes(&bytes);
        let numbers = HEAD + At::COUNT * 8;
        let table = Self {
            design,
            version,
            shows: bytes.u32(20) != 0,
            at: core::array::from_fn(|index| bytes.u64(HEAD + index * 8)),
            number: core::array::from_fn(|index| bytes.u32(numbers + index * 4)),
        };
        Ok(Some(table).filter(Self::is_sane))
    }

    /// Whether its numbers are within what is computed with them.
    fn is_sane(&self) -> bool {
        let is = |what, least: usize, most: usize| (least..=most).contains(&self.number(what));
        !self.shows
            || is(Number::GranuleShift, 10, 20)
                && is(Number::BlockShift, self.number(Number::GranuleShift), 30)
                && is(Number::Classes, 1, 1024)
                && is(Number::Class, 12, 256)
                && is(Number::Block, 33, 1024)
                && is(Number::Cache, 64, 1 << 16)
                && is(Number::SlotCache, self.number(Number::Classes), 1024)
                && is(Number::Cell, 64, 1 << 16)
    }

    pub(crate) fn place(&self, what: At) -> u64 {
        self.at[what as usize]
    }

    pub(crate) fn number(&self, what: Number) -> usize {
        self.number[what as usize] as usize
    }
}
