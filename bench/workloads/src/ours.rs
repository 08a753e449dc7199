//! The workloads that nobody else has.
//!
//! They look at what benchmarks of calls a second leave out: deadlines, memory over time, what becomes of memory while
//! nothing calls, processes that fork and threads that come and go.

mod batches;
mod chains;
mod fork_storm;
mod frame_audio;
mod idle_return;
mod long_run;
mod mixed;
mod phases;
pub(crate) mod sampled;
mod thread_churn;

use crate::list::Workload;

pub(crate) const ALL: &[&Workload] = &[
    &frame_audio::WORKLOAD,
    &chains::WORKLOAD,
    &batches::WORKLOAD,
    &mixed::WORKLOAD,
    &phases::WORKLOAD,
    &long_run::WORKLOAD,
    &idle_return::WORKLOAD,
    &fork_storm::WORKLOAD,
    &thread_churn::WORKLOAD,
];
