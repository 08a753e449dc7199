//! What the recorder keeps of the calling thread: where it writes, and that it does.

use core::cell::{Cell, UnsafeCell};
use core::mem::ManuallyDrop;
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

/// A block of thread-local storage; zeros at first.
#[repr(C)]
pub(crate) struct Thread {
    /// 0, [`ASKING`] or [`WRITING`].
    pub(crate) busy: AtomicUsize,
    writer: UnsafeCell<Writer>,
    /// Of which recording the rest is; 0: of none.
    pub(crate) session: Cell<u32>,
    /// Which thread of the process.
    pub(crate) number: Cell<u32>,
    /// Which of its chunks is next.
    pub(crate) sequence: Cell<u32>,
    /// The kernel's number of it.
    pub(crate) tid: Cell<u32>,
    /// Its chunk's place in the file, in chunks.
    pub(crate) place: Cell<u32>,
    /// Events that came in while it was writing one.
    pub(crate) dropped: Cell<u32>,
    /// Its end will be told.
    pub(crate) is_watched: Cell<bool>,
    /// How many blocks it freed while it had no chunk; [`ENDED`]: its end was told, and it gets none any more.
    late: Cell<u8>,
    /// The name that was written last.
    pub(crate) name: Cell<[u8; 16]>,
    /// Before this time no pages are counted.
    pub(crate) no_pages_before: Cell<u64>,
    /// Where its call comes from.
    pub(crate) caller: stacks::Caller,
}

impl Thread {
    /// The calling thread's.
    #[inline(always)]
    pub(crate) fn this() -> &'static Self {
        // SAFETY: the thread's own block, which is there as long as the thread runs.
        unsafe { &*tls::block() }
    }

    /// Where its next event goes, and the address that was written last.
    pub(crate) fn position(&self) -> (usize, u64) {
        // SAFETY: read between the events of this thread.
        unsafe { (*self.writer.get()).position() }
    }

    /// Whether the events of its call go where those of threads without a chunk go.
    pub(crate) fn goes_without(&self, frees: bool) -> bool {
        let late = self.late.get();
        if !frees || late >= FEW || self.session.get() == session::number() {
            return late == ENDED;
        }
        self.late.set(late + 1);
        true
    }

    /// Its end was told.
    pub(crate) fn ends(&self) {
        self.late.set(ENDED);
    }

    /// Whether its end was told.
    pub(crate) fn has_ended(&self) -> bool {
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
pub(crate) struct Turn {
    pub(crate) thread: &'static Thread,
}

impl Turn {
    /// The calling thread's turn, before it asks the next malloc. `None`: it has one already.
    #[inline(always)]
    pub(crate) fn to_ask() -> Option<Self> {
        Self::take(ASKING)
    }

    /// The same where the next thing is an event.
    #[inline(always)]
    pub(crate) fn to_write() -> Option<Self> {
        Self::take(WRITING)
    }

    /// The turn that who calls has of the thread; it ends there.
    pub(crate) fn of_caller(thread: &'static Thread) -> ManuallyDrop<Self> {
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
    pub(crate) fn writes(&self) {
        self.thread.set(WRITING);
    }

    /// The event was written, and the next malloc is asked now.
    #[inline(always)]
    pub(crate) fn asks(&self) {
        self.thread.set(ASKING);
    }

    /// Has the events of one call written: `writes` is given a writer with room for them, and their time. It frees a block, or not.
    pub(crate) fn write(
        &mut self,
        time: u64,
        frees: bool,
        mut writes: impl FnMut(&mut Writer, u64),
    ) {
        match self.ready() {
            Some(writer) => writes(writer, time),
            None => session::write_slowly(self, time, frees, &mut writes),
        }
    }

    /// The thread's writer, with room for the events of one call; `None` where nothing is recorded.
    pub(crate) fn writer(&mut self, time: u64) -> Option<&mut Writer> {
        if self.ready().is_none() && !session::make_room(self, time) {
            return None;
        }
        // SAFETY: only a turn reaches the writer, and a thread has one at a time.
        Some(unsafe { &mut *self.thread.writer.get() })
    }

    /// The thread's writer, if it has room and is of the recording that is on. One of none has no room.
    #[inline(always)]
    pub(crate) fn ready(&mut self) -> Option<&mut Writer> {
        // SAFETY: only a turn reaches the writer, and a thread has one at a time.
        let writer = unsafe { &mut *self.thread.writer.get() };
        (writer.has_room() && session::is_on_as(self.thread.session.get())).then_some(writer)
    }

    /// The same without asking for room.
    pub(crate) fn writer_as_it_is(&self) -> *mut Writer {
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
