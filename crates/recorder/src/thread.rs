//! What the recorder keeps of the calling thread: where it writes, and that it does.

use core::cell::{Cell, UnsafeCell};
use core::mem::{ManuallyDrop, offset_of};
use core::sync::atomic::{AtomicUsize, Ordering, compiler_fence};

use trace_format::Writer;

use crate::{session, stacks, tls};

/// The thread is inside the next malloc.
const ASKING: usize = 1;
/// The thread writes an event.
const WRITING: usize = 2;

/// So many blocks a thread frees before it gets a chunk: the C library frees that many at most when a thread has ended.
const FEW: u8 = 16;
const ENDED: u8 = u8::MAX;

/// Where in a thread's block its caller is noted.
pub const SP: usize = offset_of!(Thread, caller) + stacks::SP;
/// The same of the register that frames are found by.
pub const RBP: usize = offset_of!(Thread, caller) + stacks::RBP;
/// Where it says whether the thread is in a call already, whose caller it is that counts.
pub const BUSY: usize = offset_of!(Thread, busy);
/// Where it has what is left until the thread's next point.
pub const UNTIL: usize = offset_of!(Thread, caller) + stacks::UNTIL;

/// A block of thread-local storage; zeros at first.
#[repr(C)]
pub struct Thread {
    /// 0, `ASKING` or `WRITING`.
    pub busy: AtomicUsize,
    writer: UnsafeCell<Writer>,
    /// Of which recording the rest is; 0: of none.
    pub session: Cell<u32>,
    /// Which thread of the process.
    pub number: Cell<u32>,
    /// Which of its chunks is next.
    pub sequence: Cell<u32>,
    /// The kernel's number of it.
    pub tid: Cell<u32>,
    /// Its chunk's place in the file, in chunks.
    pub place: Cell<u32>,
    /// Events that came in while it was writing one.
    pub dropped: Cell<u32>,
    /// Its end will be told.
    pub is_watched: Cell<bool>,
    /// How many blocks it freed while it had no chunk; [`ENDED`]: its end was told, and it gets none any more.
    late: Cell<u8>,
    /// The name that was written last.
    pub name: Cell<[u8; 16]>,
    /// Before this time no pages are counted.
    pub no_pages_before: Cell<u64>,
    /// Where its call comes from.
    pub caller: stacks::Caller,
}

impl Thread {
    /// The calling thread's.
    #[inline(always)]
    pub fn this() -> &'static Self {
        // SAFETY: the thread's own block, which is there as long as the thread runs.
        unsafe { &*tls::block() }
    }

    /// Where its next event goes, and the address that was written last.
    pub fn position(&self) -> (usize, u64) {
        // SAFETY: read between the events of this thread.
        unsafe { (*self.writer.get()).position() }
    }

    /// Whether the events of its call go where those of threads without a chunk go.
    pub fn goes_without(&self, frees: bool) -> bool {
        let late = self.late.get();
        if !frees || late >= FEW || self.session.get() == session::number() {
            return late == ENDED;
        }
        self.late.set(late + 1);
        true
    }

    /// Its end was told.
    pub fn ends(&self) {
        self.late.set(ENDED);
    }

    /// Whether its end was told.
    pub fn has_ended(&self) -> bool {
        self.late.get() == ENDED
    }

    #[inline(always)]
    fn set(&self, busy: usize) {
        compiler_fence(Ordering::SeqCst);
        self.busy.store(busy, Ordering::Relaxed);
        compiler_fence(Ordering::SeqCst);
    }
}

/// The right of the outermost call of a thread to record. Ends when it is dropped.
pub struct Turn {
    /// Whose it is.
    pub thread: &'static Thread,
}

impl Turn {
    /// The calling thread's turn, before it asks the next malloc. `None`: it has one already.
    #[inline(always)]
    pub fn to_ask() -> Option<Self> {
        Self::take(ASKING)
    }

    /// The same where the next thing is an event.
    #[inline(always)]
    pub fn to_write() -> Option<Self> {
        Self::take(WRITING)
    }

    /// The turn that who calls has of the thread; it ends there.
    pub fn of_caller(thread: &'static Thread) -> ManuallyDrop<Self> {
        ManuallyDrop::new(Self { thread })
    }

    #[inline(always)]
    fn take(busy: usize) -> Option<Self> {
        let thread = Thread::this();
        let before = thread.busy.load(Ordering::Relaxed);
        if before != 0 {
            if before == WRITING {
                note_dropped(thread);
            }
            return None;
        }
        thread.set(busy);
        Some(Self { thread })
    }

    /// The next malloc has answered, and an event is written now.
    #[inline(always)]
    pub fn writes(&self) {
        self.thread.set(WRITING);
    }

    /// The event was written, and the next malloc is asked now.
    #[inline(always)]
    pub fn asks(&self) {
        self.thread.set(ASKING);
    }

    /// Has the events of one call written: `writes` is given a writer with room for them, and their time. It frees a block, or not.
    pub fn write(&mut self, time: u64, frees: bool, mut writes: impl FnMut(&mut Writer, u64)) {
        match self.ready() {
            Some(writer) => writes(writer, time),
            None => session::write_slowly(self, time, frees, &mut writes),
        }
    }

    /// The thread's writer, with room for the events of one call; `None` where nothing is recorded.
    pub fn writer(&mut self, time: u64) -> Option<&mut Writer> {
        if self.ready().is_none() && !session::make_room(self, time) {
            return None;
        }
        // SAFETY: only a turn reaches the writer, and a thread has one at a time.
        Some(unsafe { &mut *self.thread.writer.get() })
    }

    /// The thread's writer, if it has room and is of the recording that is on. One of none has no room.
    #[inline(always)]
    pub fn ready(&mut self) -> Option<&mut Writer> {
        // SAFETY: only a turn reaches the writer, and a thread has one at a time.
        let writer = unsafe { &mut *self.thread.writer.get() };
        (writer.has_room() && session::is_on_as(self.thread.session.get())).then_some(writer)
    }

    /// The same without asking for room.
    pub fn writer_as_it_is(&self) -> *mut Writer {
        self.thread.writer.get()
    }
}

impl Drop for Turn {
    #[inline(always)]
    fn drop(&mut self) {
        self.thread.set(0);
    }
}

/// Its signal handler has called while the thread was writing.
#[cold]
fn note_dropped(thread: &Thread) {
    thread.dropped.set(thread.dropped.get().saturating_add(1));
}
