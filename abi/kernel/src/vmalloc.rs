//! `vmalloc` and its family: one `Vmalloc` behind a lock, and a `struct page` for each frame that somebody asked for.
//!
//! ```text
//! frames    │ 0 │ 1 │ 2 │ 3 │ …            a file in memory
//!             ▲   ▲       ▲
//! areas     vmalloc, vmap                  many mappings of it
//! direct    │ 0 │ 1 │ 2 │ 3 │ …            one mapping of all of it: page_address()
//! rows      row n: struct page of frame n
//! ```
//!
//! - **vmalloc-B1** an instance's lock is the module's; older instances are those of the processes this one was forked from,
//!   and those of which the program closed the file.
//!
//! - **vmalloc-B2** what was live at a fork is never punched nor used again, by the parent neither: a child may have it.
//!
//! Frames are shared memory, so the child of a fork shares them with its parent. What it frees of its parent's it only
//! forgets; what it allocates comes out of an instance of its own. Where the program has closed the descriptor of the
//! frames' file, a new instance takes the place of the old one, which is one of the older ones then.
use core::ffi::{c_int, c_ulong};
use core::ptr::{self, NonNull};

use base::lock::Lock;
use base::sync::{AtomicBool, AtomicU8, AtomicUsize, Ordering};
use base::{Broken, Check, Owns};
use kernel::vmalloc::{Caller, Vmalloc, VmallocError, VmallocLimits};
use source::os::Os;
use source::os::imp::console::Console;
use source::{FrameSource, Mapped, PageSource};

use crate::flags::{self, Flags};
use crate::fork;
use crate::guarded::{Guarded, Inside};
use crate::misuse;
use crate::pages::{self, PAGE};
use crate::rows::{Kind, Row, Rows};

mod numbers;
mod realloc;

use numbers::Numbers;
pub(crate) use realloc::{copy, reallocate};

struct Instance {
    areas: Vmalloc<Os>,
    rows: Rows,
    /// Where all frames are mapped; 0: not yet.
    direct: usize,
    /// Whether a row was made of a frame that an area holds.
    shown: bool,
    older: Option<NonNull<Self>>,
}

/// The instance of this process, and those of its parents.
struct State {
    own: Option<NonNull<Instance>>,
    older: Option<NonNull<Instance>>,
}

// SAFETY: instances are reached inside of the lock only (vmalloc-B1).
unsafe impl Send for State {}

static STATE: Guarded<State> = Guarded::new(State { own: None, older: None });
/// The addresses of areas of this process; of length 0 before there are any.
static WINDOW: [AtomicUsize; 2] = [AtomicUsize::new(0), AtomicUsize::new(0)];
/// Whether there is an older instance.
static FORKED: AtomicBool = AtomicBool::new(false);
/// What this process is of the forks since somebody was inside: neither, [`PARENT`] or [`COPY`].
static SINCE: AtomicU8 = AtomicU8::new(NEITHER);
const NEITHER: u8 = 0;
const PARENT: u8 = 1;
/// Also if it forked itself then: it has nothing of its own yet.
const COPY: u8 = 2;

impl State {
    /// This process's instance. `None`: there is none.
    fn own(&mut self) -> Option<&mut Instance> {
        // SAFETY: made by `begin`, and never given back; who is inside has it alone (vmalloc-B1).
        self.own.map(|mut own| unsafe { own.as_mut() })
    }

    /// The same, made if there is none. `None`: the system refuses.
    fn ready(&mut self) -> Option<&mut Instance> {
        if self.own.is_none() {
            self.own = begin(self.older);
        }
        self.own()
    }

    /// Does something with this process's instance, and once more with a new one where it failed as the program has closed
    /// the descriptor of the frames' file.
    fn attempt<T>(&mut self, work: impl Fn(&mut Instance) -> Option<T>) -> Option<T> {
        let own = self.ready()?;
        let done = work(own);
        if done.is_some() || Os.is_open(own.areas.file()) {
            return done;
        }
        self.retire();
        work(self.ready()?)
    }

