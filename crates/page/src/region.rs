//! The region: one range of address space, and the maps that say what each granule is.
//!
//! ```text
//! base                                                              base + granules × 16 KiB
//! ├ class: u8/granule ┬ span: u32/granule ┬ BlockInfo/block ┬ blocks … ─────────────┤
//! ```
//!
//! - **R1** the maps lie at the front and are usable as long as `granules` is not 0.
//! - **R2** `class[g]` is not 0 exactly when granule `g` belongs to a slab that magazines
//!   serve, and is its size class.
//! - **R3** `span[g]` is 0 for granules that nobody looks up: free ones, the maps, and all
//!   but the first of a large run.
//! - **R4** a run's word is changed from what the changer read, in one atomic step, and is live or
//!   kept: of two threads that free a run, or keep it, one finds that it is too late.
//!
//! A pointer is looked up with one subtraction, one comparison and one byte load; null and
//! foreign pointers fail the comparison, also before the region exists (`granules` is 0).
//!
//! The region is reserved whole. Where that is refused (`ulimit -v`, valgrind), it is a
//! *window*: addresses nobody reserved, whose blocks are claimed one by one.
//!
//! Layer *page*. Costs 5.5 bytes of address space per granule, touched as the heap grows.
use base::bits::{align_down, align_up, index, low8, low32};
use base::sync::{AtomicU8, AtomicU32, AtomicUsize, Ordering};
use source::PageSource;

use crate::block::BlockInfo;
use crate::geometry::{BLOCK, BLOCK_SHIFT, GRANULE_SHIFT, GRANULES_PER_BLOCK};

/// The largest region: 1 TiB.
const MAX: usize = 1 << 40;
/// The smallest region worth reserving whole; below, a window is tried.
const MIN_RESERVED: usize = 8 << 30;
/// The window where nothing limits address space but a reservation is refused all the same.
const WINDOW: usize = 64 << 30;
/// The smallest window: 64 MiB.
const MIN_WINDOW: usize = 64 << 20;

/// What the span map says of a granule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Span {
    /// Free, a map, or not the first granule of a run.
    None,
    /// Part of the slab whose descriptor has this address.
    Slab(usize),
    /// The first granule of a live run of so many granules.
    Run(usize),
    /// The first granule of a free run that a thread keeps (R4).
    Kept(usize),
}

/// Span entries with this bit are runs, the others descriptors in units of 64 bytes.
const RUN: u32 = 1 << 31;
/// Runs with this bit are free, and kept by a thread.
const KEPT: u32 = 1 << 30;

const _: () = assert!(MAX >> GRANULE_SHIFT < KEPT as usize, "a run's length has 30 bits");

/// The word of a live run.
fn live_run(count: usize) -> u32 {
    debug_assert!(count < KEPT as usize, "a run's length has 30 bits");
    RUN | low32(count)
}

/// How the addresses of the region are held.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Hold {
    /// Reserved whole; blocks are committed.
    Reserved,
    /// Not reserved; blocks are claimed, and some belong to others.
    Window,
}

/// The region. All fields are written once, under the page heap's lock.
#[derive(Debug)]
pub struct Region {
    base: AtomicUsize,
    granules: AtomicUsize,
    first_block: AtomicU32,
    window: AtomicU8,
}

