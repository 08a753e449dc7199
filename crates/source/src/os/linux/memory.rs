//! Pages from `mmap` and its kin. Each call is one to three system calls.
//!
//! - **memory-V1** a call that replaces a mapping may fail after the kernel has unmapped what was to be
//!   replaced: then `mend` puts an empty mapping there, before anybody touches it, or says that
//!   the addresses are lost.
//! - **memory-V2** after such a failure the addresses of [`resize`](PageSource::resize)'s target may be
//!   another thread's mapping: only a target whose first word still is our mark is unmapped.
//! - **memory-V3** pages are moved out of one mapping only, so all of them or none: from Linux 6.17 on the
//!   kernel moves several one after the other, and may fail between two.

use core::ffi::{c_int, c_long};
use core::ptr;
use core::sync::atomic::{AtomicBool, Ordering};

use base::bits::{align_up, index};

use super::Os;
use super::peek::{Peek, peek};
use super::probe::Probe;
use super::process::{NO_LIMIT, RLIMIT_AS, is_only_thread, may_be_only_thread, page_size, prlimit};
use super::residency::{Residency, residency};
use super::syscall::{call6, number, result};
use super::vdso::{clock, node};
use crate::{Claim, HugePages, Mapped, Move, PageSource, Report, Stretch};

const PROT_NONE: usize = 0;
const PROT_READ_WRITE: usize = 3;
const MAP_PRIVATE_ANONYMOUS: usize = 0x22;
const MAP_FIXED: usize = 0x10;
const MAP_NORESERVE: usize = 0x4000;
const MAP_FIXED_NOREPLACE: usize = 0x10_0000;
const MREMAP_MAYMOVE: usize = 1;
const MREMAP_FIXED: usize = 2;
const MREMAP_DONTUNMAP: usize = 4;
const MADV_DONTNEED: usize = 4;
const MADV_HUGEPAGE: usize = 14;
const MADV_DONTDUMP: usize = 16;
const MADV_DODUMP: usize = 17;
const MADV_NOHUGEPAGE: usize = 15;
const EPERM: i32 = 1;
const EBADF: i32 = 9;
const ENOMEM: i32 = 12;
const EFAULT: i32 = 14;
const ENOSYS: i32 = 38;
/// This process, where a descriptor of a process is asked for: `PIDFD_SELF` (Linux 6.14).
const SELF: usize = -10_000_isize as usize;
const CLOCK_MONOTONIC_COARSE: c_int = 6;

const EEXIST: i32 = 17;

/// From here on the kernel is asked whether it would map what a mapping grows by. Pages that were
/// moved out of the region are in a mapping that it grows to any size, as it does not count them.
const LARGE_GROWTH: usize = 1 << 30;
/// Mappings up to this are made as reservations are. For the kernel those that lie in a row are one, and it refuses `fork` for one that
/// is larger than the machine's memory, however little of it is touched: chunks of thousands of threads are.
const NEVER_TOO_LARGE: usize = 64 << 20;

/// Whether the kernel takes back stretches of its caller's own memory: Linux 6.14 does.
static KNOWS_VECTORS: AtomicBool = AtomicBool::new(true);

/// Whether purged pages read as zero.
static PURGE: Probe = Probe::new();

/// Tries that with a page of its own. `None`: there is none, or it is locked, as all memory is to be.
#[cold]
fn purged_page_is_zero() -> Option<bool> {
    let len = page_size();
    let at = mmap(0, len, PROT_READ_WRITE, 0).ok()?;
    let byte = ptr::with_exposed_provenance_mut::<u8>(at);
    // SAFETY: just mapped; the kernel may change it between the two.
    unsafe { byte.write_volatile(1) };
    // SAFETY: as above.
    let purged = unsafe { madvise(at, len, MADV_DONTNEED) };
    // SAFETY: as above.
    let zero = unsafe { byte.read_volatile() } == 0;
    // SAFETY: nobody else has seen it.
    unsafe { munmap(at, len) };
    purged.then_some(zero)
}

