//! `basic`: vectors and maps, as the component OS's memtest has them: a long vector that grows, many short and many
//! longer vectors, a map of numbers and a map of texts, all of them searched, checked and dropped.

use std::collections::BTreeMap;

use crate::arguments::{Arguments, fixed, scaled};
use crate::list::Workload;
use crate::results::{Results, wrong};
use crate::rng::Rng;

pub(crate) const WORKLOAD: Workload = Workload {
    name: "basic",
    parameters: &[
        fixed("numbers", 300_000, "numbers of the long vector, pushed one by one"),
        fixed("vectors", 30_000, "vectors of 64 bytes, and a quarter as many of 520 bytes"),
        fixed("entries", 50_000, "entries of the map of numbers, and a fifth as many of texts"),
        scaled("rounds", 60, "how often all of it is done"),
    ],
    run,
};

fn run(arguments: &Arguments, results: &mut Results) {
    let get = |name| arguments.size(name);
    let (numbers, vectors, entries) = (get("numbers"), get("vectors"), get("entries"));
    let mut rng = Rng::new(arguments.seed);
    for _ in 0..arguments.get("rounds") {
        long_vector(&mut rng, numbers);
        many_vectors(&mut rng, vectors, 64);
        many_vectors(&mut rng, vectors / 4, 520);
        map_of_numbers(&mut rng, entries);
        map_of_texts(&mut rng, entries / 5);
    }
    // The long vector has room for a power of two, the maps' nodes for as much again as is in them.
    let vector = size_of::<Vec<u64>>();
    let short = vectors * (64 + vector);
    let longer = vectors / 4 * (520 + vector);
    let long = numbers.next_power_of_two() * 8;
    results.peak_live(short.max(longer).max(long).max(entries * 32));
}

/// Ends the program unless both are the same.
fn same<T: PartialEq + core::fmt::Debug>(what: &str, found: T, expected: T) {
    if found != expected {
        wrong(format_args!("{what}: {found:?} instead of {expected:?}"));
    }
}

fn long_vector(rng: &mut Rng, count: usize) {
    let mut all: Vec<u64> = Vec::new();
    let mut sum = 0_u64;
    for _ in 0..count {
        let number = rng.next();
        sum = sum.wrapping_add(number);
        all.push(number);
    }
    all.sort_unstable();
    if !all.is_sorted() {
        wrong("the long vector is not in order");
    }
    for _ in 0..count.min(10_000) {
        let wanted = all[rng.below(count)];
        same("searched", all.binary_search(&wanted).map(|at| all[at]), Ok(wanted));
    }
    same("the long vector's sum", all.iter().fold(0, |sum: u64, n| sum.wrapping_add(*n)), sum);
}

fn many_vectors(rng: &mut Rng, count: usize, bytes: usize) {
    let filled = |i: usize| vec![i as u64; bytes / 8];
    let mut all: Vec<Vec<u64>> = (0..count).map(filled).collect();
    // Half of them are replaced in random order, so that holes are filled.
    for _ in 0..count / 2 {
        let at = rng.below(count);
        all[at] = Vec::new();
        let other = rng.below(count);
        all[other] = filled(other);
        all[at] = filled(at);
    }
    for (i, vector) in all.iter().enumerate() {
        same("a vector's sum", vector.iter().sum::<u64>(), (i * (bytes / 8)) as u64);
    }
}

fn map_of_numbers(rng: &mut Rng, count: usize) {
    let mut map = BTreeMap::new();
    for _ in 0..count {
        let key = rng.next();
        map.insert(key, !key);
    }
    let keys: Vec<u64> = map.keys().step_by(7).copied().collect();
    for key in &keys {
        same("a map's entry", map.get(key), Some(&!key));
        map.remove(key);
    }
    let (mut last, mut left) = (0, 0);
    while let Some((key, value)) = map.pop_first() {
        same("a drained entry", (value, key >= last), (!key, true));
        last = key;
        left += 1;
    }
    same("entries of the map", left + keys.len(), count);
}

fn map_of_texts(rng: &mut Rng, count: usize) {
    let mut map = BTreeMap::new();
    for i in 0..count {
        // A name of 32 to 64 letters that begins with its number.
        let length = rng.between(32, 64);
        map.insert(format!("{i:0>length$}"), i);
    }
    for (name, i) in &map {
        same("a text of the map", name.parse(), Ok(*i));
    }
    let total: usize = map.into_values().sum();
    same("the map's sum", total, count * count.saturating_sub(1) / 2);
}
