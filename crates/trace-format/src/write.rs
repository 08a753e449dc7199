//! The writer of one thread's chunk. An event is at most two stores of eight bytes a number, and one of the committed length.

use core::sync::atomic::{AtomicU32, Ordering};

use crate::chunk::{CHUNK, ChunkHead, HEAD, SEALED};
use crate::event::{Event, Kind};
use crate::varint;

/// A chunk in which fewer bytes than this are left takes no further event. Longer names are cut.
pub const ROOM: usize = 512;
/// Bytes of a name that are kept.
const LONGEST_NAME: usize = ROOM - 64;
/// The time since the last event stands in a number of its own.
const LONG_TIME: u64 = 63;

/// Where the next event of a thread goes.
#[derive(Debug)]
pub struct Writer {
    chunk: *mut u8,
    at: *mut u8,
    last_time: u64,
    last_address: u64,
}

impl Writer {
    /// Begins a chunk.
    ///
    /// # Safety
    /// `chunk` is the begin of [`CHUNK`] bytes, aligned to eight, that only this writer writes until it is dropped.
    pub unsafe fn begin(chunk: *mut u8, head: &ChunkHead) -> Self {
        // SAFETY: the head fits into the chunk.
        unsafe { chunk.cast::<ChunkHead>().write(ChunkHead { committed: 0, ..*head }) };
        // SAFETY: the chunk is longer than its head.
        let at = unsafe { chunk.add(HEAD) };
        Self { chunk, at, last_time: head.time, last_address: 0 }
    }

    /// Whether another event fits.
    #[inline]
    #[must_use]
    pub fn has_room(&self) -> bool {
        self.used() <= CHUNK - ROOM
    }

    #[inline]
    fn used(&self) -> usize {
        self.at.addr() - self.chunk.addr()
    }

    /// `malloc` has returned `address`, which is not null.
    ///
    /// # Safety
    /// The chunk of [`begin`](Self::begin) is still there and [has room](Self::has_room).
    #[inline]
    pub unsafe fn malloc(&mut self, time: u64, address: u64, size: u64) {
        // SAFETY: passed on.
        unsafe { self.begin_event(Kind::Malloc, time, Some(address)) };
        // SAFETY: an event fits.
        unsafe { self.number(size) };
        self.commit();
    }

    /// `free` of `address`, which is not null, is about to be called.
    ///
    /// # Safety
    /// As for [`malloc`](Self::malloc).
    #[inline]
    pub unsafe fn free(&mut self, time: u64, address: u64) {
        // SAFETY: passed on.
        unsafe { self.begin_event(Kind::Free, time, Some(address)) };
        self.commit();
    }

    /// Any event, the two above among them.
    ///
    /// # Safety
    /// As for [`malloc`](Self::malloc).
    pub unsafe fn event(&mut self, time: u64, event: &Event<'_>) {
        let (kind, address, numbers, name) = parts(event);
        // SAFETY: passed on.
        unsafe { self.begin_event(kind, time, address) };
        for &number in numbers.iter().flatten() {
            // SAFETY: an event fits.
            unsafe { self.number(number) };
        }
        if let Some(name) = name {
            let name = &name[..name.len().min(LONGEST_NAME)];
            // SAFETY: an event fits.
            unsafe { self.number(name.len() as u64) };
            // SAFETY: the name was cut to what fits.
            unsafe { self.at.copy_from_nonoverlapping(name.as_ptr(), name.len()) };
            // SAFETY: still inside the chunk.
            self.at = unsafe { self.at.add(name.len()) };
        }
        self.commit();
    }

    /// Nothing more comes into this chunk; `flags` beside [`SEALED`]. The clock is now at `time`, and that is `monotonic`: with the
    /// two of the head, readers know how long a unit of time is.
    pub fn seal(&mut self, flags: u32, time: u64, monotonic: u64) {
        self.last_time = self.last_time.max(time);
        let last_time = self.last_time;
        let head = self.head();
        head.last_monotonic = monotonic;
        head.last_time = last_time;
        head.flags = SEALED | flags;
    }

    #[inline]
    fn head(&mut self) -> &mut ChunkHead {
        // SAFETY: the head of the chunk that only this writer writes.
        unsafe { &mut *self.chunk.cast::<ChunkHead>() }
    }

