//! aarch64: the block's offset from `tpidr_el0` comes from the GOT.

/// Of the block: what glibc's thread control block has. A library that asks for more cannot be
/// opened by a running program ("cannot allocate memory in static TLS block").
pub(super) const ALIGN: usize = 16;

#[inline(always)]
pub(super) fn address() -> usize {
    let address;
    // SAFETY: reads the thread register and a constant that the loader has filled in.
    unsafe {
        core::arch::asm!(
            "mrs {0}, tpidr_el0",
            "adrp {1}, :gottprel:heapwright_tls",
            "ldr {1}, [{1}, :gottprel_lo12:heapwright_tls]",
            "add {0}, {0}, {1}",
            out(reg) address,
            out(reg) _,
            options(pure, readonly, nostack, preserves_flags),
        );
    }
    address
}

fn word(slot: usize) -> *mut usize {
    core::ptr::with_exposed_provenance_mut(address() + slot * size_of::<usize>())
}

#[inline(always)]
pub(super) fn load(slot: usize) -> usize {
    // SAFETY: slots are below SLOTS, so the word is inside the thread's block.
    unsafe { word(slot).read_volatile() }
}

#[inline(always)]
pub(super) fn store(slot: usize, value: usize) {
    // SAFETY: as for `load`.
    unsafe { word(slot).write_volatile(value) }
}

/// The end of the cell that is both empty and full (A3).
#[inline]
#[must_use]
pub fn empty() -> usize {
    let end;
    // SAFETY: computes an address.
    unsafe {
        core::arch::asm!(
            "adrp {0}, heapwright_empty_end",
            "add {0}, {0}, :lo12:heapwright_empty_end",
            out(reg) end,
            options(pure, nomem, nostack, preserves_flags),
        );
    }
    end
}
