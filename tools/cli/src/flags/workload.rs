//! Workloads as written on the command line: `NAME`, `NAME:KEY=VALUE`, or a set of them.

use super::Completed;
use crate::commands::bench::workloads;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct WorkloadArg {
    /// Of a workload or a set.
    pub(crate) name: String,
    /// `KEY=VALUE`, each.
    pub(crate) parameters: Vec<String>,
}

impl WorkloadArg {
    pub(crate) fn of(text: &str) -> Self {
        let mut words = text.split(':').map(str::to_owned);
        let name = words.next().unwrap_or_default();
        Self { name, parameters: words.collect() }
    }
}

pub(crate) const WORDS: Completed<WorkloadArg> =
    Completed { read: |text| Ok(WorkloadArg::of(text)), names: || workloads::names().collect() };