impl Region {
    /// No region yet.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            base: AtomicUsize::new(0),
            granules: AtomicUsize::new(0),
            first_block: AtomicU32::new(0),
            window: AtomicU8::new(0),
        }
    }

    /// Its lowest address; 0 before there is one.
    #[inline(always)]
    pub fn base(&self) -> usize {
        self.base.load(Ordering::Relaxed)
    }

    /// Its length in granules; 0 before there is one.
    #[inline(always)]
    pub fn granules(&self) -> usize {
        self.granules.load(Ordering::Relaxed)
    }

    /// Its length in blocks.
    pub fn blocks(&self) -> u32 {
        low32(self.granules() / GRANULES_PER_BLOCK)
    }

    /// The first block behind the maps.
    pub fn first_block(&self) -> u32 {
        self.first_block.load(Ordering::Relaxed)
    }

    /// How its addresses are held.
    pub fn hold(&self) -> Hold {
        if self.window.load(Ordering::Relaxed) == 0 { Hold::Reserved } else { Hold::Window }
    }

    /// The granule that holds `address`, if the region does.
    #[inline(always)]
    pub fn granule_of(&self, address: usize) -> Option<usize> {
        let granule = address.wrapping_sub(self.base()) >> GRANULE_SHIFT;
        (granule < self.granules()).then_some(granule)
    }

    /// The class whose magazines serve the granule that holds `address`; `None` when the
    /// region does not hold it. One load of the base serves both steps.
    #[inline(always)]
    pub fn class_at(&self, address: usize) -> Option<usize> {
        let base = self.base();
        let granule = address.wrapping_sub(base) >> GRANULE_SHIFT;
        if granule >= self.granules() {
            return None;
        }
        let cell = core::ptr::with_exposed_provenance::<AtomicU8>(base + granule);
        // SAFETY: by R1 the class map has a byte for every granule.
        let class = unsafe { &*cell };
        Some(usize::from(class.load(Ordering::Relaxed)))
    }

    /// The address of a granule.
    #[inline]
    pub fn address_of(&self, granule: usize) -> usize {
        self.base() + (granule << GRANULE_SHIFT)
    }

    /// The address of a block.
    pub fn address_of_block(&self, block: u32) -> usize {
        self.base() + ((block as usize) << BLOCK_SHIFT)
    }

    /// The size class whose magazines serve `granule`; 0 for none (R2).
    #[inline(always)]
    pub fn class(&self, granule: usize) -> u8 {
        self.class_cell(granule).load(Ordering::Relaxed)
    }

    #[inline(always)]
    fn class_cell(&self, granule: usize) -> &AtomicU8 {
        debug_assert!(granule < self.granules());
        let cell = core::ptr::with_exposed_provenance::<AtomicU8>(self.base() + granule);
        // SAFETY: by R1 the class map has a byte for every granule.
        unsafe { &*cell }
    }

    fn span_cell(&self, granule: usize) -> &AtomicU32 {
        debug_assert!(granule < self.granules());
        let at = self.base() + self.granules() + granule * size_of::<u32>();
        // SAFETY: by R1 the span map has a word for every granule.
        unsafe { &*core::ptr::with_exposed_provenance::<AtomicU32>(at) }
    }

    /// What the span map says of `granule`.
    #[inline]
    pub fn span(&self, granule: usize) -> Span {
        match self.span_cell(granule).load(Ordering::Acquire) {
            0 => Span::None,
            run if run & (RUN | KEPT) == RUN | KEPT => {
                Span::Kept(index(u64::from(run & !(RUN | KEPT))))
            }
            run if run & RUN != 0 => Span::Run(index(u64::from(run & !RUN))),
            units => Span::Slab(self.base() + index(u64::from(units)) * 64),
        }
    }

    /// Enters a slab: its descriptor for each granule, and `class` (0: no magazines serve it).
    pub fn enter_slab(&self, granule: usize, count: usize, descriptor: usize, class: usize) {
        let units = low32((descriptor - self.base()) / 64);
        debug_assert!(units & RUN == 0, "descriptors lie in the first 128 GiB");
        for granule in granule..granule + count {
            self.span_cell(granule).store(units, Ordering::Release);
            self.class_cell(granule).store(low8(class), Ordering::Release);
        }
    }

    /// Enters a run of `count` granules.
    pub fn enter_run(&self, granule: usize, count: usize) {
        self.span_cell(granule).store(live_run(count), Ordering::Release);
    }

    /// Changes the word of a run, if it is what the caller has read (R4).
    fn change(&self, granule: usize, from: u32, to: u32) -> bool {
        let cell = self.span_cell(granule);
        cell.compare_exchange(from, to, Ordering::AcqRel, Ordering::Relaxed).is_ok()
    }

    /// A live run of `old` granules has `new` from now on. `false`: it is none any more.
    #[must_use]
    pub fn resize_run(&self, granule: usize, old: usize, new: usize) -> bool {
        self.change(granule, live_run(old), live_run(new))
    }

    /// A live run of `count` granules is free, and kept. `false`: it is no live run any more.
    #[must_use]
    pub fn keep_run(&self, granule: usize, count: usize) -> bool {
        self.change(granule, live_run(count), live_run(count) | KEPT)
    }

    /// A kept run of `count` granules is live again. `false`: it is not kept.
    #[must_use]
    pub fn revive_run(&self, granule: usize, count: usize) -> bool {
        self.change(granule, live_run(count) | KEPT, live_run(count))
    }

    /// Forgets a live run of `count` granules, which is the caller's to give back from now on.
    /// `false`: it is no live run any more.
    #[must_use]
    pub fn end_run(&self, granule: usize, count: usize) -> bool {
        self.change(granule, live_run(count), 0)
    }

    /// As [`end_run`](Self::end_run) for a kept one.
    #[must_use]
    pub fn end_kept(&self, granule: usize, count: usize) -> bool {
        self.change(granule, live_run(count) | KEPT, 0)
    }

    /// Forgets what was entered for `count` granules.
    pub fn clear(&self, granule: usize, count: usize) {
        for granule in granule..granule + count {
            self.class_cell(granule).store(0, Ordering::Release);
            self.span_cell(granule).store(0, Ordering::Release);
        }
    }

    /// Forgets a large block of a heap, which only its first granule names.
    pub fn clear_run(&self, granule: usize) {
        self.span_cell(granule).store(0, Ordering::Release);
    }

    /// The descriptor of a block.
    #[inline]
    pub fn block(&self, block: u32) -> &BlockInfo {
        debug_assert!(block < self.blocks());
        let at = self.base() + self.granules() * 5 + block as usize * size_of::<BlockInfo>();
        // SAFETY: by R1 there is a descriptor for every block; it is all atomics, and zeroes
        // are a valid one.
        unsafe { &*core::ptr::with_exposed_provenance::<BlockInfo>(at) }
    }

    /// Makes the region: reserved if the system lets us, else a window. `false`: neither.
    /// Called under the page heap's lock, until it succeeds.
    #[cold]
    pub fn init<S: PageSource>(&self, source: &S) -> bool {
        if source.address_limit().is_none() {
            let memory = source.physical_memory().max(1 << 30);
            let mut len = (memory * 4).next_power_of_two().clamp(16 << 30, MAX);
            while len >= MIN_RESERVED {
                if self.init_reserved(source, len) {
                    return true;
                }
                len /= 2;
            }
        }
        let room = source.address_limit().unwrap_or(WINDOW);
        let len = room.checked_next_power_of_two().unwrap_or(WINDOW).clamp(MIN_WINDOW, WINDOW);
        self.init_window(source, len)
    }

    fn init_reserved<S: PageSource>(&self, source: &S, len: usize) -> bool {
        let Some(base) = source.reserve(len, BLOCK) else { return false };
        // SAFETY: the front of what was just reserved.
        if unsafe { source.commit(base, front(len)) } {
            self.publish(base, len, Hold::Reserved);
            return true;
        }
        // SAFETY: reserved above, nobody has seen it.
        unsafe { source.release(base, len) };
        false
    }

    /// Windows lie far from where the system maps libraries and stacks, so that few blocks
    /// are taken: at a fraction of the address of a fresh mapping, which is random enough.
    fn init_window<S: PageSource>(&self, source: &S, len: usize) -> bool {
        let Some(probe) = source.map(source.page_size(), source.page_size()) else { return false };
        // SAFETY: mapped above, unused.
        unsafe { source.release(probe, source.page_size()) };
        for (part, of) in [(1, 2), (1, 4), (3, 8), (5, 8), (1, 8)] {
            let base = align_down(probe / of * part, 1 << 30);
            if source.claim(base, front(len)) {
                self.publish(base, len, Hold::Window);
                return true;
            }
        }
        false
    }

    fn publish(&self, base: usize, len: usize, hold: Hold) {
        self.first_block.store(low32(front(len) >> BLOCK_SHIFT), Ordering::Relaxed);
        self.window.store(u8::from(hold == Hold::Window), Ordering::Relaxed);
        self.base.store(base, Ordering::Release);
        self.granules.store(len >> GRANULE_SHIFT, Ordering::Release);
    }
}

/// Bytes of the maps of a region of `len` bytes: whole blocks.
const fn front(len: usize) -> usize {
    let granules = len >> GRANULE_SHIFT;
    let maps = granules * 5 + (len >> BLOCK_SHIFT) * size_of::<BlockInfo>();
    align_up(maps, BLOCK)
}

impl Default for Region {
    fn default() -> Self {
        Self::new()
    }
}