    /// Makes this process's instance an older one, which nothing is allocated from.
    #[cold]
    fn retire(&mut self) {
        if let Some(own) = self.own.take() {
            self.older = Some(own);
            FORKED.store(true, Ordering::Relaxed);
        }
    }

    /// Whether a parent's instance is one for which `test` holds.
    fn any_older(&self, test: impl Fn(&Instance) -> bool) -> bool {
        let first = self.older;
        // SAFETY: as `own`.
        let next = |older: &NonNull<Instance>| unsafe { older.as_ref() }.older;
        // SAFETY: as `own`.
        core::iter::successors(first, next).any(|older| test(unsafe { older.as_ref() }))
    }
}

#[cold]
fn begin(older: Option<NonNull<Instance>>) -> Option<NonNull<Instance>> {
    fork::watch();
    let mut limits = VmallocLimits::of(&Os);
    if let Some(limit) = Os.address_limit() {
        // Of the rest the pages of everything else have a quarter, and `direct` as much as there is memory.
        limits.addresses = limits.addresses.min(limit / 8);
        limits.memory = limits.memory.min(limit / 8);
    }
    let at = pages::room::<Instance>()?;
    let Ok(areas) = Vmalloc::new(Os, limits) else {
        // SAFETY: just taken.
        unsafe { pages::give_back(at) };
        return None;
    };
    let (start, len) = areas.window();
    // SAFETY: room for it.
    unsafe { at.write(Instance { areas, rows: Rows::new(), direct: 0, shown: false, older }) };
    WINDOW[1].store(0, Ordering::Relaxed);
    WINDOW[0].store(start, Ordering::Relaxed);
    WINDOW[1].store(len, Ordering::Release);
    Some(at)
}

pub(crate) fn lock() -> &'static Lock<Os> {
    STATE.bare()
}

pub(crate) extern "C" fn note_copy() {
    SINCE.store(COPY, Ordering::Relaxed);
}

pub(crate) extern "C" fn note_fork() {
    SINCE.fetch_max(PARENT, Ordering::Relaxed);
}

/// Waits until it can enter. The first to do so in a copy makes its parent's instance an older one; the first in a parent
/// marks what its child has too (vmalloc-B2). Nothing was allocated or freed since the fork.
#[inline]
fn enter() -> Inside<'static, State> {
    let mut state = STATE.lock();
    if SINCE.load(Ordering::Relaxed) != NEITHER {
        after_fork(&mut state);
    }
    state
}

#[cold]
fn after_fork(state: &mut State) {
    if SINCE.swap(NEITHER, Ordering::Relaxed) == COPY {
        state.retire();
    } else if let Some(own) = state.own() {
        own.areas.note_fork(false);
    }
}

pub(crate) fn check() -> Result<(), Broken> {
    enter().own().map_or(Ok(()), |own| own.areas.check())
}

#[inline]
pub(crate) fn is_address(address: usize) -> bool {
    let len = WINDOW[1].load(Ordering::Acquire);
    address.wrapping_sub(WINDOW[0].load(Ordering::Relaxed)) < len
        || (FORKED.load(Ordering::Relaxed) && is_older(address))
}

#[cold]
fn is_older(address: usize) -> bool {
    enter().any_older(|older| older.areas.owns(ptr::without_provenance(address)))
}

impl Instance {
    /// Maps all frames, once. 0: the system refuses.
    fn direct(&mut self) -> usize {
        if self.direct == 0 {
            let page = self.areas.page_size();
            let len = self.areas.limits().memory / page * page;
            let Some(at) = Os.reserve(len, page) else { return 0 };
            // SAFETY: just reserved, and the frames' users agree: they are `struct page`s.
            match unsafe { Os.map_frames(self.areas.file(), 0, len / page, at) } {
                Mapped::Done => self.direct = at,
                Mapped::Refused | Mapped::Closed => {
                    // SAFETY: just reserved.
                    unsafe { Os.release(at, len) };
                }
                Mapped::Lost => {}
            }
        }
        self.direct
    }

