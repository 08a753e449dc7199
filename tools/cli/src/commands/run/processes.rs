//! What the processes have left: a file of JSON each, and which of them is the program that was given.
//!
//! ```text
//! timeout 1 ./server -v      wraps: its arguments end with another process's
//! └─ ./server -v             the program: of those that wrap nothing, the one that needed most memory
//!    └─ ./server -v          forked by it
//! ```

use std::fs;
use std::path::Path;

use serde_json::Value;

pub(super) struct Process {
    pub(super) figures: Value,
    pub(super) command: Vec<String>,
}

impl Process {
    fn of(text: &str) -> Option<Self> {
        let figures: Value = serde_json::from_str(text).ok()?;
        let words = figures["command"].as_array()?.iter();
        let command = words.map(|word| word.as_str().unwrap_or_default().to_owned()).collect();
        Some(Self { figures, command })
    }

    /// A figure by its path of names; 0 if it is not there.
    pub(super) fn figure(&self, path: &str) -> u64 {
        self.figures.pointer(path).and_then(Value::as_u64).unwrap_or(0)
    }

    pub(super) fn number(&self) -> u64 {
        self.figure("/process")
    }

    pub(super) fn peak(&self) -> u64 {
        self.figure("/resident/peak")
    }

    fn wraps(&self, other: &Self) -> bool {
        self.command.len() > other.command.len() && self.command.ends_with(&other.command)
    }
}

/// All that left figures in this folder: first the program, then those that needed most memory.
pub(super) fn read(folder: &Path) -> Vec<Process> {
    let is_number = |name: &str| name.bytes().all(|byte| byte.is_ascii_digit());
    let is_one = |file: &fs::DirEntry| {
        file.file_name().to_str().is_some_and(is_number)
            && file.file_type().is_ok_and(|kind| kind.is_file())
    };
    let files = fs::read_dir(folder).into_iter().flatten().flatten().filter(is_one);
    let texts = files.filter_map(|file| fs::read_to_string(file.path()).ok());
    sorted(texts.filter_map(|text| Process::of(&text)).collect())
}

fn sorted(mut all: Vec<Process>) -> Vec<Process> {
    all.sort_by_key(|process| (core::cmp::Reverse(process.peak()), process.number()));
    if let Some(program) = program(&all) {
        let program = all.remove(program);
        all.insert(0, program);
    }
    all
}

/// Which of them is the program, in an order by memory.
fn program(all: &[Process]) -> Option<usize> {
    let mut program = all.iter().position(|p| !all.iter().any(|other| p.wraps(other)))?;
    // A process that it forked has the same name, and may have more memory by a little.
    let parent = |child: &Process| {
        all.iter().position(|p| {
            p.number() == child.figure("/parent")
                && p.number() != child.number()
                && p.command == child.command
        })
    };
    for _ in all {
        match parent(&all[program]) {
            Some(parent) => program = parent,
            None => break,
        }
    }
    Some(program)
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    pub(crate) fn process(number: u64, parent: u64, peak: u64, command: &str) -> Process {
        let words: Vec<&str> = command.split(' ').collect();
        let figures = serde_json::json!({
            "process": number, "parent": parent, "resident": {"peak": peak, "now": peak / 2},
            "command": words, "ended": true, "allocator": "heapwright",
        });
        Process::of(&figures.to_string()).unwrap()
    }

    fn first(all: Vec<Process>) -> u64 {
        sorted(all)[0].number()
    }

    #[test]
    fn what_wraps_another_is_not_the_program() {
        let timeout = || process(1, 0, 90, "timeout 1 ./srv -v");
        assert_eq!(first(vec![timeout()]), 1);
        assert_eq!(first(vec![timeout(), process(2, 1, 50, "./srv -v")]), 2);
        let env = process(3, 1, 95, "nice env A=1 ./srv -v");
        assert_eq!(first(vec![env, timeout(), process(2, 1, 50, "./srv -v")]), 2);
    }

    #[test]
    fn the_program_is_the_largest_and_no_fork_of_it() {
        let script = || process(1, 0, 4, "bash /shims/python3 -c 1");
        let all =
            vec![script(), process(2, 1, 3, "readlink x"), process(3, 1, 9, "python3.11 -c 1")];
        assert_eq!(first(all), 3);
        let forked =
            vec![process(5, 4, 21, "./srv"), process(4, 1, 20, "./srv"), process(6, 5, 1, "./srv")];
        assert_eq!(first(forked), 4);
        assert!(sorted(Vec::new()).is_empty());
    }

    #[test]
    fn only_whole_files_of_processes_are_read() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
        write("1", &process(1, 0, 4, "true").figures.to_string());
        write("2", "{\"process\":2,");
        write("3.tmp", &process(3, 0, 4, "true").figures.to_string());
        assert_eq!(read(folder.path()).len(), 1);
        assert!(read(Path::new("/no/such/folder")).is_empty());
    }
}
