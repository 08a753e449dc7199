//! The workloads that allocators have been compared on for decades, written anew from their published descriptions.

use crate::list::Workload;

/// All of them.
pub(crate) const ALL: &[&Workload] = &[];
