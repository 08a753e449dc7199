use super::*;
use crate::affix::Affix;
use crate::growing::Growing;
use crate::peek::byte;
use base::lock::Lock;
use block::fit::FirstFit;
use source::Failing;
use source::os::Os;

type Plain = BlockMalloc<Lock<Os>, Growing<FirstFit, Failing<Os>>>;
type Prefixed = BlockMalloc<Lock<Os>, Affix<Growing<FirstFit, Failing<Os>>>>;

fn plain() -> Plain {
    BlockMalloc::new(Growing::new(FirstFit::new(), Failing::new(Os)))
}

fn prefixed() -> Prefixed {
    BlockMalloc::new(Affix::new(Growing::new(FirstFit::new(), Failing::new(Os))))
}

#[test]
fn nothing_is_used_when_all_is_freed() {
    fn used_at_the_end(heap: &impl Malloc, used: impl FnOnce() -> usize) {
        let grown = heap.malloc(100);
        // SAFETY: live.
        let grown = unsafe { heap.realloc(grown, 100_000) };
        // SAFETY: live, given up.
        unsafe { heap.free_sized(heap.calloc(30, 100), 3000) };
        for block in [grown, heap.malloc(0), heap.aligned_alloc(1 << 16, 50)] {
            // SAFETY: live, given up.
            unsafe { heap.free(block) };
        }
        assert_eq!(used(), 0);
    }
    let heap = plain();
    used_at_the_end(&heap, || heap.stats().used);
    let heap = prefixed();
    used_at_the_end(&heap, || heap.stats().used);
}

#[test]
fn a_refused_realloc_keeps_the_block_and_a_refused_shrink_succeeds() {
    let heap = prefixed();
    let block = heap.malloc(1 << 19);
    // SAFETY: ours.
    unsafe { block.write_bytes(8, 1 << 19) };
    while !heap.malloc(1 << 10).is_null() {
        heap.heap().with(|inner| inner.inner().source().fail_from(1));
    }
    // SAFETY: live.
    assert!(unsafe { heap.realloc(block, 1 << 21) }.is_null());
    // SAFETY: live; it cannot move to save memory, so it stays.
    assert_eq!(unsafe { heap.realloc(block, 2000) }, block);
    assert_eq!(byte(NonNull::new(block), 1999), 8);
}

#[test]
fn fork_finds_nobody_inside() {
    let heap = plain();
    assert!(heap.hold(20));
    assert!(heap.heap().mutex().try_lock().is_none());
    heap.release();
    assert!(heap.heap().mutex().try_lock().is_some());
    assert!(heap.hold(20));
    assert!(!heap.malloc(1).is_null(), "whoever forks passes");
    heap.release();
    assert!(!heap.malloc(1).is_null());
}

/// Fresh memory is not written, and what is not fresh is.
#[test]
fn calloc_is_zero_wherever_it_comes_from() {
    fn zero<A>(heap: &BlockMalloc<Lock<Os>, A>)
    where
        A: AllocateFresh + Free + UsableSize + ResizeInPlace + Send,
    {
        for size in [1, 100, 5000, 1 << 20, (1 << 20) + 1, 3 << 20, 9 << 20] {
            for _ in 0..3 {
                let block = heap.calloc(1, size);
                // SAFETY: live.
                let bytes = unsafe { core::slice::from_raw_parts_mut(block, size) };
                assert!(bytes.iter().all(|byte| *byte == 0), "calloc(1, {size})");
                bytes.fill(0xAA);
                // SAFETY: live, given up.
                unsafe { heap.free(block) };
            }
        }
    }
    zero(&plain());
    zero(&prefixed());
    zero::<Growing<block::tlsf::Tlsf, Os>>(&BlockMalloc::new(Growing::new(
        block::tlsf::Tlsf::new(),
        Os,
    )));
    zero::<Growing<block::fit::BestFit, Os>>(&BlockMalloc::new(Growing::new(
        block::fit::BestFit::new(),
        Os,
    )));
}
