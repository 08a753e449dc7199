//! `mi`: each of C's functions, at the sizes where allocators go wrong; then large blocks.
use base::Malloc;

use super::{Part, mark, marked, not_null};

pub(super) fn run(malloc: &dyn Malloc, part: Part) -> Result<(), String> {
    plain(malloc)?;
    zeroed(malloc)?;
    aligned(malloc)?;
    resized(malloc)?;
    large(malloc, part.of(1_000))
}

/// Sizes around every power of two; none; null; too much.
fn plain(malloc: &dyn Malloc) -> Result<(), String> {
    // SAFETY: null is a valid argument.
    unsafe { malloc.free(core::ptr::null_mut()) };
    let none = not_null(malloc.malloc(0), 0)?;
    let other = not_null(malloc.malloc(0), 0)?;
    if none == other {
        return Err("two blocks of no bytes have one address".to_owned());
    }
    free(malloc, none);
    free(malloc, other);
    for size in (0..=20).flat_map(|shift| [(1usize << shift) - 1, 1 << shift, (1 << shift) + 1]) {
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
        free(malloc, block);
    }
    for size in [usize::MAX, usize::MAX - 64, isize::MAX as usize] {
        if !malloc.malloc(size).is_null() {
            return Err(format!("{size:#x} bytes were served"));
        }
    }
    Ok(())
}

fn zeroed(malloc: &dyn Malloc) -> Result<(), String> {
    for (count, size) in [(1, 1), (3, 5), (10, 100), (1, 70_000), (1_000, 33)] {
        for _ in 0..2 {
            let bytes = count * size;
            let block = not_null(malloc.calloc(count, size), bytes)?;
            marked(block, bytes, 0)?;
            // SAFETY: live and of `bytes` bytes.
            unsafe { block.write_bytes(0xFF, bytes) };
            free(malloc, block);
        }
    }
    match malloc.calloc(usize::MAX / 2, 4).is_null() {
        true => Ok(()),
        false => Err("a product that wraps was served".to_owned()),
    }
}

fn aligned(malloc: &dyn Malloc) -> Result<(), String> {
    let mut blocks = Vec::new();
    for shift in 0..=12 {
        for size in [1, 8, 100, 5_000] {
            let align = 1 << shift;
            let block = not_null(malloc.aligned_alloc(align, size), size)?;
            if !block.addr().is_multiple_of(align) {
                return Err(format!("{block:p} is not a multiple of {align}"));
            }
            mark(block, size, 0xC3);
            blocks.push((block, size));
        }
    }
    for (block, size) in blocks {
        marked(block, size, 0xC3)?;
        free(malloc, block);
    }
    Ok(())
}

/// One block grows to 1 MiB and shrinks again, with another in its way.
fn resized(malloc: &dyn Malloc) -> Result<(), String> {
    let mut block = not_null(malloc.malloc(1), 1)?;
    let mut size = 1;
    mark(block, 1, 0x11);
    let up = (1..=20).map(|shift| 1 << shift);
    for wanted in up.chain((0..20).rev().map(|shift| 1 << shift)) {
        let wall = not_null(malloc.malloc(40), 40)?;
        // SAFETY: live until another address is returned.
        let new = not_null(unsafe { malloc.realloc(block, wanted) }, wanted)?;
        // SAFETY: live, of at least one byte.
        let first = unsafe { new.read() };
        if first != 0x11 {
            return Err(format!("from {size} to {wanted} bytes: the first became {first:#04x}"));
        }
        (block, size) = (new, wanted);
        mark(block, size, 0x11);
        free(malloc, wall);
    }
    free(malloc, block);
    Ok(())
}

/// 2 MiB, every page touched, a few live at a time.
fn large(malloc: &dyn Malloc, count: usize) -> Result<(), String> {
    const SIZE: usize = 2 << 20;
    let mut live = Vec::new();
    for i in 0..count {
        let block = not_null(malloc.malloc(SIZE), SIZE)?;
        for at in (0..SIZE).step_by(4096) {
            // SAFETY: within a live block.
            unsafe { block.wrapping_add(at).write(i.to_le_bytes()[0]) };
        }
        live.push(block);
        if live.len() == 8 {
            live.drain(..).for_each(|block| free(malloc, block));
        }
    }
    live.drain(..).for_each(|block| free(malloc, block));
    Ok(())
}

fn free(malloc: &dyn Malloc, block: *mut u8) {
    // SAFETY: the body's own, live until now.
    unsafe { malloc.free(block) };
}
