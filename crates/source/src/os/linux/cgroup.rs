//! The memory limit of the control group this process is in.
//!
//! Version 2 has one hierarchy, `0::/path`, with two limits: above `memory.max` a process is ended, above `memory.high` it is
//! slowed down until it hardly runs (systemd's MemoryHigh). Version 1 has a hierarchy for memory, `N:memory:/path`, and
//! `memory.limit_in_bytes`. In a container the path may be one of the host's, which is not there; then the root of the
//! hierarchy is the container's own group.
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
    let (root, files): (&[u8], &[&[u8]]) = if kinds.is_empty() {
        (b"/sys/fs/cgroup", &[b"/memory.max", b"/memory.high"])
    } else if kinds.split(|&byte| byte == b',').any(|kind| kind == b"memory") {
        (b"/sys/fs/cgroup/memory", &[b"/memory.limit_in_bytes"])
    } else {
        return None;
    };
    least_on_the_way_up(path, files, |group, file| read_limit(&[root, group, file]))
}

/// The least limit that a group's `files`, and those of the groups above it, say.
fn least_on_the_way_up(
    path: &[u8],
    files: &[&[u8]],
    limit: impl Fn(&[u8], &[u8]) -> Option<usize>,
) -> Option<usize> {
    let mut path = path.strip_suffix(b"/").unwrap_or(path);
    let mut least = None;
    loop {
        least = files.iter().filter_map(|file| limit(path, file)).chain(least).min();
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_of_both_limits_of_all_groups_counts() {
        let least = |limits: &'static [(&str, &str, usize)]| {
            let said = |path: &[u8], file: &[u8]| {
                let is_it = |row: &&(&str, &str, usize)| {
                    (row.0.as_bytes(), row.1.as_bytes()) == (path, file)
                };
                limits.iter().find(is_it).map(|row| row.2)
            };
            least_on_the_way_up(b"/a/b", &[b"max", b"high"], said)
        };
        assert_eq!(least(&[]), None);
        assert_eq!(least(&[("/a/b", "max", 300), ("/a", "max", 400)]), Some(300));
        assert_eq!(least(&[("/a/b", "max", 300), ("/a/b", "high", 200)]), Some(200));
        assert_eq!(
            least(&[("/a/b", "max", 300), ("/a", "high", 200), ("", "max", 250)]),
            Some(200)
        );
        assert_eq!(least(&[("", "high", 100)]), Some(100));
    }
}
