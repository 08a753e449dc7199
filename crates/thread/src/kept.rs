//! What a thread keeps, read by another one while it goes on: for who walks the heap.
//!
//! ```text
//! passes even ─► top, capacity, words ─► passes as before?     yes: what was read was kept     no: once more
//! ```
//!
//! - **kept-Z1** what is shown was in a magazine or the depot at a moment of the look, and what was there all the time is
//!   shown, unless the thread is found inside its slow path `MOST_LOOKS` times: objects come into a magazine and go out of it without
//!   a pass (account-Y1) only at its top, by the program's own calls.
//!
//! O(objects kept), one system call for each class in use, and 1 KiB of stack.
use base::sync::Ordering;
use base::sync::{AtomicUsize, fence, spin_hint};
use object::size_class::CLASSES;
use page::System;

use crate::cache::{SlotSnapshot, ThreadCache};
use crate::depot;
use crate::magazine::{MAX_CAPACITY, word};
use crate::tls::Tls;

const WORD: usize = size_of::<usize>();
/// How often a thread is looked at that is inside its slow path.
const MOST_LOOKS: u32 = 64;
/// So many of them at once, and then after a nap: the thread may be waiting for a processor.
const SPINS: u32 = 32;

/// What became of a look.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Look {
    /// What the thread keeps was shown.
    Shown,
    /// It has ended unannounced.
    Gone,
    /// The system does not let us look.
    Hidden,
}

/// Words that were copied, and how many.
struct Copied([usize; MAX_CAPACITY], usize);

impl Copied {
    /// Copies `count` words from `at` on, which the thread may be writing.
    fn copy(&mut self, at: usize, count: usize) {
        self.1 = count.min(MAX_CAPACITY);
        for (index, place) in self.0[..self.1].iter_mut().enumerate() {
            // SAFETY: a word of a cell, which is never unmapped.
            *place = unsafe { word(at + index * WORD).read_volatile() };
        }
    }
}

impl ThreadCache {
    /// Shows each object that its thread keeps (kept-Z1), but for runs, which the span map has.
    pub fn each_kept<S: System, T: Tls>(&self, tls: &T, mut visit: impl FnMut(usize)) -> Look {
        let mut copied = Copied([0; MAX_CAPACITY], 0);
        for class in (1..CLASSES).filter(|&class| self.capacity(class) != 0) {
            let look = self.at_rest::<S, _>(|| match self.look(tls) {
                SlotSnapshot::There(slots) => {
                    let held = self.held_below(slots[class], class);
                    copied.copy(slots[class] - held * WORD, held);
                    Look::Shown
                }
                SlotSnapshot::Gone => Look::Gone,
                SlotSnapshot::Hidden => Look::Hidden,
            });
            match look {
                Some(Look::Shown) => show(&copied, &mut visit),
                Some(other) => return other,
                None => {}
            }
        }
        for place in 0..depot::PLACES {
            let look = self.at_rest::<S, _>(|| {
                let (at, count) = self.depot.words_of(place);
                copied.copy(at, count);
            });
            if look.is_some() {
                show(&copied, &mut visit);
            }
        }
        Look::Shown
    }

    /// Looks while the thread is not inside its slow path. `None`: it always was.
    fn at_rest<S: System, R>(&self, mut look: impl FnMut() -> R) -> Option<R> {
        for before in 0..MOST_LOOKS {
            let passes = self.account.passes();
            if passes.is_multiple_of(2) {
                let answer = look();
                // What was read above was read before the passes are read again.
                fence(Ordering::Acquire);
                if self.account.passes() == passes {
                    return Some(answer);
                }
            }
            if before < SPINS {
                spin_hint();
            } else {
                S::nap(&AtomicUsize::new(0), 0);
            }
        }
        None
    }
}

fn show(copied: &Copied, visit: &mut impl FnMut(usize)) {
    // A sized free of null (magazine-A4) is none.
    copied.0[..copied.1].iter().filter(|&&object| object != 0).for_each(|&object| visit(object));
}
