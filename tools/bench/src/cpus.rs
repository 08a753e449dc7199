//! Which processors a measured program is pinned to, and how busy they were meanwhile.
//!
//! A program that is moved between processors runs with cold caches each time, and two threads on the two halves of one
//! core run at about half speed each. Pinned, every run of a workload has the same processors.

use std::fs;

use rustix::thread::{CpuSet, sched_getaffinity};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Processor {
    pub number: usize,
    /// The lowest number of the hardware threads of its core.
    pub core: usize,
}

/// The processors for a program with `threads` threads that compute all the time: of those this process may use, one
/// hardware thread of each core first. None: it is not pinned, as it knows best (`threads` is 0) or needs all there are.
///
/// To be asked after the machine was put in order: hardware threads may have been switched off.
pub fn choose(threads: u32) -> Vec<usize> {
    among(threads, &usable())
}

/// What [`choose`] does, for any machine. The numbers rise.
///
/// A program of one thread is kept away from processor 0, which serves more interrupts than others on many machines.
/// Larger ones get it in turn: leaving it out may mix cores of two kinds or of two nodes.
pub fn among(threads: u32, processors: &[Processor]) -> Vec<usize> {
    let wanted = usize::try_from(threads).unwrap_or(usize::MAX);
    if wanted == 0 || wanted >= processors.len() {
        return Vec::new();
    }
    let mut order = processors.to_vec();
    order.sort_by_key(|p| {
        let nth_of_core =
            processors.iter().filter(|q| q.core == p.core && q.number < p.number).count();
        let avoided = wanted == 1 && p.number == 0;
        let beside_avoided = wanted == 1 && p.core == 0;
        (avoided, beside_avoided, nth_of_core, p.number)
    });
    let mut chosen: Vec<usize> = order.iter().take(wanted).map(|p| p.number).collect();
    chosen.sort_unstable();
    chosen
}

/// The numbers of all that this process may use; none where the system does not say.
pub(crate) fn own() -> Vec<usize> {
    let own = sched_getaffinity(None).unwrap_or_else(|_| CpuSet::new());
    (0..CpuSet::MAX_CPU).filter(|&number| own.is_set(number)).collect()
}

/// Those this process may use. Where the topology cannot be read, each is a core of its own.
fn usable() -> Vec<Processor> {
    own()
        .into_iter()
        .map(|number| {
            let topology = format!("/sys/devices/system/cpu/cpu{number}/topology");
            let siblings = fs::read_to_string(format!("{topology}/thread_siblings_list"));
            let core = siblings.ok().and_then(|list| lowest(&list)).unwrap_or(number);
            Processor { number, core }
        })
        .collect()
}

/// The set of `cpus`; those beyond its 1024 bits are left out.
pub(crate) fn set_of(cpus: &[usize]) -> CpuSet {
    let mut set = CpuSet::new();
    cpus.iter().filter(|&&number| number < CpuSet::MAX_CPU).for_each(|&number| set.set(number));
    set
}

fn lowest(list: &str) -> Option<usize> {
    list.trim().split([',', '-']).next()?.parse().ok()
}

/// The clock ticks that `cpus` (none: all) were busy since boot, by the text of `/proc/stat`: with programs, interrupts,
/// and what a hypervisor took. `None` when one of them is not in it.
pub fn busy_ticks(stat: &str, cpus: &[usize]) -> Option<u64> {
    let one = |name: &str| {
        let [user, nice, system, _idle, _iowait, irq, softirq, steal] = ticks(stat, name)?;
        Some(user + nice + system + irq + softirq + steal)
    };
    if cpus.is_empty() { one("cpu") } else { cpus.iter().map(|n| one(&format!("cpu{n}"))).sum() }
}

/// user nice system idle iowait irq softirq steal, of `cpu0` and so on, or of all, `cpu`; guest time is in the first two already.
pub(crate) fn ticks(stat: &str, name: &str) -> Option<[u64; 8]> {
    let line = stat.lines().find(|l| l.split(' ').next() == Some(name))?;
    let ticks = line.split_whitespace().skip(1).take(8).map_while(|w| w.parse().ok());
    ticks.collect::<Vec<u64>>().try_into().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn machine(cores: &[usize]) -> Vec<Processor> {
        cores.iter().enumerate().map(|(number, &core)| Processor { number, core }).collect()
    }

    #[test]
    fn one_hardware_thread_of_each_core_first() {
        // Four cores of two, numbered as Linux does on most machines, and pairwise as on others.
        let (far, near) = (machine(&[0, 1, 2, 3, 0, 1, 2, 3]), machine(&[0, 0, 2, 2, 4, 4, 6, 6]));
        assert_eq!(among(1, &far), [1]);
        assert_eq!(among(1, &near), [2]);
        assert_eq!(among(2, &far), [0, 1]);
        assert_eq!(among(2, &near), [0, 2]);
        assert_eq!(among(4, &near), [0, 2, 4, 6]);
        assert_eq!(among(5, &near), [0, 1, 2, 4, 6]);
    }

    #[test]
    fn processor_0_is_avoided_by_one_thread_if_there_is_another() {
        assert_eq!(among(1, &machine(&[0, 1])), [1]);
        assert_eq!(among(1, &machine(&[0, 0])), [1]);
        let no_zero = [3, 7].map(|number| Processor { number, core: number });
        assert_eq!(among(1, &no_zero), [3]);
    }

    #[test]
    fn who_needs_all_or_says_nothing_is_not_pinned() {
        for (threads, processors) in [(0, 4), (4, 4), (9, 4), (1, 1), (1, 0)] {
            let cores: Vec<usize> = (0..processors).collect();
            let chosen = among(threads, &machine(&cores));
            assert!(chosen.is_empty(), "{threads} of {processors}: {chosen:?}");
        }
    }

    #[test]
    fn this_machine_has_processors() {
        let usable = usable();
        assert!(!usable.is_empty());
        assert!(usable.iter().all(|p| p.core <= p.number), "{usable:?}");
        assert_eq!((lowest("0,4\n"), lowest("2-3\n"), lowest("")), (Some(0), Some(2), None));
    }

    #[test]
    fn busy_is_all_but_idle_and_waiting() {
        let stat = "cpu  30 2 12 900 50 1 2 4 9 0\ncpu0 10 1 4 400 20 1 1 1 5 0\ncpu1 20 1 8 500 30 0 1 3 4 0\nintr 1\n";
        assert_eq!(busy_ticks(stat, &[]), Some(51));
        assert_eq!(busy_ticks(stat, &[1]), Some(33));
        assert_eq!(busy_ticks(stat, &[0, 1]), Some(51));
        assert_eq!(busy_ticks(stat, &[2]), None);
        assert_eq!(busy_ticks("", &[]), None);
    }
}
