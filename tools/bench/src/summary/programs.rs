//! Which programs a workload's runs were made of, and which malloc each had.

use crate::definition::Group;
use crate::result::{Computed, Report, Work};
use launch::follow::Program;

/// Less of the processor time is not worth a word.
const LEAST: f64 = 0.05;

/// What the runs of one cell computed on, the most first.
pub(super) fn of(seen: &[Program]) -> Vec<Computed> {
    let all: u64 = seen.iter().map(|p| p.cpu_us).sum();
    let computed = |p: &Program| Computed {
        name: p.name.clone(),
        malloc: p.malloc.clone(),
        share: p.cpu_us as f64 / all as f64,
    };
    let mut programs: Vec<Computed> = seen.iter().filter(|p| p.cpu_us > 0).map(computed).collect();
    programs.sort_by(|a, b| b.share.total_cmp(&a.share));
    programs
}

/// Where the user's own command starts several programs that compute: which malloc each had. The figures are of all of them.
pub(super) fn several(report: &Report) -> Option<String> {
    let own = |work: &&Work| work.group == Group::Own;
    let cells = report.workloads.iter().filter(own).flat_map(|work| &work.cells);
    let worth = |programs: &[Computed]| -> Vec<Computed> {
        programs.iter().filter(|p| p.share >= LEAST).cloned().collect()
    };
    let programs = cells.map(|cell| worth(&cell.programs)).max_by_key(Vec::len)?;
    if programs.len() < 2 {
        return None;
    }
    let said = |p: &Computed| {
        let malloc = p.malloc.as_deref().unwrap_or("the row's malloc");
        format!("{} {:.0} % on {malloc}", p.name, 100.0 * p.share)
    };
    let programs: Vec<String> = programs.iter().map(said).collect();
    Some(format!(
        "the figures are of several programs, by processor time {}; for a server and what drives it: --for TIME --drive CMD -- SERVER",
        programs.join(", ")
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::result::Cell;
    use crate::session::Role;
    use crate::testing::{entry, report, work};

    #[test]
    fn several_programs_are_named_with_their_mallocs() {
        let seen = |name: &str, malloc: Option<&str>, cpu_us| Program {
            name: name.to_owned(),
            malloc: malloc.map(str::to_owned),
            cpu_us,
        };
        let said = |seen: &[Program], group| {
            let cells = vec![Cell { programs: of(seen), ..Cell::default() }];
            let mut work = work("x", 1, cells);
            work.group = group;
            several(&report(vec![entry("glibc", Role::Baseline)], vec![work], Vec::new()))
        };
        let (sh, server) = (seen("sh", None, 1), seen("server", None, 60));
        let both = [sh, server, seen("load", Some("libx.so.2"), 39)];
        let text = said(&both, Group::Own).unwrap();
        assert!(
            text.contains("server 60 % on the row's malloc, load 39 % on libx.so.2;"),
            "{text}"
        );
        assert_eq!((said(&both[..2], Group::Own), said(&both, Group::Real)), (None, None));
        assert_eq!(said(&[], Group::Own), None);
    }
}
