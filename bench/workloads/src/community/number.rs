//! Whole numbers of any length, as programs of 1990 had them: each is a block of the heap that is never changed, and
//! whatever is computed is a new one.
//!
//! Digits are of 32 bits, the lowest first, the highest not 0; zero has none. The methods are those of pencil and paper
//! (Knuth, "The Art of Computer Programming", volume 2, 4.3.1), quadratic in the number of digits.

use core::cmp::Ordering;
use core::sync::atomic::{self, AtomicU64};

static MADE: AtomicU64 = AtomicU64::new(0);

/// Not below zero.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Number {
    digits: Vec<u32>,
}

/// How many numbers were made so far; one thread makes them.
pub(super) fn made() -> u64 {
    MADE.load(atomic::Ordering::Relaxed)
}

#[expect(clippy::cast_possible_truncation, reason = "the lower half is meant")]
const fn low(wide: u64) -> u32 {
    wide as u32
}

impl Number {
    fn of(mut digits: Vec<u32>) -> Self {
        MADE.store(made() + 1, atomic::Ordering::Relaxed);
        while digits.last() == Some(&0) {
            digits.pop();
        }
        Self { digits }
    }

    pub(super) fn from(value: u64) -> Self {
        let mut digits = Vec::with_capacity(2);
        digits.extend([low(value), low(value >> 32)]);
        Self::of(digits)
    }

    fn power_of_two(bits: usize) -> Self {
        let mut digits = vec![0; bits / 32 + 1];
        digits[bits / 32] = 1 << (bits % 32);
        Self::of(digits)
    }

    pub(super) fn is_zero(&self) -> bool {
        self.digits.is_empty()
    }

    pub(super) fn is_one(&self) -> bool {
        self.digits == [1]
    }

    pub(super) fn bits(&self) -> usize {
        let top = self.digits.last().map_or(32, |d| d.leading_zeros() as usize);
        (self.digits.len() * 32).saturating_sub(top)
    }

    pub(super) fn low_bits(&self) -> u64 {
        let digit = |at| u64::from(self.digits.get(at).copied().unwrap_or(0));
        digit(0) | digit(1) << 32
    }

    pub(super) fn plus(&self, other: &Self) -> Self {
        let (long, short) =
            if self.digits.len() < other.digits.len() { (other, self) } else { (self, other) };
        let mut sum = Vec::with_capacity(long.digits.len() + 1);
        let mut carry = 0;
        for (at, digit) in long.digits.iter().enumerate() {
            let short = short.digits.get(at).copied().unwrap_or(0);
            let wide = u64::from(*digit) + u64::from(short) + carry;
            sum.push(low(wide));
            carry = wide >> 32;
        }
        sum.push(low(carry));
        Self::of(sum)
    }

    /// `other` is not larger.
    pub(super) fn minus(&self, other: &Self) -> Self {
        debug_assert!(other.compare(self) != Ordering::Greater, "there is nothing below zero");
        let mut rest = Vec::with_capacity(self.digits.len());
        let mut borrow = false;
        for (at, digit) in self.digits.iter().enumerate() {
            let (first, one) = digit.overflowing_sub(other.digits.get(at).copied().unwrap_or(0));
            let (second, two) = first.overflowing_sub(u32::from(borrow));
            rest.push(second);
            borrow = one || two;
        }
        Self::of(rest)
    }

    pub(super) fn times(&self, other: &Self) -> Self {
        let mut product = vec![0; self.digits.len() + other.digits.len()];
        for (i, a) in self.digits.iter().enumerate() {
            let mut carry = 0;
            for (j, b) in other.digits.iter().enumerate() {
                let wide = u64::from(*a) * u64::from(*b) + u64::from(product[i + j]) + carry;
                product[i + j] = low(wide);
                carry = wide >> 32;
            }
            product[i + other.digits.len()] = low(carry);
        }
        Self::of(product)
    }

    /// The quotient, and what is left.
    pub(super) fn divided_by_small(&self, by: u32) -> (Self, u32) {
        let mut quotient = self.digits.clone();
        let mut rest = 0;
        for digit in quotient.iter_mut().rev() {
            let wide = rest << 32 | u64::from(*digit);
            *digit = low(wide / u64::from(by));
            rest = wide % u64::from(by);
        }
        (Self::of(quotient), low(rest))
    }

    /// The quotient, and what is left; `by` is not zero (Knuth's algorithm D).
    pub(super) fn divided_by(&self, by: &Self) -> (Self, Self) {
        let n = by.digits.len();
        if self.compare(by) == Ordering::Less {
            return (Self::of(Vec::new()), self.clone());
        }
        if n == 1 {
            let (quotient, rest) = self.divided_by_small(by.digits[0]);
            return (quotient, Self::from(rest.into()));
        }
        // So that the divisor's highest bit is set, which makes a guess from two digits at most 2 too large.
        let shift = by.digits[n - 1].leading_zeros();
        let divisor = shifted(&by.digits, shift, n);
        let mut rest = shifted(&self.digits, shift, self.digits.len() + 1);
        let mut quotient = vec![0; self.digits.len() - n + 1];
        for at in (0..quotient.len()).rev() {
            quotient[at] = step(&mut rest[at..=at + n], &divisor);
        }
        for i in 0..n {
            let wide = u64::from(rest[i]) | u64::from(rest[i + 1]) << 32;
            rest[i] = low(wide >> shift);
        }
        rest.truncate(n);
        (Self::of(quotient), Self::of(rest))
    }

