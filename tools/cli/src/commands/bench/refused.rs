//! What is refused before anything runs: flags, settings and rules that are about nothing that takes part.

use anyhow::{anyhow, bail};
use bench::session::{Role, Subject};
use bench::workload::Workload;

use super::Bench;
use crate::exit::Usage;
use crate::flags::settings::knows;
use crate::format;

impl Bench {
    /// Refuses `--region` for a program, which has a malloc of its own, and `--for` for what is none.
    pub(super) fn flags_are_of_use(&self) -> anyhow::Result<()> {
        if self.serve.service().is_some() && self.program.is_absent() {
            bail!(Usage("--for is for a server of yours, which comes after --".to_owned()));
        }
        if self.measure.region && self.measure.counted {
            bail!(Usage("arceos is about regions, and --counted counts libraries".to_owned()));
        }
        if self.measure.region && !self.program.is_absent() {
            let program = format::shell(&self.program.words());
            bail!(Usage(format!(
                "--region is for heapwright's own workloads; without it: heapwright bench -- {program}"
            )));
        }
        Ok(())
    }

    /// Refuses a setting that nobody takes who takes part.
    pub(super) fn settings_are_of_use(&self, subjects: &[Subject]) -> anyhow::Result<()> {
        for setting in &self.settings.settings {
            if !subjects.iter().any(|s| knows(&s.allocator, setting)) {
                bail!(Usage(format!(
                    "--set {}: none of these allocators has that setting; it is for heapwright's libraries",
                    setting.key
                )));
            }
        }
        Ok(())
    }

    /// Sees, before anything runs, that every rule is about what takes part.
    pub(super) fn check_rules(
        &self,
        workloads: &[Workload],
        subjects: &[Subject],
    ) -> anyhow::Result<()> {
        let workloads: Vec<&str> = workloads.iter().map(|w| w.name.as_str()).collect();
        let contenders = subjects.iter().filter(|s| s.role == Role::Contender);
        let allocators: Vec<&str> = contenders.map(|s| s.name.as_str()).collect();
        for rule in &self.fail_if {
            rule.known(&workloads, &allocators).map_err(|e| anyhow!(Usage(e.to_string())))?;
        }
        Ok(())
    }

    /// With `--region`, leaves out what cannot run on one; refuses it if it was named.
    pub(super) fn keep_those_on_regions(
        &self,
        workloads: &mut Vec<Workload>,
        warnings: &mut Vec<String>,
    ) -> anyhow::Result<()> {
        if !self.measure.region {
            return Ok(());
        }
        let is_named = |w: &Workload| {
            let name = w.name.split(':').next().unwrap_or_default();
            self.workloads.iter().any(|word| word.name == name)
        };
        let mut left_out = Vec::new();
        for w in workloads.iter().filter(|w| !w.region) {
            let why =
                if w.group.is_in_process() { "needs more than a region" } else { "is a program" };
            if is_named(w) && !w.kernel.is_empty() {
                bail!(Usage(format!(
                    "{} has region allocators beside the kernel's: leave out --region",
                    w.name
                )));
            }
            if is_named(w) {
                bail!(Usage(format!(
                    "--region is for heapwright's own workloads; {} {why}: without --region it runs on libraries",
                    w.name
                )));
            }
            left_out.push(w.name.as_str());
        }
        if !left_out.is_empty() {
            warnings.push(format!("left out, as none runs on a region: {}", left_out.join(", ")));
        }
        workloads.retain(|w| w.region);
        if workloads.is_empty() {
            bail!(Usage(
                "--region is for heapwright's own workloads, and none of these is".to_owned()
            ));
        }
        Ok(())
    }
}
