//! The workloads that nobody else has.

use crate::list::Workload;

/// All of them.
pub(crate) const ALL: &[&Workload] = &[];
