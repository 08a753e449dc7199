//! What others have freed of a page: one word, which they and the owner change by compare-and-swap.
//!
//! ```text
//! bits   63 … 48          47 … 2              1, 0
//!        blocks that      the first, which    what a free by another thread
//!        wait             leads to the next   does beside: see `Told`
//! ```
//!
//! - **thread-free-R1** as many blocks hang on the first as the word says, if no block was freed twice.
//!
//! Chains come whole and with their number, and are taken so: nobody walks them. The owner touches a block again when it hands it out,
//! and then its program writes there; walking, it waited for the line of each block to come from the thread that freed it, one after the
//! other. After Leijen, Zorn and de Moura, "Mimalloc: Free List Sharding in Action", 2019, section 2.4; the number is ours.
use base::bits::low32;
use base::sync::{AtomicUsize, Ordering};

use crate::links::{Chain, next_of, set_next};

/// What a free by another thread does beside pushing its blocks: the two low bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Told {
    /// Nothing: the owner looks at the page by itself.
    No = 0,
    /// The page is full: the first block goes to the heap's list of delayed ones instead, once.
    Wanted = 1,
    /// Another thread is doing that: the heap stays until it is done.
    Telling = 2,
}

const TOLD: usize = 3;
/// Bits of an address that a program can have.
const ADDRESS: u32 = 48;

/// What became of a chain.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Pushed {
    /// It waits.
    Waits,
    /// The heap is to be told of the first block, which does not wait with the others; then [`ThreadFree::told`] is called.
    Tell,
    /// Nothing: one of its blocks came last, and was freed twice.
    Twice,
}

/// The word, on a line of its own.
#[derive(Debug)]
#[repr(C, align(64))]
pub(crate) struct ThreadFree(AtomicUsize);

const fn first_of(word: usize) -> usize {
    word & ((1 << ADDRESS) - 1) & !TOLD
}

fn count_of(word: usize) -> u32 {
    low32(word >> ADDRESS)
}

fn word_of(first: usize, count: u32, told: usize) -> usize {
    (count as usize) << ADDRESS | first | told
}

impl ThreadFree {
    /// Nothing waits, and nobody wants to be told.
    #[cfg(test)]
    pub(crate) fn new() -> Self {
        Self(AtomicUsize::new(0))
    }

    pub(crate) fn clear(&self) {
        self.0.store(0, Ordering::Relaxed);
    }

    /// Another thread frees a chain of blocks.
    pub(crate) fn push(&self, Chain { first, last, count }: Chain) -> Pushed {
        let rest = if count == 1 { 0 } else { next_of(first) };
        let mut old = self.0.load(Ordering::Relaxed);
        loop {
            let before = first_of(old);
            if before == first || before == last {
                return Pushed::Twice;
            }
            let tells = old & TOLD == Told::Wanted as usize;
            let (front, count, told) = if tells {
                (rest, count - 1, Told::Telling as usize)
            } else {
                (first, count, old & TOLD)
            };
            let front = if front == 0 {
                before
            } else {
                set_next(last, before);
                front
            };
            let new = word_of(front, count_of(old) + count, told);
            match self.0.compare_exchange_weak(old, new, Ordering::AcqRel, Ordering::Relaxed) {
                Ok(_) if tells => return Pushed::Tell,
                Ok(_) => return Pushed::Waits,
                Err(other) => old = other,
            }
        }
    }

    /// The heap has been told.
    pub(crate) fn told(&self) {
        let mut old = self.0.load(Ordering::Relaxed);
        while old & TOLD == Told::Telling as usize {
            let new = old & !TOLD | Told::No as usize;
            match self.0.compare_exchange_weak(old, new, Ordering::AcqRel, Ordering::Relaxed) {
                Ok(_) => return,
                Err(other) => old = other,
            }
        }
    }

    /// From now on the owner wants to be told, or not. Waits while another thread is telling.
    pub(crate) fn want(&self, wanted: bool, wait: impl Fn(&AtomicUsize, usize)) {
        loop {
            let old = self.0.load(Ordering::Acquire);
            if old & TOLD == Told::Telling as usize {
                wait(&self.0, old);
                continue;
            }
            let new = old & !TOLD | usize::from(wanted);
            if self.0.compare_exchange_weak(old, new, Ordering::AcqRel, Ordering::Relaxed).is_ok() {
                return;
            }
        }
    }

