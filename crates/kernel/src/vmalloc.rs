//! vmalloc: addresses in a row over frames that lie anywhere, with a guard page behind each area.
//!
//! ```text
//! addresses   │ A A A ░ B B ░ ░ ░ ░ C ░ …           ░ reserved: touching it faults
//!               │ │ └────┼─┼────┐    │
//!               ▼ ▼      ▼ ▼    ▼    ▼
//! frames      │ 0 1      2 3    4    5 …             a file in memory; each line is a mapping of it
//!
//! vmalloc ─► live ─ vfree ─► lazy ─ purge ─► gone    memory goes back at vfree,
//!              ▲              │                      addresses and frame numbers with the purge
//!              └── vmalloc ───┘                      the same number of pages: no mapping is made
//! ```
//!
//! - **vmalloc-W1** a frame that is held is behind exactly one page, of an area that is live by `vmalloc` or lazy.
//! - **vmalloc-W2** a frame that was handed out is behind as many pages of `vmap`'s areas as its state says.
//! - **vmalloc-W3** `mappings` is the number of runs of frames of all areas and of their guards, those of lost ones not counted.
//! - **vmalloc-W4** `areas`, `live` and `requested` count live areas, their pages and the bytes asked for.
//!
//! Each run of frames is one system call and one mapping, and [`MAPPINGS`] is all that a process has; so frames come in
//! runs while there are any. `vfree` punches the frames, one call a run. It leaves the area mapped, to holes: who uses it
//! afterwards reads zeros until it writes, and faults after the purge, which unmaps all lazy areas in one pass,
//! neighbours with one call. Records lie in the same reservation and become usable as they are needed: 8 bytes a page, 40
//! more for an area's first. No call but `purge` and what needs it is more than O(pages + log addresses).
//!
//! A frame costs memory from the first byte written to it; where the machine has none left then, the program gets SIGBUS.
//! Frames are shared memory: a child of `fork` shares them with its parent, and whoever forks says so by
//! [`note_fork`](Vmalloc::note_fork), or what either of them frees both lose. Layer *kernel*. After Linux's, by its
//! documentation (mm/vmalloc) and the mails around it: areas in a tree sorted by address (N. Piggin 2008), and lists of
//! freed ones (U. Rezki 2024).
use core::fmt;
use core::ptr::{self, NonNull};

use base::Owns;
use source::{FrameFile, FrameSource};

mod addresses;
mod check;
mod error;
mod forked;
mod frames;
mod given;
mod info;
mod limits;
mod make;
mod purge;
mod realloc;
mod reservation;
mod table;

pub use error::{MAPPINGS, VmallocError};
pub use info::VmallocUsage;
pub use limits::{VmallocLimits, lazy_for};

use addresses::{Addresses, Area, Kind};
use frames::Frames;
use make::Left;

/// Whom an area is for, as [`write_info`](Vmalloc::write_info) prints it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Caller {
    /// Say, the address that `vmalloc` returns to.
    Number(usize),
    /// Say, a function's name.
    Name(&'static str),
}

/// Areas of whole pages, with one owner.
///
/// ```
/// use heapwright_kernel_allocators::vmalloc::{Caller, Vmalloc, VmallocError, VmallocLimits};
/// use source::os::Os;
///
/// let mut areas = Vmalloc::new(Os, VmallocLimits::of(&Os)).unwrap();
/// let table = areas.vmalloc(100_000, Caller::Name("table")).unwrap();
/// // SAFETY: 100,000 bytes of ours.
/// unsafe { table.write_bytes(1, 100_000) };
/// // SAFETY: live, and the old address is not used any more.
/// let larger = unsafe { areas.vrealloc(table.as_ptr(), 1 << 20) }.unwrap();
/// // SAFETY: contents are kept; the frames are mapped elsewhere.
/// assert_eq!(unsafe { larger.as_ptr().add(99_999).read() }, 1);
/// // SAFETY: nobody uses it any more.
/// unsafe { areas.vfree(larger.as_ptr()) }.unwrap();
/// // SAFETY: it is refused.
/// assert_eq!(unsafe { areas.vfree(larger.as_ptr()) }, Err(VmallocError::Freed));
/// ```
pub struct Vmalloc<S: FrameSource> {
    source: S,
    limits: VmallocLimits,
    /// Where the reservation begins: tables, then pages.
    start: usize,
    len: usize,
    file: FrameFile,
    frames: Frames,
    addresses: Addresses,
    mappings: usize,
    areas: usize,
    live: usize,
    requested: usize,
    purges: usize,
}

