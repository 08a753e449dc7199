//! Classes whose only page is empty, and for how many slow paths it stays.
//!
//! ```text
//! bits   [ class 3 │ class 17 ]      left   [ 12 │ 64 ]      each slow path: one less; at 0 the page goes
//! ```
//!
//! A program that frees its last block of a class and soon allocates one would make and end a page each time. O(classes noted).
use base::sync::{AtomicU8, AtomicU64, Ordering};
use object::size_class::CLASSES;

/// What is noted. All zero: nothing.
#[derive(Debug)]
pub(super) struct Idle {
    bits: [AtomicU64; CLASSES.div_ceil(64)],
    left: [AtomicU8; CLASSES],
}

impl Idle {
    /// Nothing is noted any more.
    pub(super) fn clear(&self) {
        self.bits.iter().for_each(|bits| bits.store(0, Ordering::Relaxed));
    }

    /// The only page of a class is empty, and stays for so many calls.
    pub(super) fn begin(&self, class: usize, calls: u8) {
        let bits = &self.bits[class / 64];
        bits.store(bits.load(Ordering::Relaxed) | 1 << (class % 64), Ordering::Relaxed);
        self.left[class].store(calls, Ordering::Relaxed);
    }

    /// A slow path: each class whose time is over goes to `end`.
    #[inline]
    pub(super) fn each_due(&self, mut end: impl FnMut(usize)) {
        for (word, bits) in self.bits.iter().enumerate() {
            let mut rest = bits.load(Ordering::Relaxed);
            while rest != 0 {
                let class = word * 64 + rest.trailing_zeros() as usize;
                rest &= rest - 1;
                let left = self.left[class].load(Ordering::Relaxed).saturating_sub(1);
                self.left[class].store(left, Ordering::Relaxed);
                if left == 0 {
                    let others = bits.load(Ordering::Relaxed) & !(1 << (class % 64));
                    bits.store(others, Ordering::Relaxed);
                    end(class);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_class_is_due_after_its_calls_and_once() {
        // SAFETY: all zero is nothing.
        let idle: Idle = unsafe { core::mem::zeroed() };
        idle.begin(3, 2);
        idle.begin(70, 3);
        let due = || {
            let mut sum = 0;
            idle.each_due(|class| sum += class);
            sum
        };
        assert_eq!([due(), due(), due(), due()], [0, 3, 70, 0]);
        idle.begin(3, 1);
        idle.clear();
        assert_eq!(due(), 0);
    }
}
