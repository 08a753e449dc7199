//! x86-64: the block's offset from `fs` is one load from the GOT, or a constant when the
//! linker knows it; a slot is then one `fs:` access.

/// Of the block: a cache line.
pub(super) const ALIGN: usize = 64;

/// The block's offset from the thread pointer.
#[inline(always)]
fn offset() -> usize {
    let offset;
    // SAFETY: reads a constant that the loader has filled in.
    unsafe {
        core::arch::asm!(
            "mov {}, qword ptr [rip + heapwright_tls@GOTTPOFF]",
            out(reg) offset,
            options(pure, nomem, nostack, preserves_flags),
        );
    }
    offset
}

#[inline(always)]
pub(super) fn load(slot: usize) -> usize {
    let value;
    // SAFETY: slots are below SLOTS, so the word is inside the thread's block.
    unsafe {
        core::arch::asm!(
            "mov {value}, qword ptr fs:[{offset} + 8*{slot}]",
            value = lateout(reg) value,
            offset = in(reg) offset(),
            slot = in(reg) slot,
            options(readonly, nostack, preserves_flags),
        );
    }
    value
}

#[inline(always)]
pub(super) fn store(slot: usize, value: usize) {
    // SAFETY: as for `load`; the word is only ever reached through these two.
    unsafe {
        core::arch::asm!(
            "mov qword ptr fs:[{offset} + 8*{slot}], {value}",
            value = in(reg) value,
            offset = in(reg) offset(),
            slot = in(reg) slot,
            options(nostack, preserves_flags),
        );
    }
}

pub(super) fn address() -> usize {
    let pointer: usize;
    // SAFETY: the x86-64 ABI keeps the thread pointer in the block it points to.
    unsafe {
        core::arch::asm!("mov {}, qword ptr fs:[0]", out(reg) pointer, options(pure, readonly, nostack, preserves_flags));
    }
    pointer.wrapping_add(offset())
}

/// The end of the cell that is both empty and full (A3).
#[inline]
#[must_use]
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