impl<S: FrameSource> Vmalloc<S> {
    /// Where the frames are from.
    pub const fn source(&self) -> &S {
        &self.source
    }

    /// The file of its frames, so that they can be mapped elsewhere too: frame `n` begins `n` pages into it.
    pub const fn file(&self) -> FrameFile {
        self.file
    }

    /// What it may take.
    pub const fn limits(&self) -> VmallocLimits {
        self.limits
    }

    /// Bytes of a page and of a frame.
    pub const fn page_size(&self) -> usize {
        self.addresses.page
    }

    /// `size` bytes, rounded up to whole pages, with a guard page behind them. What they hold is not said.
    /// Errors: [`Empty`](VmallocError::Empty), [`TooLarge`](VmallocError::TooLarge),
    /// [`NoFrames`](VmallocError::NoFrames), [`NoAddresses`](VmallocError::NoAddresses),
    /// [`TooManyMappings`](VmallocError::TooManyMappings), [`Refused`](VmallocError::Refused); these four after all
    /// lazy areas were purged. [`Closed`](VmallocError::Closed).
    pub fn vmalloc(&mut self, size: usize, caller: Caller) -> Result<NonNull<u8>, VmallocError> {
        self.vmalloc_aligned(size, 1, caller)
    }

    /// As [`vmalloc`](Self::vmalloc), at a multiple of `align` bytes.
    /// Errors: as `vmalloc`, and [`Alignment`](VmallocError::Alignment).
    pub fn vmalloc_aligned(
        &mut self,
        size: usize,
        align: usize,
        caller: Caller,
    ) -> Result<NonNull<u8>, VmallocError> {
        let first = self.allocate(size, align, caller)?;
        Ok(self.pointer(first))
    }

    /// As [`vmalloc`](Self::vmalloc), and all of it is zero, whatever somebody wrote to the frames after they were freed: they
    /// are punched once more, a system call for each run, and written where the source refuses.
    /// Errors: as `vmalloc`.
    pub fn vzalloc(&mut self, size: usize, caller: Caller) -> Result<NonNull<u8>, VmallocError> {
        let first = self.allocate(size, 1, caller)?;
        let start = self.pointer(first);
        let pages = self.addresses.areas.get(first).pages as usize;
        if !self.punch(first, first + pages) {
            // SAFETY: the area that was just made.
            unsafe { start.write_bytes(0, pages * self.addresses.page) };
        }
        self.addresses.areas.entry_mut(first).dirty = false;
        Ok(start)
    }

    /// Gives an area back: its memory at once, its addresses with the next purge. Null is no area, and fine. O(pages), and
    /// a system call for each run of frames.
    /// Errors: [`Foreign`](VmallocError::Foreign), [`NoArea`](VmallocError::NoArea), [`Freed`](VmallocError::Freed),
    /// [`Inside`](VmallocError::Inside), [`Guard`](VmallocError::Guard), [`IsVmap`](VmallocError::IsVmap).
    /// # Safety
    /// Nobody uses the area any more.
    pub unsafe fn vfree(&mut self, address: *const u8) -> Result<(), VmallocError> {
        if address.is_null() {
            return Ok(());
        }
        let first = self.live_area(address, Kind::Vmalloc)?;
        let area = self.addresses.areas.get(first);
        let dirty = !self.punch(first, first + area.pages as usize);
        self.addresses.areas.entry_mut(first).dirty = dirty;
        self.uncount(area);
        let own = !self.has_inherited(first);
        self.addresses.make_lazy(first, own);
        if self.addresses.lazy * self.addresses.page > self.limits.lazy {
            self.purge();
        }
        Ok(())
    }

    /// The frame behind an address of a live area. O(1).
    /// Errors: [`Foreign`](VmallocError::Foreign), [`NoArea`](VmallocError::NoArea), [`Freed`](VmallocError::Freed),
    /// [`Guard`](VmallocError::Guard).
    pub fn vmalloc_to_frame(&self, address: *const u8) -> Result<u32, VmallocError> {
        let (page, first) = self.find_area(address)?;
        let start = self.addresses.address(first);
        let frame = self.addresses.entries.get(page).frame();
        frame.map(base::bits::low32).ok_or(VmallocError::Guard { start })
    }

