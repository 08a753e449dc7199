//! The machine a result was measured on, and how busy it was with other things.

use std::fs;
use std::path::Path;
use std::thread;

use rustix::system::uname;
use serde::{Deserialize, Serialize};

use crate::{cpus, prepare};

/// A load above this share of the processors disturbs measurements.
const HIGH_LOAD: f64 = 0.5;

/// Stolen time above this share of the processors disturbs measurements.
const HIGH_STEAL: f64 = 0.02;

/// What a result file says about its machine, before anything was prepared.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Machine {
    pub kernel: String,
    pub arch: String,
    pub cpu: String,
    /// Processors this process may use.
    pub cores: usize,
    pub memory_bytes: u64,
    /// `/sys/kernel/mm/transparent_hugepage/enabled`.
    pub huge_pages: Option<String>,
    pub glibc: Option<String>,
    /// The frequency governor, or several; virtual machines have none.
    pub governor: Option<String>,
    /// Whether processors may run faster than their nominal frequency: `on` or `off`.
    pub turbo: Option<String>,
    /// Whether a core runs two threads, as `/sys/devices/system/cpu/smt/control` says it.
    pub smt: Option<String>,
    /// Whether addresses are randomised: `on`, `off`, or what is.
    pub aslr: Option<String>,
    /// Bytes of swap; 0: none.
    pub swap_bytes: u64,
    /// Parts of memory that are nearer to some processors than to others; 0: unknown.
    pub numa_nodes: usize,
    pub virtual_machine: bool,
    pub hypervisor: Option<String>,
}

impl Machine {
    pub fn describe() -> Self {
        let uname = uname();
        let cpuinfo = read("/proc/cpuinfo");
        let meminfo = read("/proc/meminfo");
        let [governor, turbo, smt, aslr] = prepare::now(Path::new("/"));
        let hypervisor = hypervisor();
        Self {
            kernel: format!(
                "{} {}",
                uname.sysname().to_string_lossy(),
                uname.release().to_string_lossy()
            ),
            arch: uname.machine().to_string_lossy().into_owned(),
            cpu: cpu_model(&cpuinfo).unwrap_or("unknown processor").to_owned(),
            cores: thread::available_parallelism().map_or(1, core::num::NonZero::get),
            memory_bytes: kib_field(&meminfo, "MemTotal").unwrap_or(0) * 1024,
            huge_pages: huge_pages(),
            glibc: launch::allocator::glibc_version(),
            governor,
            turbo,
            smt,
            aslr,
            swap_bytes: kib_field(&meminfo, "SwapTotal").unwrap_or(0) * 1024,
            numa_nodes: count(&read("/sys/devices/system/node/online")),
            virtual_machine: hypervisor.is_some()
                || cpuinfo.lines().any(|l| {
                    l.starts_with("flags") && l.split_whitespace().any(|f| f == "hypervisor")
                }),
            hypervisor,
        }
    }

    pub fn line(&self) -> String {
        let gib = |bytes: u64| bytes as f64 / f64::from(1 << 30);
        let mut line = format!(
            "{} {} · {}{} · {} core{} · {:.0} GiB · THP {} · glibc {}",
            self.kernel,
            self.arch,
            self.cpu,
            if self.virtual_machine { " (VM)" } else { "" },
            self.cores,
            if self.cores == 1 { "" } else { "s" },
            gib(self.memory_bytes),
            self.huge_pages.as_deref().unwrap_or("none"),
            self.glibc.as_deref().unwrap_or("none"),
        );
        // What is unusual and changes figures.
        if let Some(governor) = self.governor.as_deref().filter(|&g| g != "performance") {
            line += &format!(" · governor {governor}");
        }
        if self.numa_nodes > 1 {
            line += &format!(" · {} NUMA nodes", self.numa_nodes);
        }
        if self.swap_bytes > 0 {
            line += &format!(" · {:.1} GiB swap", gib(self.swap_bytes));
        }
        line
    }
}

/// The chosen setting of transparent huge pages: `always`, `madvise` or `never`.
pub fn huge_pages() -> Option<String> {
    bracketed(&read("/sys/kernel/mm/transparent_hugepage/enabled")).map(str::to_owned)
}

/// How busy the machine is, from counters that only grow.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Busyness {
    load: f64,
    stolen: u64,
    total: u64,
}

