//! A page of sharded and what others free of it, after `crates/malloc/src/sharded/{pages,heap,abandon}.rs`, function by function;
//! and the queue of superslab, after `crates/malloc/src/superslab/heap.rs`.
//!
//! Blocks are numbers from 1; the word that leads from a free block to the next is an atomic beside it, and each has a loom cell
//! that is written by whoever owns it.
use base::sync::{AtomicBool, AtomicUsize, Ordering, fence};
use loom::cell::UnsafeCell;
use loom::sync::Mutex;

/// Nothing to be told, to be told, being told: the low bits of `thread_free`.
const WANTED: usize = 1;
const TELLING: usize = 2;
const BITS: usize = 3;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fences {
    Full,
    /// None between a push and the look at the mark.
    Missing,
}

/// A page, its heap, and the list of abandoned segments, which has one place.
pub(crate) struct World {
    thread_free: AtomicUsize,
    next: Vec<AtomicUsize>,
    blocks: Vec<UnsafeCell<()>>,
    delayed: AtomicUsize,
    /// The page's memory may not be touched any more by who tells.
    gone: AtomicBool,
    marked: AtomicBool,
    abandoned: Mutex<bool>,
    fences: Fences,
}

impl World {
    pub(crate) fn new(blocks: usize, fences: Fences) -> World {
        World {
            thread_free: AtomicUsize::new(0),
            next: (0..=blocks).map(|_| AtomicUsize::new(0)).collect(),
            blocks: (0..=blocks).map(|_| UnsafeCell::new(())).collect(),
            delayed: AtomicUsize::new(0),
            gone: AtomicBool::new(false),
            marked: AtomicBool::new(false),
            abandoned: Mutex::new(false),
            fences,
        }
    }

    pub(crate) fn touch(&self, block: usize) {
        self.blocks[block].with_mut(|_| ());
    }

    fn set_next(&self, block: usize, next: usize) {
        self.touch(block);
        self.next[block].store(next, Ordering::Relaxed);
    }

    fn chain(&self, first: usize) -> Vec<usize> {
        let mut all = Vec::new();
        let mut block = first;
        while block != 0 {
            self.touch(block);
            all.push(block);
            block = self.next[block].load(Ordering::Relaxed);
        }
        all
    }

    /// `Page::push_theirs`, `Heap::push_delayed` and `Page::told`: a chain of blocks is freed by another thread.
    pub(crate) fn free_theirs(&self, chain: &[usize]) {
        for pair in chain.windows(2) {
            self.set_next(pair[0], pair[1]);
        }
        let (first, last) = (chain[0], chain[chain.len() - 1]);
        let rest = chain.get(1).copied().unwrap_or(0);
        let mut old = self.thread_free.load(Ordering::Relaxed);
        let is_wanted = loop {
            let is_wanted = old & BITS == WANTED;
            let (front, told) = if is_wanted { (rest, TELLING) } else { (first, old & BITS) };
            let new = if front == 0 {
                old & !BITS
            } else {
                self.set_next(last, old >> 2);
                front << 2
            } | told;
            match self.thread_free.compare_exchange(old, new, Ordering::AcqRel, Ordering::Relaxed) {
                Ok(_) => break is_wanted,
                Err(other) => old = other,
            }
        };
        if is_wanted {
            self.push(&self.delayed, first);
            self.change(|bits| if bits == TELLING { 0 } else { bits });
        }
    }

    fn push(&self, list: &AtomicUsize, block: usize) {
        let mut old = list.load(Ordering::Relaxed);
        loop {
            self.set_next(block, old);
            match list.compare_exchange(old, block, Ordering::Release, Ordering::Relaxed) {
                Ok(_) => return,
                Err(other) => old = other,
            }
        }
    }

