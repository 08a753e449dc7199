use super::*;
use crate::pages::ProgramPages;
use base::Compact as _;
use handle::zsmalloc::{Classes, Rule};
use handle::{XvMalloc, Zbud, ZsMalloc};

const SEEDS: u32 = 4;

/// What lengths the four lines of each table below are of.
const LENGTHS: [Lengths<'_>; 4] = [
    Lengths::Uniform(1, 4096),
    Lengths::Uniform(32, 3072),
    Lengths::Mixed,
    Lengths::Uniform(2049, 3072),
];

/// Asserts that a measured density is within 0.01 of the expected one.
fn close(what: &str, measured: f64, expected: f64) {
    assert!((measured - expected).abs() <= 0.01, "{what}: {measured:.3}, not {expected:.3}");
}

fn zsmalloc(most: usize, table: [[f64; 4]; 4]) {
    for (lengths, [fill, half, compact, refill]) in LENGTHS.into_iter().zip(table) {
        let make = || ZsMalloc::new(ProgramPages, Classes::new(Rule::LeastWaste, most));
        let found = mean(make, lengths, SEEDS, |heap| _ = heap.compact()).unwrap();
        let what = |which: &str| format!("chains of {most}, {lengths:?}, {which}");
        close(&what("fill"), found.fill, fill);
        close(&what("half"), found.half, half);
        close(&what("compact"), found.compact, compact);
        close(&what("refill"), found.refill, refill);
        assert!(found.refill_compacted > refill - 0.01, "{}", what("refill after compacting"));
    }
}

#[test]
fn zsmalloc_with_chains_of_4_is_as_dense_as_the_kernels() {
    zsmalloc(
        4,
        [
            [0.923, 0.599, 0.915, 0.920],
            [0.939, 0.499, 0.931, 0.932],
            [0.932, 0.513, 0.919, 0.932],
            [0.942, 0.503, 0.942, 0.943],
        ],
    );
}

#[test]
fn zsmalloc_with_chains_of_8_is_as_dense_as_the_kernels() {
    zsmalloc(
        8,
        [
            [0.945, 0.545, 0.918, 0.933],
            [0.942, 0.487, 0.918, 0.924],
            [0.934, 0.487, 0.897, 0.923],
            [0.976, 0.502, 0.972, 0.969],
        ],
    );
}

#[test]
fn zsmalloc_with_chains_of_16_is_as_dense_as_the_kernels() {
    zsmalloc(
        16,
        [
            [0.903, 0.488, 0.826, 0.890],
            [0.900, 0.459, 0.816, 0.874],
            [0.864, 0.441, 0.767, 0.846],
            [0.971, 0.495, 0.954, 0.958],
        ],
    );
}

#[test]
fn xvmalloc_is_as_dense_as_the_kernels() {
    let table = [
        [0.984, 0.675, 0.984],
        [0.982, 0.593, 0.982],
        [0.927, 0.600, 0.928],
        [0.625, 0.625, 0.626],
    ];
    for (lengths, [fill, half, refill]) in LENGTHS.into_iter().zip(table) {
        let found = mean(|| XvMalloc::new(ProgramPages), lengths, SEEDS, |_| ()).unwrap();
        close(&format!("{lengths:?}, fill"), found.fill, fill);
        close(&format!("{lengths:?}, half"), found.half, half);
        close(&format!("{lengths:?}, refill"), found.refill, refill);
    }
}

#[test]
fn zbud_is_as_dense_as_the_kernels() {
    let table = [[0.958, 0.654], [0.755, 0.503], [0.806, 0.538], [0.625, 0.625]];
    for (lengths, [fill, half]) in LENGTHS.into_iter().zip(table) {
        let found = mean(|| Zbud::new(ProgramPages), lengths, SEEDS, |_| ()).unwrap();
        close(&format!("{lengths:?}, fill"), found.fill, fill);
        close(&format!("{lengths:?}, half"), found.half, half);
    }
}