impl Busyness {
    pub fn now() -> Self {
        Self::from_text(&read("/proc/loadavg"), &read("/proc/stat"))
    }

    fn from_text(loadavg: &str, stat: &str) -> Self {
        let load = loadavg.split_whitespace().next().and_then(|w| w.parse().ok()).unwrap_or(0.0);
        let ticks = cpus::ticks(stat, "cpu").unwrap_or_default();
        Self { load, stolen: ticks[7], total: ticks.iter().sum() }
    }

    /// A warning when others were at work before anything was measured.
    pub fn load_warning(&self, cores: usize) -> Option<String> {
        let limit = HIGH_LOAD * cores as f64;
        (self.load > limit).then(|| {
            format!(
                "the load is {:.2} on {cores} cores: other programs disturb the times",
                self.load
            )
        })
    }

    /// The share of processor time that the hypervisor took between `earlier` and now.
    pub fn stolen_since(&self, earlier: &Self) -> f64 {
        let total = self.total.saturating_sub(earlier.total);
        let stolen = self.stolen.saturating_sub(earlier.stolen);
        if total == 0 { 0.0 } else { stolen as f64 / total as f64 }
    }

    pub fn steal_warning(&self, earlier: &Self) -> Option<String> {
        let stolen = self.stolen_since(earlier);
        (stolen > HIGH_STEAL).then(|| {
            format!(
                "the hypervisor took {:.1} % of the processor time; the times include that",
                100.0 * stolen
            )
        })
    }
}

fn read(path: &str) -> String {
    fs::read_to_string(path).unwrap_or_default()
}

fn first_line(path: &str) -> Option<String> {
    read(path).lines().next().map(|l| l.trim().to_owned()).filter(|l| !l.is_empty())
}

fn count(list: &str) -> usize {
    let one = |part: &str| {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let (first, last): (usize, usize) = (first.parse().ok()?, last.parse().ok()?);
        Some((last + 1).saturating_sub(first))
    };
    list.trim().split(',').filter_map(one).sum()
}

/// The name of the hypervisor underneath: what the processor says, else the system's own tables.
fn hypervisor() -> Option<String> {
    #[cfg(target_arch = "x86_64")]
    {
        use core::arch::x86_64::__cpuid;
        // Bit 31 is never set by a real processor; the leaf holds twelve characters.
        if __cpuid(1).ecx >> 31 == 1 {
            let leaf = __cpuid(0x4000_0000);
            let name = [leaf.ebx, leaf.ecx, leaf.edx].map(u32::to_le_bytes).concat();
            let name = String::from_utf8_lossy(&name);
            let name = name.trim_matches(|c: char| c == '\0' || c.is_whitespace());
            let known = match name {
                "" => "unnamed",
                "KVMKVMKVM" => "KVM",
                "Microsoft Hv" => "Hyper-V",
                "TCGTCGTCGTCG" => "QEMU",
                "VMwareVMware" => "VMware",
                "XenVMMXenVMM" => "Xen",
                other => other,
            };
            return Some(known.to_owned());
        }
    }
    first_line("/sys/hypervisor/type").or_else(|| {
        let vendor = first_line("/sys/class/dmi/id/sys_vendor")?;
        ["QEMU", "VMware", "Xen", "innotek", "Parallels"]
            .iter()
            .any(|known| vendor.contains(known))
            .then_some(vendor)
    })
}

fn cpu_model(cpuinfo: &str) -> Option<&str> {
    let value = |key: &str| {
        cpuinfo
            .lines()
            .find(|l| l.starts_with(key))
            .and_then(|l| l.split_once(':'))
            .map(|(_, v)| v.trim())
    };
    value("model name").or_else(|| value("CPU implementer"))
}

/// Bytes of memory that programs could still get, also by the control group's limit; 0 when it cannot be read.
pub fn available() -> u64 {
    let machine = kib_field(&read("/proc/meminfo"), "MemAvailable").unwrap_or(0) * 1024;
    group_limit().map_or(machine, |group| machine.min(group.limit.saturating_sub(group.used)))
}

/// The memory limit of the control group that this process is in, and how much of it is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GroupLimit {
    pub limit: u64,
    pub used: u64,
}

