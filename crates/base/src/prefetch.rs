//! Hints to the processor's cache. They change nothing but time, and may name any address.

/// Asks for the cache line at `at`, which is about to be written; as if to be read where the compiler
/// may not use the instruction for that (x86-64 without PREFETCHW), on other processors not at all.
#[inline(always)]
pub fn for_write(at: usize) {
    #[cfg(simulated)]
    crate::sync::simulated::prefetch(at);
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    {
        use core::arch::x86_64::{_MM_HINT_ET0, _mm_prefetch};
        // SAFETY: a hint never faults, whatever the address.
        unsafe { _mm_prefetch::<_MM_HINT_ET0>(core::ptr::without_provenance(at)) };
    }
    #[cfg(not(all(target_arch = "x86_64", not(miri))))]
    let _ = at;
}
