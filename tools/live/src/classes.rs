//! The size classes of a malloc, which never change while it runs.

use std::io;

use base::live::{At, Number};

use crate::memory::{Bytes, Memory};
use crate::table::Table;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Class {
    pub(crate) size: usize,
    pub(crate) objects: usize,
    pub(crate) granules: usize,
}

impl Class {
    /// Which object the byte at an offset of a slab is in.
    pub(crate) fn object_at(self, offset: usize) -> usize {
        offset / self.size.max(1)
    }
}

/// Classes are counted in 10 bits.
const MOST: usize = 1024;

/// All of them; class 0 is none.
pub(crate) fn classes(memory: &Memory, table: &Table) -> io::Result<Vec<Class>> {
    let each = table.number(Number::Class);
    let mut bytes = vec![0; each * table.number(Number::Classes).min(MOST)];
    memory.read(table.place(At::Classes), &mut bytes)?;
    let of = |entry: &[u8], what| Bytes(entry).u32(table.number(what)) as usize;
    let classes = bytes.chunks_exact(each.max(1)).map(|entry| Class {
        size: of(entry, Number::ClassSize),
        objects: of(entry, Number::ClassObjects),
        granules: of(entry, Number::ClassGranules),
    });
    Ok(classes.collect())
}
