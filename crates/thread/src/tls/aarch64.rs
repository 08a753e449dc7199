//! aarch64: the block's offset from `tpidr_el0` comes from the GOT.

/// Of the block: what glibc's thread control block has. A library that asks for more cannot be
/// opened by a running program ("cannot allocate memory in static TLS block").
pub(super) const ALIGN: usize = 16;

source::tls_block!("heapwright_tls");

/// The end of the cell that is both empty and full (magazine-A3).
#[inline]
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