fn mmap(at: usize, len: usize, protection: usize, flags: usize) -> Result<usize, i32> {
    let args = [at, len, protection, MAP_PRIVATE_ANONYMOUS | flags, usize::MAX, 0];
    // SAFETY: an anonymous mapping replaces none, but for what `renew` and `reserve_over` were given.
    result(unsafe { call6(number::MMAP, args) })
}

/// A mapping of exactly these addresses.
fn mmap_at(at: usize, len: usize, protection: usize, flags: usize) -> Claim {
    match mmap(at, len, protection, MAP_FIXED_NOREPLACE | flags) {
        Ok(got) if got == at => Claim::Ours,
        Ok(elsewhere) => {
            // SAFETY: an old kernel took the address as a hint; nobody has seen the range.
            unsafe { munmap(elsewhere, len) };
            Claim::Taken
        }
        Err(EEXIST) => Claim::Taken,
        Err(_) => Claim::Refused,
    }
}

/// The caller promises: `[at, at + len)` is ours and unused.
unsafe fn munmap(at: usize, len: usize) -> bool {
    // SAFETY: the caller owns the range.
    len == 0 || result(unsafe { call6(number::MUNMAP, [at, len, 0, 0, 0, 0]) }).is_ok()
}

/// The caller promises: `advice` does to `[at, at + len)` nothing its owner forbids.
unsafe fn madvise(at: usize, len: usize, advice: usize) -> bool {
    // SAFETY: the caller vouches for the advice.
    result(unsafe { call6(number::MADVISE, [at, len, advice, 0, 0, 0]) }).is_ok()
}

/// How many of the stretches, from the first on, `bytes` bytes are; of one of which a part went back all do later.
fn whole_ones(stretches: &[Stretch], bytes: usize) -> usize {
    let ends = stretches.iter().scan(0, |end, stretch| {
        *end += stretch.len;
        Some(*end)
    });
    ends.take_while(|&end| end <= bytes).count()
}

/// A debugger that dumps a process would write every byte of a reservation.
fn leave_out_of_dumps(at: usize, len: usize) {
    // SAFETY: reserved, so there are no contents.
    unsafe { madvise(at, len, MADV_DONTDUMP) };
}

/// Maps `len` bytes at a multiple of `align`: as it comes, else by cutting a larger range.
fn map_aligned(len: usize, align: usize, protection: usize, flags: usize) -> Option<usize> {
    let first = mmap(0, len, protection, flags).ok()?;
    if first.is_multiple_of(align) {
        return Some(first);
    }
    // SAFETY: just mapped, not used yet.
    unsafe { munmap(first, len) };
    let wide = len.checked_add(align)?;
    let start = mmap(0, wide, protection, flags).ok()?;
    let at = align_up(start, align);
    // SAFETY: the head of the mapping just made, which nobody has seen.
    unsafe { munmap(start, at - start) };
    // SAFETY: its tail, likewise.
    unsafe { munmap(at + len, start + wide - at - len) };
    Some(at)
}

/// Whether the kernel would give the process another `len` bytes.
fn is_room_for(len: usize, protection: usize, flags: usize) -> bool {
    let got = mmap(0, len, protection, flags);
    // SAFETY: just mapped, and nobody has seen it.
    got.is_ok_and(|at| unsafe { munmap(at, len) })
}

/// Whether `[at, at + len)` is one mapping, or inside of one. The kernel grows no range that is
/// several, and says so before it finds that there is no room to grow.
/// The caller promises: the range is ours.
unsafe fn is_one_mapping(at: usize, len: usize) -> bool {
    let page = page_size();
    // SAFETY: a page more at its end changes nothing in the range.
    match result(unsafe { call6(number::MREMAP, [at, len, len + page, 0, 0, 0]) }) {
        // SAFETY: the page that has just come, which nobody has seen.
        Ok(_) => unsafe { munmap(at + len, page) },
        Err(error) => error == ENOMEM,
    }
}

/// Whether nothing is mapped at `at`: the kernel cannot read the set of signals that lies
/// there. Could it, it would refuse the first argument.
fn is_hole(at: usize) -> bool {
    let args = [usize::MAX, at, 0, size_of::<u64>(), 0, 0];
    // SAFETY: no set of signals is changed.
    result(unsafe { call6(number::RT_SIGPROCMASK, args) }) == Err(EFAULT)
}

