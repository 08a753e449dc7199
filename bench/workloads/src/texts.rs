//! The workloads of the texts that the project was founded on.

mod addresses;
mod align_test;
mod basic;
mod bench_tiny;
mod bursts;
pub(crate) mod glibc_simple;
mod glibc_thread;
mod list_walk;
mod malloc_large;
mod mitest;
mod multi_thread;
mod multi_thread_c;
mod t_test1;
pub(crate) mod tlsf;
mod two_phases;

use crate::list::Workload;

pub(crate) const ALL: &[&Workload] = &[
    &basic::WORKLOAD,
    &align_test::WORKLOAD,
    &multi_thread::WORKLOAD,
    &mitest::WORKLOAD,
    &glibc_simple::WORKLOAD,
    &glibc_thread::WORKLOAD,
    &malloc_large::WORKLOAD,
    &multi_thread_c::WORKLOAD,
    &t_test1::ONE,
    &t_test1::GRID,
    &bursts::WORKLOAD,
    &two_phases::WORKLOAD,
    &bench_tiny::ONE_THREAD,
    &bench_tiny::THREADS,
    &tlsf::SWEEP,
    &tlsf::WIDE,
    &list_walk::WORKLOAD,
    &addresses::WORKLOAD,
];