    pub(super) fn modulo(&self, by: &Self) -> Self {
        self.divided_by(by).1
    }

    /// The largest number whose square is not larger (Newton's iteration from above).
    pub(super) fn square_root(&self) -> Self {
        let mut root = Self::power_of_two(self.bits().div_ceil(2));
        while !root.is_zero() {
            let (next, _) = root.plus(&self.divided_by(&root).0).divided_by_small(2);
            if next.compare(&root) != Ordering::Less {
                return root;
            }
            root = next;
        }
        root
    }

    /// The largest number that divides both (Euclid).
    pub(super) fn common_divisor(&self, other: &Self) -> Self {
        let (mut a, mut b) = (self.clone(), other.clone());
        while !b.is_zero() {
            let rest = a.modulo(&b);
            a = b;
            b = rest;
        }
        a
    }

    pub(super) fn compare(&self, other: &Self) -> Ordering {
        let by_length = self.digits.len().cmp(&other.digits.len());
        by_length.then_with(|| self.digits.iter().rev().cmp(other.digits.iter().rev()))
    }
}

/// `digits` times two to the power of `shift`, below 32, as `length` digits.
fn shifted(digits: &[u32], shift: u32, length: usize) -> Vec<u32> {
    let mut all = Vec::with_capacity(length);
    let mut carry = 0;
    for digit in digits {
        let wide = u64::from(*digit) << shift | carry;
        all.push(low(wide));
        carry = wide >> 32;
    }
    if all.len() < length {
        all.push(low(carry));
    }
    all
}

/// One digit of a quotient: takes that many times `divisor` from `rest`, which is one digit longer.
fn step(rest: &mut [u32], divisor: &[u32]) -> u32 {
    let n = divisor.len();
    let (first, second) = (u64::from(divisor[n - 1]), u64::from(divisor[n - 2]));
    let top = u64::from(rest[n]) << 32 | u64::from(rest[n - 1]);
    let (mut guess, mut left) = (top / first, top % first);
    while guess >> 32 != 0 || guess * second > (left << 32 | u64::from(rest[n - 2])) {
        guess -= 1;
        left += first;
        if left >> 32 != 0 {
            break;
        }
    }
    let (mut carry, mut borrow) = (0, false);
    for (into, digit) in rest.iter_mut().zip(divisor) {
        let wide = guess * u64::from(*digit) + carry;
        carry = wide >> 32;
        let (one, first) = into.overflowing_sub(low(wide));
        let (two, second) = one.overflowing_sub(u32::from(borrow));
        (*into, borrow) = (two, first || second);
    }
    let (one, first) = rest[n].overflowing_sub(low(carry));
    let (two, second) = one.overflowing_sub(u32::from(borrow));
    rest[n] = two;
    if first || second {
        // The guess was one too large.
        guess -= 1;
        let mut carry = 0;
        for (into, digit) in rest.iter_mut().zip(divisor) {
            let wide = u64::from(*into) + u64::from(*digit) + carry;
            *into = low(wide);
            carry = wide >> 32;
        }
        rest[n] = rest[n].wrapping_add(low(carry));
    }
    low(guess)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Rng;

    /// Many of whose digits are all zeros or all ones.
    fn any(rng: &mut Rng) -> Number {
        let digits = (0..rng.between(1, 6)).map(|_| match rng.below(4) {
            0 => 0,
            1 => u32::MAX,
            2 => 1 << 31,
            _ => low(rng.next()),
        });
        Number::of(digits.collect())
    }

    #[test]
    fn division_undoes_multiplication() {
        let mut rng = Rng::new(7);
        for _ in 0..100_000 {
            let (a, b) = (any(&mut rng), any(&mut rng));
            if b.is_zero() {
                continue;
            }
            let (quotient, rest) = a.divided_by(&b);
            assert_eq!(rest.compare(&b), Ordering::Less);
            assert_eq!(quotient.times(&b).plus(&rest), a);
            assert_eq!(a.plus(&b).minus(&b), a);
            let root = a.square_root();
            let above = root.plus(&Number::from(1));
            assert_ne!(root.times(&root).compare(&a), Ordering::Greater);
            assert_eq!(above.times(&above).compare(&a), Ordering::Greater);
        }
    }

    #[test]
    fn small_numbers_are_as_everybody_knows() {
        let n = Number::from;
        assert_eq!(n(1 << 40).times(&n(1 << 30)), Number::power_of_two(70));
        assert_eq!(n(462).common_divisor(&n(1071)), n(21));
        assert_eq!((n(0).bits(), n(1).bits(), n(1 << 33).bits()), (0, 1, 34));
        assert_eq!(n(1 << 33).low_bits(), 1 << 33);
        assert!(n(0).is_zero() && n(1).is_one());
    }
}
