//! The region: one range of address space, and the maps that say what each granule is.
//!
//! ```text
//!    base                                                    base + total × 16 KiB
//! ░░░├ class: u8/granule ░░ span: u32/granule ░░ BlockInfo/block ░░ blocks … ┤░░ descriptors … ┤
//! ░░ guard: addresses that nobody may touch
//! ```
//!
//! - **region-R1** the maps of the first `granules` granules are usable; no block behind them is.
//! - **region-R2** `class[g]` is not 0 exactly when granule `g` belongs to a slab that magazines
//!   serve, and is its size class.
//! - **region-R3** `span[g]` is 0 for granules that nobody looks up: free ones, the maps, and all
//!   but the first of a large run.
//! - **region-R4** below each map, below the blocks and below the descriptors lies a guard: what is
//!   written behind a block of any part ends in a fault before it reaches them.
//! - **region-R5** a run's word is changed from what the changer read, in one atomic step, and is live or
//!   kept: of two threads that free a run, or keep it, one finds that it is too late.
//!
//! A pointer is looked up with one subtraction, one comparison and one byte load; null and
//! foreign pointers fail the comparison, also before the region exists (`granules` is 0).
//!
//! How the addresses are held, and how the maps grow, is the submodule `layout`'s.
//!
//! Layer *page*. Costs 5.5 bytes of address space per granule, touched as the heap grows.
use base::bits::{index, low8, low32};
use base::live::{At, KEPT, Number, RUN, Table};
use base::sync::{AtomicU8, AtomicU32, AtomicUsize, Ordering};

use crate::area::{Area, STEP};
use crate::block::BlockInfo;
use crate::geometry::{BLOCK_SHIFT, GRANULE_SHIFT, GRANULES_PER_BLOCK};

mod layout;

pub use layout::Hold;

/// The largest region: 1 TiB.
const MAX: usize = 1 << 40;
/// Bytes of descriptors for each byte of blocks, at the very most: slabs of 16-byte objects need
/// 192 for 16 KiB, and threads' cells come on top.
const DESCRIPTORS: usize = 64;

/// What the span map says of a granule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Span {
    /// Free, a map, or not the first granule of a run.
    None,
    /// Part of the slab whose descriptor has this address.
    Slab(usize),
    /// The first granule of a live run, and how many it has.
    Run(usize),
    /// The first granule of a free run that a thread keeps (region-R5).
    Kept(usize),
}

impl Span {
    /// What a word of the map says, where descriptors are counted from `descriptors`.
    #[inline(always)]
    fn of(word: u32, descriptors: usize) -> Self {
        match word {
            0 => Self::None,
            run if run & (RUN | KEPT) == RUN | KEPT => {
                Self::Kept(index(u64::from(run & !(RUN | KEPT))))
            }
            run if run & RUN != 0 => Self::Run(index(u64::from(run & !RUN))),
            units => Self::Slab(descriptors + index(u64::from(units)) * 64),
        }
    }
}

const _: () = assert!(MAX >> GRANULE_SHIFT < KEPT as usize, "a run's length has 30 bits");

fn live_run(count: usize) -> u32 {
    debug_assert!(count < KEPT as usize, "a run's length has 30 bits");
    RUN | low32(count)
}

/// Descriptors and list links count 64-byte units in 31 bits.
const _: () = assert!(MAX / DESCRIPTORS / 64 < RUN as usize, "descriptors fit a span entry");

/// The region. Fields change under the page heap's lock, when it grows: every free reads the first two,
/// so they share their cache line with nothing that changes more often.
#[derive(Debug)]
#[repr(C, align(64))]
pub struct Region {
    base: AtomicUsize,
    /// Granules whose maps are usable (region-R1): what the fast path compares with.
    granules: AtomicUsize,
    total: AtomicUsize,
    /// Where what is reserved behind the frontier ends, counted from the base; 0: nothing is.
    reserved: AtomicUsize,
    first_block: AtomicU32,
    window: AtomicU8,
    class_map: Area,
    span_map: Area,
    block_map: Area,
    descriptors: Area,
}

impl Region {
    /// No region yet.
    pub const fn new() -> Self {
        Self {
            base: AtomicUsize::new(0),
            granules: AtomicUsize::new(0),
            total: AtomicUsize::new(0),
            reserved: AtomicUsize::new(0),
            first_block: AtomicU32::new(0),
            window: AtomicU8::new(0),
            class_map: Area::new(),
            span_map: Area::new(),
            block_map: Area::new(),
            descriptors: Area::new(),
        }
    }

    pub(crate) const fn show(&'static self, table: Table) -> Table {
        table
            .number(Number::DescriptorsFrom, STEP)
            .at(At::Base, &self.base)
            .at(At::Granules, &self.granules)
            .at(At::FirstBlock, &self.first_block)
            .at(At::Spans, &self.span_map)
            .at(At::Blocks, &self.block_map)
            .at(At::Descriptors, &self.descriptors)
    }

