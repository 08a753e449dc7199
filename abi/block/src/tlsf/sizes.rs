//! How large things are: the control block, pools, blocks, and the memory that always suffices.

use block::tlsf::{Bound, Fixed, GRAIN, Geometry, required_heap};

use super::{Handle, Placed, STEPS, WORD, WORDS, Whole};

type Shape = Fixed<WORDS, STEPS, GRAIN>;

/// What aligning memory costs at most.
pub(super) const PAD: usize = GRAIN - 1;
/// Memory of any alignment for a handle and a control block for any pool.
pub(super) const WHOLE: usize =
    size_of::<Handle>() + base::bits::align_up(size_of::<Whole>(), GRAIN) + PAD;
/// What a pool spends on itself: three words of record, one of sentinel.
pub(super) const POOL: usize = 4 * WORD;

/// Whether the control block for such a memory lacks no bin.
pub(super) fn is_whole(len: usize) -> bool {
    len >= Shape::LARGEST
}

#[unsafe(no_mangle)]
extern "C" fn heapwright_tlsf_size() -> usize {
    WHOLE
}

#[unsafe(no_mangle)]
extern "C" fn heapwright_tlsf_control_size(bytes: usize) -> usize {
    match bytes.checked_sub(size_of::<Handle>()) {
        Some(len) => size_of::<Handle>() + Placed::control_bytes(len),
        None => 0,
    }
}

#[unsafe(no_mangle)]
extern "C" fn heapwright_tlsf_pool_overhead() -> usize {
    POOL
}

#[unsafe(no_mangle)]
extern "C" fn heapwright_tlsf_alloc_overhead() -> usize {
    WORD
}

#[unsafe(no_mangle)]
extern "C" fn heapwright_tlsf_align() -> usize {
    GRAIN
}

#[unsafe(no_mangle)]
extern "C" fn heapwright_tlsf_block_size_min() -> usize {
    let crumbs = Shape::CRUMBS && !cfg!(feature = "canaries");
    (if crumbs { GRAIN } else { Shape::LISTED }) - WORD
}

#[unsafe(no_mangle)]
extern "C" fn heapwright_tlsf_block_size_max() -> usize {
    let sealed = if usize::BITS == 64 { 1 << 39 } else { 1 << 23 };
    let largest =
        if cfg!(feature = "canaries") && sealed < Shape::LARGEST { sealed } else { Shape::LARGEST };
    largest - WORD
}

#[unsafe(no_mangle)]
extern "C" fn heapwright_tlsf_required_heap(
    max_live: usize,
    max_request: usize,
    min_request: usize,
) -> usize {
    match required_heap(Bound::Tlsf, max_live, max_request, min_request) {
        0 => 0,
        // A control block has at most 8 bins more for twice the memory.
        pool => pool.saturating_add(heapwright_tlsf_control_size(pool.saturating_mul(2)) + PAD),
    }
}
