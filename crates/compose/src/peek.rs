//! Single bytes of live blocks, for the layers' tests.
use core::ptr::NonNull;

pub(crate) fn byte(block: impl Into<Option<NonNull<u8>>>, index: usize) -> u8 {
    let place = block.into().map(|block| block.as_ptr().wrapping_add(index));
    // SAFETY: the tests ask within live blocks.
    place.map_or(0, |place| unsafe { place.read() })
}

pub(crate) fn touch(block: NonNull<u8>, index: usize) {
    // SAFETY: the tests write within live blocks.
    unsafe { block.as_ptr().wrapping_add(index).write(1) };
}
