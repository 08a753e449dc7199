//! Threads that end early: what they did stands one behind the other in the file, and the next thread gets their chunk.
//!
//! ```text
//! file     [ head │ a thread's │ another's, spare ░░░ │ short short short short ░░ │ … ]
//!                                 ▲ mapped, for a thread that begins
//! ```
//!
//! So a thread that makes a hundred calls takes a few hundred bytes of the file and one write, instead of a chunk that is made, mapped,
//! unmapped and given back.

use core::cell::UnsafeCell;

use trace_format::{CHUNK, SHORT, SHORT_ALIGN, Writer};

use crate::session::Lock;
use crate::{chunk, file, system};

/// The most bytes of a chunk that is short.
const MOST: usize = CHUNK / 2;
/// So many chunks are kept for threads that begin.
const SPARE: usize = 4;

struct Shelf {
    /// Of which recording all this is; 0: of none.
    session: u32,
    /// Where the next short chunk goes in the file; at the begin of a place: nowhere yet.
    end: u64,
    /// Places of spare chunks, and where they are mapped.
    spare: [(u32, *mut u8); SPARE],
    /// How many there are.
    spares: usize,
}

struct Shared(UnsafeCell<Shelf>);

// SAFETY: only who has the lock reaches what is inside.
unsafe impl Sync for Shared {}

static SHELF: Shared = Shared(UnsafeCell::new(Shelf {
    session: 0,
    end: 0,
    spare: [(0, core::ptr::null_mut()); SPARE],
    spares: 0,
}));

/// Does something with the shelf that no other thread does meanwhile.
fn with<R>(act: impl FnOnce(&mut Shelf) -> R) -> R {
    let _lock = Lock::Shelf.lock();
    // SAFETY: the lock is ours.
    act(unsafe { &mut *SHELF.0.get() })
}

/// Keeps a sealed chunk that is short, and the chunk for another thread. `false`: it is too long, or cannot be written.
pub(crate) fn put(session: u32, place: u32, writer: &mut Writer) -> bool {
    let bytes = writer.bytes().len();
    if bytes == 0 || bytes > MOST {
        return false;
    }
    writer.flag(SHORT);
    with(|shelf| {
        if shelf.session != session || !shelf.keep(writer.bytes()) {
            return false;
        }
        writer.erase();
        if let Some(room) = shelf.spare.get_mut(shelf.spares) {
            *room = (place, core::mem::replace(writer, Writer::NONE).chunk());
            shelf.spares += 1;
        } else {
            chunk::let_go(writer);
            file::give_up(session, place);
        }
        true
    })
}

/// A chunk that a thread has left, and its place in the file.
pub(crate) fn take(session: u32) -> Option<(u32, *mut u8)> {
    with(|shelf| if shelf.session == session { shelf.take() } else { None })
}

/// A recording begins, or ends (0): what there is belongs to one before, the parent's of a child of `fork`.
pub(crate) fn begin(session: u32) {
    with(|shelf| {
        while let Some((_, chunk)) = shelf.take() {
            // SAFETY: nobody writes there.
            unsafe { system::unmap(chunk, CHUNK) };
        }
        (shelf.session, shelf.end) = (session, 0);
    });
}

impl Shelf {
    fn take(&mut self) -> Option<(u32, *mut u8)> {
        self.spares = self.spares.checked_sub(1)?;
        Some(self.spare[self.spares])
    }

    fn keep(&mut self, chunk: &[u8]) -> bool {
        let len = chunk.len().next_multiple_of(SHORT_ALIGN) as u64;
        let used = self.end % CHUNK as u64;
        let is_new = used == 0 || used + len > CHUNK as u64 || file::is_old(self.end);
        let kept = if is_new {
            file::keep(self.session, chunk)
        } else {
            file::keep_at(self.session, chunk, self.end)
        };
        if let Ok(at) = kept {
            self.end = at + len;
        }
        kept.is_ok()
    }
}
