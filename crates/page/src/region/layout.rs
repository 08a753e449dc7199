//! Where the parts of the region lie, how their addresses are held, and how they grow.
//!
//! The region is reserved whole: four to eight times the machine's memory, [`MAX`] at most. The maps
//! become usable in steps, as the blocks that they describe are taken into use.
//!
//! Where addresses are limited (`ulimit -v`, valgrind) the same layout is a *window*: only the
//! guards are reserved, and maps, blocks and descriptors claim addresses as they need them. A
//! process that limits itself later gives up what was only reserved ([`Region::limit`]) and goes
//! on as a window, also when the limit is gone: between its blocks others' mappings may lie.
//! What is behind all of them is reserved again then ([`Region::lift`]).
use base::bits::{align_down, align_up, low32};
use base::sync::Ordering;
use source::{Claim, PageSource};

use super::{DESCRIPTORS, MAX, Region};
use crate::area::STEP;
use crate::block::BlockInfo;
use crate::geometry::{BLOCK, BLOCK_SHIFT, GRANULE, GRANULE_SHIFT, GRANULES_PER_BLOCK};

/// The smallest region worth reserving whole; below, a window is tried.
const MIN_RESERVED: usize = 8 << 30;
/// The smallest machine that a region is made for: 4 GiB, so a region of 16 GiB.
const MIN_MEMORY: usize = 4 << 30;
/// A guard, reserved: 64 KiB, whole pages on any machine.
const GUARD: usize = STEP;
/// Maps grow by 4 GiB of blocks at a time, 1.4 MiB of maps; in a window by 256 MiB, 88 KiB
/// of maps.
const COVER_RESERVED: usize = (4 << 30) / GRANULE;
const COVER_WINDOW: usize = (256 << 20) / GRANULE;

/// Where a window may lie: from an eighth to five eighths of the address of a fresh mapping.
const PLACES: usize = 17;

/// How the addresses of the blocks are held.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Hold {
    /// Reserved whole; blocks are committed.
    Reserved,
    /// Blocks are claimed, or committed in what a lifted limit let us reserve. Among them are
    /// others' mappings, and huge blocks of ours.
    Window,
}

/// Where each part begins, counted from the base.
#[derive(Debug, Clone, Copy)]
struct Layout {
    len: usize,
    span_map: usize,
    block_map: usize,
    blocks: usize,
    descriptors: usize,
    end: usize,
}

impl Layout {
    /// The parts of a region of `len` bytes, a multiple of [`BLOCK`].
    const fn of(len: usize) -> Self {
        let granules = len >> GRANULE_SHIFT;
        let span_map = align_up(granules + GUARD, GUARD);
        let block_map = align_up(span_map + granules * size_of::<u32>() + GUARD, GUARD);
        let infos = (len >> BLOCK_SHIFT) * size_of::<BlockInfo>();
        let blocks = align_up(block_map + infos + GUARD, BLOCK);
        let descriptors = len + GUARD;
        let end = descriptors + len / DESCRIPTORS;
        Self { len, span_map, block_map, blocks, descriptors, end }
    }

    /// Where the guards end (region-R4).
    const fn guarded(&self) -> [usize; 5] {
        [0, self.span_map, self.block_map, self.blocks, self.descriptors]
    }
}

impl Region {
    /// How many blocks it has room for.
    pub fn blocks(&self) -> u32 {
        low32(self.total.load(Ordering::Relaxed) / GRANULES_PER_BLOCK)
    }

    /// The first block behind the maps.
    pub fn first_block(&self) -> u32 {
        self.first_block.load(Ordering::Relaxed)
    }

    /// How the addresses of blocks are held.
    pub fn hold(&self) -> Hold {
        if self.window.load(Ordering::Relaxed) == 0 { Hold::Reserved } else { Hold::Window }
    }

    /// Descriptors are named by their distance from here, which is never 0. Before there is a
    /// region there is none to be named.
    #[inline]
    pub fn descriptors(&self) -> usize {
        self.descriptors.at().wrapping_sub(STEP)
    }

    /// Bytes usable for descriptors.
    pub fn descriptor_bytes(&self) -> usize {
        self.descriptors.usable()
    }

    /// Where the maps and the descriptors are, and the bytes of each that may be touched.
    pub fn books(&self) -> [(usize, usize); 4] {
        [&self.class_map, &self.span_map, &self.block_map, &self.descriptors]
            .map(|area| (area.at(), area.usable()))
    }

