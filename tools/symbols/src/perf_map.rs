//! Names for code that was made at run time, from the file that its runtime wrote: `/tmp/perf-PID.map`.
//!
//! ```text
//! 7f2a4c001000 1a0 JS:~answer server.js:12       begin and length in hexadecimal digits, and what it is called
//! ```
//!
//! node writes it with `--perf-basic-prof`, python 3.12 and later with `-X perf`, the JVM with an agent.

use std::fs::File;
use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::time::SystemTime;

use crate::names::{Names, Symbol};

/// What names of code without a file are said to be in.
const MODULE: &str = "[made at run time]";
/// Longer lines are none.
const LONGEST: usize = 4096;

/// Adds the names of those of the addresses that the map has, which are in rising order; what is left. One that is older than the recording is
/// another process's.
pub(crate) fn add(
    map: &Path,
    recorded: Option<SystemTime>,
    ips: Vec<u64>,
    names: &mut Names,
) -> Vec<u64> {
    let Ok(file) = File::open(map) else { return ips };
    let Ok(meta) = file.metadata() else { return ips };
    let is_older = recorded.zip(meta.modified().ok()).is_some_and(|(begin, last)| last < begin);
    if is_older || !meta.is_file() {
        return ips;
    }
    // Code that made room for other code is in there too: what comes last counts.
    let mut found: Vec<Option<(u64, String)>> = vec![None; ips.len()];
    for line in BufReader::new(file).split(b'\n') {
        let Ok(line) = line else { break };
        if line.len() > LONGEST {
            continue;
        }
        let Some((begin, len, name)) = parse(&line) else { continue };
        // The call is before the address to which it returns.
        let first = ips.partition_point(|&ip| ip.wrapping_sub(1) < begin);
        let end = begin.saturating_add(len);
        for at in (first..ips.len()).take_while(|&at| ips[at].wrapping_sub(1) < end) {
            found[at] = Some((begin, name.clone()));
        }
    }
    let mut left = Vec::new();
    for (ip, found) in ips.into_iter().zip(found) {
        match found {
            Some((begin, name)) => {
                let symbol = Symbol { function: &name, file: "", line: 0 };
                names.insert(ip, MODULE, ip.wrapping_sub(begin), [symbol]);
            }
            None => left.push(ip),
        }
    }
    left
}

fn parse(line: &[u8]) -> Option<(u64, u64, String)> {
    let line = String::from_utf8_lossy(line);
    let mut words = line.splitn(3, ' ');
    let mut number = || u64::from_str_radix(words.next()?.trim_start_matches("0x"), 16).ok();
    let (begin, len) = (number()?, number()?);
    let name = words.next()?.trim();
    (!name.is_empty()).then(|| (begin, len, name.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_name_of_an_address_counts_and_others_are_left() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let map =
            "1000 100 old one\n1080 10 JS:~answer server.js:12\nnonsense\n3000 ff\n2000 10 b\n";
        std::fs::write(file.path(), map).unwrap();
        let mut names = Names::default();
        let left = add(file.path(), None, vec![0x1001, 0x1081, 0x2010, 0x2011, 0x3001], &mut names);
        assert_eq!(left, [0x2011, 0x3001]);
        let name = |ip| names.at(ip).next().unwrap().function.to_owned();
        assert_eq!(
            [name(0x1001), name(0x1081), name(0x2010)],
            ["old one", "JS:~answer server.js:12", "b"]
        );
        assert_eq!(names.module(0x1081), Some((MODULE, 1)));
        let later = SystemTime::now() + core::time::Duration::from_secs(9);
        assert_eq!(add(file.path(), Some(later), vec![0x1001], &mut Names::default()), [0x1001]);
        assert_eq!(add(Path::new("/no/map"), None, vec![1], &mut Names::default()), [1]);
    }
}
