use super::*;
use base::{AddMemory, Check};
use block::fit::FirstFit;

fn with_fit(work: impl FnOnce(&mut Affix<FirstFit>)) {
    let mut memory = vec![0u8; 1 << 20];
    let mut affix = Affix::new(FirstFit::new());
    // SAFETY: the memory outlives the allocator.
    unsafe { affix.add_memory(memory.as_mut_ptr(), memory.len()) }.unwrap();
    work(&mut affix);
    affix.check().unwrap();
    assert_eq!(affix.stats().used, 0, "the inner allocator got everything back");
}

#[test]
fn what_is_rounded_up_can_be_used() {
    with_fit(|affix| {
        let block = affix.allocate(Layout::from_size_align(100, 16).unwrap()).unwrap();
        // SAFETY: live.
        assert_eq!(unsafe { affix.usable_size(block) }, 128 - PREFIX);
        // SAFETY: live.
        assert!(unsafe { affix.resize_in_place(block, 112) });
        // SAFETY: live.
        assert!(!unsafe { affix.resize_in_place(block, 128 - PREFIX + 1) });
        // SAFETY: live; more than half would be wasted.
        assert!(!unsafe { affix.resize_in_place(block, 40) });
        // SAFETY: live, given up.
        unsafe { affix.free(block) };
    });
}

#[test]
fn resizing_keeps_contents_alignment_and_the_prefix() {
    with_fit(|affix| {
        let layout = Layout::from_size_align(64, 256).unwrap();
        let block = affix.allocate(layout).unwrap();
        // SAFETY: ours.
        unsafe { block.write_bytes(7, 64) };
        // SAFETY: live, of this layout.
        let grown = unsafe { affix.reallocate(block, layout, 5000) }.unwrap();
        assert!(grown.addr().get().is_multiple_of(256));
        // SAFETY: live.
        let bytes = unsafe { core::slice::from_raw_parts(grown.as_ptr(), 64) };
        assert!(bytes.iter().all(|byte| *byte == 7));
        // SAFETY: live.
        assert_eq!(unsafe { affix.usable_size(grown) }, 8192 - 256);
        let layout = Layout::from_size_align(5000, 256).unwrap();
        // SAFETY: live, given up.
        unsafe { affix.deallocate(grown, layout) };
    });
}

#[test]
fn sizes_that_overflow_are_refused() {
    with_fit(|affix| {
        let most = Layout::from_size_align(isize::MAX as usize - 15, 16).unwrap();
        assert_eq!(affix.allocate(most), None);
        let aligned = Layout::from_size_align(1, 1 << (usize::BITS - 2)).unwrap();
        assert_eq!(affix.allocate(aligned), None);
    });
}

#[test]
fn the_largest_free_block_can_be_had() {
    with_fit(|affix| {
        let layout = Layout::from_size_align(affix.stats().largest_free, 1).unwrap();
        let block = affix.allocate(layout).unwrap();
        assert!(layout.size() > 1 << 18, "half of the memory at least");
        // SAFETY: live, given up.
        unsafe { affix.free(block) };
    });
}
