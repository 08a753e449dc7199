//! Every program of a few operations on a tiny heap, for every block allocator.
use core::alloc::Layout;

use base::{AddMemory, BlockAllocator};
use heapwright_testkit::block::exhaustive::{Alphabet, exhaustive};
use heapwright_testkit::block::{Kind, kinds};

fn layouts(of: &[(usize, usize)]) -> Vec<Layout> {
    of.iter().map(|&(size, align)| Layout::from_size_align(size, align).unwrap()).collect()
}

/// Three alphabets: allocating and freeing alone goes deepest; then with alignments; then with
/// sizes that change.
fn search<A: BlockAllocator + AddMemory>(kind: &Kind<A>, memory: usize, step: usize) {
    let plain = Alphabet {
        memory,
        layouts: layouts(&[(step / 2, 1), (2 * step, 1), (5 * step, 1)]),
        sizes: vec![],
        ops: 8,
    };
    let aligned = Alphabet {
        layouts: layouts(&[(step / 2, 1), (step, 4 * step), (3 * step, 8)]),
        ops: 6,
        ..plain.clone()
    };
    let changing = Alphabet {
        layouts: layouts(&[(step / 2, 1), (3 * step, 1)]),
        sizes: vec![step / 2, 2 * step, 4 * step],
        ops: 5,
        ..plain.clone()
    };
    for alphabet in [plain, aligned, changing] {
        let searched = exhaustive(kind, &alphabet).unwrap_or_else(|said| panic!("{said}"));
        println!("{}: {} operations: {searched:?}", kind.name, alphabet.ops);
        assert!(searched.programs > 300, "{searched:?}: the heap is too small for the alphabet");
    }
}

macro_rules! searched {
    ($($name:ident: $kind:expr, $memory:expr, $step:expr;)*) => {$(
        #[test]
        fn $name() {
            search(&$kind, $memory, $step);
        }
    )*};
}

searched! {
    tlsf: kinds::tlsf(), 640, 32;
    tlsf_8: kinds::tlsf_8(), 512, 32;
    tlsf_64: kinds::tlsf_64(), 1536, 64;
    half_fit: kinds::half_fit(), 1024, 32;
    first_fit: kinds::first_fit(), 640, 32;
    next_fit: kinds::next_fit(), 640, 32;
    best_fit: kinds::best_fit(), 640, 32;
    worst_fit: kinds::worst_fit(), 640, 32;
    buddy: kinds::buddy(), 1024, 32;
    slab: kinds::slab(), 20 << 10, 1024;
}
