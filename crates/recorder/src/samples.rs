//! What the process has resident, every ten milliseconds while it allocates, or ten times a second where only samples are recorded.

use core::sync::atomic::{AtomicU64, Ordering};

use trace_format::{Event, Writer};

use crate::session::Now;
use crate::text::number;
use crate::{huge, session, system};

/// Nanoseconds between two samples; and where little else is done.
const EVERY: u64 = 10_000_000;
const SELDOM: u64 = 100_000_000;

/// When the last was taken.
static LAST: AtomicU64 = AtomicU64::new(0);

/// Writes a sample if one is due.
pub fn note(writer: &mut Writer, now: &Now) {
    let time = now.time;
    let now = now.monotonic;
    let last = LAST.load(Ordering::Relaxed);
    let every = if session::options().only_sampled { SELDOM } else { EVERY };
    if now.saturating_sub(last) < every
        || LAST.compare_exchange(last, now, Ordering::Relaxed, Ordering::Relaxed).is_err()
    {
        return;
    }
    write(writer, time, false);
}

/// Writes a sample. `is_end`: it is the process's last.
pub fn write(writer: &mut Writer, time: u64, is_end: bool) {
    // All that is read of it is in the first kilobyte, and the stack may be a small one.
    let mut buffer = [0; 1536];
    let status = system::read_file(c"/proc/self/status", &mut buffer);
    let bytes = |name: &[u8]| {
        let mut lines = status.split(|&byte| byte == b'\n');
        let line = lines.find_map(|line| line.strip_prefix(name)).unwrap_or_default();
        let digits = line.iter().position(u8::is_ascii_digit).unwrap_or(line.len());
        number(&line[digits..]) << 10
    };
    if !status.is_empty() {
        let anon = bytes(b"RssAnon:") + bytes(b"HugetlbPages:");
        let (file, shmem) = (bytes(b"RssFile:"), bytes(b"RssShmem:"));
        // SAFETY: the caller has made room.
        unsafe { writer.event(time, &Event::Memory { anon, file, shmem }) };
        // Who reads a sample, or looks for leaks, asks for none of it, and the system walks all pages to tell.
        let options = session::options();
        if !options.only_sampled && !options.copy {
            huge::note(anon, is_end);
        }
    }
}
