//! `PageSource`: the contract between the layers above and whoever owns address space.
//!
//! Each page of an address range is in one of four states:
//!
//! ```text
//!            reserve            commit             first write
//!   foreign ────────► reserved ────────► zero ◄───────────────► written
//!      ▲               ▲  │                │        purge          │
//!      │               └──┼── decommit ────┴───────────────────────┤
//!      └──────────────────┴── release ─────┴───────────────────────┘
//!
//!   foreign    not ours                     zero      usable, reads as zero, costs no memory
//!   reserved   ours, must not be touched    written   usable, holds what was written
//! ```
//!
//! Addresses and lengths are multiples of [`page_size`](PageSource::page_size). A call that
//! fails leaves every page in the state it was in. No call allocates or sets `errno`.
use crate::Mapped;

/// What became of a wish for certain addresses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Claim {
    /// They are the caller's now.
    Ours,
    /// Something else is there: others may be free.
    Taken,
    /// The system gives no more, wherever it is.
    Refused,
}

/// Pages in a row. The layout is that of the kernel's `struct iovec`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[repr(C)]
pub struct Stretch {
    /// The address of the first.
    pub at: usize,
    /// Bytes.
    pub len: usize,
}

/// When the system makes huge pages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HugePages {
    /// Not for this process, whatever it asks for.
    Never,
    /// Where they are asked for, or it does not say.
    WhenAsked,
    /// Wherever they fit.
    Always,
}

/// How a move of pages ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Move {
    /// The contents are at their new place.
    Done,
    /// Nothing was moved; the target is zero or written.
    Refused,
    /// Nothing was moved, and the target is foreign: the system had already unmapped it, and takes
    /// no mapping in its place, as a limit was lowered at that moment.
    Lost,
}

/// Gives and takes back ranges of address space, page by page.
/// # Safety
/// An implementer moves pages between the states exactly as each method says; in
/// particular a range it returns overlaps no other live memory.
pub unsafe trait PageSource {
    /// Bytes in the unit that can be purged: a power of two, 4 KiB on most machines.
    fn page_size(&self) -> usize;

    /// foreign → reserved: `len` bytes at a multiple of `align`. `None`: no address space.
    fn reserve(&self, len: usize, align: usize) -> Option<usize>;

    /// foreign → reserved: exactly `[at, at + len)`, unless a page of it is taken.
    fn reserve_at(&self, at: usize, len: usize) -> Claim;

    /// foreign → zero: exactly `[at, at + len)`, unless a page of it is taken.
    fn claim(&self, at: usize, len: usize) -> Claim;

    /// foreign → zero: `len` bytes at a multiple of `align`, wherever there is room.
    fn map(&self, len: usize, align: usize) -> Option<usize>;

    /// reserved → zero.
    /// # Safety
    /// The range is reserved.
    unsafe fn commit(&self, at: usize, len: usize) -> bool;

    /// zero or written → reserved, by a fresh mapping, which the kernel joins to reserved neighbours: a system that counts what
    /// is committed counts these pages no more. `Refused`: they keep their contents.
    /// # Safety
    /// The range is zero or written, was made by [`reserve`](Self::reserve) and [`commit`](Self::commit), and nobody needs
    /// its contents.
    unsafe fn decommit(&self, at: usize, len: usize) -> Mapped;

    /// written → zero. On failure the pages keep their contents.
    /// # Safety
    /// The range is zero or written, and nobody needs its contents.
    unsafe fn purge(&self, at: usize, len: usize) -> bool;

    /// As [`purge`](Self::purge), of many stretches by one call that few programs make: how many of them, from the first
    /// on, went back. 0 where the system knows no such call.
    /// # Safety
    /// As `purge`, of each.
    unsafe fn purge_each(&self, stretches: &[Stretch]) -> usize;

    /// Any state → foreign.
    /// # Safety
    /// The range came from this source and nobody uses it any more.
    unsafe fn release(&self, at: usize, len: usize) -> bool;

    /// Grows or shrinks a mapping by whole pages, contents kept, new pages zero. It may move
    /// to another address, a multiple of `align` if there are addresses enough; the old range is
    /// foreign then.
    /// # Safety
    /// `[at, at + old)` is one whole mapping made by [`map`](Self::map) or this call.
    unsafe fn resize(&self, at: usize, old: usize, new: usize, align: usize) -> Option<usize>;

    /// zero → zero, by a fresh mapping, which the kernel joins to its neighbours: so one that
    /// was cut out of them by [`move_pages`](Self::move_pages) does not count any more.
    /// # Safety
    /// The range is zero, and was made by [`reserve`](Self::reserve) and
    /// [`commit`](Self::commit).
    unsafe fn renew(&self, at: usize, len: usize) -> bool;

    /// Moves `len` bytes of contents from `from` to `to` without copying: afterwards `to` is
    /// written and `from` is zero. If it fails, `from` is as it was, and [`Move`] says what `to` is.
    /// # Safety
    /// Both ranges are zero or written, ours, and do not overlap.
    unsafe fn move_pages(&self, from: usize, to: usize, len: usize) -> Move;

    /// Asks for huge pages behind the range, or for none. A hint: never fails.
    /// # Safety
    /// The range is ours.
    unsafe fn prefer_huge(&self, at: usize, len: usize, huge: bool);

    /// When the system makes huge pages. Reads files, as [`memory_limit`](Self::memory_limit) does.
    fn huge_pages(&self) -> HugePages;

    /// Whether the system may end the process for a call that it makes seldom: a filter of system calls is there, or
    /// it cannot be known that none is. Reads a file, as [`memory_limit`](Self::memory_limit) does.
    fn is_confined(&self) -> bool;

    /// The address space this process may use, in bytes; `None` when it has no limit.
    fn address_limit(&self) -> Option<usize>;

    /// Whether the system would map `len` bytes more for this process.
    fn has_addresses(&self, len: usize) -> bool;

    /// The machine's memory in bytes.
    fn physical_memory(&self) -> usize;

    /// The memory this process may use before it is killed, in bytes, if it has a limit of
    /// its own. `None` too where that cannot be read. Reads files: some 50 µs, and for as long a
    /// descriptor that other threads may notice.
    fn memory_limit(&self) -> Option<usize>;

    /// Whether what is committed counts against a limit, used or not: the system promises no more memory than it has, or the
    /// process's data are limited. Reads a file, as [`memory_limit`](Self::memory_limit) does.
    fn charges_commit(&self) -> bool;

    /// Milliseconds of a clock that never goes back.
    fn now_ms(&self) -> u64;

    /// Whether this is the only thread, as far as the system says.
    fn is_only_thread(&self) -> bool;

    /// The NUMA node of the processor on which the calling thread runs just now; 0 where that is not
    /// known without a system call.
    fn node(&self) -> u32;
}
