//! Our own allocators.

use crate::{address, entries, layout};
use base::{BlockAllocator, Free};
use block::buddy::Buddy;
use block::fit::{BestFit, FirstFit, NextFit, WorstFit};
use block::tlsf::{HalfFit, SmallTlsf, Tlsf};
use core::ptr::NonNull;
use kernel::size_slabs::SizeSlabs;

entries! {
    /// TLSF for pools to 4 MiB, 1 MiB on 32 bit.
    wcet_tlsf_malloc(heap: &mut SmallTlsf, size: usize) -> *mut u8 {
        address(heap.allocate_bytes(size))
    }
    /// TLSF for pools to 4 MiB, 1 MiB on 32 bit.
    wcet_tlsf_free(heap: &mut SmallTlsf, block: NonNull<u8>) {
        // SAFETY: the caller's promise.
        unsafe { heap.free(block) }
    }
    /// TLSF in its default geometry, for pools to 256 GiB.
    wcet_tlsflarge_malloc(heap: &mut Tlsf, size: usize) -> *mut u8 {
        address(heap.allocate_bytes(size))
    }
    /// TLSF in its default geometry, for pools to 256 GiB.
    wcet_tlsflarge_free(heap: &mut Tlsf, block: NonNull<u8>) {
        // SAFETY: the caller's promise.
        unsafe { heap.free(block) }
    }
    /// TLSF for pools to 4 MiB, 1 MiB on 32 bit.
    wcet_tlsf_memalign(heap: &mut SmallTlsf, align: usize, size: usize) -> *mut u8 {
        let Ok(layout) = core::alloc::Layout::from_size_align(size, align) else {
            return core::ptr::null_mut();
        };
        address(heap.allocate(layout))
    }
    wcet_halffit_malloc(heap: &mut HalfFit, size: usize) -> *mut u8 {
        address(heap.allocate_bytes(size))
    }
    wcet_halffit_free(heap: &mut HalfFit, block: NonNull<u8>) {
        // SAFETY: the caller's promise.
        unsafe { heap.free(block) }
    }
    wcet_firstfit_malloc(heap: &mut FirstFit, size: usize) -> *mut u8 {
        address(heap.allocate(layout(size)))
    }
    wcet_firstfit_free(heap: &mut FirstFit, block: NonNull<u8>) {
        // SAFETY: the caller's promise.
        unsafe { heap.free(block) }
    }
    wcet_nextfit_malloc(heap: &mut NextFit, size: usize) -> *mut u8 {
        address(heap.allocate(layout(size)))
    }
    wcet_nextfit_free(heap: &mut NextFit, block: NonNull<u8>) {
        // SAFETY: the caller's promise.
        unsafe { heap.free(block) }
    }
    wcet_bestfit_malloc(heap: &mut BestFit, size: usize) -> *mut u8 {
        address(heap.allocate(layout(size)))
    }
    wcet_bestfit_free(heap: &mut BestFit, block: NonNull<u8>) {
        // SAFETY: the caller's promise.
        unsafe { heap.free(block) }
    }
    wcet_worstfit_malloc(heap: &mut WorstFit, size: usize) -> *mut u8 {
        address(heap.allocate(layout(size)))
    }
    wcet_worstfit_free(heap: &mut WorstFit, block: NonNull<u8>) {
        // SAFETY: the caller's promise.
        unsafe { heap.free(block) }
    }
    wcet_buddy_malloc(heap: &mut Buddy, size: usize) -> *mut u8 {
        address(heap.allocate(layout(size)))
    }
    wcet_buddy_free(heap: &mut Buddy, block: NonNull<u8>, size: usize) {
        // SAFETY: the caller's promise.
        unsafe { heap.deallocate(block, layout(size)) }
    }
    wcet_sizeslabs_malloc(heap: &mut SizeSlabs, size: usize) -> *mut u8 {
        address(heap.allocate(layout(size)))
    }
    wcet_sizeslabs_free(heap: &mut SizeSlabs, block: NonNull<u8>, size: usize) {
        // SAFETY: the caller's promise.
        unsafe { heap.deallocate(block, layout(size)) }
    }
}