    /// Makes at least `len` bytes usable for descriptors and says where they begin.
    pub(crate) fn grow_descriptors<S: PageSource>(&self, source: &S, len: usize) -> Option<usize> {
        let has = || self.descriptors.usable() >= len;
        // An eighth ahead where all is reserved: few system calls, for which all threads of the process wait in the kernel.
        let ahead = || !self.is_bare() && self.descriptors.grow(source, len + len / 8);
        (has() || ahead() || self.descriptors.grow(source, len)).then(|| self.descriptors.at())
    }

    /// Under a limit on addresses: claims those of the descriptors that slabs in the blocks before the frontier may
    /// need. Later there may be none, and blocks without a descriptor serve no small object.
    pub(crate) fn claim_descriptors<S: PageSource>(&self, source: &S, frontier: u32, limit: usize) {
        let blocks = (frontier - self.first_block()) as usize;
        self.descriptors.grow(source, (blocks * BLOCK).min(limit) / DESCRIPTORS);
    }

    /// Makes the maps of all granules below `end` usable (region-R1). `false`: refused.
    pub(crate) fn cover<S: PageSource>(&self, source: &S, end: usize) -> bool {
        if end <= self.granules() {
            return true;
        }
        let step = match self.hold() {
            Hold::Reserved => COVER_RESERVED,
            Hold::Window => COVER_WINDOW,
        };
        let end = align_up(end, step).min(self.total.load(Ordering::Relaxed));
        let infos = end / GRANULES_PER_BLOCK * size_of::<BlockInfo>();
        let usable = self.class_map.grow(source, end)
            && self.span_map.grow(source, end * size_of::<u32>())
            && self.block_map.grow(source, infos);
        if usable {
            self.granules.store(end, Ordering::Release);
        }
        usable
    }

    /// Makes the region: reserved if the system lets us, else a window. `false`: neither.
    /// Called under the page heap's lock, until it succeeds.
    #[cold]
    pub(crate) fn init<S: PageSource>(&self, source: &S) -> bool {
        let memory = source.physical_memory().clamp(MIN_MEMORY, MAX / 4);
        let most = (memory * 4).next_power_of_two();
        if source.address_limit().is_none() {
            let mut len = most;
            while len >= MIN_RESERVED {
                if self.init_reserved(source, Layout::of(len)) {
                    return true;
                }
                len /= 2;
            }
        }
        self.init_window(source, most)
    }

    fn init_reserved<S: PageSource>(&self, source: &S, layout: Layout) -> bool {
        // Blocks are aligned, and the guard below the base is less than one.
        let ahead = BLOCK - GUARD;
        let len = BLOCK + layout.end + GUARD;
        let Some(start) = source.reserve(len, BLOCK) else { return false };
        // SAFETY: reserved above, and of no use.
        let cut = if unsafe { source.release(start, ahead) } { ahead } else { 0 };
        if self.publish(source, start + BLOCK, layout, Hold::Reserved) {
            return true;
        }
        // SAFETY: reserved above, nobody has seen it.
        unsafe { source.release(start + cut, len - cut) };
        false
    }

    /// Windows lie far from where the system maps libraries and stacks, so that few blocks
    /// are taken: at a fraction of the address of a fresh mapping, which is random enough.
    fn init_window<S: PageSource>(&self, source: &S, most: usize) -> bool {
        let page = source.page_size();
        let Some(probe) = source.map(page, page) else { return false };
        // SAFETY: mapped above, unused.
        unsafe { source.release(probe, page) };
        // An eighth of what there is of addresses, where that is little (39 bits).
        let len = most.min(1 << (probe / 8).max(BLOCK).ilog2());
        let layout = Layout::of(len);
        for attempt in 0..PLACES {
            // From the middle on, each place once: 7 and 17 have no common divisor.
            let part = 4 + (12 + attempt * 7) % PLACES;
            let base = align_down(probe / 32 * part, 1 << 30);
            let guards = layout.guarded().map(|end| base + end - page);
            let held = guards.iter().take_while(|&&at| source.reserve_at(at, page) == Claim::Ours);
            let held = held.count();
            if held == guards.len() && self.publish(source, base, layout, Hold::Window) {
                return true;
            }
            for &at in &guards[..held] {
                // SAFETY: reserved just now, and nothing was published.
                unsafe { source.release(at, page) };
            }
        }
        false
    }