/// After a call that was to replace `[at, at + len)` has failed: the range is mapped again (memory-V1).
/// `false`: it is not to be had any more.
#[cold]
fn mend(at: usize, len: usize) -> bool {
    !is_hole(at) || mmap_at(at, len, PROT_READ_WRITE, MAP_NORESERVE) == Claim::Ours
}

/// What became of `[at, at + len)` when a call that was to replace it has failed (memory-V1). Where nothing is mapped any more, it
/// is reserved again.
/// The caller promises: the range was ours before the call.
#[cold]
pub(super) unsafe fn was_replaced(at: usize, len: usize) -> Mapped {
    // A look at the page says whether it is mapped, which `is_hole` does only of pages that can be read.
    if residency(at, &mut [0], page_size()) != Residency::Unmapped {
        return Mapped::Refused;
    }
    match Os.reserve_at(at, len) {
        Claim::Ours => Mapped::Refused,
        Claim::Taken | Claim::Refused => Mapped::Lost,
    }
}

/// Replaces whatever is mapped in `[at, at + len)` by addresses that are reserved, as [`PageSource::reserve`] makes them, so
/// that the kernel joins them to those around. `false`: refused, and perhaps nothing is mapped there any more (memory-V1).
/// The caller promises: the range is ours, and nobody uses it.
unsafe fn reserve_over(at: usize, len: usize) -> bool {
    let reserved = mmap(at, len, PROT_NONE, MAP_FIXED | MAP_NORESERVE) == Ok(at);
    if reserved {
        leave_out_of_dumps(at, len);
    }
    reserved
}

/// As [`reserve_over`], and says what became of the range.
///
/// A process with more mappings than it may have gets no new one, not even in place of many: then the old ones go first,
/// which leaves it fewer, and the addresses are reserved again if nobody was quicker.
/// The caller promises: the range is ours, and nobody uses it.
pub(super) unsafe fn unmap_to_reserved(at: usize, len: usize) -> Mapped {
    // SAFETY: the caller's promise.
    if unsafe { reserve_over(at, len) } {
        return Mapped::Done;
    }
    // SAFETY: ours until the call.
    let left = unsafe { was_replaced(at, len) };
    // SAFETY: still ours.
    if left != Mapped::Refused || !unsafe { munmap(at, len) } {
        return left;
    }
    match Os.reserve_at(at, len) {
        Claim::Ours => Mapped::Done,
        Claim::Taken | Claim::Refused => Mapped::Lost,
    }
}

/// What the first word of a target at `at` says: an odd multiple of the address, unlike
/// anything that a program writes there.
fn mark(at: usize) -> usize {
    at.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1
}

/// Addresses for `len` bytes, of which one page is mapped and has the mark: a page alone is no
/// huge page.
fn marked(len: usize, align: usize) -> Option<usize> {
    let at = Os.reserve(len, align)?;
    // SAFETY: the first page of what was just reserved.
    if !unsafe { Os.commit(at, page_size()) } {
        // SAFETY: reserved above, unused.
        unsafe { munmap(at, len) };
        return None;
    }
    // SAFETY: the first word of that page.
    unsafe { ptr::with_exposed_provenance_mut::<usize>(at).write(mark(at)) };
    Some(at)
}

/// Whether the page at `at` is the one that [`marked`] made. Where the system does not let
/// us look it counts as not: addresses are lost then, and nobody's memory.
fn is_marked(at: usize) -> bool {
    let mut word = [0];
    peek(at, &mut word) == Peek::Copied && word[0] == mark(at)
}

// SAFETY: the kernel hands out each page once and zeroed, and MAP_FIXED is used only by
// calls whose contract makes the target ours.
unsafe impl PageSource for Os {
    fn page_size(&self) -> usize {
        page_size()
    }