/// The memory limit of the control group, version 2 or 1; `None`: there is none, or it cannot be read.
pub fn group_limit() -> Option<GroupLimit> {
    let groups = read("/proc/self/cgroup");
    groups.lines().find_map(|line| {
        let mut parts = line.splitn(3, ':');
        let (_, controllers, path) = (parts.next()?, parts.next()?, parts.next()?);
        let (root, limit, used) = if controllers.is_empty() {
            ("/sys/fs/cgroup", "memory.max", "memory.current")
        } else if controllers.split(',').any(|c| c == "memory") {
            ("/sys/fs/cgroup/memory", "memory.limit_in_bytes", "memory.usage_in_bytes")
        } else {
            return None;
        };
        // In a container the group's own path may not be there, and its files lie at the root.
        [format!("{root}{path}"), root.to_owned()].iter().find_map(|folder| {
            let number = |file| read(&format!("{folder}/{file}")).trim().parse::<u64>().ok();
            // Version 1 writes "no limit" as the largest multiple of a page.
            let limit = number(limit).filter(|&limit| limit < 1 << 60)?;
            Some(GroupLimit { limit, used: number(used).unwrap_or(0) })
        })
    })
}

/// A line `Key:   123 kB` of `/proc/meminfo` or `/proc/self/status`.
pub fn kib_field(text: &str, key: &str) -> Option<u64> {
    text.lines()
        .find_map(|l| l.strip_prefix(key)?.strip_prefix(':'))
        .and_then(|v| v.split_whitespace().next()?.parse().ok())
}

/// The word in brackets of `always [madvise] never`.
fn bracketed(text: &str) -> Option<&str> {
    text.split_once('[').and_then(|(_, rest)| rest.split_once(']')).map(|(word, _)| word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_machine_has_a_line() {
        let machine = Machine::describe();
        assert!(machine.cores >= 1 && machine.memory_bytes > 0, "{machine:?}");
        assert!(machine.line().starts_with("Linux "), "{}", machine.line());
        assert_eq!(machine.hypervisor.is_some(), machine.virtual_machine, "{machine:?}");
        let text = serde_json::to_string(&machine).unwrap();
        assert_eq!(serde_json::from_str::<Machine>(&text).unwrap(), machine);
        // An older result lacks some of it.
        let old: Machine = serde_json::from_str(r#"{"kernel":"Linux 5"}"#).unwrap();
        assert_eq!(old, Machine { kernel: "Linux 5".to_owned(), ..Machine::default() });
    }

    #[test]
    fn the_line_names_what_is_unusual() {
        let plain = Machine { governor: Some("performance".into()), ..Machine::default() };
        assert!(plain.line().ends_with("glibc none"), "{}", plain.line());
        let unusual = Machine {
            governor: Some("powersave".into()),
            numa_nodes: 2,
            swap_bytes: 3 << 29,
            ..plain
        };
        let end = "governor powersave · 2 NUMA nodes · 1.5 GiB swap";
        assert!(unusual.line().ends_with(end), "{}", unusual.line());
        assert_eq!((count("0\n"), count("0-1,4\n"), count("")), (1, 3, 0));
    }

    #[test]
    fn fields_of_proc() {
        assert_eq!(kib_field("MemFree: 1 kB\nMemTotal:   2048 kB\n", "MemTotal"), Some(2048));
        assert_eq!(kib_field("MemTotalX: 1 kB", "MemTotal"), None);
        assert_eq!(bracketed("always [madvise] never\n"), Some("madvise"));
        assert_eq!(bracketed("always"), None);
        assert_eq!(
            cpu_model("processor\t: 0\nmodel name\t: Some CPU @ 2GHz\n"),
            Some("Some CPU @ 2GHz")
        );
    }

    #[test]
    fn load_and_steal() {
        let before = Busyness::from_text("1.50 1 1 1/9 9\n", "cpu  100 0 100 700 0 0 0 100 50 0\n");
        assert!(before.load_warning(2).unwrap().contains("1.50"));
        assert_eq!(before.load_warning(4), None);
        let after = Busyness::from_text("", "cpu  150 0 100 740 0 0 0 110 90 0\n");
        assert!((after.stolen_since(&before) - 0.1).abs() < 1e-12);
        assert!(after.steal_warning(&before).unwrap().contains("10.0 %"));
        assert_eq!(before.steal_warning(&before), None);
    }
}
