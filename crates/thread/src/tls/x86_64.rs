//! x86-64: a slot is one `fs:` access.

/// Of the block: a cache line.
pub(super) const ALIGN: usize = 64;

source::tls_block!("heapwright_tls");

pub(super) fn address() -> usize {
    let pointer: usize;
    // SAFETY: the x86-64 ABI keeps the thread pointer in the block it points to.
    unsafe {
        core::arch::asm!("mov {}, qword ptr fs:[0]", out(reg) pointer, options(pure, readonly, nostack, preserves_flags));
    }
    pointer.wrapping_add(offset())
}

/// The end of the cell that is both empty and full (magazine-A3).
#[inline]
pub fn empty() -> usize {
    let end;
    // SAFETY: computes an address.
    unsafe {
        core::arch::asm!(
            "lea {}, [rip + heapwright_empty_end]",
            out(reg) end,
            options(pure, nomem, nostack, preserves_flags),
        );
    }
    end
}
