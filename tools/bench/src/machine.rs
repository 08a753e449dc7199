//! The machine a result was measured on, and how busy it was with other things.

use std::fs;
use std::thread;

use rustix::system::uname;
use serde::{Deserialize, Serialize};

/// A load above this share of the processors disturbs measurements.
const HIGH_LOAD: f64 = 0.5;

/// So much stolen time disturbs measurements.
const HIGH_STEAL: f64 = 0.02;

/// What a result file says about its machine.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Machine {
    /// Operating system and kernel release.
    pub kernel: String,
    /// The instruction set.
    pub arch: String,
    /// The processor's own name.
    pub cpu: String,
    /// Processors this process may use.
    pub cores: usize,
    /// Bytes of memory.
    pub memory_bytes: u64,
    /// `/sys/kernel/mm/transparent_hugepage/enabled`.
    pub huge_pages: Option<String>,
    /// The C library.
    pub glibc: Option<String>,
    /// The frequency governor; virtual machines have none.
    pub governor: Option<String>,
    /// Whether a hypervisor is underneath.
    pub virtual_machine: bool,
}

impl Machine {
    /// Reads it from `/proc` and `/sys`.
    #[must_use]
    pub fn describe() -> Self {
        let uname = uname();
        let cpuinfo = read("/proc/cpuinfo");
        Self {
            kernel: format!(
                "{} {}",
                uname.sysname().to_string_lossy(),
                uname.release().to_string_lossy()
            ),
            arch: uname.machine().to_string_lossy().into_owned(),
            cpu: cpu_model(&cpuinfo).unwrap_or("unknown processor").to_owned(),
            cores: thread::available_parallelism().map_or(1, core::num::NonZero::get),
            memory_bytes: kib_field(&read("/proc/meminfo"), "MemTotal").unwrap_or(0) * 1024,
            huge_pages: huge_pages(),
            glibc: glibc_version(),
            governor: first_line("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"),
            virtual_machine: cpuinfo
                .lines()
                .any(|l| l.starts_with("flags") && l.split_whitespace().any(|f| f == "hypervisor")),
        }
    }

    /// The description in one line.
    #[must_use]
    pub fn line(&self) -> String {
        let gib = self.memory_bytes as f64 / f64::from(1 << 30);
        format!(
            "{} {} · {}{} · {} core{} · {gib:.0} GiB · THP {} · glibc {}",
            self.kernel,
            self.arch,
            self.cpu,
            if self.virtual_machine { " (VM)" } else { "" },
            self.cores,
            if self.cores == 1 { "" } else { "s" },
            self.huge_pages.as_deref().unwrap_or("none"),
            self.glibc.as_deref().unwrap_or("none"),
        )
    }
}

/// The version of the C library this process runs on.
#[must_use]
pub fn glibc_version() -> Option<String> {
    #[cfg(target_env = "gnu")]
    {
        // SAFETY: it takes nothing and returns a static C string.
        let version = unsafe { libc::gnu_get_libc_version() };
        // SAFETY: as above.
        let version = unsafe { core::ffi::CStr::from_ptr(version) };
        Some(version.to_string_lossy().into_owned())
    }
    #[cfg(not(target_env = "gnu"))]
    None
}

/// The chosen setting of transparent huge pages: `always`, `madvise` or `never`.
#[must_use]
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
    /// Reads the counters now.
    #[must_use]
    pub fn now() -> Self {
        Self::from_text(&read("/proc/loadavg"), &read("/proc/stat"))
    }

    fn from_text(loadavg: &str, stat: &str) -> Self {
        let load = loadavg.split_whitespace().next().and_then(|w| w.parse().ok()).unwrap_or(0.0);
        // user nice system idle iowait irq softirq steal (guest time is part of user)
        let ticks: Vec<u64> = stat
            .lines()
            .find_map(|l| l.strip_prefix("cpu "))
            .map(|l| l.split_whitespace().take(8).filter_map(|w| w.parse().ok()).collect())
            .unwrap_or_default();
        Self { load, stolen: ticks.get(7).copied().unwrap_or(0), total: ticks.iter().sum() }
    }

    /// A warning when others were at work before anything was measured.
    #[must_use]
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
    #[must_use]
    pub fn stolen_since(&self, earlier: &Self) -> f64 {
        let total = self.total.saturating_sub(earlier.total);
        let stolen = self.stolen.saturating_sub(earlier.stolen);
        if total == 0 { 0.0 } else { stolen as f64 / total as f64 }
    }

    /// A warning when that share was large.
    #[must_use]
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

/// Bytes of memory that programs could still get; 0 when it cannot be read.
#[must_use]
pub fn available() -> u64 {
    kib_field(&read("/proc/meminfo"), "MemAvailable").unwrap_or(0) * 1024
}

/// A line `Key:   123 kB` of `/proc/meminfo` or `/proc/self/status`.
#[must_use]
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