    fn row(&mut self, frame: u32) -> Option<NonNull<Row>> {
        let (direct, page) = (self.direct(), self.areas.page_size());
        let row = self.rows.at(frame).filter(|_| direct != 0)?;
        let address = ptr::with_exposed_provenance_mut(direct + frame as usize * page);
        // SAFETY: a row of ours stays.
        unsafe { row.as_ref() }.set(Kind::Frame, address, frame);
        Some(row)
    }

    /// The rows of an area's frames from a page on, which go with it.
    fn clear_rows(&mut self, area: NonNull<u8>, from: usize) {
        let size = self.areas.size_of(area.as_ptr()).unwrap_or(0);
        for at in (from..size).step_by(self.areas.page_size()) {
            let Ok(frame) = self.areas.vmalloc_to_frame(area.as_ptr().wrapping_add(at)) else {
                break;
            };
            self.rows.clear(frame);
        }
    }
}

/// An area of `size` bytes, as its flags say.
pub(crate) fn allocate(function: &'static str, size: usize, flags: Flags) -> Option<NonNull<u8>> {
    let mut state = enter();
    let area = state.attempt(|own| {
        let caller = Caller::Name(function);
        if flags & flags::ZERO != 0 {
            own.areas.vzalloc(size, caller).ok()
        } else {
            own.areas.vmalloc(size, caller).ok()
        }
    });
    drop(state);
    flags::granted(flags, function, size, area)
}

/// Gives an area back; one of a parent is left alone.
pub(crate) fn free(function: &str, area: NonNull<u8>) {
    let mut state = enter();
    let freed = match state.own() {
        None => Err(VmallocError::Foreign),
        Some(own) => {
            if own.shown {
                own.clear_rows(area, 0);
            }
            // SAFETY: the caller gives it up; what it is not is found.
            unsafe { own.areas.vfree(area.as_ptr()) }
        }
    };
    finish(function, area, freed, &state);
}

/// Ends the program by what was found, unless the area is a parent's.
fn finish(function: &str, area: NonNull<u8>, ended: Result<(), VmallocError>, state: &State) {
    let Err(error) = ended else { return };
    let is_parents = error == VmallocError::Foreign
        && state.any_older(|older| older.areas.size_of(area.as_ptr()).is_ok());
    if !is_parents {
        misuse::end(function, format_args!("{area:p}: {error}"));
    }
}

#[cold]
fn no_page(function: &str, page: *const Row) -> ! {
    misuse::end(function, format_args!("{page:p} is no page of alloc_page(), or free"))
}

#[unsafe(no_mangle)]
extern "C" fn vmalloc(size: usize) -> *mut u8 {
    allocate("vmalloc", size, 0).map_or(ptr::null_mut(), NonNull::as_ptr)
}

#[unsafe(no_mangle)]
extern "C" fn vzalloc(size: usize) -> *mut u8 {
    allocate("vzalloc", size, flags::ZERO).map_or(ptr::null_mut(), NonNull::as_ptr)
}

#[unsafe(no_mangle)]
extern "C" fn vfree(area: *const u8) {
    if let Some(area) = NonNull::new(area.cast_mut()) {
        free("vfree", area);
    }
}

#[unsafe(no_mangle)]
extern "C" fn is_vmalloc_addr(address: *const u8) -> bool {
    is_address(address.addr())
}

#[unsafe(no_mangle)]
extern "C" fn vmalloc_to_page(address: *const u8) -> *const Row {
    let mut state = enter();
    let row = state.own().and_then(|own| {
        let frame = own.areas.vmalloc_to_frame(address).ok()?;
        own.shown = true;
        own.row(frame)
    });
    row.map_or(ptr::null(), |row| row.as_ptr().cast_const())
}

