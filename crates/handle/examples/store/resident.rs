//! How much memory the process has, as the kernel counts it: `/proc/self/smaps_rollup`.

use std::{fs, io};

/// Bytes of the process that are in memory, exactly.
pub(crate) fn resident() -> io::Result<usize> {
    let text = fs::read_to_string("/proc/self/smaps_rollup")?;
    let line = text.lines().find_map(|line| line.strip_prefix("Rss:"));
    let kib = line.and_then(|line| line.split_whitespace().next()?.parse::<usize>().ok());
    kib.map(|kib| kib << 10).ok_or_else(|| io::Error::other("smaps_rollup has no line for Rss"))
}
