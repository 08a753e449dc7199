//! `cfrac`: numbers are factored by continued fractions, with arithmetic whose every result is a new block.
//!
//! The square root of n as a continued fraction gives pairs with A² ≡ ±Q (mod n), where Q is only half as long as n. Those
//! whose Q has small prime factors alone are kept; when there are more of them than primes, some of them multiply to a
//! square on both sides, X² ≡ Y², and n often has a factor in common with X − Y (Morrison & Brillhart, "A method of
//! factoring and the factorization of F7", 1975). Q is divided by one small prime after the other, so that nearly all
//! blocks are of 8 to 32 bytes and live for some ten nanoseconds, beside a few hundred that stay.

use super::number::{Number, made};
use crate::arguments::{Arguments, fixed, scaled};
use crate::list::Workload;
use crate::results::{Results, wrong};
use crate::rng::Rng;

pub(crate) const WORKLOAD: Workload = Workload {
    name: "cfrac",
    parameters: &[
        fixed("bits", 100, "bits of a number, the product of two primes; 40 to 128").least(40),
        fixed("primes", 160, "small primes that are tried"),
        scaled("numbers", 8, "numbers that are factored"),
    ],
    run,
};

/// More relations than primes: each of them is one more chance.
const SPARE: usize = 12;
/// Of this part of the primes a Q has to have a good share of its factors, or no more are tried.
const EARLY: usize = 6;

/// A² ≡ the product of the primes to these powers (mod n).
struct Relation {
    a: Number,
    /// Of −1, then of each prime.
    exponents: Vec<u8>,
}

fn run(arguments: &Arguments, results: &mut Results) {
    let half = arguments.size("bits").clamp(40, 128) / 2;
    let mut rng = Rng::new(arguments.seed);
    let before = made();
    let start = timing::now();
    let mut answer = 0_u64;
    for _ in 0..arguments.get("numbers") {
        let (p, q) = (prime(&mut rng, half), prime(&mut rng, half));
        let n = Number::from(p).times(&Number::from(q));
        let factor = if p == q { Number::from(p) } else { factor(&n, arguments.size("primes")) };
        let (other, rest) = n.divided_by(&factor);
        let mut found = [factor.low_bits(), other.low_bits()];
        found.sort_unstable();
        if !rest.is_zero() || factor.times(&other) != n || found != [p.min(q), p.max(q)] {
            wrong(format_args!("{p} times {q} was factored into {factor:?} and {other:?}"));
        }
        answer = answer.rotate_left(7) ^ found[0];
    }
    results.work(2 * (made() - before), timing::now() - start);
    super::answer(answer);
}

/// A factor of `n`, which is neither a prime nor a square.
fn factor(n: &Number, primes: usize) -> Number {
    for multiplier in 1.. {
        let base = base(n, multiplier, primes);
        let mut wanted = base.len() + 1 + SPARE;
        loop {
            let relations = relations(n, multiplier, &base, wanted);
            if let Some(factor) = squares(n, &base, &relations) {
                return factor;
            }
            if relations.len() < wanted {
                // The fraction repeated itself before there were enough.
                break;
            }
            wanted += SPARE;
        }
    }
    wrong("no multiplier is left")
}

/// The primes that can divide a Q: those modulo which `n` times the multiplier is a square.
fn base(n: &Number, multiplier: u64, count: usize) -> Vec<u32> {
    let n = n.times(&Number::from(multiplier));
    let is_square = |p: u32| {
        let rest = u64::from(n.divided_by_small(p).1);
        rest == 0 || power(rest, u64::from(p - 1) / 2, u64::from(p)) == 1
    };
    let odd = (3_u32..).step_by(2).filter(|p| is_prime(u64::from(*p)));
    core::iter::once(2).chain(odd.filter(|p| is_square(*p))).take(count).collect()
}

/// As many as are `wanted`, or fewer if the fraction repeats itself.
fn relations(n: &Number, multiplier: u64, base: &[u32], wanted: usize) -> Vec<Relation> {
    let square = n.times(&Number::from(multiplier));
    let root = square.square_root();
    let mut relations = Vec::with_capacity(wanted);
    // √n = (P + √n) / Q of the first step; later steps: what is left over 1, turned round.
    let (mut p, mut q, mut part) = (Number::from(0), Number::from(1), root.clone());
    let (mut a_before, mut a) = (Number::from(1), root.modulo(n));
    let bits = root.bits();
    let mut is_negative = true;
    while relations.len() < wanted {
        p = part.times(&q).minus(&p);
        q = square.minus(&p.times(&p)).divided_by(&q).0;
        if q.is_one() || q.is_zero() {
            break;
        }
        if let Some(mut exponents) = smooth(&q, base, bits) {
            exponents[0] = u8::from(is_negative);
            relations.push(Relation { a: a.clone(), exponents });
        }
        part = root.plus(&p).divided_by(&q).0;
        let next = part.times(&a).plus(&a_before).modulo(n);
        a_before = core::mem::replace(&mut a, next);
        is_negative = !is_negative;
    }
    relations
}