    #[inline]
    unsafe fn begin_event(&mut self, kind: Kind, time: u64, address: Option<u64>) {
        if let Some(odd) = address.map(|address| address & 15).filter(|&odd| odd != 0) {
            // SAFETY: passed on.
            unsafe { self.announce(odd) };
        }
        // Clocks of two processors may differ by some ticks: a thread's time never goes back.
        let since = time.saturating_sub(self.last_time);
        self.last_time += since;
        let number = kind as u8;
        let short = since.min(LONG_TIME);
        let first = number.min(3) | (short as u8) << 2;
        // SAFETY: an event fits.
        unsafe { self.byte(first) };
        if number >= 3 {
            // SAFETY: an event fits.
            unsafe { self.byte(number) };
        }
        if short == LONG_TIME {
            // SAFETY: an event fits.
            unsafe { self.number(since) };
        }
        if let Some(address) = address {
            let distance = (address >> 4).wrapping_sub(self.last_address >> 4).cast_signed();
            self.last_address = address;
            // SAFETY: an event fits.
            unsafe { self.number(varint::zigzag(distance)) };
        }
    }

    /// The next address is no multiple of 16.
    #[cold]
    unsafe fn announce(&mut self, odd: u64) {
        // SAFETY: passed on.
        unsafe { self.begin_event(Kind::Odd, self.last_time, None) };
        // SAFETY: an event fits.
        unsafe { self.number(odd) };
    }

    #[inline]
    unsafe fn byte(&mut self, byte: u8) {
        // SAFETY: passed on.
        unsafe { self.at.write(byte) };
        // SAFETY: still inside the chunk.
        self.at = unsafe { self.at.add(1) };
    }

    #[inline]
    unsafe fn number(&mut self, number: u64) {
        // SAFETY: passed on.
        let len = unsafe { varint::write(self.at, number) };
        // SAFETY: still inside the chunk.
        self.at = unsafe { self.at.add(len) };
    }

    /// All that was written up to here can be read, also if the process is killed now.
    #[inline]
    fn commit(&mut self) {
        #[expect(clippy::cast_possible_truncation, reason = "a chunk is 64 KiB")]
        let committed = (self.used() - HEAD) as u32;
        let head = self.head();
        // SAFETY: an aligned field of the head, which others only read.
        let cell = unsafe { AtomicU32::from_ptr(&raw mut head.committed) };
        cell.store(committed.to_le(), Ordering::Release);
    }
}

/// Kind, address, numbers and name of an event, in the order in which they are written.
type Parts<'a> = (Kind, Option<u64>, [Option<u64>; 3], Option<&'a [u8]>);

fn parts<'a>(event: &Event<'a>) -> Parts<'a> {
    match *event {
        Event::Malloc { at, size } => (Kind::Malloc, Some(at), [Some(size), None, None], None),
        Event::Free { at } => (Kind::Free, Some(at), [None; 3], None),
        Event::Calloc { at, size } => (Kind::Calloc, Some(at), [Some(size), None, None], None),
        Event::Aligned { at, size, align } => {
            let log2 = u64::from(align.trailing_zeros());
            (Kind::Aligned, Some(at), [Some(size), Some(log2), None], None)
        }
        Event::ReallocFrom { at } => (Kind::ReallocFrom, Some(at), [None; 3], None),
        Event::ReallocTo { at, size } => {
            (Kind::ReallocTo, Some(at), [Some(size), None, None], None)
        }
        Event::Refused { size } => (Kind::Refused, None, [Some(size), None, None], None),
        Event::UsableSize { at, usable } => {
            (Kind::UsableSize, Some(at), [Some(usable), None, None], None)
        }
        Event::Resident { pages } => (Kind::Resident, None, [Some(pages), None, None], None),
        Event::Frame { frame, caller, ip } => {
            (Kind::Frame, None, [Some(frame), Some(caller), Some(ip)], None)
        }
        Event::From { frame } => (Kind::From, None, [Some(frame), None, None], None),
        Event::ThreadName { name } => (Kind::ThreadName, None, [None; 3], Some(name)),
        Event::Fork { child } => (Kind::Fork, None, [Some(child), None, None], None),
        Event::Exec { path } => (Kind::Exec, None, [None; 3], Some(path)),
        Event::Map { at, len } => (Kind::Map, Some(at), [Some(len), None, None], None),
        Event::Unmap { at, len } => (Kind::Unmap, Some(at), [Some(len), None, None], None),
        Event::Mark { name } => (Kind::Mark, None, [None; 3], Some(name)),
        Event::Born { at, size } => (Kind::Born, Some(at), [Some(size), None, None], None),
        Event::Memory { anon, file, shmem } => {
            (Kind::Memory, None, [Some(anon), Some(file), Some(shmem)], None)
        }
        Event::Dropped { events } => (Kind::Dropped, None, [Some(events), None, None], None),
        Event::Module { start, end, offset, path } => {
            (Kind::Module, None, [Some(start), Some(end), Some(offset)], Some(path))
        }
    }
}
