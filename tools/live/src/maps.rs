//! What is mapped in a process.

/// One line of /proc/PID/maps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Mapping<'a> {
    pub(crate) start: u64,
    pub(crate) end: u64,
    pub(crate) readable: bool,
    pub(crate) offset: u64,
    pub(crate) path: &'a str,
}

/// Every mapping, by rising address.
pub(crate) fn mappings(text: &str) -> impl Iterator<Item = Mapping<'_>> {
    text.lines().filter_map(|line| {
        let mut words = line.splitn(6, ' ');
        let (start, end) = words.next()?.split_once('-')?;
        let rights = words.next()?;
        let offset = words.next()?;
        let hex = |digits| u64::from_str_radix(digits, 16).ok();
        let path = words.nth(2).unwrap_or("").trim();
        Some(Mapping {
            start: hex(start)?,
            end: hex(end)?,
            readable: rights.starts_with('r'),
            offset: hex(offset)?,
            path,
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_read() {
        let text = "00400000-00401000 r--p 00002000 08:01 17      /a b (deleted)\nffff-10000 ---p 0 0:0 0 \nx\n";
        let all: Vec<Mapping<'_>> = mappings(text).collect();
        assert_eq!(all.len(), 2);
        assert_eq!(
            (all[0].start, all[0].offset, all[0].path),
            (0x40_0000, 0x2000, "/a b (deleted)")
        );
        assert!(all[0].readable && !all[1].readable && all[1].path.is_empty());
    }
}
