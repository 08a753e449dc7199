//! The workloads that allocators have been compared on for decades, written anew from their published descriptions.

mod alloc_test;
mod barnes;
mod cache;
mod cfrac;
mod cover;
mod espresso;
mod larson;
mod mleak;
mod mstress;
mod number;
mod rptest;
mod shbench;
mod xmalloc;

use crate::list::Workload;

pub(crate) const ALL: &[&Workload] = &[
    &larson::WORKLOAD,
    &mstress::WORKLOAD,
    &rptest::WORKLOAD,
    &xmalloc::WORKLOAD,
    &shbench::SH6,
    &shbench::SH8,
    &alloc_test::WORKLOAD,
    &cache::SCRATCH,
    &cache::THRASH,
    &mleak::WORKLOAD,
    &cfrac::WORKLOAD,
    &espresso::WORKLOAD,
    &barnes::WORKLOAD,
];

/// Prints what a computation came to: the same for the same seed, whatever the allocator. `heapwright bench` skips the line.
fn answer(of: u64) {
    println!("answer {of:016x}");
}
