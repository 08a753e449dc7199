//! `basic`: what an ordinary Rust program does.
use std::collections::BTreeMap;

use super::Part;
use crate::rng::Rng;

pub(super) fn run(part: Part) -> Result<(), String> {
    let mut rng = Rng::new(1);
    long(part.of(3_000_000))?;
    nested(part.of(30_000), 64)?;
    nested(part.of(7_500), 520)?;
    map(part.of(50_000), &mut rng)?;
    mixed(part.of(10_000), &mut rng)
}

/// One vector that grows by pushing, and is sorted.
fn long(len: usize) -> Result<(), String> {
    let mut numbers = Vec::new();
    for i in 0..len {
        numbers.push(i.wrapping_mul(0x9E37_79B9) % len);
    }
    numbers.sort_unstable();
    match numbers.is_sorted() && numbers.len() == len {
        true => Ok(()),
        false => Err(format!("a vector of {len} numbers lost some")),
    }
}

/// Vectors in a vector; every other one goes and comes back longer.
fn nested(count: usize, len: usize) -> Result<(), String> {
    let vector = |i: usize, len: usize| vec![i.to_le_bytes()[0]; len];
    let mut all: Vec<Vec<u8>> = (0..count).map(|i| vector(i, len)).collect();
    for i in (0..count).step_by(2) {
        all[i] = Vec::new();
    }
    for i in (0..count).step_by(2) {
        all[i] = vector(i, len + i % 32);
    }
    for (i, vector) in all.iter().enumerate() {
        let byte = i.to_le_bytes()[0];
        if vector.iter().any(|&found| found != byte) {
            return Err(format!("vector {i} of {count} times {len} bytes changed"));
        }
    }
    Ok(())
}

/// A map from numbers to their names.
fn map(len: usize, rng: &mut Rng) -> Result<(), String> {
    let mut map = BTreeMap::new();
    for _ in 0..len {
        let key = rng.below(4 * len);
        map.insert(key, format!("key {key}"));
    }
    for key in 0..2 * len {
        map.remove(&key);
    }
    match map.iter().find(|(key, value)| **value != format!("key {key}")) {
        None => Ok(()),
        Some((key, value)) => Err(format!("{key} became {value:?}")),
    }
}

/// Short vectors of different lengths, dropped in another order.
fn mixed(count: usize, rng: &mut Rng) -> Result<(), String> {
    let mut all: Vec<Vec<u32>> = Vec::new();
    for i in 0..count {
        let number = u32::try_from(i).map_err(|e| e.to_string())?;
        all.push(vec![number; rng.between(32, 64)]);
    }
    while !all.is_empty() {
        let vector = all.swap_remove(rng.below(all.len()));
        if vector.iter().any(|&number| number != vector[0]) {
            return Err(format!("the vector of {} changed", vector[0]));
        }
    }
    Ok(())
}
