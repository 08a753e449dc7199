//! The two programs that count, cachegrind and strace: how they are called, and what they write.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

use launch::resolve;
use tempfile::TempDir;

use crate::fail_if::Metric;
use crate::measured::Error;

/// Bytes, ways and bytes a line: of the caches that are simulated, whatever the machine has. Those of a common processor.
const CACHES: [&str; 3] = ["--I1=32768,8,64", "--D1=32768,8,64", "--LL=8388608,16,64"];

const CACHES_SAID: &str = "caches of 32 KiB and 8 MiB";

/// What strace writes, beside cachegrind's files.
const CALLS: &str = "calls";

/// Both programs, found on this machine.
#[derive(Debug, Clone)]
pub struct Tools {
    valgrind: PathBuf,
    strace: PathBuf,
    /// Their versions and the caches: what two results have to have in common to be compared.
    pub says: String,
}

impl Tools {
    pub fn find() -> Result<Self, String> {
        let programs = ["valgrind", "strace"].map(|name| (name, resolve::command(name.as_ref())));
        let missing: Vec<&str> =
            programs.iter().filter(|(_, found)| found.is_err()).map(|(name, _)| *name).collect();
        let [(_, Ok(valgrind)), (_, Ok(strace))] = programs else {
            return Err(format!(
                "--counted needs {}, not found on the PATH; on Debian: apt-get install {}",
                missing.join(" and "),
                missing.join(" ")
            ));
        };
        let said = |program: &Path| -> Option<String> {
            let output = Command::new(program).arg("--version").output().ok()?;
            let text = String::from_utf8_lossy(&output.stdout).into_owned();
            let last = text.lines().next()?.split([' ', '-']).next_back()?;
            Some(last.to_owned())
        };
        let version =
            |program: &Path| said(program).unwrap_or_else(|| "of unknown version".to_owned());
        let says = format!(
            "cachegrind {} ({CACHES_SAID}), strace {}",
            version(&valgrind),
            version(&strace)
        );
        Ok(Self { valgrind, strace, says })
    }

    pub(super) fn folder(&self) -> Result<TempDir, Error> {
        TempDir::with_prefix("heapwright-counted-")
            .map_err(|e| Error::System("make a folder for what is counted", e))
    }

    /// The words before a program whose instructions are counted, and those of all that it starts: a file each in `folder`.
    pub(super) fn cachegrind(&self, folder: &Path) -> Vec<OsString> {
        let to = |option: &str, file: &str| {
            let mut word = OsString::from(option);
            word.push(folder.join(file));
            word
        };
        let words = ["-q", "--tool=cachegrind", "--cache-sim=yes", "--trace-children=yes"];
        [self.valgrind.as_os_str()]
            .into_iter()
            .chain(words.into_iter().chain(CACHES).map(OsStr::new))
            .map(OsStr::to_owned)
            // What it says itself is no output of the program, which may be compared.
            .chain([to("--cachegrind-out-file=", "%p.misses"), to("--log-file=", "%p.log")])
            .collect()
    }

    /// The words before a program whose system calls are counted, with those of all that it starts.
    pub(super) fn strace(&self, folder: &Path) -> Vec<OsString> {
        let file = folder.join(CALLS).into_os_string();
        let words = ["-f", "-c", "-U", "calls,name", "-o"].map(OsString::from);
        [self.strace.clone().into_os_string()].into_iter().chain(words).chain([file]).collect()
    }
}

/// What cachegrind counted of all processes of the run.
pub(super) fn misses(folder: &Path) -> io::Result<Vec<(Metric, f64)>> {
    let (mut all, mut processes) = ([0.0; 3], 0);
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.extension() != Some("misses".as_ref()) {
            continue;
        }
        let text = fs::read_to_string(&path)?;
        let one = of_process(&text).ok_or_else(|| io::Error::other("it has no sum"))?;
        all.iter_mut().zip(one).for_each(|(sum, count)| *sum += count);
        processes += 1;
    }
    if processes == 0 {
        return Err(io::Error::other("it wrote nothing"));
    }
    let [instructions, d1, ll] = all;
    Ok(vec![(Metric::Instructions, instructions), (Metric::D1, d1), (Metric::Ll, ll)])
}

/// Instructions, misses of the first cache for data and of the last one, from the lines `events:` and `summary:` of a file.
fn of_process(text: &str) -> Option<[f64; 3]> {
    let line = |key: &str| text.lines().rev().find_map(|line| line.strip_prefix(key));
    let names = line("events:")?.split_whitespace();
    let counts = line("summary:")?.split_whitespace().map(|n| n.parse::<f64>().ok());
    let all: Vec<(&str, f64)> =
        names.zip(counts).map(|(n, c)| Some((n, c?))).collect::<Option<_>>()?;
    let of = |name: &str| all.iter().find(|(n, _)| *n == name).map(|(_, count)| *count);
    Some([of("Ir")?, of("D1mr")? + of("D1mw")?, of("ILmr")? + of("DLmr")? + of("DLmw")?])
}

/// What strace counted: the last line of its table.
pub(super) fn calls(folder: &Path) -> io::Result<f64> {
    let text = fs::read_to_string(folder.join(CALLS))?;
    total(&text).ok_or_else(|| io::Error::other("its table has no sum"))
}

fn total(table: &str) -> Option<f64> {
    let words = table.lines().map(|line| line.split_whitespace().collect::<Vec<_>>());
    words.rev().find(|words| words.last() == Some(&"total"))?.first()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = "desc: I1 cache: 32768 B\ncmd: true\nevents: Ir I1mr ILmr Dr D1mr DLmr Dw D1mw DLmw\n\
                        fl=x\n0 7 0 0 0 0 0 0 0 0\nsummary: 1000 9 1 300 20 3 200 10 2\n";

    #[test]
    fn what_all_processes_did_is_added() {
        let dir = tempfile::tempdir().unwrap();
        assert!(misses(dir.path()).is_err(), "nothing is no 0");
        for (name, text) in [("1.misses", FILE), ("2.misses", FILE), ("2.log", "x"), ("calls", "")]
        {
            fs::write(dir.path().join(name), text).unwrap();
        }
        let counted = misses(dir.path()).unwrap();
        let wanted = [(Metric::Instructions, 2000.0), (Metric::D1, 60.0), (Metric::Ll, 12.0)];
        assert_eq!(counted, wanted);
        fs::write(dir.path().join("3.misses"), "events: Ir\n").unwrap();
        assert!(misses(dir.path()).is_err(), "a file without its sum is none of a run that ended");
    }

    #[test]
    fn the_sum_of_the_calls_is_read() {
        let table = "    calls syscall\n--------- ----\n       12 mmap\n        1 brk\n--------- ----\n       13 total\n";
        assert_eq!(total(table), Some(13.0));
        assert_eq!(total("strace: no"), None);
    }

    #[test]
    fn a_program_stands_behind_the_words_of_a_tool() {
        let tools = Tools { valgrind: "/v".into(), strace: "/s".into(), says: String::new() };
        let words = tools.cachegrind(Path::new("/t"));
        assert_eq!(words[0], "/v");
        assert!(words.iter().all(|word| word == "/v" || word.as_encoded_bytes()[0] == b'-'));
        assert_eq!(tools.strace(Path::new("/t")).last().unwrap(), "/t/calls");
    }
}
