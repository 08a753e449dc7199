//! The memory limit of the control group this process is in.
//!
//! Version 2 has one hierarchy, `0::/path`, and `memory.max`; version 1 has one for memory,
//! `N:memory:/path`, and `memory.limit_in_bytes`. In a container the path may be one of the
//! host's, which is not there; then the root of the hierarchy is the container's own group.
use core::ffi::CStr;

use super::process::{each_line, read_file};

/// "No limit" in version 1 is the largest multiple of a page; anything this large is none.
const NONE: usize = 1 << 60;

/// The limit in bytes; `None` when there is none or it cannot be read.
pub(super) fn memory_limit() -> Option<usize> {
    let mut least = None;
    each_line(c"/proc/self/cgroup", |line| {
        least = [least, limit_of_group(line)].into_iter().flatten().min();
    });
    least
}

fn limit_of_group(line: &[u8]) -> Option<usize> {
    let mut fields = line.splitn(3, |&byte| byte == b':');
    let (_number, kinds, path) = (fields.next()?, fields.next()?, fields.next()?);
    let (root, file): (&[u8], &[u8]) = if kinds.is_empty() {
        (b"/sys/fs/cgroup", b"/memory.max")
    } else if kinds.split(|&byte| byte == b',').any(|kind| kind == b"memory") {
        (b"/sys/fs/cgroup/memory", b"/memory.limit_in_bytes")
    } else {
        return None;
    };
    // A group is limited by its own limit and by those above it.
    let mut path = path.strip_suffix(b"/").unwrap_or(path);
    let mut least = None;
    loop {
        let limit = read_limit(&[root, path, file]);
        least = [least, limit].into_iter().flatten().min();
        match path.iter().rposition(|&byte| byte == b'/') {
            Some(slash) => path = &path[..slash],
            None => return least,
        }
    }
}

fn read_limit(parts: &[&[u8]]) -> Option<usize> {
    let mut name = [0u8; 512];
    let mut len = 0;
    for part in parts {
        name.get_mut(len..len + part.len())?.copy_from_slice(part);
        len += part.len();
    }
    let name = CStr::from_bytes_until_nul(name.get(..=len)?).ok()?;
    let mut text = [0u8; 32];
    let limit = core::str::from_utf8(read_file(name, &mut text)).ok()?.trim().parse().ok()?;
    (limit < NONE).then_some(limit)
}
