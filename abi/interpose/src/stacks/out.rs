//! The chunks that frames and modules go to, of all threads: what is met first is rare, so one thread at a time writes there.
//!
//! These chunks are no thread's. A ring keeps them when it gives old events back, as later events need them.

use core::cell::UnsafeCell;
use core::sync::atomic::{AtomicU32, Ordering};

use trace_format::{Event, FRAMES, Writer};

use crate::errno::Kept;
use crate::session::Now;
use crate::{chunk, session, system};

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
        let (tid, sequence) = (system::process(), self.shared().sequence);
        let Ok((next, place)) = chunk::begin(FRAMES, tid, sequence, &Now::read()) else {
            return false;
        };
        self.seal();
        *self.shared() = Shared { writer: next, place, sequence: sequence + 1 };
        true
    }

    /// Nothing more comes into the chunk.
    pub(super) fn seal(&mut self) {
        let Shared { writer, place, .. } = self.shared();
        chunk::seal(writer, *place, 0, true);
    }

    /// A recording begins: a chunk that there is belongs to another one, the parent's of a child of `fork`.
    pub(super) fn begin(&mut self) {
        let shared = self.shared();
        chunk::let_go(&mut shared.writer);
        shared.sequence = 0;
    }
}

impl Drop for Out {
    fn drop(&mut self) {
        self.0.store(0, Ordering::Release);
    }
}