    /// Places the parts and makes the first maps usable. `false`: refused; nothing is published.
    fn publish<S: PageSource>(&self, source: &S, base: usize, layout: Layout, hold: Hold) -> bool {
        let reserved = hold == Hold::Reserved;
        let granules = layout.len >> GRANULE_SHIFT;
        self.class_map.place(base, base + granules, reserved);
        let end = layout.span_map + granules * size_of::<u32>();
        self.span_map.place(base + layout.span_map, base + end, reserved);
        self.block_map.place(base + layout.block_map, base + layout.blocks - GUARD, reserved);
        self.descriptors.place(base + layout.descriptors, base + layout.end, reserved);
        self.first_block.store(low32(layout.blocks >> BLOCK_SHIFT), Ordering::Relaxed);
        self.window.store(u8::from(!reserved), Ordering::Relaxed);
        self.reserved.store(if reserved { layout.len } else { 0 }, Ordering::Relaxed);
        self.total.store(granules, Ordering::Relaxed);
        self.base.store(base, Ordering::Release);
        if self.cover(source, (layout.blocks >> GRANULE_SHIFT) + 1) {
            return true;
        }
        if !reserved {
            for map in [&self.class_map, &self.span_map, &self.block_map] {
                map.abandon(source);
            }
        }
        false
    }

    /// Whether nothing behind the frontier is reserved: each block needs addresses of its own.
    pub(crate) fn is_bare(&self) -> bool {
        self.reserved.load(Ordering::Relaxed) == 0
    }

    /// `len` usable bytes at `at`, at which blocks begin or go on: what is reserved is committed. In a window that is nothing
    /// before `frontier`.
    pub(crate) fn take<S: PageSource>(
        &self,
        source: &S,
        at: usize,
        len: usize,
        frontier: u32,
    ) -> Claim {
        let offset = at - self.base();
        let is_whole = self.hold() == Hold::Reserved;
        let is_reserved = (is_whole || offset >= (frontier as usize) << BLOCK_SHIFT)
            && offset + len <= self.reserved.load(Ordering::Relaxed);
        if !is_reserved {
            return source.claim(at, len);
        }
        // SAFETY: reserved, by `lift` too, and not committed: behind the frontier, or given up.
        if unsafe { source.commit(at, len) } { Claim::Ours } else { Claim::Refused }
    }

    /// No limit is left: reserves again as much behind `frontier` as nobody has taken meanwhile.
    /// Under the page heap's lock.
    #[cold]
    pub(crate) fn lift<S: PageSource>(&self, source: &S, frontier: u32) {
        let at = self.base() + ((frontier as usize) << BLOCK_SHIFT);
        let end = self.base() + (self.total.load(Ordering::Relaxed) << GRANULE_SHIFT);
        let mut len = end.saturating_sub(at);
        while len >= MIN_RESERVED {
            if source.reserve_at(at, len) == Claim::Ours {
                self.reserved.store(at + len - self.base(), Ordering::Relaxed);
                for area in [&self.class_map, &self.span_map, &self.block_map, &self.descriptors] {
                    area.hold(source);
                }
                return;
            }
            len = align_down(len / 2, BLOCK);
        }
    }

    /// Whether a limit of `limit` bytes leaves room for the whole region and four times as much.
    pub(crate) fn is_small_under(&self, limit: usize) -> bool {
        self.total.load(Ordering::Relaxed) << GRANULE_SHIFT <= limit / 4
    }

    /// Blocks of the longest run there may be: an eighth of the region, which is four to eight times
    /// the machine's memory where that is 4 GiB or more. The kernel counts what it maps, but not
    /// what it has reserved, so of longer ones it might promise more than there is.
    pub(crate) fn longest_run(&self) -> usize {
        self.blocks() as usize / 8
    }

    /// Addresses have become limited to `limit` bytes: gives up those that are only reserved, but
    /// for a share that maps and descriptors will need under that limit. Blocks from `frontier` on
    /// are in nobody's use. Under the page heap's lock.
    #[cold]
    pub(crate) fn limit<S: PageSource>(&self, source: &S, limit: usize, frontier: u32) {
        let at = self.base() + ((frontier as usize) << BLOCK_SHIFT);
        let end = self.base() + self.reserved.load(Ordering::Relaxed);
        // SAFETY: reserved and never committed.
        if at < end && !unsafe { source.release(at, end - at) } {
            return;
        }
        self.reserved.store(0, Ordering::Relaxed);
        self.window.store(1, Ordering::Relaxed);
        // Others' mappings may fill the addresses given up here before ours need them again.
        let granules = limit >> GRANULE_SHIFT;
        self.class_map.give_up(source, granules);
        self.span_map.give_up(source, granules * size_of::<u32>());
        self.block_map.give_up(source, granules / GRANULES_PER_BLOCK * size_of::<BlockInfo>());
        self.descriptors.give_up(source, limit / DESCRIPTORS);
    }
}

#[cfg(test)]
mod tests;
