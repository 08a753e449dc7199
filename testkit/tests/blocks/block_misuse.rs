//! Each misuse of TLSF under each tier of hardening that is to find it, with its exact message;
//! the heap is as it was before.
use core::alloc::Layout;
use core::panic::AssertUnwindSafe;
use core::ptr::NonNull;
use std::panic::catch_unwind;

use base::{AddMemory, BlockAllocator, Check, Free};
use block::tlsf::{Canaries, Neighbours, Tier, Tlsf, Walked};
use heapwright_testkit::block::{Memory, shape};

type Heap<T> = Tlsf<4, 8, 16, T>;

const LEN: usize = 16 << 10;

fn layout(size: usize) -> Layout {
    Layout::from_size_align(size, 16).unwrap()
}

/// A heap with five blocks of 104 bytes in a row.
struct Fixture<T: Tier> {
    heap: Heap<T>,
    blocks: [NonNull<u8>; 5],
    // After the heap, which uses it.
    _memory: Memory,
}

impl<T: Tier> Fixture<T> {
    fn new() -> Fixture<T> {
        let memory = Memory::new(LEN, 0);
        let mut heap = Heap::<T>::new();
        // SAFETY: the memory outlives the heap.
        unsafe { heap.add_memory(memory.start(), LEN) }.unwrap();
        let blocks = core::array::from_fn(|_| heap.allocate(layout(104)).unwrap());
        Fixture { heap, blocks, _memory: memory }
    }

    fn free(&mut self, i: usize) {
        // SAFETY: each test frees each block once before its misuse.
        unsafe { self.heap.free(self.blocks[i]) };
    }

    fn says(&mut self, block: NonNull<u8>) -> String {
        // SAFETY: that it is not is the test; a tier that checks ends in a panic before it does harm.
        self.caught(|heap| unsafe { heap.free(block) })
    }

    fn caught(&mut self, misuse: impl FnOnce(&mut Heap<T>)) -> String {
        let before = shape(&self.heap);
        let said = catch_unwind(AssertUnwindSafe(|| misuse(&mut self.heap)));
        let said = said.expect_err("the misuse went unnoticed");
        assert_eq!(shape(&self.heap), before);
        *said.downcast::<String>().expect("a message")
    }
}

fn message(at: NonNull<u8>, says: &str) -> String {
    format!("heapwright tlsf: {at:p}: {says}")
}

const FREE: &str = "the block is free already";
const FOREIGN: &str = "not a block of this allocator";
const SIZE: &str = "the block was allocated with another size";
const HEADER: &str = "the header was overwritten";

fn double_free<T: Tier>() {
    let mut fixture = Fixture::<T>::new();
    fixture.free(1);
    let block = fixture.blocks[1];
    assert_eq!(fixture.says(block), message(block, FREE));
    fixture.heap.check().unwrap();
}

/// The block has become the upper part of a free one, then the lower, then the middle.
fn double_free_merged<T: Tier>() {
    for order in [[1, 2, 2], [2, 1, 2], [2, 1, 1], [1, 2, 1]] {
        let mut fixture = Fixture::<T>::new();
        fixture.free(order[0]);
        fixture.free(order[1]);
        let block = fixture.blocks[order[2]];
        assert_eq!(fixture.says(block), message(block, FREE), "{order:?}");
    }
}

/// The same with the layout, which TLSF believes where it does not check.
fn double_free_sized<T: Tier>() {
    let mut fixture = Fixture::<T>::new();
    fixture.free(1);
    let block = fixture.blocks[1];
    // SAFETY: as in `says`.
    let said = fixture.caught(|heap| unsafe { heap.deallocate(block, layout(104)) });
    assert_eq!(said, message(block, FREE));
}

/// Sizes whose block is another one even where what is left over is too little to be cut off.
fn wrong_size<T: Tier>() {
    let mut fixture = Fixture::<T>::new();
    let block = fixture.blocks[2];
    for size in [1, 72, 120, 5000] {
        // SAFETY: as in `says`.
        let said = fixture.caught(|heap| unsafe { heap.deallocate(block, layout(size)) });
        assert_eq!(said, message(block, SIZE), "{size}");
    }
    fixture.free(2);
}

