//! What the tests of this crate share.

use crate::launch::{Exit, Figures};

/// Figures of a good run that took so long.
pub(crate) fn figures(wall_ns: u64) -> Figures {
    Figures {
        wall_ns,
        user_us: wall_ns / 1000,
        system_us: 0,
        peak_rss_bytes: 1 << 20,
        peak_rss_floor_bytes: 0,
        minor_faults: 10,
        major_faults: 0,
        voluntary_switches: 0,
        involuntary_switches: 0,
        exit: Exit::Code(0),
        others_us: None,
    }
}
