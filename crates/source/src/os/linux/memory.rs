//! Pages from `mmap` and its kin. Each call is one to three system calls.

use base::bits::{align_up, index};

use super::Os;
use super::process::page_size;
use super::syscall::{call6, number, result};
use crate::PageSource;

const PROT_NONE: usize = 0;
const PROT_READ_WRITE: usize = 3;
const MAP_PRIVATE_ANONYMOUS: usize = 0x22;
const MAP_NORESERVE: usize = 0x4000;
const MAP_FIXED_NOREPLACE: usize = 0x10_0000;
const MREMAP_MAYMOVE: usize = 1;
const MREMAP_FIXED: usize = 2;
const MREMAP_DONTUNMAP: usize = 4;
const MADV_DONTNEED: usize = 4;
const MADV_HUGEPAGE: usize = 14;
const MADV_NOHUGEPAGE: usize = 15;
const RLIMIT_AS: usize = 9;
const CLOCK_MONOTONIC_COARSE: usize = 6;

fn mmap(at: usize, len: usize, protection: usize, flags: usize) -> Option<usize> {
    let args = [at, len, protection, MAP_PRIVATE_ANONYMOUS | flags, usize::MAX, 0];
    // SAFETY: a new anonymous mapping that replaces none touches nobody's memory.
    result(unsafe { call6(number::MMAP, args) }).ok()
}

/// # Safety
///
/// `[at, at + len)` is ours and unused.
unsafe fn munmap(at: usize, len: usize) -> bool {
    // SAFETY: the caller owns the range.
    len == 0 || result(unsafe { call6(number::MUNMAP, [at, len, 0, 0, 0, 0]) }).is_ok()
}

/// # Safety
///
/// `advice` does to `[at, at + len)` nothing its owner forbids.
unsafe fn madvise(at: usize, len: usize, advice: usize) -> bool {
    // SAFETY: the caller vouches for the advice.
    result(unsafe { call6(number::MADVISE, [at, len, advice, 0, 0, 0]) }).is_ok()
}

/// Maps `len` bytes at a multiple of `align`: as it comes, else by cutting a larger range.
fn map_aligned(len: usize, align: usize, protection: usize, flags: usize) -> Option<usize> {
    let first = mmap(0, len, protection, flags)?;
    if first.is_multiple_of(align) {
        return Some(first);
    }
    // SAFETY: just mapped, not used yet.
    unsafe { munmap(first, len) };
    let wide = len.checked_add(align)?;
    let start = mmap(0, wide, protection, flags)?;
    let at = align_up(start, align);
    // SAFETY: the head of the mapping just made, which nobody has seen.
    unsafe { munmap(start, at - start) };
    // SAFETY: its tail, likewise.
    unsafe { munmap(at + len, start + wide - at - len) };
    Some(at)
}

// SAFETY: the kernel hands out each page once and zeroed, and MAP_FIXED is used only by
// calls whose contract makes the target ours.
unsafe impl PageSource for Os {
    fn page_size(&self) -> usize {
        page_size()
    }

    fn reserve(&self, len: usize, align: usize) -> Option<usize> {
        map_aligned(len, align, PROT_NONE, MAP_NORESERVE)
    }

    fn claim(&self, at: usize, len: usize) -> bool {
        match mmap(at, len, PROT_READ_WRITE, MAP_FIXED_NOREPLACE) {
            Some(got) if got == at => true,
            Some(elsewhere) => {
                // SAFETY: an old kernel took the address as a hint; nobody has seen the range.
                unsafe { munmap(elsewhere, len) };
                false
            }
            None => false,
        }
    }

    fn map(&self, len: usize, align: usize) -> Option<usize> {
        map_aligned(len, align, PROT_READ_WRITE, 0)
    }

    unsafe fn commit(&self, at: usize, len: usize) -> bool {
        let args = [at, len, PROT_READ_WRITE, 0, 0, 0];
        // SAFETY: the range is reserved and ours.
        result(unsafe { call6(number::MPROTECT, args) }).is_ok()
    }

    unsafe fn purge(&self, at: usize, len: usize) -> bool {
        // SAFETY: nobody needs the contents.
        unsafe { madvise(at, len, MADV_DONTNEED) }
    }

    unsafe fn release(&self, at: usize, len: usize) -> bool {
        // SAFETY: the caller gives the range up.
        unsafe { munmap(at, len) }
    }

    unsafe fn resize(&self, at: usize, old: usize, new: usize, align: usize) -> Option<usize> {
        let in_place = [at, old, new, 0, 0, 0];
        // SAFETY: the whole mapping is ours; without MAYMOVE it stays where it is.
        if let Ok(same) = result(unsafe { call6(number::MREMAP, in_place) }) {
            return Some(same);
        }
        let target = self.reserve(new, align)?;
        let moving = [at, old, new, MREMAP_MAYMOVE | MREMAP_FIXED, target, 0];
        // SAFETY: `target` was reserved above and nobody has seen it.
        match result(unsafe { call6(number::MREMAP, moving) }) {
            Ok(moved) => Some(moved),
            Err(_) => {
                // SAFETY: reserved above, unused.
                unsafe { munmap(target, new) };
                None
            }
        }
    }

    unsafe fn move_pages(&self, from: usize, to: usize, len: usize) -> bool {
        let flags = MREMAP_MAYMOVE | MREMAP_FIXED | MREMAP_DONTUNMAP;
        // SAFETY: both ranges are ours; `to` is replaced and `from` stays mapped, empty.
        result(unsafe { call6(number::MREMAP, [from, len, len, flags, to, 0]) }).is_ok()
    }

    unsafe fn prefer_huge(&self, at: usize, len: usize, huge: bool) {
        let advice = if huge { MADV_HUGEPAGE } else { MADV_NOHUGEPAGE };
        // SAFETY: the kind of page changes no contents.
        unsafe { madvise(at, len, advice) };
    }

    fn address_limit(&self) -> Option<usize> {
        let mut limit = [u64::MAX; 2];
        let args = [0, RLIMIT_AS, 0, (&raw mut limit).addr(), 0, 0];
        // SAFETY: the kernel writes two words into `limit`.
        result(unsafe { call6(number::PRLIMIT64, args) }).ok()?;
        (limit[0] != u64::MAX).then_some(index(limit[0]))
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

    fn memory_limit(&self) -> Option<usize> {
        super::cgroup::memory_limit()
    }

    fn now_ms(&self) -> u64 {
        let mut time = [0u64; 2];
        let args = [CLOCK_MONOTONIC_COARSE, (&raw mut time).addr(), 0, 0, 0, 0];
        // SAFETY: the kernel writes two words into `time`.
        unsafe { call6(number::CLOCK_GETTIME, args) };
        time[0] * 1000 + time[1] / 1_000_000
    }
}

#[cfg(test)]
mod tests;