    fn reserve(&self, len: usize, align: usize) -> Option<usize> {
        let at = map_aligned(len, align, PROT_NONE, MAP_NORESERVE)?;
        leave_out_of_dumps(at, len);
        Some(at)
    }

    fn reserve_at(&self, at: usize, len: usize) -> Claim {
        let claim = mmap_at(at, len, PROT_NONE, MAP_NORESERVE);
        if claim == Claim::Ours {
            leave_out_of_dumps(at, len);
        }
        claim
    }

    fn claim(&self, at: usize, len: usize) -> Claim {
        mmap_at(at, len, PROT_READ_WRITE, 0)
    }

    fn map(&self, len: usize, align: usize) -> Option<usize> {
        let flags = if len <= NEVER_TOO_LARGE { MAP_NORESERVE } else { 0 };
        map_aligned(len, align, PROT_READ_WRITE, flags)
    }

    unsafe fn commit(&self, at: usize, len: usize) -> bool {
        let args = [at, len, PROT_READ_WRITE, 0, 0, 0];
        // SAFETY: the range is reserved and ours.
        let usable = result(unsafe { call6(number::MPROTECT, args) }).is_ok();
        if usable {
            // SAFETY: what a dump holds is nobody's contents here.
            unsafe { madvise(at, len, MADV_DODUMP) };
        }
        usable
    }

    unsafe fn decommit(&self, at: usize, len: usize) -> Mapped {
        // A fresh mapping: what `mprotect` takes the access from stays charged.
        // SAFETY: the caller's promise.
        if unsafe { reserve_over(at, len) } {
            return Mapped::Done;
        }
        if !is_hole(at) {
            return Mapped::Refused;
        }
        match self.reserve_at(at, len) {
            Claim::Ours => Mapped::Done,
            Claim::Taken | Claim::Refused => Mapped::Lost,
        }
    }

    unsafe fn purge(&self, at: usize, len: usize) -> bool {
        // SAFETY: nobody needs the contents.
        PURGE.is_honest(purged_page_is_zero) && unsafe { madvise(at, len, MADV_DONTNEED) }
    }

    unsafe fn purge_each(&self, stretches: &[Stretch]) -> usize {
        if !KNOWS_VECTORS.load(Ordering::Relaxed) || !PURGE.is_honest(purged_page_is_zero) {
            return 0;
        }
        let (first, count) = (stretches.as_ptr().expose_provenance(), stretches.len());
        // SAFETY: the kernel reads `count` stretches, whose contents nobody needs.
        match result(unsafe {
            call6(number::PROCESS_MADVISE, [SELF, first, count, MADV_DONTNEED, 0, 0])
        }) {
            Ok(bytes) => whole_ones(stretches, bytes),
            Err(error) => {
                // A page that is locked is refused with another error, and the next time there may be none.
                KNOWS_VECTORS.store(!matches!(error, EPERM | EBADF | ENOSYS), Ordering::Relaxed);
                0
            }
        }
    }

    unsafe fn release(&self, at: usize, len: usize) -> bool {
        // SAFETY: the caller gives the range up.
        unsafe { munmap(at, len) }
    }

    unsafe fn resize(&self, at: usize, old: usize, new: usize, align: usize) -> Option<usize> {
        let growth = new.saturating_sub(old);
        if growth >= LARGE_GROWTH && !is_room_for(growth, PROT_READ_WRITE, 0) {
            return None;
        }
        let in_place = [at, old, new, 0, 0, 0];
        // SAFETY: the whole mapping is ours; without MAYMOVE it stays where it is.
        match result(unsafe { call6(number::MREMAP, in_place) }) {
            Ok(same) => return Some(same),
            // No room behind it: elsewhere there may be.
            Err(ENOMEM) => {}
            Err(_) => return None,
        }
        let Some(target) = marked(new, align) else {
            // Where addresses are limited there may be none for old and new at once.
            let anywhere = [at, old, new, MREMAP_MAYMOVE, 0, 0];
            // SAFETY: the whole mapping is ours; the kernel finds a place for it.
            return result(unsafe { call6(number::MREMAP, anywhere) }).ok();
        };
        let moving = [at, old, new, MREMAP_MAYMOVE | MREMAP_FIXED, target, 0];
        // SAFETY: `target` was mapped above and nobody has seen it.
        let moved = result(unsafe { call6(number::MREMAP, moving) });
        if moved.is_err() && is_marked(target) {
            // SAFETY: the mark says that it is still ours (memory-V2), unused.
            unsafe { munmap(target, new) };
        }
        moved.ok()
    }