    /// Whether something waits.
    pub(crate) fn has_some(&self) -> bool {
        first_of(self.0.load(Ordering::Acquire)) != 0
    }

    /// The owner takes all that waits: the first block, and how many there are.
    pub(crate) fn take(&self) -> Option<(usize, u32)> {
        let mut old = self.0.load(Ordering::Relaxed);
        loop {
            let first = first_of(old);
            if first == 0 {
                return None;
            }
            let new = old & TOLD;
            match self.0.compare_exchange_weak(old, new, Ordering::Acquire, Ordering::Relaxed) {
                Ok(_) => return Some((first, count_of(old))),
                Err(other) => old = other,
            }
        }
    }

    /// In the child of a fork: who was telling does not exist, and may not have told. The next to free tells; the owner
    /// of a page that is not full does not want it any more, and changes that when it is. Writes only where one was.
    pub(crate) fn forget_tellers(&self) {
        let old = self.0.load(Ordering::Relaxed);
        if old & TOLD == Told::Telling as usize {
            self.0.store(old & !TOLD | Told::Wanted as usize, Ordering::Relaxed);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Blocks of 16 bytes.
    fn blocks() -> (Vec<[usize; 2]>, impl Fn(usize) -> usize) {
        let memory = vec![[0; 2]; 8];
        let base = memory.as_ptr().expose_provenance();
        (memory, move |index| base + index * 16)
    }

    #[test]
    fn chains_come_together_with_their_number() {
        let (_memory, at) = blocks();
        let thread_free = ThreadFree::new();
        assert_eq!((thread_free.take(), thread_free.has_some()), (None, false));
        set_next(at(1), at(2));
        let chain = Chain { first: at(1), last: at(2), count: 2 };
        assert_eq!(thread_free.push(Chain::of(at(0))), Pushed::Waits);
        assert_eq!(thread_free.push(chain), Pushed::Waits);
        assert!(thread_free.has_some());
        assert_eq!(thread_free.take(), Some((at(1), 3)));
        assert_eq!([next_of(at(1)), next_of(at(2)), next_of(at(0))], [at(2), at(0), 0]);
        assert_eq!(thread_free.take(), None);
    }

    #[test]
    fn a_full_page_is_told_of_once_and_by_the_first_block() {
        let (_memory, at) = blocks();
        let thread_free = ThreadFree::new();
        thread_free.want(true, |_, _| panic!("nobody is telling"));
        set_next(at(0), at(1));
        let chain = Chain { first: at(0), last: at(1), count: 2 };
        assert_eq!(thread_free.push(chain), Pushed::Tell);
        assert_eq!(thread_free.push(Chain::of(at(2))), Pushed::Waits, "another one is telling");
        thread_free.told();
        assert_eq!(thread_free.take(), Some((at(2), 2)), "all but the one that was told of");
        assert_eq!(thread_free.push(Chain::of(at(3))), Pushed::Waits);
        thread_free.want(true, |_, _| panic!("nobody is telling"));
        assert_eq!(thread_free.push(Chain::of(at(4))), Pushed::Tell, "one block, which is told of");
        thread_free.forget_tellers();
        assert_eq!(
            thread_free.push(Chain::of(at(5))),
            Pushed::Tell,
            "the child of a fork has no teller"
        );
        assert_eq!(thread_free.take(), Some((at(3), 1)));
    }

    #[test]
    fn what_came_last_does_not_come_again() {
        let (_memory, at) = blocks();
        let thread_free = ThreadFree::new();
        assert_eq!(thread_free.push(Chain::of(at(0))), Pushed::Waits);
        assert_eq!(thread_free.push(Chain::of(at(0))), Pushed::Twice);
        set_next(at(1), at(0));
        let chain = Chain { first: at(1), last: at(0), count: 2 };
        assert_eq!(thread_free.push(chain), Pushed::Twice);
        assert_eq!(thread_free.take(), Some((at(0), 1)));
    }
}
