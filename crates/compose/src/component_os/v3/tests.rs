use super::*;
use crate::mutex::Alone;
use block::fit::FirstFit;
use block::tlsf::SmallTlsf;
use kernel::bitmap::BitmapPages;

const PAGE: usize = 4096;
type Kernel = Global<Alone, FirstFit, BitmapPages>;

fn kernel(pages: usize) -> (Kernel, Vec<u8>) {
    let mut memory = vec![0u8; (pages + 1) * PAGE];
    let kernel = Kernel::new(FirstFit::new(), BitmapPages::new());
    let start = memory.as_mut_ptr().expose_provenance();
    // SAFETY: the tests keep the memory as long as the kernel.
    unsafe { kernel.init(start, memory.len()) }.unwrap();
    (kernel, memory)
}

fn layout(size: usize, align: usize) -> Layout {
    Layout::from_size_align(size, align).unwrap()
}

#[test]
fn the_heap_takes_pages_as_it_needs_them() {
    let (kernel, _memory) = kernel(64);
    assert_eq!(kernel.heap_stats().total, 0);
    let small = AllocatorOps::alloc(&kernel, layout(100, 8));
    assert!(!small.is_null());
    assert_eq!(kernel.usages().get(UsageKind::RustHeap), PAGE);
    // Header and alignment are part of what is asked for: one time is enough.
    let large = AllocatorOps::alloc(&kernel, layout(4 * PAGE, PAGE));
    assert!(large.addr().is_multiple_of(PAGE) && !large.is_null());
    assert_eq!(kernel.usages().get(UsageKind::RustHeap), 7 * PAGE);
    assert_eq!(kernel.page_stats().used, 7 * PAGE);
    assert_eq!(kernel.heap_stats().failures, 0, "requests that were served are no failures");
    // SAFETY: live, of this layout.
    unsafe { AllocatorOps::dealloc(&kernel, large, layout(4 * PAGE, PAGE)) };
}

#[test]
fn refusal_is_null_and_can_be_recovered_from() {
    let (kernel, _memory) = kernel(16);
    let mut blocks = Vec::new();
    loop {
        let block = AllocatorOps::alloc(&kernel, layout(1000, 8));
        if block.is_null() {
            break;
        }
        blocks.push(block);
    }
    assert!(blocks.len() >= 60, "all pages became heap: {}", blocks.len());
    assert_eq!(kernel.heap_stats().failures, 1);
    assert!(kernel.alloc_pages(1, PAGE, UsageKind::Dma).is_null());
    let last = blocks.pop().unwrap();
    // SAFETY: live, of this layout.
    unsafe { AllocatorOps::dealloc(&kernel, last, layout(1000, 8)) };
    assert!(!AllocatorOps::alloc(&kernel, layout(1000, 8)).is_null());
}

/// As much again as the heap has would be a larger piece than its geometry describes.
#[test]
fn a_heap_grows_beyond_its_largest_piece() {
    const LEN: usize = 24 << 20;
    let mut memory = vec![0u8; LEN];
    let kernel: Global<Alone, SmallTlsf, BitmapPages> =
        Global::new(SmallTlsf::new(), BitmapPages::new());
    // SAFETY: the memory is there as long as the kernel.
    unsafe { kernel.init(memory.as_mut_ptr().expose_provenance(), LEN) }.unwrap();
    let block = layout(60 << 10, 16);
    let mut taken = 0;
    while !AllocatorOps::alloc(&kernel, block).is_null() {
        taken += block.size();
    }
    assert!(taken > LEN / 10 * 9, "{taken} of {LEN} bytes");
    assert_eq!(kernel.heap_stats().failures, 1, "the last");
}

#[test]
fn pages_are_counted_by_what_they_are_for() {
    let (kernel, _memory) = kernel(32);
    let table = kernel.alloc_pages(1, PAGE, UsageKind::PageTable);
    let dma = kernel.alloc_pages(4, 4 * PAGE, UsageKind::Dma);
    assert!(dma.addr().is_multiple_of(4 * PAGE));
    assert!(kernel.alloc_pages(1, 3, UsageKind::Global).is_null());
    assert!(kernel.alloc_pages(0, PAGE, UsageKind::Global).is_null());
    assert!(kernel.alloc_pages_at(dma.addr(), 1, UsageKind::VirtMem).is_null());
    assert_eq!(kernel.usages().get(UsageKind::PageTable), PAGE);
    assert_eq!(kernel.usages().get(UsageKind::Dma), 4 * PAGE);
    // SAFETY: live, allocated together.
    unsafe { kernel.dealloc_pages(dma, 4, UsageKind::Dma) };
    assert_eq!(kernel.usages().get(UsageKind::Dma), 0);
    assert_eq!(kernel.alloc_pages_at(dma.addr(), 4, UsageKind::VirtMem), dma);
    // SAFETY: live, allocated together.
    unsafe { kernel.dealloc_pages(table, 1, UsageKind::PageTable) };
    assert_eq!(kernel.usages().get(UsageKind::VirtMem), 4 * PAGE);
    // SAFETY: refused.
    assert_eq!(unsafe { kernel.init(0, PAGE) }, Err(AllocError::InvalidParam));
}
