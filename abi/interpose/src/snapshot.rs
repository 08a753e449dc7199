//! What was live before a recorder that waited was switched on: asked of the malloc, if it is one that can be walked.
//!
//! ```text
//! switched on ─► due ─► the first thread that has something to write walks ─► over
//!                │      chunks of no thread:  born A │ born B │ … │ free B: no, a thread keeps it
//!                └───── who frees a block says before how large it was ──────┘
//! ```
//!
//! Events are recorded before the walk begins, so what comes and goes meanwhile is known from them; whoever packs the recording
//! takes out of the walk what they explain.

use core::ffi::{c_int, c_void};
use core::sync::atomic::{AtomicU32, Ordering};

use trace_format::{Event, WALK, Writer};

use crate::names::Slot;
use crate::next::{self, next};
use crate::session::{self, Now, Word};
use crate::{chunk, large, system};

type Visit = unsafe extern "C" fn(*mut c_void, usize, c_int, *mut c_void);
type Walk = unsafe extern "C" fn(Visit, *mut c_void) -> c_int;

/// The malloc's function that shows its blocks, in our words for [`Visit`]; null where it has none.
static FUNCTION: Slot<Option<Walk>> = Slot::of(core::ptr::null());

/// What is to be done about it.
const OVER: u32 = 0;
const UNDER_WAY: u32 = 1;
/// It is due, and may be tried so often: in a signal handler that interrupted the malloc it cannot be done.
const DUE: u32 = 2;
const TRIES: u32 = 3;

/// Finds the malloc's function.
pub(crate) fn find() {
    if let Some(function) = next::behind(c"heapwright_walk")
        && next::are_together(function, next().malloc.address())
    {
        FUNCTION.set(function);
    }
}

/// A recording begins in the middle of a program.
pub(crate) fn begin() {
    if FUNCTION.get().is_some() {
        Word::Snapshot.of_page().store(DUE + TRIES, Ordering::Relaxed);
        large::suspect_all();
    }
}

/// Whether blocks may be freed that are not known yet.
#[inline]
pub(crate) fn is_open() -> bool {
    Word::Snapshot.of_page().load(Ordering::Relaxed) != OVER
}

/// Writes that a block is there, if nothing may be known of it yet.
pub(crate) fn note(writer: &mut Writer, block: *mut u8, time: u64) {
    if is_open() {
        // SAFETY: the block is live until the next malloc is told.
        let size = unsafe { next().malloc_usable_size.get()(block) };
        let event = Event::Born { at: block.addr() as u64, size: size as u64 };
        // SAFETY: there is room for the events of a call, this one too.
        unsafe { writer.event(time, &event) };
    }
}

/// Takes the snapshot if it is due. Errors: why there is no room in the file.
pub(crate) fn take_if_due() -> Result<(), &'static [u8]> {
    let state = Word::Snapshot.of_page();
    let due = state.load(Ordering::Relaxed);
    if due < DUE || !change(state, due, UNDER_WAY) {
        return Ok(());
    }
    let Some(walk) = FUNCTION.get() else { return Ok(()) };
    let mut taking = Taking {
        writer: Writer::NONE,
        place: 0,
        sequence: 0,
        session: session::number(),
        failed: None,
    };
    // SAFETY: the function takes what it is passed here, and `taking` outlives it.
    let answer = unsafe { walk(visit, (&raw mut taking).cast()) };
    let is_tried_again = answer != 0 && taking.sequence == 0 && due > DUE;
    taking.seal();
    change(state, UNDER_WAY, if is_tried_again { due - 1 } else { OVER });
    taking.failed.map_or(Ok(()), Err)
}

fn change(state: &AtomicU32, from: u32, to: u32) -> bool {
    state.compare_exchange(from, to, Ordering::Relaxed, Ordering::Relaxed).is_ok()
}

/// The chunks of a walk.
struct Taking {
    writer: Writer,
    place: u32,
    sequence: u32,
    session: u32,
    failed: Option<&'static [u8]>,
}

unsafe extern "C" fn visit(block: *mut c_void, size: usize, live: c_int, user: *mut c_void) {
    // SAFETY: what `take_if_due` passed.
    let taking = unsafe { &mut *user.cast::<Taking>() };
    let at = block.addr() as u64;
    let event = if live != 0 { Event::Born { at, size: size as u64 } } else { Event::Free { at } };
    taking.write(&event);
}

impl Taking {
    fn write(&mut self, event: &Event<'_>) {
        if self.failed.is_some() || (!self.writer.has_room() && !self.renew()) {
            return;
        }
        // SAFETY: there is room. All of a chunk is of the moment when it began.
        unsafe { self.writer.event(0, event) };
    }

    #[cold]
    fn renew(&mut self) -> bool {
        self.seal();
        if self.session != session::number() {
            self.failed = Some(b"another recording has begun");
            return false;
        }
        match chunk::begin(self.session, (WALK, system::process(), self.sequence), &Now::read()) {
            Ok((writer, place)) => (self.writer, self.place) = (writer, place),
            Err(why) => self.failed = Some(why),
        }
        self.sequence += 1;
        self.failed.is_none()
    }

    fn seal(&mut self) {
        chunk::seal(self.session, &mut self.writer, self.place, false);
    }
}