    unsafe fn renew(&self, at: usize, len: usize) -> bool {
        // MAP_NORESERVE as in `reserve`: mappings that differ in it are not joined.
        let renewed = mmap(at, len, PROT_READ_WRITE, MAP_FIXED | MAP_NORESERVE) == Ok(at);
        if !renewed && !mend(at, len) {
            Os::fatal(format_args!("the system took {len} bytes at {at:#x} and refuses them back"));
        }
        renewed
    }

    unsafe fn move_pages(&self, from: usize, to: usize, len: usize) -> Move {
        // Beyond a limit that was lowered the kernel refuses, after it has unmapped `to`, and
        // refuses to map it again too. A limit may still come in the middle of the call.
        // SAFETY: the caller's promise.
        if !unsafe { is_one_mapping(from, len) }
            || !is_room_for(len, PROT_READ_WRITE, MAP_NORESERVE)
        {
            return Move::Refused;
        }
        let flags = MREMAP_MAYMOVE | MREMAP_FIXED | MREMAP_DONTUNMAP;
        // SAFETY: both ranges are ours; `to` is replaced and `from` stays mapped, empty.
        match result(unsafe { call6(number::MREMAP, [from, len, len, flags, to, 0]) }) {
            Ok(_) => Move::Done,
            Err(_) if mend(to, len) => Move::Refused,
            Err(_) => Move::Lost,
        }
    }

    unsafe fn prefer_huge(&self, at: usize, len: usize, huge: bool) {
        let advice = if huge { MADV_HUGEPAGE } else { MADV_NOHUGEPAGE };
        // SAFETY: the kind of page changes no contents.
        unsafe { madvise(at, len, advice) };
    }

    fn is_confined(&self) -> bool {
        super::process::is_confined()
    }

    fn address_limit(&self) -> Option<usize> {
        let mut limit = [NO_LIMIT; 2];
        // SAFETY: room for two words.
        unsafe { prlimit(0, RLIMIT_AS, ptr::null(), &raw mut limit) }.ok()?;
        (limit[0] != NO_LIMIT).then_some(index(limit[0]))
    }

    fn has_addresses(&self, len: usize) -> bool {
        // Also where it cannot be unmapped again.
        // SAFETY: just mapped, and nobody has seen it.
        mmap(0, len, PROT_READ_WRITE, 0).map(|at| unsafe { munmap(at, len) }).is_ok()
    }

    fn physical_memory(&self) -> usize {
        // struct sysinfo: uptime, loads[3], totalram, …, mem_unit at byte 104.
        let mut info = [0u64; 16];
        let args = [(&raw mut info).addr(), 0, 0, 0, 0, 0];
        // SAFETY: the kernel writes 112 bytes into `info`, which has 128.
        if result(unsafe { call6(number::SYSINFO, args) }).is_err() {
            return 0;
        }
        index(info[4]).saturating_mul(index(info[13] & 0xffff_ffff).max(1))
    }

    fn huge_pages(&self) -> HugePages {
        super::huge_pages::huge_pages()
    }

    fn memory_limit(&self) -> Option<usize> {
        super::cgroup::memory_limit()
    }

    fn charges_commit(&self) -> bool {
        super::charge::charges_commit()
    }

    fn now_ms(&self) -> u64 {
        let [seconds, nanoseconds] = clock(CLOCK_MONOTONIC_COARSE).map(c_long::cast_unsigned);
        seconds * 1000 + nanoseconds / 1_000_000
    }

    fn is_only_thread(&self) -> bool {
        is_only_thread().unwrap_or_else(may_be_only_thread)
    }

    fn node(&self) -> u32 {
        node()
    }
}

#[cfg(test)]
mod tests;
