//! From the paths that a change touches to the steps, and to the packages that `cargo test` tests.
//!
//! ```text
//! crates/malloc/src/keep.rs ─► heapwright-malloc ─► what depends on it: abi, tools/bench, tools/cli, …
//!                                    │                        │
//!                                    ▼                        ▼
//!                  steps that read one of these      `test` of all of these, and of what tests by them
//! ```

use std::collections::BTreeMap;

use super::steps::{RULES, Step, all};
use crate::layers::graph::Package;

/// The package whose tests every change takes: they look at the tree as a whole.
const ALWAYS_TESTED: &str = "xtask";

pub(super) struct Plan {
    /// In the table's order, each with why.
    pub(super) steps: Vec<(&'static Step, String)>,
    /// The packages to test; none: all.
    pub(super) packages: Vec<String>,
    /// Each step in its whole form.
    pub(super) all: bool,
}

impl Plan {
    /// Every step in its whole form.
    pub(super) fn everything(why: &str) -> Self {
        let steps = all().iter().map(|step| (step, why.to_owned())).collect();
        Self { steps, packages: Vec::new(), all: true }
    }

    pub(super) fn of(packages: &[Package], paths: &[String]) -> Self {
        let tree = Tree { packages };
        if let Some(path) = paths.iter().find(|path| !tree.is_named(path)) {
            return Self::everything(&format!("no step says that it reads {path}"));
        }
        let affected = tree.affected(paths);
        let why = |step: &Step| {
            let always = step.reads.is_empty().then(|| "every change".to_owned());
            let touched = |read: &String| tree.touched(read, paths, &affected);
            always.or_else(|| step.reads.iter().find_map(touched))
        };
        let steps = all().iter().filter_map(|step| Some((step, why(step)?))).collect();
        let mut tested = tree.tested(paths, &affected);
        if tested.len() == packages.len() {
            tested.clear();
        }
        Self { steps, packages: tested, all: false }
    }

    /// The plan in words: the steps with their reasons, those that are left out, and about how long two workers take.
    pub(super) fn shown(&self) -> String {
        let mut text = String::new();
        let mut seconds = 0;
        for (step, why) in &self.steps {
            let takes = self.takes(step);
            seconds += takes;
            text += &format!("{:<15} {takes:>4} s  {why}\n", step.name);
            if step.name == "test" && !self.packages.is_empty() {
                text += &format!("{:23} packages: {}\n", "", self.packages.join(" "));
            }
        }
        let taken = |step: &&Step| self.steps.iter().any(|(one, _)| one.name == step.name);
        let left: Vec<&str> =
            all().iter().filter(|step| !taken(step)).map(|step| step.name.as_str()).collect();
        if !left.is_empty() {
            text += &format!("left out: {}\n", left.join(" "));
        }
        let count = self.steps.len();
        text + &format!("{count} steps, about {seconds} s one after the other; two run at a time\n")
    }

    /// About how many seconds a step takes, with less to test.
    fn takes(&self, step: &Step) -> u32 {
        let left_out = |(name, _): &(&String, &u32)| !self.packages.contains(name);
        let saved: u32 = RULES.long.iter().filter(left_out).map(|(_, seconds)| seconds).sum();
        let is_less = step.name == "test" && !self.packages.is_empty();
        step.takes(self.all) - if is_less { saved } else { 0 }
    }
}

/// The packages of the workspace, and what a path means to them.
struct Tree<'a> {
    packages: &'a [Package],
}

/// The packages that a change affects, each with the path it began with.
type Affected = BTreeMap<usize, String>;

impl Tree<'_> {
    /// The package in whose folder a path is, which is no document: of nested ones the innermost.
    fn owner(&self, path: &str) -> Option<usize> {
        let inside = |package: &&(usize, &Package)| is_in(path, &format!("{}/", package.1.folder));
        let all: Vec<(usize, &Package)> = self.packages.iter().enumerate().collect();
        let innermost = all.iter().filter(inside).max_by_key(|(_, package)| package.folder.len());
        innermost.map(|(at, _)| *at)
    }

    /// Whether a step or a rule says what reads a path.
    fn is_named(&self, path: &str) -> bool {
        let by_steps = all().iter().flat_map(|step| &step.reads);
        let by_tests = RULES.beside.values().flatten();
        let mut reads = by_steps.chain(by_tests).chain(&RULES.by_every_change);
        let in_package = self.owner(path).is_some_and(|at| self.packages[at].name != ALWAYS_TESTED);
        in_package || path.ends_with(".md") || reads.any(|read| is_in(path, read))
    }

    /// The packages of the paths and all that are built with one of them.
    fn affected(&self, paths: &[String]) -> Affected {
        let mut affected = Affected::new();
        for path in paths {
            if let Some(at) = self.owner(path) {
                affected.entry(at).or_insert_with(|| path.clone());
            }
        }
        loop {
            let before = affected.len();
            for (at, package) in self.packages.iter().enumerate() {
                if let Some(path) = self.needs(package, false, &affected) {
                    affected.entry(at).or_insert(path);
                }
            }
            if affected.len() == before {
                return affected;
            }
        }
    }

    /// The path by which something that the package depends on is affected; with `tests`, its tests too.
    fn needs(&self, package: &Package, tests: bool, affected: &Affected) -> Option<String> {
        let needed = package.edges.iter().filter(|edge| tests || !edge.dev);
        needed
            .filter_map(|edge| self.packages.iter().position(|other| other.name == edge.to))
            .find_map(|at| affected.get(&at).cloned())
    }

    /// Why a change touches what a step reads.
    fn touched(&self, read: &str, paths: &[String], affected: &Affected) -> Option<String> {
        match self.packages.iter().position(|package| package.folder == read) {
            Some(at) => affected.get(&at).map(|path| format!("{path}, by {read}")),
            None => paths.iter().find(|path| is_in(path, read)).cloned(),
        }
    }

    /// The packages whose tests the change can break.
    fn tested(&self, paths: &[String], affected: &Affected) -> Vec<String> {
        let is_tested = |(at, package): &(usize, &Package)| {
            let beside = RULES.beside.get(&package.folder);
            package.name == ALWAYS_TESTED
                || affected.contains_key(at)
                || self.needs(package, true, affected).is_some()
                || beside.is_some_and(|reads| {
                    reads.iter().any(|read| self.touched(read, paths, affected).is_some())
                })
        };
        let tested = self.packages.iter().enumerate().filter(is_tested);
        tested.map(|(_, package)| package.name.clone()).collect()
    }
}

/// Whether a path is the file or in the folder `read`, which need not end with a slash or with `.rs`. A document is read only
/// by what names it.
fn is_in(path: &str, read: &str) -> bool {
    if path.ends_with(".md") && !read.ends_with(".md") {
        return false;
    }
    path.strip_prefix(read).is_some_and(|rest| {
        read.ends_with('/') || rest.is_empty() || rest.starts_with('/') || rest == ".rs"
    })
}

#[cfg(test)]
mod tests;
