//! Frames from a file in memory: `memfd_create`, `mmap` of it at an offset, `fallocate` to punch holes.
//!
//! Mapping, unmapping and punching are two system calls each, [`create_frames`](FrameSource::create_frames) six. The file
//! counts as shared memory (`RssShmem`), has a descriptor that is closed by `exec`, and is shared with children of `fork`.
//!
//! - **frames-D1** the descriptor's number is none of those that programs give by hand, where the limit allows: 300 or above, never
//!   that of a standard stream. A program may close it all the same and get the number for a file of its own, so each call
//!   first compares inode and device with those of the file that was made, and touches no other file.
//!
//! Closing it in the middle of a call of another thread is beyond what can be seen.

use super::Os;
use super::descriptor::{file_of, move_up};
use super::memory::{unmap_to_reserved, was_replaced};
use super::process::{close, file_may_have, page_size, read_file};
use super::syscall::{call6, number, result};
use crate::{FrameFile, FrameSource, Mapped};

const MFD_CLOEXEC: usize = 1;
const PROT_READ_WRITE: usize = 3;
const MAP_SHARED_FIXED: usize = 0x11;
const FALLOC_KEEP_SIZE_PUNCH_HOLE: usize = 3;

/// Bytes of the mask of processors: room for 8,192, the most that a kernel is built for.
const MASK: usize = 1024;

// SAFETY: a shared mapping of the file is the file's memory; MAP_FIXED is used only on pages whose owner asked for it.
unsafe impl FrameSource for Os {
    fn create_frames(&self, count: usize) -> Option<FrameFile> {
        let len = count.checked_mul(page_size()).filter(|&len| file_may_have(len))?;
        let args = [c"heapwright-frames".as_ptr().addr(), MFD_CLOEXEC, 0, 0, 0, 0];
        // SAFETY: the kernel reads a name that ends in a zero.
        let file = result(unsafe { call6(number::MEMFD_CREATE, args) }).ok()?;
        let number = move_up(file)?;
        // SAFETY: the file just made.
        let sized = result(unsafe { call6(number::FTRUNCATE, [number, len, 0, 0, 0, 0]) }).is_ok();
        let Some(identity) = file_of(number).filter(|_| sized) else {
            close(number);
            return None;
        };
        Some(FrameFile { number, identity })
    }

    fn is_open(&self, file: FrameFile) -> bool {
        file_of(file.number) == Some(file.identity)
    }

    unsafe fn close_frames(&self, file: FrameFile) {
        if self.is_open(file) {
            close(file.number);
        }
    }

    unsafe fn map_frames(&self, file: FrameFile, first: usize, count: usize, at: usize) -> Mapped {
        if !self.is_open(file) {
            return Mapped::Closed;
        }
        let (len, offset) = (count * page_size(), first * page_size());
        let args = [at, len, PROT_READ_WRITE, MAP_SHARED_FIXED, file.number, offset];
        // SAFETY: the caller's pages, which nobody uses.
        match result(unsafe { call6(number::MMAP, args) }) {
            Ok(_) => Mapped::Done,
            // SAFETY: as above.
            Err(_) => unsafe { was_replaced(at, len) },
        }
    }

    unsafe fn unmap_frames(&self, at: usize, len: usize) -> Mapped {
        // SAFETY: the caller's pages, which nobody uses.
        unsafe { unmap_to_reserved(at, len) }
    }

    unsafe fn punch_frames(&self, file: FrameFile, first: usize, count: usize) -> bool {
        let (len, offset) = (count * page_size(), first * page_size());
        let args = [file.number, FALLOC_KEEP_SIZE_PUNCH_HOLE, offset, len, 0, 0];
        // SAFETY: nobody needs the contents.
        self.is_open(file) && result(unsafe { call6(number::FALLOCATE, args) }).is_ok()
    }

    fn most_mappings(&self) -> Option<usize> {
        let mut buffer = [0; 24];
        let text = read_file(c"/proc/sys/vm/max_map_count", &mut buffer);
        str::from_utf8(text.trim_ascii()).ok()?.parse().ok()
    }

    fn processors(&self) -> usize {
        let mut mask = [0u64; MASK / 8];
        let args = [0, MASK, mask.as_mut_ptr().expose_provenance(), 0, 0, 0];
        // SAFETY: the kernel writes at most `MASK` bytes.
        let known = result(unsafe { call6(number::SCHED_GETAFFINITY, args) });
        let count: u32 = mask.iter().map(|word| word.count_ones()).sum();
        if known.is_ok() { (count as usize).max(1) } else { 1 }
    }
}

#[cfg(test)]
mod tests;
