//! Marks in blocks, so that an allocator that hands out the same memory twice, or changes it, is found out.

use crate::heap;
use crate::results::wrong;

/// Writes marks that depend on `key` into the first and the last word of the block (all of a smaller one).
///
/// # Safety
///
/// `block` is null or has `size` writable bytes.
#[inline(always)]
pub(crate) unsafe fn mark(block: *mut u8, size: usize, key: u64) {
    if block.is_null() {
        return;
    }
    if size < 8 {
        // SAFETY: the caller's promise.
        unsafe { block.write_bytes(byte(key), size) };
        return;
    }
    // SAFETY: there are eight bytes.
    unsafe { block.cast::<u64>().write_unaligned(key) };
    // SAFETY: `size` is at least 8.
    let last = unsafe { block.add(size - 8) };
    if size >= 16 {
        // SAFETY: the block's last eight bytes.
        unsafe { last.cast::<u64>().write_unaligned(!key) };
    }
}

/// Ends the program unless the marks are there.
///
/// # Safety
///
/// `block` is null or has `size` readable bytes that [`mark`] wrote to.
#[inline(always)]
pub(crate) unsafe fn verify(block: *const u8, size: usize, key: u64) {
    if block.is_null() {
        return;
    }
    // SAFETY: the caller's promise.
    let is_right = unsafe { is_marked(block, size, key) };
    // The null allocator hands out the same memory over and over.
    if !is_right && !heap::is_null() {
        wrong(format_args!("a block of {size} bytes at {block:p} lost its mark"));
    }
}

/// # Safety
///
/// As of [`verify`].
#[inline(always)]
unsafe fn is_marked(block: *const u8, size: usize, key: u64) -> bool {
    if size < 8 {
        // SAFETY: the caller's promise.
        let bytes = unsafe { core::slice::from_raw_parts(block, size) };
        return bytes.iter().all(|b| *b == byte(key));
    }
    // SAFETY: there are eight bytes.
    let first = unsafe { block.cast::<u64>().read_unaligned() };
    if size < 16 {
        return first == key;
    }
    // SAFETY: `size` is at least 16.
    let last = unsafe { block.add(size - 8) };
    // SAFETY: the block's last eight bytes.
    let last = unsafe { last.cast::<u64>().read_unaligned() };
    first == key && last == !key
}

fn byte(key: u64) -> u8 {
    key.to_le_bytes()[0] ^ 0x5a
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_seen_and_their_loss_too() {
        for size in 0..64 {
            let mut block = vec![0_u8; size];
            let at = block.as_mut_ptr();
            // SAFETY: `size` bytes.
            unsafe { mark(at, size, 77) };
            // SAFETY: as above.
            assert!(unsafe { is_marked(at, size, 77) }, "{size}");
            for damaged in [0, size.saturating_sub(1)] {
                let Some(byte) = block.get_mut(damaged) else { continue };
                if (8..16).contains(&size) && damaged >= 8 {
                    continue;
                }
                *byte ^= 1;
                // SAFETY: as above.
                assert!(!unsafe { is_marked(block.as_ptr(), size, 77) }, "{size} at {damaged}");
                block[damaged] ^= 1;
            }
        }
    }
}