/// The powers of −1 (left at 0) and of the primes whose product `q` is; none if it has other factors, or looks so.
fn smooth(q: &Number, base: &[u32], bits: usize) -> Option<Vec<u8>> {
    let mut exponents: Option<Vec<u8>> = None;
    let mut left = None;
    for (at, prime) in base.iter().enumerate() {
        if at == base.len() / EARLY && left.as_ref().unwrap_or(q).bits() + bits / 5 > bits {
            return None;
        }
        loop {
            let (quotient, rest) = left.as_ref().unwrap_or(q).divided_by_small(*prime);
            if rest != 0 {
                break;
            }
            exponents.get_or_insert_with(|| vec![0; base.len() + 1])[at + 1] += 1;
            left = Some(quotient);
        }
    }
    if left?.is_one() { exponents } else { None }
}

/// Combines relations until two squares have a factor in common with `n`: Gaussian elimination over bits.
fn squares(n: &Number, base: &[u32], relations: &[Relation]) -> Option<Number> {
    /// Which exponents are odd, and which relations it is the product of.
    struct Row {
        odd: Vec<u64>,
        of: Vec<u64>,
    }
    let bit = |words: &[u64], at: usize| words[at / 64] >> (at % 64) & 1 != 0;
    let mut rows: Vec<Row> = relations
        .iter()
        .enumerate()
        .map(|(i, relation)| {
            let mut odd = vec![0; relation.exponents.len().div_ceil(64)];
            for (at, exponent) in relation.exponents.iter().enumerate() {
                odd[at / 64] |= u64::from(exponent & 1) << (at % 64);
            }
            let mut of = vec![0; relations.len().div_ceil(64)];
            of[i / 64] |= 1 << (i % 64);
            Row { odd, of }
        })
        .collect();
    for column in 0..=base.len() {
        let Some(at) = rows.iter().position(|row| bit(&row.odd, column)) else { continue };
        let pivot = rows.swap_remove(at);
        for row in rows.iter_mut().filter(|row| bit(&row.odd, column)) {
            row.odd.iter_mut().zip(&pivot.odd).for_each(|(into, word)| *into ^= word);
            row.of.iter_mut().zip(&pivot.of).for_each(|(into, word)| *into ^= word);
        }
    }
    // What is left of the rows is even everywhere.
    rows.iter().find_map(|row| {
        let all = relations.iter().enumerate().filter(|(i, _)| bit(&row.of, *i));
        split(n, base, all.map(|(_, relation)| relation))
    })
}

/// X² ≡ Y²: what `n` has in common with X + Y, unless that is 1 or all of it.
fn split<'a>(
    n: &Number,
    base: &[u32],
    relations: impl Iterator<Item = &'a Relation>,
) -> Option<Number> {
    let mut exponents = vec![0_u32; base.len() + 1];
    let mut x = Number::from(1);
    for relation in relations {
        x = x.times(&relation.a).modulo(n);
        for (sum, exponent) in exponents.iter_mut().zip(&relation.exponents) {
            *sum += u32::from(*exponent);
        }
    }
    let mut y = Number::from(1);
    for (prime, exponent) in base.iter().zip(&exponents[1..]) {
        for _ in 0..exponent / 2 {
            y = y.times(&Number::from(u64::from(*prime))).modulo(n);
        }
    }
    if x.times(&x).modulo(n) != y.times(&y).modulo(n) {
        wrong("two squares are not the same modulo the number");
    }
    let factor = x.plus(&y).common_divisor(n);
    (!factor.is_one() && factor != *n).then_some(factor)
}

fn prime(rng: &mut Rng, bits: usize) -> u64 {
    loop {
        let candidate = (rng.next() | 1 << 63) >> (64 - bits) | 1;
        if is_prime(candidate) {
            return candidate;
        }
    }
}

/// Miller's test; with these bases it is right for all numbers of 64 bits (Sorenson & Webster, 2015).
fn is_prime(n: u64) -> bool {
    const BASES: [u64; 12] = [2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37];
    if n < 2 || BASES.iter().any(|p| n.is_multiple_of(*p)) {
        return BASES.contains(&n);
    }
    let twos = (n - 1).trailing_zeros();
    BASES.iter().all(|base| {
        let mut x = power(*base, (n - 1) >> twos, n);
        let mut is_probable = x == 1 || x == n - 1;
        for _ in 1..twos {
            x = power(x, 2, n);
            is_probable |= x == n - 1;
        }
        is_probable
    })
}

#[expect(clippy::cast_possible_truncation, reason = "less than n, which has 64 bits")]
fn power(base: u64, mut exponent: u64, n: u64) -> u64 {
    let times = |a: u64, b: u64| (u128::from(a) * u128::from(b) % u128::from(n)) as u64;
    let (mut square, mut product) = (base % n, 1);
    while exponent > 0 {
        if exponent & 1 != 0 {
            product = times(product, square);
        }
        square = times(square, square);
        exponent >>= 1;
    }
    product
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn primes_are_primes() {
        let below = |n: u64| (0..n).filter(|p| is_prime(*p)).count();
        assert_eq!((below(100), below(10_000)), (25, 1229));
        assert!(is_prime(u64::MAX - 58) && !is_prime(3_215_031_751));
    }

    #[test]
    fn the_textbooks_number_is_factored() {
        // Morrison and Brillhart's own example of the method.
        let n = Number::from(13_290_059);
        let factor = factor(&n, 20);
        assert!(factor == Number::from(3119) || factor == Number::from(4261), "{factor:?}");
    }
}
