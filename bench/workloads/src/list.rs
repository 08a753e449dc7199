//! All workloads.

use std::io::Write as _;

use crate::arguments::{Arguments, COMMON, Parameter};
use crate::results::Results;
use crate::{community, kernel, ours, texts};

pub(crate) struct Workload {
    /// As its source calls it where it has one. What it does is said in `bench/definitions`.
    pub(crate) name: &'static str,
    pub(crate) parameters: &'static [Parameter],
    pub(crate) run: fn(&Arguments, &mut Results),
}

pub(crate) fn find(name: &str) -> Option<&'static Workload> {
    all().find(|workload| workload.name == name)
}

fn all() -> impl Iterator<Item = &'static Workload> {
    texts::ALL.iter().chain(kernel::ALL).chain(community::ALL).chain(ours::ALL).copied()
}

pub(crate) fn print() {
    let mut text = String::new();
    for workload in all() {
        text += &format!("{}\n", workload.name);
        for p in workload.parameters {
            let scaled = if p.scaled { ", scaled" } else { "" };
            text += &format!("    {}={}{scaled}  {}\n", p.name, p.usual(), p.about);
        }
    }
    text += "each of them\n";
    for (name, about) in COMMON {
        text += &format!("    {name}  {about}\n");
    }
    // Whoever reads may have seen enough, and there is nobody else to tell.
    let _ = std::io::stdout().write_all(text.as_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_plain() {
        let mut names: Vec<&str> = all().map(|w| w.name).collect();
        assert!(names.iter().all(|n| n.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-')));
        let count = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), count);
    }
}