    /// How many bytes the area that begins at an address was asked for. O(1).
    /// Errors: as of [`vfree`](Self::vfree), but for those of its kind.
    pub fn size_of(&self, address: *const u8) -> Result<usize, VmallocError> {
        let first = self.area_at(address)?;
        Ok(self.addresses.areas.get(first).size)
    }

    /// The addresses that areas lie in.
    pub const fn window(&self) -> (usize, usize) {
        let first = self.addresses.start;
        (first, self.start + self.len - first)
    }

    fn pointer(&self, page: usize) -> NonNull<u8> {
        let at = ptr::with_exposed_provenance_mut(self.addresses.address(page));
        // SAFETY: addresses that were reserved do not begin at 0.
        unsafe { NonNull::new_unchecked(at) }
    }

    /// The page that an address lies in, and its live area.
    fn find_area(&self, address: *const u8) -> Result<(usize, usize), VmallocError> {
        let (start, len) = self.window();
        if address.addr().wrapping_sub(start) >= len {
            return Err(VmallocError::Foreign);
        }
        let page = self.addresses.page_of(address.addr()).ok_or(VmallocError::NoArea)?;
        let area = self.addresses.entries.get(page).area().ok_or(VmallocError::NoArea)?;
        match self.addresses.areas.get(area).kind {
            Kind::Vmalloc | Kind::Vmap => Ok((page, area)),
            Kind::Lazy | Kind::Lost | Kind::None => Err(VmallocError::Freed),
        }
    }

    fn area_at(&self, address: *const u8) -> Result<usize, VmallocError> {
        let (page, area) = self.find_area(address)?;
        let start = self.addresses.address(area);
        if address.addr() == start {
            return Ok(area);
        }
        let guard = page == area + self.addresses.areas.get(area).pages as usize;
        Err(if guard { VmallocError::Guard { start } } else { VmallocError::Inside { start } })
    }

    /// As [`area_at`](Self::area_at), of one kind.
    fn live_area(&self, address: *const u8, kind: Kind) -> Result<usize, VmallocError> {
        let area = self.area_at(address)?;
        match (self.addresses.areas.get(area).kind, kind) {
            (Kind::Vmap, Kind::Vmalloc) => Err(VmallocError::IsVmap),
            (Kind::Vmalloc, Kind::Vmap) => Err(VmallocError::IsVmalloc),
            _ => Ok(area),
        }
    }

    fn count(&mut self, area: Area) {
        self.areas += 1;
        self.live += area.pages as usize;
        self.requested += area.size;
    }

    fn uncount(&mut self, area: Area) {
        self.areas -= 1;
        self.live -= area.pages as usize;
        self.requested -= area.size;
    }

    fn pages_for(&self, size: usize) -> Result<usize, VmallocError> {
        let page = self.addresses.page;
        match size.div_ceil(page) {
            0 => Err(VmallocError::Empty),
            pages if pages > self.frames.row.count() => {
                Err(VmallocError::TooLarge { most: self.frames.row.count() * page })
            }
            pages => Ok(pages),
        }
    }

    fn allocate(
        &mut self,
        size: usize,
        align: usize,
        caller: Caller,
    ) -> Result<usize, VmallocError> {
        if !align.is_power_of_two() {
            return Err(VmallocError::Alignment);
        }
        let pages = self.pages_for(size)?;
        let first = match self.addresses.take_listed(pages, align) {
            Some(first) => {
                let old = self.addresses.areas.get(first);
                let again = Area::new(Kind::Vmalloc, pages, size, caller).with(old.runs, old.dirty);
                self.addresses.areas.set(first, again);
                first
            }
            None => self.make(Area::new(Kind::Vmalloc, pages, size, caller), align)?,
        };
        self.count(self.addresses.areas.get(first));
        Ok(first)
    }
}

impl<S: FrameSource> Owns for Vmalloc<S> {
    /// O(1): whether the address lies in the window.
    fn owns(&self, address: *const u8) -> bool {
        let (start, len) = self.window();
        address.addr().wrapping_sub(start) < len
    }
}

impl<S: FrameSource> fmt::Debug for Vmalloc<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Vmalloc").field("usage", &self.usage()).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
