//! The workloads of the texts that the project was founded on.

mod bench_tiny;
mod multi_thread_c;

use crate::list::Workload;

/// All of them.
pub(crate) const ALL: &[&Workload] =
    &[&bench_tiny::ONE_THREAD, &bench_tiny::THREADS, &multi_thread_c::WORKLOAD];