    fn change(&self, to: impl Fn(usize) -> usize) {
        let mut old = self.thread_free.load(Ordering::Relaxed);
        loop {
            assert!(!self.gone.load(Ordering::Relaxed), "a page was used that had gone");
            let new = old & !BITS | to(old & BITS);
            match self.thread_free.compare_exchange(old, new, Ordering::AcqRel, Ordering::Relaxed) {
                Ok(_) => return,
                Err(other) => old = other,
            }
        }
    }

    /// `Page::want`.
    pub(crate) fn want(&self, wanted: bool) {
        loop {
            let old = self.thread_free.load(Ordering::Acquire);
            if old & BITS == TELLING {
                loom::thread::yield_now();
                continue;
            }
            let new = old & !BITS | usize::from(wanted);
            let put =
                self.thread_free.compare_exchange(old, new, Ordering::AcqRel, Ordering::Relaxed);
            if put.is_ok() {
                return;
            }
        }
    }

    /// `Page::collect_theirs`: the blocks.
    pub(crate) fn collect(&self) -> Vec<usize> {
        let mut old = self.thread_free.load(Ordering::Relaxed);
        loop {
            if old >> 2 == 0 {
                return Vec::new();
            }
            let took = self.thread_free.compare_exchange(
                old,
                old & BITS,
                Ordering::Acquire,
                Ordering::Relaxed,
            );
            match took {
                Ok(_) => return self.chain(old >> 2),
                Err(other) => old = other,
            }
        }
    }

    /// `Heap::take_delayed`: the blocks.
    pub(crate) fn take_delayed(&self) -> Vec<usize> {
        self.chain(self.delayed.swap(0, Ordering::Acquire))
    }

    /// The page goes, with all its memory.
    pub(crate) fn retire(&self) {
        (1..self.blocks.len()).for_each(|block| self.touch(block));
        self.gone.store(true, Ordering::Relaxed);
    }

    /// `Sharded::leave`: the blocks that were freed meanwhile, if the owner finds any and takes the segment back.
    pub(crate) fn abandon(&self) -> Vec<usize> {
        let mut abandoned = self.abandoned.lock().expect("nobody panics");
        *abandoned = true;
        self.marked.store(true, Ordering::Release);
        drop(abandoned);
        fence(Ordering::SeqCst);
        self.adopt_if(|| self.thread_free.load(Ordering::Acquire) >> 2 != 0)
    }

    /// `Sharded::free_theirs` of a page that may be abandoned: the blocks, if it adopts the segment.
    pub(crate) fn free_and_adopt(&self, block: usize) -> Vec<usize> {
        self.free_theirs(&[block]);
        if self.fences == Fences::Full {
            fence(Ordering::SeqCst);
        }
        if self.marked.load(Ordering::Relaxed) { self.adopt_if(|| true) } else { Vec::new() }
    }

    /// `Sharded::take_abandoned`, and the pages' blocks are collected.
    fn adopt_if(&self, wanted: impl Fn() -> bool) -> Vec<usize> {
        let mut abandoned = self.abandoned.lock().expect("nobody panics");
        if !*abandoned || !wanted() {
            return Vec::new();
        }
        *abandoned = false;
        self.marked.store(false, Ordering::Release);
        drop(abandoned);
        self.collect()
    }

    /// `superslab::Heap::push_remote`: whether nobody owns the heap.
    pub(crate) fn push_remote(&self, block: usize) -> bool {
        self.push(&self.delayed, block);
        if self.fences == Fences::Full {
            fence(Ordering::SeqCst);
        }
        self.marked.load(Ordering::Relaxed)
    }

    /// `superslab::Heap::leave`.
    pub(crate) fn leave(&self) {
        self.marked.store(true, Ordering::Relaxed);
        fence(Ordering::SeqCst);
    }

    /// `Superslab::drain_left`, under the members' lock.
    pub(crate) fn drain_left(&self) -> Vec<usize> {
        let _inside = self.abandoned.lock().expect("nobody panics");
        self.take_delayed()
    }
}