/// On the stack, in other memory, before and behind the memory's blocks.
fn foreign<T: Tier>() {
    let mut fixture = Fixture::<T>::new();
    let mut local = [0u128; 4];
    let stack = NonNull::from(&mut local[1]).cast::<u8>();
    let other = Fixture::<T>::new().blocks[2];
    let below = fixture.blocks[0].as_ptr().map_addr(|at| at & !4095);
    let below = NonNull::new(below).unwrap();
    // SAFETY: the address of the memory's end.
    let behind = unsafe { below.add(LEN) };
    for pointer in [stack, other, below, behind] {
        assert_eq!(fixture.says(pointer), message(pointer, FOREIGN));
    }
    fixture.heap.check().unwrap();
}

fn misaligned<T: Tier>() {
    let mut fixture = Fixture::<T>::new();
    for more in [1, 4, 8, 24] {
        // SAFETY: within the block.
        let inside = unsafe { fixture.blocks[3].add(more) };
        assert_eq!(fixture.says(inside), message(inside, FOREIGN));
    }
}

/// In the middle of a block: what stands there is no header.
fn interior<T: Tier>() {
    let mut fixture = Fixture::<T>::new();
    // SAFETY: within the block.
    unsafe { fixture.blocks[3].write_bytes(0, 104) };
    // SAFETY: within the block.
    let inside = unsafe { fixture.blocks[3].add(32) };
    let said = fixture.says(inside);
    assert!(said.ends_with(HEADER) || said == message(inside, FREE), "{said}");
}

/// One word past the end: the header of the next block.
fn overflow<T: Tier>(word: usize) {
    let mut fixture = Fixture::<T>::new();
    // SAFETY: the block has 104 bytes; this is the word behind them.
    let header = unsafe { fixture.blocks[2].add(104) };
    // SAFETY: within the memory.
    unsafe { header.cast::<usize>().write(word) };
    // Not `says`: with its header gone the heap cannot be walked.
    for i in [3, 2] {
        let block = fixture.blocks[i];
        // SAFETY: live, but its header is not what it was.
        let said = catch_unwind(AssertUnwindSafe(|| unsafe { fixture.heap.free(block) }));
        let said = *said.expect_err("the overflow went unnoticed").downcast::<String>().unwrap();
        assert_eq!(said, message(header, HEADER));
    }
}

/// Where only the header of the block itself is looked at.
fn overflow_seen_by_neighbours<T: Tier>() {
    for word in [0xAAAA_AAAA_AAAA_AAAA_usize & !7 | 1, usize::MAX] {
        let mut fixture = Fixture::<T>::new();
        // SAFETY: the block has 104 bytes; this is the word behind them.
        let header = unsafe { fixture.blocks[2].add(104) };
        // SAFETY: within the memory.
        unsafe { header.cast::<usize>().write(word) };
        let block = fixture.blocks[3];
        // SAFETY: live, but its header is not what it was.
        let said = catch_unwind(AssertUnwindSafe(|| unsafe { fixture.heap.free(block) }));
        let said = *said.expect_err("the overflow went unnoticed").downcast::<String>().unwrap();
        assert!(said.ends_with(HEADER) || said == message(block, FREE), "{word:#x}: {said}");
    }
}

/// A write to a block after it was freed: its links. Only a walk sees that before it is used.
fn written_after_free<T: Tier>() {
    let mut fixture = Fixture::<T>::new();
    fixture.free(1);
    fixture.free(3);
    // SAFETY: dead, but within the memory.
    unsafe { fixture.blocks[1].write_bytes(0x5A, 16) };
    let said = catch_unwind(AssertUnwindSafe(|| fixture.heap.allocate(layout(5000))));
    let said = *said.expect_err("the write went unnoticed").downcast::<String>().unwrap();
    assert!(said.starts_with("heapwright tlsf: 0x") && said.contains("-T"), "{said}");
}

macro_rules! tiers {
    ($($misuse:ident;)*) => {
        mod neighbours {
            use super::*;
            $(#[test] fn $misuse() { super::$misuse::<Neighbours>(); })*
            #[test]
            fn overflow() {
                overflow_seen_by_neighbours::<Neighbours>();
            }
        }
        mod canaries {
            use super::*;
            $(#[test] fn $misuse() { super::$misuse::<Canaries>(); })*
            #[test]
            fn overflow() {
                for word in [0, 1, 112, 113, 0x4141_4141_4141_4141, usize::MAX] {
                    super::overflow::<Canaries>(word);
                }
            }
        }
        mod walked {
            use super::*;
            $(#[test] fn $misuse() { super::$misuse::<Walked>(); })*
            #[test]
            fn written_after_free() {
                super::written_after_free::<Walked>();
            }
        }
    };
}

tiers! {
    double_free;
    double_free_merged;
    double_free_sized;
    wrong_size;
    foreign;
    misaligned;
    interior;
}
