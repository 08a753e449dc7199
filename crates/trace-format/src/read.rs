//! The reader of a chunk's events: what can be read is read, and the first byte that cannot is named.

use crate::chunk::{CHUNK, ChunkHead, HEAD};
use crate::event::{Event, Kind};
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

/// The events of a chunk, each with its time in units of the recorder's clock. Ends behind the first fault.
#[derive(Debug, Clone)]
pub struct Events<'a> {
    bytes: &'a [u8],
    at: usize,
    time: u64,
    address: u64,
    odd: u64,
    over: bool,
}

impl<'a> Events<'a> {
    /// The events of the chunk with this head; `chunk` are its bytes, head and all, as many as there are.
    #[must_use]
    pub fn of(head: &ChunkHead, chunk: &'a [u8]) -> Self {
        let end = (HEAD + head.committed as usize).min(CHUNK).min(chunk.len());
        Self { bytes: &chunk[..end], at: HEAD, time: head.time, address: 0, odd: 0, over: false }
    }

    /// Bytes from the begin of the chunk that were read.
    #[must_use]
    pub fn offset(&self) -> usize {
        self.at
    }

    fn byte(&mut self) -> Result<u8, FaultKind> {
        let byte = *self.bytes.get(self.at).ok_or(FaultKind::Cut)?;
        self.at += 1;
        Ok(byte)
    }

    fn number(&mut self) -> Result<u64, FaultKind> {
        let bytes = self.bytes.get(self.at..).ok_or(FaultKind::Cut)?;
        let (number, len) = varint::read(bytes).ok_or(FaultKind::Cut)?;
        self.at += len;
        Ok(number)
    }

    fn address(&mut self) -> Result<u64, FaultKind> {
        let distance = varint::unzigzag(self.number()?);
        let units = (self.address >> 4).wrapping_add(distance.cast_unsigned());
        self.address = units << 4 | core::mem::take(&mut self.odd);
        Ok(self.address)
    }

    fn name(&mut self) -> Result<&'a [u8], FaultKind> {
        let len = usize::try_from(self.number()?).map_err(|_| FaultKind::Cut)?;
        let end = self.at.checked_add(len).ok_or(FaultKind::Cut)?;
        let name = self.bytes.get(self.at..end).ok_or(FaultKind::Cut)?;
        self.at = end;
        Ok(name)
    }

    fn event(&mut self) -> Result<(u64, Event<'a>), FaultKind> {
        loop {
            let first = self.byte()?;
            let number = if first & 3 == 3 { self.byte()? } else { first & 3 };
            let kind = Kind::from_number(number).ok_or(FaultKind::Unknown(number))?;
            let since =
                if first >> 2 == LONG_TIME { self.number()? } else { u64::from(first >> 2) };
            self.time = self.time.saturating_add(since);
            if kind == Kind::Odd {
                self.odd = self.number()? & 15;
                continue;
            }
            return Ok((self.time, self.fields(kind)?));
        }
    }

    fn fields(&mut self, kind: Kind) -> Result<Event<'a>, FaultKind> {
        Ok(match kind {
            Kind::Malloc => Event::Malloc { at: self.address()?, size: self.number()? },
            Kind::Free => Event::Free { at: self.address()? },
            Kind::Calloc => Event::Calloc { at: self.address()?, size: self.number()? },
            Kind::Aligned => {
                let (at, size, log2) = (self.address()?, self.number()?, self.number()?);
                let log2 = u32::try_from(log2).map_err(|_| FaultKind::Value)?;
                Event::Aligned { at, size, align: 1u64.checked_shl(log2).ok_or(FaultKind::Value)? }
            }
            Kind::ReallocFrom => Event::ReallocFrom { at: self.address()? },
            Kind::ReallocTo => Event::ReallocTo { at: self.address()?, size: self.number()? },
            Kind::Refused => Event::Refused { size: self.number()? },
            Kind::UsableSize => Event::UsableSize { at: self.address()?, usable: self.number()? },
            Kind::Resident => Event::Resident { pages: self.number()? },
            Kind::Frame => {
                Event::Frame { frame: self.number()?, caller: self.number()?, ip: self.number()? }
            }
            Kind::From => Event::From { frame: self.number()? },
            Kind::ThreadName => Event::ThreadName { name: self.name()? },
            Kind::Fork => Event::Fork { child: self.number()? },
            Kind::Exec => Event::Exec { path: self.name()? },
            Kind::Map => Event::Map { at: self.address()?, len: self.number()? },
            Kind::Unmap => Event::Unmap { at: self.address()?, len: self.number()? },
            Kind::Mark => Event::Mark { name: self.name()? },
            Kind::Born => Event::Born { at: self.address()?, size: self.number()? },
            Kind::Memory => {
                Event::Memory { anon: self.number()?, file: self.number()?, shmem: self.number()? }
            }
            Kind::Dropped => Event::Dropped { events: self.number()? },
            Kind::Module => Event::Module {
                start: self.number()?,
                end: self.number()?,
                offset: self.number()?,
                path: self.name()?,
            },
            Kind::Odd => return Err(FaultKind::Unknown(Kind::Odd as u8)),
        })
    }
}

impl<'a> Iterator for Events<'a> {
    type Item = Result<(u64, Event<'a>), Fault>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.over || self.at >= self.bytes.len() {
            return None;
        }
        let offset = self.at;
        Some(self.event().map_err(|kind| {
            self.over = true;
            Fault { offset, kind }
        }))
    }
}

#[cfg(test)]
mod tests;
