//! Allocates a little, as every program does, and sees whether that is memory.
//!
//! Cost: some calls and a thread. What is wrong may also be a crash, or never end; the asking process sees that.

use core::ffi::c_void;
use core::hint::black_box;
use core::{ptr, slice};
use std::thread;

/// A small class, a larger one, a few pages, and what many allocators map by itself.
const SIZES: [usize; 4] = [8, 500, 20_000, 1 << 20];

const MARK: u8 = 0x5a;

/// What is wrong with this process's malloc, in the first thread or in another one.
pub(super) fn problem() -> Option<String> {
    let all = || SIZES.into_iter().try_for_each(one);
    let elsewhere = || match thread::spawn(all).join() {
        Ok(done) => done.err().map(|problem| format!("in a second thread {problem}")),
        Err(_) => Some("a second thread fails".to_owned()),
    };
    all().err().or_else(elsewhere)
}

fn one(size: usize) -> Result<(), String> {
    // By pointers that the compiler cannot see through: it knows these functions, and would leave the calls out.
    let malloc: unsafe extern "C" fn(usize) -> *mut c_void = black_box(libc::malloc);
    let calloc: unsafe extern "C" fn(usize, usize) -> *mut c_void = black_box(libc::calloc);
    let realloc: unsafe extern "C" fn(*mut c_void, usize) -> *mut c_void = black_box(libc::realloc);
    let free: unsafe extern "C" fn(*mut c_void) = black_box(libc::free);
    let given = |block: *mut c_void, call: &str| {
        if block.is_null() { Err(format!("{call} returns NULL")) } else { Ok(block) }
    };
    // SAFETY: any size may be asked for.
    let block = given(unsafe { malloc(size) }, &format!("malloc({size})"))?;
    // SAFETY: the block has `size` bytes and is nobody else's.
    unsafe { ptr::write_bytes(block.cast::<u8>(), MARK, size) };
    // SAFETY: any size may be asked for.
    let zeroed = given(unsafe { calloc(size, 1) }, &format!("calloc({size}, 1)"))?;
    if zeroed == block {
        return Err(format!("a block of {size} bytes is given out twice"));
    }
    if !is_filled(zeroed, size, 0) {
        return Err(format!("calloc({size}, 1) returns memory that is not zero"));
    }
    // SAFETY: the block is live.
    let larger = given(unsafe { realloc(block, 2 * size) }, &format!("realloc to {}", 2 * size))?;
    if !is_filled(larger, size, MARK) {
        return Err(format!("realloc to {} loses what was there", 2 * size));
    }
    // SAFETY: the block is live, and not used below.
    unsafe { free(zeroed) };
    // SAFETY: the block is live, and not used below.
    unsafe { free(larger) };
    Ok(())
}

/// Whether the first `size` bytes of a block all have this value.
fn is_filled(block: *mut c_void, size: usize, value: u8) -> bool {
    // SAFETY: the caller's block has `size` bytes, all written.
    let bytes = unsafe { slice::from_raw_parts(block.cast::<u8>(), size) };
    bytes.iter().all(|b| *b == value)
}
