//! Chunks that all threads write to, one at a time: for what is rare.
//!
//! ```text
//! FRAMES   frames and modules: of no thread. A ring keeps them when it gives old events back, as later events need them
//! LATE     what threads do that have no chunk: as if one more thread did it
//! ```
//!
//! A thread has no chunk once its end was told, nor while all that it did was to free a block or two. The C library frees something
//! of each thread behind all that tells of its end: for that no chunk may be begun, as nobody would ever unmap it.

use core::cell::UnsafeCell;

use trace_format::{Event, FRAMES as NO_THREAD, Writer};

use crate::errno::Kept;
use crate::session::{self, Guard, Lock, Now};
use crate::{chunk, clock, file, system};

/// A writer for all threads.
pub struct Shared {
    lock: Lock,
    /// The name of the thread as which it writes; `None`: as no thread.
    name: Option<&'static [u8]>,
    inside: UnsafeCell<Inside>,
}

struct Inside {
    /// Of which recording it is; 0: of none.
    session: u32,
    writer: Writer,
    /// Where its chunk is in the file.
    place: u32,
    thread: u32,
    sequence: u32,
}

// SAFETY: only who has the lock reaches what is inside.
unsafe impl Sync for Shared {}

/// What call stacks consist of.
pub static FRAMES: Shared = Shared::new(Lock::Frames, None);
/// What threads do that have no chunk.
pub static LATE: Shared = Shared::new(Lock::Late, Some(b"ended threads"));

impl Shared {
    const fn new(lock: Lock, name: Option<&'static [u8]>) -> Self {
        let inside =
            Inside { session: 0, writer: Writer::NONE, place: 0, thread: NO_THREAD, sequence: 0 };
        Self { lock, name, inside: UnsafeCell::new(inside) }
    }

    /// Waits for the right to write.
    pub fn locked(&'static self) -> Locked {
        Locked { shared: self, _lock: self.lock.lock() }
    }
}

/// The right to write; others wait. It ends when it is dropped.
pub struct Locked {
    shared: &'static Shared,
    _lock: Guard,
}

impl Locked {
    fn inside(&mut self) -> &mut Inside {
        // SAFETY: the lock is ours.
        unsafe { &mut *self.shared.inside.get() }
    }

    /// The writer, with room for the events of a call. `None`: nothing more is recorded.
    pub fn writer(&mut self) -> Option<&mut Writer> {
        let has_room = self.inside().writer.has_room() || self.renew();
        has_room.then(|| &mut self.inside().writer)
    }

    /// Writes an event. `false`: nothing more is recorded.
    pub fn write(&mut self, time: u64, event: &Event<'_>) -> bool {
        let Some(writer) = self.writer() else { return false };
        // SAFETY: there is room.
        unsafe { writer.event(time, event) };
        true
    }

    /// A new chunk. `false`: there is none to be had; a thread whose chunk is full will say why.
    #[cold]
    fn renew(&mut self) -> bool {
        let _errno = Kept::now();
        let name = self.shared.name;
        let Inside { session, thread, sequence, .. } = *self.inside();
        if session == 0 || !session::is_on_as(session) {
            return false;
        }
        let (thread, tid) = match name {
            None => (NO_THREAD, system::process()),
            Some(_) if sequence == 0 => (file::next_thread(), 0),
            Some(_) => (thread, 0),
        };
        let now = Now::read();
        let Ok((mut writer, place)) = chunk::begin(session, (thread, tid, sequence), &now) else {
            return false;
        };
        if let Some(name) = name {
            // SAFETY: a new chunk has room.
            unsafe { writer.event(now.time, &Event::ThreadName { name }) };
        }
        self.seal();
        *self.inside() = Inside { session, writer, place, thread, sequence: sequence + 1 };
        true
    }

    /// Nothing more comes into the chunk.
    pub fn seal(&mut self) {
        let stays = self.shared.name.is_none();
        let Inside { session, writer, place, .. } = self.inside();
        chunk::seal(*session, writer, *place, stays);
    }

    /// A recording begins: a chunk that there is belongs to another one, the parent's of a child of `fork`.
    pub fn begin(&mut self, session: u32) {
        let inside = self.inside();
        chunk::let_go(&mut inside.writer);
        (inside.session, inside.sequence) = (session, 0);
    }
}

/// Has the events of a call written that comes too late for a chunk of the thread's own. They are stamped anew: others have
/// written meanwhile.
pub fn write_late(writes: &mut dyn FnMut(&mut Writer, u64)) {
    let mut late = LATE.locked();
    if let Some(writer) = late.writer() {
        writes(writer, clock::now());
    }
}
