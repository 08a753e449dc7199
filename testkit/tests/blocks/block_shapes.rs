//! Golden heap shapes: each case of splitting, merging, aligning and resizing, as the whole heap afterwards. What else TLSF does,
//! buddy's halves and the fits' choices are tested beside their code.
use core::alloc::Layout;

use base::{AddMemory, BlockAllocator};
use heapwright_testkit::block::{Heap, Kind, Memory, kinds};

/// One thing done; blocks are named by the order of their allocation.
#[derive(Debug, Clone, Copy)]
enum Do {
    /// Allocate: bytes.
    A(usize),
    /// Allocate: bytes, alignment.
    At(usize, usize),
    F(usize),
    R(usize, usize),
}
use Do::{A, At, F, R};

/// What a heap of `len` bytes looks like after all of it. Everything else is checked as well.
fn after<A: BlockAllocator + AddMemory>(kind: &Kind<A>, len: usize, steps: &[Do]) -> String {
    let mut heap = Heap::new(kind);
    heap.add(Memory::new(len, 0)).unwrap().unwrap();
    let mut blocks = Vec::new();
    for &step in steps {
        let fresh = |size, align| Layout::from_size_align(size, align).unwrap();
        match step {
            Do::A(size) => blocks.push(heap.allocate(fresh(size, 8), false).unwrap().unwrap()),
            Do::At(size, align) => {
                blocks.push(heap.allocate(fresh(size, align), false).unwrap().unwrap());
            }
            Do::F(i) => heap.free(blocks[i], i % 2 == 0).unwrap(),
            Do::R(i, size) => blocks[i] = heap.reallocate(blocks[i], size).unwrap().unwrap(),
        }
    }
    let shape = heap.shape();
    heap.drain().unwrap();
    shape
}

const THREE: [Do; 3] = [A(100), A(100), A(100)];

fn with(more: &[Do]) -> Vec<Do> {
    THREE.iter().chain(more).copied().collect()
}

macro_rules! shapes {
    ($kind:expr, $len:expr; $($steps:expr => $shape:literal, $says:literal;)*) => {
        let kind = $kind;
        let mut wrong = String::new();
        $(
            let found = after(&kind, $len, &$steps);
            if found != $shape {
                wrong.push_str(&format!("{}: {}\n     not {}\n", $says, found, $shape));
            }
        )*
        assert!(wrong.is_empty(), "{}:\n{wrong}", kind.name);
    };
}

#[test]
fn first_fit() {
    shapes! { kinds::first_fit(), 1024;
        [] => "free 992", "empty";
        [A(100)] => "used 112, free 880", "split";
        [A(0)] => "used 32, free 960", "the smallest block";
        with(&[F(1)]) => "used 112, free 112, used 112, free 656", "freed between used ones";
        with(&[F(1), A(100)]) => "used 112, used 112, used 112, free 656", "the hole, exactly";
        with(&[F(1), A(88)]) => "used 112, used 112, used 112, free 656", "a rest that is no block stays";
        with(&[F(1), A(40)]) => "used 112, used 48, free 64, used 112, free 656", "the hole, split";
        with(&[F(0), F(1)]) => "free 224, used 112, free 656", "merged with the one before";
        with(&[F(1), F(0)]) => "free 224, used 112, free 656", "merged with the one behind";
        with(&[A(8), F(0), F(2), F(1)]) => "free 336, used 32, free 624", "merged with both";
        with(&[F(2)]) => "used 112, used 112, free 768", "merged with the rest";
        [A(40), At(100, 256)] => "used 48, free 176, used 112, free 656", "a gap in front of an aligned block";
        [A(40), At(100, 256), F(1)] => "used 48, free 944", "which merges when it is freed";
        with(&[F(1), R(0, 200)]) => "used 224, used 112, free 656", "grown into the hole behind";
        with(&[F(1), R(0, 150)]) => "used 160, free 64, used 112, free 656", "and the hole cut";
        with(&[R(1, 20)]) => "used 112, used 32, free 80, used 112, free 656", "shrunk";
        with(&[R(2, 20)]) => "used 112, used 112, used 32, free 736", "shrunk beside free memory";
        with(&[R(0, 150)]) => "free 112, used 112, used 112, used 160, free 496", "moved";
    }
}

#[test]
fn half_fit() {
    shapes! { kinds::half_fit(), 2048;
        [] => "free 2016", "empty";
        [A(100)] => "used 128, free 1888", "a power of two";
        [A(120), A(121)] => "used 128, used 256, free 1632", "header included";
        with(&[F(1), A(40)]) => "used 128, used 64, free 64, used 128, free 1632", "the hole, split";
        with(&[F(0), F(1)]) => "free 256, used 128, free 1632", "merged with the one before";
        with(&[A(8), F(0), F(2), F(1)]) => "free 384, used 16, free 1616", "merged with both";
    }
}

/// Holes of 112, 208 and 64 bytes, in this order, each between two blocks in use.
fn holes(more: &[Do]) -> Vec<Do> {
    let row = [A(100), A(0), A(200), A(0), A(50), A(0), A(700)];
    row.iter().chain(&[F(0), F(2), F(4)]).chain(more).copied().collect()
}

#[test]
fn tlsf_takes_the_smallest_hole_that_fits() {
    shapes! { kinds::tlsf(), 1400;
        holes(&[A(40)]) => "free 112, used 16, free 208, used 16, used 48, free 16, used 16, used 720, free 208", "the smallest";
        holes(&[A(90)]) => "used 112, used 16, free 208, used 16, free 64, used 16, used 720, free 208", "the smallest that fits";
    }
}