#[unsafe(no_mangle)]
extern "C" fn alloc_page(flags: Flags) -> *const Row {
    const ME: &str = "alloc_page";
    let mut state = enter();
    let row = state.attempt(|own| {
        let mut frame = [0];
        own.areas.alloc_frames(&mut frame).ok()?;
        let row = own.row(frame[0]);
        if row.is_none() {
            // It was just handed out, so it goes back.
            let _ = own.areas.free_frames(&frame);
        }
        row
    });
    drop(state);
    let Some(row) = flags::granted(flags, ME, PAGE, row) else { return ptr::null() };
    if flags & flags::ZERO != 0 {
        // SAFETY: a row that was just made.
        let address = unsafe { row.as_ref() }.address();
        // SAFETY: the new page, which is nobody else's.
        unsafe { address.write_bytes(0, Os.page_size()) };
    }
    row.as_ptr()
}

#[unsafe(no_mangle)]
extern "C" fn __free_page(page: *const Row) {
    const ME: &str = "__free_page";
    if page.is_null() {
        return;
    }
    let mut state = enter();
    let found = state.own().and_then(|own| {
        let frame = own.rows.find(page)?.number();
        let freed = own.areas.free_frames(&[frame]);
        if freed.is_ok() {
            own.rows.clear(frame);
        }
        Some(freed)
    });
    match found {
        Some(Ok(())) => {}
        Some(Err(VmallocError::FrameMapped(_))) => {
            misuse::end(ME, format_args!("{page:p} is mapped by vmap()"))
        }
        _ if state.any_older(|older| older.rows.find(page).is_some()) => {}
        _ => no_page(ME, page),
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn vmap(
    pages: *const *const Row,
    count: u32,
    _flags: c_ulong,
    _protection: c_ulong,
) -> *mut u8 {
    const ME: &str = "vmap";
    let Some(mut frames) = Numbers::new(count as usize) else { return ptr::null_mut() };
    let mut state = enter();
    for index in 0..count as usize {
        // SAFETY: what the header asks of the caller: `count` pages.
        let page = unsafe { pages.wrapping_add(index).read() };
        let number = state.own().and_then(|own| Some(own.rows.find(page)?.number()));
        let Some(number) = number else {
            if state.any_older(|older| older.rows.find(page).is_some()) {
                return ptr::null_mut();
            }
            no_page(ME, page)
        };
        frames.set(index, number);
    }
    let area = match state.own().map(|own| own.areas.vmap(frames.all(), Caller::Name(ME))) {
        Some(Err(VmallocError::Closed)) => {
            // These pages can be mapped no more; those of the next alloc_page() can.
            state.retire();
            None
        }
        area => area.and_then(Result::ok),
    };
    drop(state);
    area.map_or(ptr::null_mut(), NonNull::as_ptr)
}

#[unsafe(no_mangle)]
extern "C" fn vunmap(area: *const u8) {
    let Some(area) = NonNull::new(area.cast_mut()) else { return };
    let mut state = enter();
    let ended = match state.own() {
        None => Err(VmallocError::Foreign),
        // SAFETY: the caller gives it up; what it is not is found.
        Some(own) => match unsafe { own.areas.vunmap(area.as_ptr()) } {
            // It stays mapped, and can be ended again.
            Err(VmallocError::Refused) => Ok(()),
            ended => ended,
        },
    };
    finish("vunmap", area, ended, &state);
}

#[unsafe(no_mangle)]
extern "C" fn heapwright_kernel_vmallocinfo(descriptor: c_int) {
    let mut out = Console::new(usize::try_from(descriptor).unwrap_or(2));
    if let Some(own) = enter().own() {
        // A console takes what it is given.
        let _ = own.areas.write_info(&mut out);
    }
}
