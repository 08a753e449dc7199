//! The writer of one thread's chunk. A usual event is one store of eight bytes, and one of the committed length.

use core::ptr;
use core::sync::atomic::{AtomicU32, Ordering};

use crate::chunk::{CHUNK, ChunkHead, HEAD, SEALED};
use crate::event::{Event, Kind};
use crate::near::Near;
use crate::varint;

/// A chunk in which fewer bytes than this are left takes no further event. Longer names are cut.
pub const ROOM: usize = 512;
/// The first byte of a chunk at which no event begins.
const LAST: usize = CHUNK - ROOM;
/// Bytes of a name that are kept.
const LONGEST_NAME: usize = ROOM - 64;
/// The time since the last event stands in a number of its own.
const LONG_TIME: u64 = 63;

/// Where the next event of a thread goes.
#[derive(Debug)]
pub struct Writer {
    at: *mut u8,
    /// At this place or behind it no event begins.
    limit: *mut u8,
    chunk: *mut u8,
    last_time: u64,
    near: Near,
}

impl Writer {
    /// The writer of a thread that has no chunk yet: there is no room.
    pub const NONE: Self = Self {
        at: ptr::null_mut(),
        limit: ptr::null_mut(),
        chunk: ptr::null_mut(),
        last_time: 0,
        near: Near::NONE,
    };

    /// Begins a chunk.
    ///
    /// # Safety
    /// `chunk` is the begin of [`CHUNK`] bytes, aligned to eight, that only this writer writes until it is dropped.
    pub unsafe fn begin(chunk: *mut u8, head: &ChunkHead) -> Self {
        // SAFETY: the head fits into the chunk.
        unsafe { chunk.cast::<ChunkHead>().write(ChunkHead { committed: 0, ..*head }) };
        // SAFETY: the chunk is longer than its head.
        let at = unsafe { chunk.add(HEAD) };
        // SAFETY: as above.
        let limit = unsafe { chunk.add(LAST) };
        Self { at, limit, chunk, last_time: head.time, near: Near::NONE }
    }

    /// Whether another event fits, before the [pause](Self::pause_after) too.
    #[inline]
    #[must_use]
    pub fn has_room(&self) -> bool {
        self.at < self.limit
    }

    /// Lets [`has_room`](Self::has_room) say no after so many bytes, or where the chunk is full. `false`: it is.
    pub fn pause_after(&mut self, bytes: usize) -> bool {
        if self.chunk.is_null() || self.written() >= LAST {
            return false;
        }
        let limit = (self.written() + bytes).min(LAST);
        // SAFETY: inside the chunk.
        self.limit = unsafe { self.chunk.add(limit) };
        true
    }

    /// The chunk; null before there is one.
    #[must_use]
    pub fn chunk(&self) -> *mut u8 {
        self.chunk
    }

    /// The place where the next event goes, and the last address that was written, in units of 16 bytes.
    #[inline]
    #[must_use]
    pub fn position(&self) -> (usize, u64) {
        (self.at.addr(), self.near.last)
    }

    /// The clock is at `time`, and that is `monotonic`: where this is the last that is known of a chunk, readers know how long a
    /// unit of time is.
    pub fn look_at_clock(&mut self, time: u64, monotonic: u64) {
        let last_time = self.last_time.max(time);
        if let Some(head) = self.head() {
            head.last_monotonic = monotonic;
            head.last_time = last_time;
        }
    }

    /// Bytes of the chunk that are written, its head among them; 0 where there is none.
    #[inline]
    #[must_use]
    pub fn written(&self) -> usize {
        self.at.addr() - self.chunk.addr()
    }

