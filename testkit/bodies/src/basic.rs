//! Vectors and maps, as programs use them.

use crate::numbers::Numbers;
use crate::{Memory, Outcome, Scale};
use alloc::collections::BTreeMap;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

/// Through the global allocator, as collections are.
pub(crate) fn run(_memory: &dyn Memory, scale: Scale) -> Outcome {
    let mut numbers = Numbers::new(1);
    one_vector(scale.count(3_000_000))?;
    many_vectors(scale.count(30_000), 64)?;
    many_vectors(scale.count(7_500), 520)?;
    map(scale.count(50_000), &mut numbers)?;
    mixed(scale.count(10_000), &mut numbers)
}

/// Pushed to, so that it is reallocated again and again.
fn one_vector(len: usize) -> Outcome {
    let mut vector = Vec::new();
    for i in 0..len {
        vector.push(i);
    }
    let same = vector.iter().enumerate().all(|(i, &value)| i == value);
    if same { Ok(()) } else { Err("a vector did not keep its contents") }
}

/// Every other one is dropped and made again.
fn many_vectors(count: usize, len: usize) -> Outcome {
    let make = |i: usize| -> Vec<u8> { (0..len).map(|at| byte(i + at)).collect() };
    let mut vectors: Vec<Vec<u8>> = (0..count).map(make).collect();
    for i in (0..count).step_by(2) {
        vectors[i] = Vec::new();
    }
    for i in (0..count).step_by(2) {
        vectors[i] = make(i);
    }
    let same = |(i, vector): (usize, &Vec<u8>)| {
        vector.len() == len && vector.iter().enumerate().all(|(at, &b)| b == byte(i + at))
    };
    if vectors.iter().enumerate().all(same) {
        Ok(())
    } else {
        Err("one of many vectors did not keep its contents")
    }
}

/// Strings by their numbers; half of them are removed on the way.
fn map(len: usize, numbers: &mut Numbers) -> Outcome {
    let mut map: BTreeMap<u64, String> = BTreeMap::new();
    for _ in 0..len {
        let key = numbers.next();
        map.insert(key, key.to_string());
        let some = map.range(numbers.next()..).next().map(|(&key, _)| key);
        if let Some(key) = some.filter(|_| map.len() > len / 2) {
            map.remove(&key);
        }
    }
    let same = map.iter().all(|(key, value)| value.parse() == Ok(*key));
    if same { Ok(()) } else { Err("a map did not keep its contents") }
}

/// Vectors of 32 to 64 words, dropped in another order than they were made.
fn mixed(count: usize, numbers: &mut Numbers) -> Outcome {
    let mut vectors: Vec<Vec<usize>> = Vec::new();
    for i in 0..count {
        let len = 32 + numbers.below(33);
        vectors.push((0..len).map(|at| i + at).collect());
        if vectors.len() > count / 2 {
            let vector = vectors.swap_remove(numbers.below(vectors.len()));
            let first = vector[0];
            if !vector.iter().enumerate().all(|(at, &value)| value == first + at) {
                return Err("a vector of a few words did not keep its contents");
            }
        }
    }
    Ok(())
}

fn byte(n: usize) -> u8 {
    n.to_le_bytes()[0]
}
