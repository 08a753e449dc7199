//! What /proc says of a process, whatever malloc it has.

use std::fs;
use std::os::unix::fs::MetadataExt as _;

use launch::tree::with_memory;

use crate::Trouble;
use crate::note;
use crate::trouble::refused;

/// A thread of the kernel, in the flags of `stat`.
const KERNEL_THREAD: u64 = 0x20_0000;

/// The figures of a moment; bytes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Process {
    pub pid: i32,
    pub parent: i32,
    /// When it began, in ticks: numbers are given again.
    pub started: u64,
    pub command: Vec<String>,
    pub resident: u64,
    pub peak: u64,
    pub anonymous: u64,
    pub files: u64,
    pub shared: u64,
    pub swapped: u64,
    /// Anonymous memory in huge pages; `None`: not asked for, or not said.
    pub huge_pages: Option<u64>,
    pub threads: u64,
    /// Page faults that needed no disk, and those that did.
    pub faults: [u64; 2],
    /// Processor time in clock ticks.
    pub ticks: u64,
}

impl Process {
    /// Looks at a process, or at the one that a thread is of.
    /// Errors: there is none, it has ended, or it is the kernel's.
    pub fn look(pid: i32) -> Result<Self, Trouble> {
        let status = read(pid, "status").ok_or(Trouble::Gone(pid))?;
        let leader = field(&status, "Tgid:").map_or(pid, |pid| pid as i32);
        if leader != pid {
            return Self::look(leader);
        }
        let stat = read(pid, "stat").ok_or(Trouble::Gone(pid))?;
        // The name in front may have any character in it.
        let rest = stat.rsplit_once(") ").map_or("", |(_, rest)| rest);
        let words: Vec<&str> = rest.split_whitespace().collect();
        let number = |index: usize| words.get(index).and_then(|w| w.parse().ok()).unwrap_or(0u64);
        if number(6) & KERNEL_THREAD != 0 {
            return Err(Trouble::Kernel(pid));
        }
        let (mut one, mut status) = (pid, status);
        if words.first().is_some_and(|state| matches!(*state, "Z" | "X")) {
            one = with_memory(pid).ok_or(Trouble::Zombie(pid))?;
            status = read(one, "status").ok_or(Trouble::Gone(pid))?;
        }
        let bytes = |name: &str| field(&status, name).unwrap_or(0) * 1024;
        let name = status.lines().find_map(|line| line.strip_prefix("Name:")).unwrap_or("").trim();
        let command = read(one, "cmdline").unwrap_or_default();
        let mut command: Vec<String> =
            command.split('\0').filter(|word| !word.is_empty()).map(str::to_owned).collect();
        if command.is_empty() {
            command.push(format!("[{name}]"));
        }
        Ok(Self {
            pid,
            parent: number(1) as i32,
            started: number(19),
            command,
            resident: bytes("VmRSS:"),
            peak: bytes("VmHWM:"),
            anonymous: bytes("RssAnon:"),
            files: bytes("RssFile:"),
            shared: bytes("RssShmem:"),
            swapped: bytes("VmSwap:"),
            huge_pages: None,
            threads: field(&status, "Threads:").unwrap_or(0),
            faults: [number(7), number(9)],
            ticks: number(11) + number(12),
        })
    }

    /// Asks for what costs the kernel a walk through all pages.
    pub fn look_for_huge_pages(&mut self) {
        let text = with_memory(self.pid).and_then(|one| read(one, "smaps_rollup"));
        self.huge_pages =
            text.and_then(|text| field(&text, "AnonHugePages:")).map(|kib| kib * 1024);
    }
}

/// A file of its folder in /proc, as text.
pub(crate) fn read(pid: i32, file: &str) -> Option<String> {
    let bytes = fs::read(format!("/proc/{pid}/{file}")).ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

/// The first number behind a name at the start of a line.
fn field(text: &str, name: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    line.split_whitespace().next()?.parse().ok()
}

pub(crate) fn owner(pid: i32) -> Option<u32> {
    let status = read(pid, "status")?;
    field(&status, "Uid:").and_then(|uid| u32::try_from(uid).ok())
}

/// The user that its files in /proc are shown as: root, where it has hidden itself. The folder itself is always its user's.
pub(crate) fn shown_owner(pid: i32) -> Option<u32> {
    fs::metadata(format!("/proc/{pid}/maps")).ok().map(|about| about.uid())
}

/// Rights that it has and this process has not, as bits.
pub(crate) fn more_rights(pid: i32) -> u64 {
    let rights = |pid: &str, name: &str| {
        let status = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
        let line = status.lines().find_map(|line| line.strip_prefix(name))?;
        u64::from_str_radix(line.trim(), 16).ok()
    };
    let its = rights(&pid.to_string(), "CapPrm:").unwrap_or(0);
    its & !rights("self", "CapEff:").unwrap_or(u64::MAX)
}

/// Every process that can be read and uses one of our mallocs.
pub fn of_ours() -> Vec<Process> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    let mut pids: Vec<i32> =
        entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok()).collect();
    pids.sort_unstable();
    let uses = pids.into_iter().filter(|pid| note::uses_ours(*pid));
    uses.filter_map(|pid| Process::look(pid).ok()).collect()
}

/// The maps of a process, as text.
/// Errors: they are not shown to us, or it has gone.
pub(crate) fn maps(pid: i32) -> Result<String, Trouble> {
    let one = with_memory(pid).ok_or(Trouble::Gone(pid))?;
    match fs::read(format!("/proc/{one}/maps")) {
        Ok(bytes) => Ok(String::from_utf8_lossy(&bytes).into_owned()),
        Err(error) => match error.raw_os_error() {
            Some(libc::EACCES | libc::EPERM) => Err(refused(pid)),
            Some(libc::ENOENT | libc::ESRCH) => Err(Trouble::Gone(pid)),
            _ => Err(Trouble::Unreadable(pid, error.to_string())),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_process_is_what_it_is() {
        let pid = std::process::id() as i32;
        let process = Process::look(pid).unwrap();
        assert_eq!((process.pid, process.threads > 0), (pid, true));
        assert!(process.resident > 0 && process.resident <= process.peak);
        assert!(process.faults[0] > 0 && process.started > 0);
        assert!(!process.command.is_empty());
        assert_eq!(owner(pid), Some(rustix::process::geteuid().as_raw()));
        // A thread is found by its number, too.
        let thread = rustix::thread::gettid().as_raw_nonzero().get();
        assert_eq!(Process::look(thread).unwrap().pid, pid);
    }

    #[test]
    fn what_is_no_process_is_named() {
        assert_eq!(Process::look(i32::MAX), Err(Trouble::Gone(i32::MAX)));
        if read(2, "comm").is_some_and(|name| name.trim() == "kthreadd") {
            assert_eq!(Process::look(2), Err(Trouble::Kernel(2)));
        }
    }
}