    /// The same bytes, to be copied.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        if self.chunk.is_null() {
            return &[];
        }
        // SAFETY: they are written, and only this writer writes there.
        unsafe { core::slice::from_raw_parts(self.chunk, self.written()) }
    }

    /// The chunk's events are in another place: it has none from now on, whoever reads it before it [begins](Self::begin) anew.
    pub fn empty(&mut self) {
        if let Some(head) = self.head() {
            head.flags = 0;
        }
        self.at = self.chunk.wrapping_add(HEAD);
        if !self.chunk.is_null() {
            self.commit(self.at);
        }
    }

    /// `malloc` has returned `address`, which is not null.
    ///
    /// # Safety
    /// The chunk of [`begin`](Self::begin) is still there and [has room](Self::has_room).
    #[inline(always)]
    pub unsafe fn malloc(&mut self, time: u64, address: u64, size: u64) {
        // SAFETY: passed on.
        unsafe { self.allocated(Kind::Malloc, time, address, size) }
    }

    /// `calloc` has returned `address`, which is not null.
    ///
    /// # Safety
    /// As for [`malloc`](Self::malloc).
    #[inline(always)]
    pub unsafe fn calloc(&mut self, time: u64, address: u64, size: u64) {
        // SAFETY: passed on.
        unsafe { self.allocated(Kind::Calloc, time, address, size) }
    }

    #[inline(always)]
    unsafe fn allocated(&mut self, kind: Kind, time: u64, address: u64, size: u64) {
        let since = time.saturating_sub(self.last_time);
        let distance = self.near.distance_of(address >> 4, size);
        if address & 15 != 0 || since >= LONG_TIME || size >= 1 << 21 || distance >= 1 << 28 {
            // SAFETY: passed on.
            return unsafe { self.allocated_slow(kind, time, address, size) };
        }
        self.last_time += since;
        self.near.go_of(address >> 4, size);
        // One byte, three at most and four at most.
        let (size, size_bits) = varint::word(size);
        let (distance, distance_bits) = varint::word(distance);
        let word = since << 2 | kind as u64 | size << 8 | distance << (8 + size_bits);
        // SAFETY: an event fits.
        let end = unsafe { self.word(word, 8 + size_bits + distance_bits) };
        self.commit(end);
    }

    #[cold]
    #[inline(never)]
    unsafe fn allocated_slow(&mut self, kind: Kind, time: u64, address: u64, size: u64) {
        let since = self.since(time);
        // SAFETY: an event fits.
        unsafe { self.announce(address & 15) };
        // SAFETY: as above.
        unsafe { self.first(kind, since) };
        // SAFETY: as above.
        unsafe { self.number(size) };
        let distance = self.near.distance_of(address >> 4, size);
        self.near.go_of(address >> 4, size);
        // SAFETY: as above.
        unsafe { self.number(distance) };
        self.commit(self.at);
    }

    /// `free` of `address`, which is not null, is about to be called.
    ///
    /// # Safety
    /// As for [`malloc`](Self::malloc).
    #[inline(always)]
    pub unsafe fn free(&mut self, time: u64, address: u64) {
        let since = time.saturating_sub(self.last_time);
        let distance = self.near.distance(address >> 4);
        if address & 15 != 0 || since >= LONG_TIME || distance >= 1 << 49 {
            // SAFETY: passed on.
            return unsafe { self.free_slow(time, address) };
        }
        self.last_time += since;
        self.near.go(address >> 4);
        let (distance, bits) = varint::word(distance);
        // SAFETY: an event fits.
        let end = unsafe { self.word(since << 2 | Kind::Free as u64 | distance << 8, 8 + bits) };
        self.commit(end);
    }

    #[cold]
    #[inline(never)]
    unsafe fn free_slow(&mut self, time: u64, address: u64) {
        let since = self.since(time);
        // SAFETY: an event fits.
        unsafe { self.announce(address & 15) };
        // SAFETY: as above.
        unsafe { self.first(Kind::Free, since) };
        // SAFETY: as above.
        unsafe { self.address(address) };
        self.commit(self.at);
    }

    /// The thread's next allocation is made from `frame`.
    ///
    /// # Safety
    /// As for [`malloc`](Self::malloc).
    #[inline(always)]
    pub unsafe fn stack(&mut self, time: u64, frame: u64) {
        let since = self.since(time);
        if since >= LONG_TIME || frame >= 1 << 28 {
            // SAFETY: passed on.
            return unsafe { self.stack_slow(since, frame) };
        }
        let (frame, bits) = varint::word(frame);
        // SAFETY: an event fits.
        let end =
            unsafe { self.word(since << 2 | (Kind::From as u64) << 8 | frame << 16, 16 + bits) };
        self.commit(end);
    }

    #[cold]
    #[inline(never)]
    unsafe fn stack_slow(&mut self, since: u64, frame: u64) {
        // SAFETY: an event fits.
        unsafe { self.first(Kind::From, since) };
        // SAFETY: as above.
        unsafe { self.number(frame) };
        self.commit(self.at);
    }

    /// Any event, those above among them.
    ///
    /// # Safety
    /// As for [`malloc`](Self::malloc).
    pub unsafe fn event(&mut self, time: u64, event: &Event<'_>) {
        let (kind, address, numbers, name) = match *event {
            // SAFETY: passed on.
            Event::Malloc { at, size } => return unsafe { self.malloc(time, at, size) },
            // SAFETY: passed on.
            Event::Calloc { at, size } => return unsafe { self.calloc(time, at, size) },
            // SAFETY: passed on.
            Event::Free { at } => return unsafe { self.free(time, at) },
            // SAFETY: passed on.
            Event::From { frame } => return unsafe { self.stack(time, frame) },
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
            Event::Touched { pages } => (Kind::Touched, None, [Some(pages), None, None], None),
            Event::Frame { frame, caller, ip } => {
                (Kind::Frame, None, [Some(frame), Some(caller), Some(ip)], None)
            }
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
        };
        let since = self.since(time);
        // SAFETY: an event fits.
        unsafe { self.announce(address.unwrap_or(0) & 15) };
        // SAFETY: an event fits.
        unsafe { self.first(kind, since) };
        if let Some(address) = address {
            // SAFETY: as above.
            unsafe { self.address(address) };
        }
        for &number in numbers.iter().flatten() {
            // SAFETY: as above.
            unsafe { self.number(number) };
        }
        if let Some(name) = name {
            let name = &name[..name.len().min(LONGEST_NAME)];
            // SAFETY: as above.
            unsafe { self.number(name.len() as u64) };
            // SAFETY: the name was cut to what fits.
            unsafe { self.at.copy_from_nonoverlapping(name.as_ptr(), name.len()) };
            // SAFETY: still inside the chunk.
            self.at = unsafe { self.at.add(name.len()) };
        }
        self.commit(self.at);
    }

    /// Nothing more comes into this chunk; `flags` beside [`SEALED`]. The clock is now at `time`, and that is `monotonic`: with the
    /// two of the head, readers know how long a unit of time is.
    pub fn seal(&mut self, flags: u32, time: u64, monotonic: u64) {
        self.look_at_clock(time, monotonic);
        self.flag(SEALED | flags);
    }

    /// Sets a flag of the chunk's head.
    pub fn flag(&mut self, flag: u32) {
        if let Some(head) = self.head() {
            head.flags |= flag;
        }
    }

    /// The chunk's events are in another place: it is none, until another writer [begins](Self::begin) it.
    pub fn erase(&mut self) {
        if !self.chunk.is_null() {
            // SAFETY: the head of the chunk that only this writer writes.
            unsafe { self.chunk.write_bytes(0, HEAD) };
        }
    }

    #[inline]
    fn head(&mut self) -> Option<&mut ChunkHead> {
        // SAFETY: null, or the head of the chunk that only this writer writes.
        unsafe { self.chunk.cast::<ChunkHead>().as_mut() }
    }

    /// The time since the last event. Clocks of two processors may differ by some ticks: a thread's time never goes back.
    #[inline(always)]
    fn since(&mut self, time: u64) -> u64 {
        let since = time.saturating_sub(self.last_time);
        self.last_time += since;
        since
    }

    /// What an event begins with.
    unsafe fn first(&mut self, kind: Kind, since: u64) {
        let number = kind as u8;
        let short = since.min(LONG_TIME);
        // SAFETY: an event fits.
        unsafe { self.byte((short as u8) << 2 | if number > 3 { 0 } else { number }) };
        if number > 3 {
            // SAFETY: as above.
            unsafe { self.byte(number) };
        }
        if short == LONG_TIME {
            // SAFETY: as above.
            unsafe { self.number(since) };
        }
    }

    /// The next address is no multiple of 16, if it is none.
    unsafe fn announce(&mut self, odd: u64) {
        if odd != 0 {
            // SAFETY: an event fits.
            unsafe { self.first(Kind::Odd, 0) };
            // SAFETY: as above.
            unsafe { self.number(odd) };
        }
    }

    unsafe fn address(&mut self, address: u64) {
        let distance = self.near.distance(address >> 4);
        self.near.go(address >> 4);
        // SAFETY: passed on.
        unsafe { self.number(distance) };
    }

    /// Writes the low bits of a word, which are whole bytes; the rest is written over by what comes next. Returns where that is.
    #[inline(always)]
    unsafe fn word(&mut self, word: u64, bits: u64) -> *mut u8 {
        // Read once: what is written there is not the writer itself, which the compiler cannot know.
        let at = self.at;
        // SAFETY: still inside the chunk.
        let end = unsafe { at.add((bits >> 3) as usize) };
        self.at = end;
        // SAFETY: passed on.
        unsafe { at.cast::<u64>().write_unaligned(word.to_le()) };
        end
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

    /// All that was written up to `end` can be read, also if the process is killed now.
    #[inline(always)]
    fn commit(&mut self, end: *mut u8) {
        #[expect(clippy::cast_possible_truncation, reason = "a chunk is 64 KiB")]
        let committed = (end.addr() - self.chunk.addr() - HEAD) as u32;
        let head = self.chunk.cast::<ChunkHead>();
        // SAFETY: an event was written, so there is a chunk.
        let field = unsafe { &raw mut (*head).committed };
        // SAFETY: aligned, and others only read it.
        let cell = unsafe { AtomicU32::from_ptr(field) };
        cell.store(committed.to_le(), Ordering::Release);
    }
}
