//! `mi`, its part on what only C's functions promise: blocks of no bytes, null, usable sizes, products that wrap.
use base::Malloc;

use super::{mark, marked, not_null};

pub(super) fn run(malloc: &dyn Malloc) -> Result<(), String> {
    // SAFETY: null is a valid argument.
    unsafe { malloc.free(core::ptr::null_mut()) };
    empty(malloc)?;
    for size in (0..=20).flat_map(|bits| [(1usize << bits) - 1, 1 << bits, (1 << bits) + 1]) {
        usable(malloc, size)?;
    }
    let wrapped = malloc.calloc(usize::MAX / 2, 4);
    let refused =
        [usize::MAX, usize::MAX - 64, isize::MAX as usize].map(|size| malloc.malloc(size));
    if !wrapped.is_null() || refused.iter().any(|block| !block.is_null()) {
        return Err("more memory was given than can be addressed".to_owned());
    }
    Ok(())
}

/// Two blocks of no bytes are two.
fn empty(malloc: &dyn Malloc) -> Result<(), String> {
    let (one, other) = (not_null(malloc.malloc(0), 0)?, not_null(malloc.malloc(0), 0)?);
    for block in [one, other] {
        // SAFETY: live, and not used again.
        unsafe { malloc.free(block) };
    }
    if one == other { Err("two blocks of no bytes have one address".to_owned()) } else { Ok(()) }
}

/// At least what was asked for can be used.
fn usable(malloc: &dyn Malloc, size: usize) -> Result<(), String> {
    let block = not_null(malloc.malloc(size), size)?;
    // SAFETY: the block is live.
    let usable = unsafe { malloc.usable_size(block) };
    if usable < size {
        return Err(format!("{usable} of {size} bytes are usable"));
    }
    if size > 0 {
        mark(block, size, 0x5A);
        marked(block, size, 0x5A)?;
    }
    // SAFETY: live, and not used again.
    unsafe { malloc.free(block) };
    Ok(())
}