    /// Its lowest address; 0 before there is one.
    #[inline(always)]
    pub fn base(&self) -> usize {
        self.base.load(Ordering::Relaxed)
    }

    /// How many granules have maps; 0 before there is a region.
    ///
    /// Whoever finds some also finds the base: it is published first.
    #[inline(always)]
    pub fn granules(&self) -> usize {
        self.granules.load(Ordering::Acquire)
    }

    /// The granule that holds `address`, if the region does.
    #[inline(always)]
    pub fn granule_of(&self, address: usize) -> Option<usize> {
        let granules = self.granules();
        let granule = address.wrapping_sub(self.base()) >> GRANULE_SHIFT;
        (granule < granules).then_some(granule)
    }

    /// The class whose magazines serve the granule that holds `address`; `None` when the
    /// region does not hold it. One load of the base serves both steps.
    #[inline(always)]
    pub fn class_at(&self, address: usize) -> Option<usize> {
        let granules = self.granules();
        let base = self.base();
        let granule = address.wrapping_sub(base) >> GRANULE_SHIFT;
        if granule >= granules {
            return None;
        }
        let cell = core::ptr::with_exposed_provenance::<AtomicU8>(base + granule);
        // SAFETY: by region-R1 the class map has a byte for every granule.
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

    /// The size class whose magazines serve `granule`; 0 for none (region-R2).
    #[inline(always)]
    pub fn class(&self, granule: usize) -> u8 {
        self.class_cell(granule).load(Ordering::Relaxed)
    }

    #[inline(always)]
    fn class_cell(&self, granule: usize) -> &AtomicU8 {
        debug_assert!(granule < self.granules());
        let cell = core::ptr::with_exposed_provenance::<AtomicU8>(self.base() + granule);
        // SAFETY: by region-R1 the class map has a byte for every granule.
        unsafe { &*cell }
    }

    fn span_cell(&self, granule: usize) -> &AtomicU32 {
        debug_assert!(granule < self.granules());
        let at = self.span_map.at() + granule * size_of::<u32>();
        // SAFETY: by region-R1 the span map has a word for every granule.
        unsafe { &*core::ptr::with_exposed_provenance::<AtomicU32>(at) }
    }

    /// What the span map says of `granule`.
    #[inline]
    pub fn span(&self, granule: usize) -> Span {
        Span::of(self.span_cell(granule).load(Ordering::Acquire), self.descriptors())
    }

    /// The maps as they are now, for many look-ups.
    #[inline]
    pub fn maps(&self) -> Maps {
        let granules = self.granules();
        Maps {
            base: self.base(),
            granules,
            spans: self.span_map.at(),
            descriptors: self.descriptors(),
        }
    }

    /// Enters a slab: its descriptor for each granule, and `class` (0: no magazines serve it).
    pub fn enter_slab(&self, granule: usize, count: usize, descriptor: usize, class: usize) {
        let units = low32((descriptor - self.descriptors()) / 64);
        for granule in granule..granule + count {
            self.span_cell(granule).store(units, Ordering::Release);
            self.class_cell(granule).store(low8(class), Ordering::Release);
        }
    }

    /// Enters a run of `count` granules.
    pub fn enter_run(&self, granule: usize, count: usize) {
        self.span_cell(granule).store(live_run(count), Ordering::Release);
    }

    /// Changes the word of a run, if it is what the caller has read (region-R5).
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
        debug_assert!((block as usize) < self.granules() / GRANULES_PER_BLOCK);
        let at = self.block_map.at() + block as usize * size_of::<BlockInfo>();
        // SAFETY: by region-R1 there is a descriptor for every block; it is all atomics, and zeroes
        // are a valid one.
        unsafe { &*core::ptr::with_exposed_provenance::<BlockInfo>(at) }
    }
}

/// The region's maps: where they are, and how far they were usable when it was asked.
#[derive(Debug, Clone, Copy)]
pub struct Maps {
    base: usize,
    granules: usize,
    spans: usize,
    descriptors: usize,
}

impl Maps {
    /// The address of the descriptor of the slab that `address` is in; 0: in none.
    #[inline]
    pub fn slab_of(&self, address: usize) -> usize {
        let granule = address.wrapping_sub(self.base) >> GRANULE_SHIFT;
        if granule >= self.granules {
            return 0;
        }
        let at = self.spans + granule * size_of::<u32>();
        let cell = core::ptr::with_exposed_provenance::<AtomicU32>(at);
        // SAFETY: by region-R1 the span map has a word for every granule.
        let word = unsafe { &*cell }.load(Ordering::Acquire);
        match Span::of(word, self.descriptors) {
            Span::Slab(at) => at,
            _ => 0,
        }
    }

    /// The address of a granule.
    #[inline]
    pub fn address_of(&self, granule: usize) -> usize {
        self.base + (granule << GRANULE_SHIFT)
    }
}
