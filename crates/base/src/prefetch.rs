//! Hints to the processor's cache. They change nothing but time, and may name any address.

/// Asks for the cache line at `at`, which is about to be written; as if to be read where the compiler
/// may not use the instruction for that (x86-64 without PREFETCHW), on other processors not at all.
#[inline(always)]
pub fn for_write(at: usize) {
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    {
        use core::arch::x86_64::{_MM_HINT_ET0, _mm_prefetch};
        // SAFETY: a hint never faults, whatever the address.
        unsafe { _mm_prefetch::<_MM_HINT_ET0>(core::ptr::without_provenance(at)) };
    }
    #[cfg(not(all(target_arch = "x86_64", not(miri))))]
    let _ = at;
}

/// Asks for the cache lines of `bytes`, which are about to be read; on other processors than x86-64 not at all.
#[inline(always)]
pub fn for_read(bytes: &[u8]) {
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    for line in bytes.chunks(64) {
        use core::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: a hint never faults, whatever the address.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(line.as_ptr().cast()) };
    }
    #[cfg(not(all(target_arch = "x86_64", not(miri))))]
    let _ = bytes;
}
