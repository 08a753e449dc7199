//! The reader of a chunk's events: what can be read is read, and the first byte that cannot is named.

use crate::chunk::{CHUNK, ChunkHead, HEAD};
use crate::event::{Event, Kind};
use crate::near::Near;
use crate::varint;

const LONG_TIME: u8 = 63;

/// Where a chunk cannot be read on, and why.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fault {
    /// Bytes from the begin of the chunk.
    pub offset: usize,
    /// Why.
    pub kind: FaultKind,
}

/// Why a chunk cannot be read on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FaultKind {
    /// The committed bytes end within an event.
    Cut,
    /// No event begins like this.
    Unknown(u8),
    /// A power of two above 2^63, or an address that is none.
    Value,
}

/// How far a chunk was read. A copy of it goes back to where it was made.
#[derive(Debug, Clone, Copy)]
pub struct Cursor {
    at: usize,
    end: usize,
    time: u64,
    near: Near,
    odd: u64,
}

impl Cursor {
    /// Before the first event of the chunk with this head, of which `len` bytes are there, head and all.
    #[must_use]
    pub fn begin(head: &ChunkHead, len: usize) -> Self {
        let end = HEAD.saturating_add(head.committed as usize).min(CHUNK).min(len);
        Self { at: HEAD, end, time: head.time, near: Near::NONE, odd: 0 }
    }

    /// Bytes from the begin of the chunk that were read.
    #[must_use]
    pub fn offset(&self) -> usize {
        self.at
    }

    /// The next event and its time in units of the recorder's clock. Behind a fault nothing comes.
    #[inline]
    pub fn next<'a>(&mut self, chunk: &'a [u8]) -> Option<Result<(u64, Event<'a>), Fault>> {
        if self.at >= self.end {
            return None;
        }
        let offset = self.at;
        let chunk = chunk.get(..self.end)?;
        Some(self.event(chunk).map_err(|kind| {
            self.end = 0;
            Fault { offset, kind }
        }))
    }

    fn byte(&mut self, chunk: &[u8]) -> Result<u8, FaultKind> {
        let byte = *chunk.get(self.at).ok_or(FaultKind::Cut)?;
        self.at += 1;
        Ok(byte)
    }

    fn number(&mut self, chunk: &[u8]) -> Result<u64, FaultKind> {
        let bytes = chunk.get(self.at..).ok_or(FaultKind::Cut)?;
        let (number, len) = varint::read(bytes).ok_or(FaultKind::Cut)?;
        self.at += len;
        Ok(number)
    }

    fn address(&mut self, chunk: &[u8]) -> Result<u64, FaultKind> {
        let distance = self.number(chunk)?;
        Ok(self.near.at(distance) << 4 | core::mem::take(&mut self.odd))
    }

    /// The size and the address of a block.
    fn block(&mut self, chunk: &[u8]) -> Result<(u64, u64), FaultKind> {
        let (size, distance) = (self.number(chunk)?, self.number(chunk)?);
        Ok((size, self.near.at_of(distance, size) << 4 | core::mem::take(&mut self.odd)))
    }

    fn name<'a>(&mut self, chunk: &'a [u8]) -> Result<&'a [u8], FaultKind> {
        let len = usize::try_from(self.number(chunk)?).map_err(|_| FaultKind::Cut)?;
        let end = self.at.checked_add(len).ok_or(FaultKind::Cut)?;
        let name = chunk.get(self.at..end).ok_or(FaultKind::Cut)?;
        self.at = end;
        Ok(name)
    }

    fn event<'a>(&mut self, chunk: &'a [u8]) -> Result<(u64, Event<'a>), FaultKind> {
        loop {
            let first = self.byte(chunk)?;
            let number = if first & 3 == 0 { self.byte(chunk)? } else { first & 3 };
            let kind = Kind::from_number(number).ok_or(FaultKind::Unknown(number))?;
            let since =
                if first >> 2 == LONG_TIME { self.number(chunk)? } else { u64::from(first >> 2) };
            self.time = self.time.saturating_add(since);
            if kind == Kind::Odd {
                self.odd = self.number(chunk)? & 15;
                continue;
            }
            return Ok((self.time, self.fields(chunk, kind)?));
        }
    }

    fn fields<'a>(&mut self, chunk: &'a [u8], kind: Kind) -> Result<Event<'a>, FaultKind> {
        Ok(match kind {
            Kind::Malloc => {
                let (size, at) = self.block(chunk)?;
                Event::Malloc { at, size }
            }
            Kind::Free => Event::Free { at: self.address(chunk)? },
            Kind::Calloc => {
                let (size, at) = self.block(chunk)?;
                Event::Calloc { at, size }
            }
            Kind::Aligned => {
                let (at, size, log2) =
                    (self.address(chunk)?, self.number(chunk)?, self.number(chunk)?);
                let log2 = u32::try_from(log2).map_err(|_| FaultKind::Value)?;
                Event::Aligned { at, size, align: 1u64.checked_shl(log2).ok_or(FaultKind::Value)? }
            }
            Kind::ReallocFrom => Event::ReallocFrom { at: self.address(chunk)? },
            Kind::ReallocTo => {
                Event::ReallocTo { at: self.address(chunk)?, size: self.number(chunk)? }
            }
            Kind::Refused => Event::Refused { size: self.number(chunk)? },
            Kind::UsableSize => {
                Event::UsableSize { at: self.address(chunk)?, usable: self.number(chunk)? }
            }
            Kind::Touched => Event::Touched { pages: self.number(chunk)? },
            Kind::Frame => Event::Frame {
                frame: self.number(chunk)?,
                caller: self.number(chunk)?,
                ip: self.number(chunk)?,
            },
            Kind::From => Event::From { frame: self.number(chunk)? },
            Kind::ThreadName => Event::ThreadName { name: self.name(chunk)? },
            Kind::Fork => Event::Fork { child: self.number(chunk)? },
            Kind::Exec => Event::Exec { path: self.name(chunk)? },
            Kind::Map => Event::Map { at: self.address(chunk)?, len: self.number(chunk)? },
            Kind::Unmap => Event::Unmap { at: self.address(chunk)?, len: self.number(chunk)? },
            Kind::Mark => Event::Mark { name: self.name(chunk)? },
            Kind::Born => Event::Born { at: self.address(chunk)?, size: self.number(chunk)? },
            Kind::Memory => Event::Memory {
                anon: self.number(chunk)?,
                file: self.number(chunk)?,
                shmem: self.number(chunk)?,
            },
            Kind::Dropped => Event::Dropped { events: self.number(chunk)? },
            Kind::Module => Event::Module {
                start: self.number(chunk)?,
                end: self.number(chunk)?,
                offset: self.number(chunk)?,
                path: self.name(chunk)?,
            },
            Kind::Odd => return Err(FaultKind::Unknown(Kind::Odd as u8)),
        })
    }
}

#[cfg(test)]
mod tests;
