//! The chunks that frames and modules go to, of all threads: what is met first is rare, so one thread at a time writes there.
//!
//! These chunks are no thread's. A ring keeps them when it gives old events back, as later events need them.

use core::cell::UnsafeCell;
use core::sync::atomic::{AtomicU32, Ordering};

use trace_format::{CHUNK, ChunkHead, Event, FRAMES, Writer};

use crate::errno::Kept;
use crate::session::Now;
use crate::{file, session, system};

struct Shared {
    writer: Writer,
    /// Where its chunk is in the file.
    place: u32,
    sequence: u32,
}

struct Guarded(UnsafeCell<Shared>);

// SAFETY: only who has the lock reaches it.
unsafe impl Sync for Guarded {}

static SHARED: Guarded =
    Guarded(UnsafeCell::new(Shared { writer: Writer::NONE, place: 0, sequence: 0 }));

/// The right to write; others wait. It ends when it is dropped.
pub(super) struct Out(&'static AtomicU32);

impl Out {
    /// Waits for the right to write.
    pub(super) fn locked() -> Self {
        let lock = session::frames_lock();
        while lock.swap(1, Ordering::Acquire) != 0 {
            core::hint::spin_loop();
            // SAFETY: lets another thread run.
            unsafe { libc::syscall(libc::SYS_sched_yield) };
        }
        Self(lock)
    }

    fn shared(&mut self) -> &mut Shared {
        // SAFETY: the lock is ours.
        unsafe { &mut *SHARED.0.get() }
    }

    /// Writes an event. `false`: nothing more is recorded.
    pub(super) fn write(&mut self, time: u64, event: &Event<'_>) -> bool {
        if !self.shared().writer.has_room() && !self.renew() {
            return false;
        }
        // SAFETY: there is room.
        unsafe { self.shared().writer.event(time, event) };
        true
    }

    /// A new chunk. `false`: there is none to be had; a thread whose chunk is full will say why.
    #[cold]
    fn renew(&mut self) -> bool {
        let _errno = Kept::now();
        if !session::is_on() {
            return false;
        }
        let Ok((place, chunk)) = file::take_chunk() else { return false };
        self.seal();
        let now = Now::read();
        let shared = self.shared();
        let head = ChunkHead {
            magic: ChunkHead::MAGIC,
            thread: FRAMES,
            tid: system::process(),
            sequence: shared.sequence,
            committed: 0,
            flags: 0,
            time: now.time,
            monotonic: now.monotonic,
            last_time: 0,
            last_monotonic: 0,
            reserved: 0,
        };
        // SAFETY: a chunk of its own.
        shared.writer = unsafe { Writer::begin(chunk, &head) };
        shared.place = place;
        shared.sequence += 1;
        true
    }

    /// Nothing more comes into the chunk.
    pub(super) fn seal(&mut self) {
        let now = Now::read();
        let shared = self.shared();
        if shared.writer.chunk().is_null() {
            return;
        }
        shared.writer.seal(0, now.time, now.monotonic);
        let written = shared.writer.written();
        let place = shared.place;
        self.let_go();
        file::sealed(place, written, true);
    }

    /// A recording begins: a chunk that there is belongs to another one, the parent's of a child of `fork`.
    pub(super) fn begin(&mut self) {
        self.let_go();
        self.shared().sequence = 0;
    }

    fn let_go(&mut self) {
        let chunk = core::mem::replace(&mut self.shared().writer, Writer::NONE).chunk();
        if !chunk.is_null() {
            // SAFETY: the writer was the only one to point there.
            unsafe { system::unmap(chunk, CHUNK) };
        }
    }
}

impl Drop for Out {
    fn drop(&mut self) {
        self.0.store(0, Ordering::Release);
    }
}
