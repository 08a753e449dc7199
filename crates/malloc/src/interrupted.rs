//! What is said where a signal handler that interrupted malloc asks for what only a whole heap can tell; and what it gets its blocks from.
pub use page::Spare;
use source::Report;

use crate::misuse::{self, Misuse};

/// Instead of statistics.
pub const NO_STATS: &str = "heapwright: no statistics: a signal handler interrupted malloc\n";

/// Instead of what [`Check`](base::Check) finds.
pub const NOT_CHECKED: &str = "heapwright: not checked: a signal handler interrupted malloc\n";

/// Ends the process for what it freed, which is no block of ours.
pub fn end_for_no_block<R: Report>(caller: &str, address: usize) -> ! {
    misuse::end::<R>(caller, address, Misuse::Foreign)
}
