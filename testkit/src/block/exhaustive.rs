//! Every program of up to eight operations on a tiny heap.
//!
//! An operation allocates one of a few layouts, frees one of the live blocks, or changes the
//! size of one. What makes programs alike is left out:
//!
//! - a live block is named by its age among the live ones, so slots are not permuted;
//! - a program is a path in a tree, and each heap is made anew along the path: no state is
//!   copied, as an allocator's need not be;
//! - a heap that looks as another did, pieces and live blocks alike, with as many operations
//!   left, is not followed again; *looks* includes what a fresh allocation of each layout
//!   would return, so the order of the free lists counts.
use core::alloc::Layout;
use core::hash::{Hash, Hasher};
use std::collections::HashSet;
use std::hash::DefaultHasher;

use base::{AddMemory, BlockAllocator};

use super::any::AnyKind;
use super::heap::Heap;
use super::kind::Kind;

#[derive(Debug, Clone)]
pub struct Alphabet {
    pub memory: usize,
    pub layouts: Vec<Layout>,
    pub sizes: Vec<usize>,
    pub ops: usize,
}

/// One operation; a block is named by its age.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Step {
    Allocate(usize),
    /// Free the live block of this age.
    Free(usize),
    /// Reallocate the live block of this age to the size of this index.
    Reallocate(usize, usize),
    Resize(usize, usize),
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Searched {
    pub programs: usize,
    /// Programs whose heap looked like one before.
    pub alike: usize,
}

/// Runs every program; everything is looked at around each call, and each program's heap is
/// drained at its end.
pub fn exhaustive<A: BlockAllocator + AddMemory>(
    kind: &Kind<A>,
    alphabet: &Alphabet,
) -> Result<Searched, String> {
    search(kind.any(), alphabet)
}

fn search(kind: AnyKind<'_>, alphabet: &Alphabet) -> Result<Searched, String> {
    let mut searched = Searched::default();
    let mut seen = HashSet::new();
    let mut open = vec![Vec::new()];
    while let Some(path) = open.pop() {
        searched.programs += 1;
        let failed = |said| format!("{path:?} of {alphabet:?}: {said}");
        let (live, looks) = run(kind, alphabet, &path).map_err(failed)?;
        let left = alphabet.ops - path.len();
        if left == 0 {
            continue;
        }
        if let Some(looks) = looks
            && !seen.insert((left, looks))
        {
            searched.alike += 1;
            continue;
        }
        for step in steps(kind, alphabet, live) {
            let mut longer = path.clone();
            longer.push(step);
            open.push(longer);
        }
    }
    Ok(searched)
}

fn steps(kind: AnyKind<'_>, alphabet: &Alphabet, live: usize) -> Vec<Step> {
    let mut steps: Vec<Step> = (0..alphabet.layouts.len()).map(Step::Allocate).collect();
    for age in 0..live {
        steps.push(Step::Free(age));
        for size in 0..alphabet.sizes.len() {
            steps.push(Step::Reallocate(age, size));
            if kind.resize.is_some() {
                steps.push(Step::Resize(age, size));
            }
        }
    }
    steps
}

/// How many blocks are live at the end, and what the heap looks like, where that can be told.
fn run(
    kind: AnyKind<'_>,
    alphabet: &Alphabet,
    path: &[Step],
) -> Result<(usize, Option<u64>), String> {
    // The steps before the last were watched when they were the last.
    let mut heap = Heap::with_memory(kind, alphabet.memory)?.unwatched();
    for (i, &step) in path.iter().enumerate() {
        if i + 1 == path.len() {
            heap.look()?;
        }
        apply(&mut heap, alphabet, step)?;
    }
    heap.look()?;
    let live = heap.shadow().len();
    let looks = looks(&mut heap, alphabet)?;
    heap.drain()?;
    Ok((live, looks))
}

fn apply(heap: &mut Heap<'_>, alphabet: &Alphabet, step: Step) -> Result<(), String> {
    let aged = |heap: &Heap<'_>, age: usize| heap.shadow().by_age()[age];
    match step {
        Step::Allocate(layout) => heap.allocate(alphabet.layouts[layout], false).map(|_| ()),
        Step::Free(age) => heap.free(aged(heap, age), true),
        Step::Reallocate(age, size) => {
            heap.reallocate(aged(heap, age), alphabet.sizes[size]).map(|_| ())
        }
        Step::Resize(age, size) => heap.resize(aged(heap, age), alphabet.sizes[size]).map(|_| ()),
    }
}

/// A number that heaps have in common which will do the same with the same operations: pieces,
/// live blocks by age, and where as many blocks of each layout as there is room for would go.
fn looks(heap: &mut Heap<'_>, alphabet: &Alphabet) -> Result<Option<u64>, String> {
    if heap.kind().walk.is_none() {
        return Ok(None);
    }
    let start = heap.memories()[0].start().addr();
    let mut hash = DefaultHasher::new();
    for piece in heap.pieces() {
        (piece.at - start, piece.len, piece.used).hash(&mut hash);
    }
    for address in heap.shadow().by_age() {
        let block = heap.shadow().get(address).expect("it is live");
        (address - start, block.size(), block.align()).hash(&mut hash);
    }
    // Destructive, and the heap is drained next.
    for (i, &layout) in alphabet.layouts.iter().enumerate() {
        while let Some(block) = heap.allocate(layout, false)? {
            (i, block - start).hash(&mut hash);
        }
    }
    Ok(Some(hash.finish()))
}
