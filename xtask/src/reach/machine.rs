//! What machine a figure comes from: without that it says nothing.

use crate::peers::output;
use std::fs;
use std::process::Command;

/// Name and value of everything that shapes a figure.
pub(crate) fn describe() -> Vec<(&'static str, String)> {
    let file = |path: &str| fs::read_to_string(path).unwrap_or_default().trim().to_owned();
    let first = |command: &mut Command| {
        output(command).unwrap_or_default().lines().next().unwrap_or_default().to_owned()
    };
    let virtual_machine =
        if cpu("flags").contains("hypervisor") { ", virtual machine" } else { "" };
    let os = file("/etc/os-release");
    let os = os.lines().find_map(|l| l.strip_prefix("PRETTY_NAME=")).unwrap_or_default();
    vec![
        ("processor", format!("{} × {}{virtual_machine}", processors(), cpu("model name"))),
        ("cache of one processor", cpu("cache size")),
        ("memory", format!("{} MiB", memory_kib("MemTotal") / 1024)),
        ("kernel", file("/proc/sys/kernel/osrelease")),
        ("system", os.trim_matches('"').to_owned()),
        ("libc", first(Command::new("ldd").arg("--version"))),
        ("C compiler", first(Command::new("cc").arg("--version"))),
        ("rustc", first(Command::new("rustc").arg("--version"))),
        ("huge pages", file("/sys/kernel/mm/transparent_hugepage/enabled")),
        ("huge page defrag", file("/sys/kernel/mm/transparent_hugepage/defrag")),
        ("overcommit", file("/proc/sys/vm/overcommit_memory")),
    ]
}

/// How many tasks wanted a processor on average over the last minute.
pub(crate) fn load() -> f64 {
    let text = fs::read_to_string("/proc/loadavg").unwrap_or_default();
    text.split_whitespace().next().and_then(|n| n.parse().ok()).unwrap_or(0.0)
}

/// A folder name for machines alike: `x86_64-2x-intel-r-xeon-r-processor`.
pub(super) fn slug() -> String {
    let words: String = cpu("model name")
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { ' ' })
        .collect();
    let words: Vec<&str> = words.split_whitespace().collect();
    format!("{}-{}x-{}", std::env::consts::ARCH, processors(), words.join("-"))
}

/// One line of `/proc/meminfo`.
pub(super) fn memory_kib(name: &str) -> u64 {
    let text = fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let value = text.lines().find_map(|l| l.strip_prefix(name)?.strip_prefix(':'));
    value.and_then(|v| v.split_whitespace().next()?.parse().ok()).unwrap_or(0)
}

fn processors() -> usize {
    std::thread::available_parallelism().map_or(1, core::num::NonZero::get)
}

fn cpu(name: &str) -> String {
    let text = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let value = text.lines().find_map(|line| {
        let (key, value) = line.split_once(':')?;
        (key.trim() == name).then(|| value.trim().to_owned())
    });
    value.unwrap_or_default()
}
