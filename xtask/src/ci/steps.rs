//! The steps of `.ci/run` as `steps.toml` has them: what each checks, what it reads, where it builds, and how it is run.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::Deserialize;

use super::forms::{self, Form, Outcome};

/// The file, whose head says what its keys mean.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Rules {
    pub(super) step: Vec<Step>,
    pub(super) by_every_change: Vec<String>,
    pub(super) beside: BTreeMap<String, Vec<String>>,
    pub(super) long: BTreeMap<String, u32>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Step {
    pub(super) name: String,
    pub(super) what: String,
    /// Empty: every change takes it.
    #[serde(default)]
    pub(super) reads: Vec<String>,
    #[serde(default)]
    more: String,
    #[serde(default)]
    pub(super) builds: Builds,
    seconds: (u32, u32),
    chore: Option<String>,
}

#[derive(Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Builds {
    #[default]
    Alone,
    Workspace,
}

pub(super) static RULES: LazyLock<Rules> = LazyLock::new(|| {
    let read = toml::from_str(include_str!("steps.toml"));
    read.unwrap_or_else(|why| panic!("xtask/src/ci/steps.toml: {why}"))
});

/// All of them, in the order of the table.
pub(super) fn all() -> &'static [Step] {
    &RULES.step
}

impl Step {
    pub(super) fn run(&self, form: &Form) -> Outcome {
        match (&self.chore, forms::form(&self.name)) {
            (Some(chore), _) => forms::chore(&chore.split_whitespace().collect::<Vec<_>>()),
            (None, Some(run)) => run(form),
            (None, None) => Outcome::Failed("neither steps.toml nor forms.rs runs it".to_owned()),
        }
    }

    /// About how many seconds it takes.
    pub(super) fn takes(&self, all: bool) -> u32 {
        if all { self.seconds.1 } else { self.seconds.0 }
    }
}

pub(crate) fn table() -> String {
    let mut table = String::from(
        "| step | what it checks | taken with | `ci all` does more |\n|---|---|---|---|\n",
    );
    for Step { name, what, reads, more, .. } in all() {
        let reads: Vec<_> = reads.iter().map(|path| format!("`{path}`")).collect();
        let when = if reads.is_empty() { "every change".to_owned() } else { reads.join(" ") };
        table += &format!("| `{name}` | {what} | {when} | {more} |\n");
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_step_is_run_in_one_way() {
        for step in all() {
            assert!(step.chore.is_some() != forms::form(&step.name).is_some(), "{}", step.name);
        }
    }
}
