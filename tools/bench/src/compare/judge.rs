//! From the figures of two results to lines that say what changed: which ratio is judged, and beyond which noise.

use super::comparison::{Comparison, Judged, Line, Subject};
use super::figures::{Drawn, Pair, Side};
use fastrand::Rng;

use crate::claim::Claim;
use crate::fail_if::Metric;
use crate::session::Role;

pub(super) struct Rules<'a> {
    pub(super) workloads: &'a [String],
    pub(super) baseline: Option<&'a str>,
    pub(super) same_scale: bool,
    pub(super) same_machine: bool,
}

impl Rules<'_> {
    pub(super) fn lines(
        &self,
        metric: Metric,
        old: &Side,
        new: &Side,
        rng: &mut Rng,
        to: &mut Comparison,
    ) {
        if !self.same_scale && metric != Metric::Ns {
            return;
        }
        // The control first: what it differs by is the noise of the others.
        let mut subjects = to.allocators.clone();
        subjects.sort_by_key(|s| s.role != Role::Control);
        let mut noise: Vec<(Option<String>, f64)> = Vec::new();
        for subject in &subjects {
            let mut all: Vec<(Option<String>, Drawn, Option<Drawn>)> = Vec::new();
            for name in self.workloads {
                let pair = Pair { old, new, workload: name, allocator: &subject.name };
                if metric == Metric::Time {
                    to.not_compared.extend(pair.obstacle());
                    to.not_compared.extend(pair.other_work());
                }
                let is_refused = metric != Metric::Memory && pair.refused();
                let is_other =
                    self.same_scale && metric != Metric::Ns && pair.other_work().is_some();
                if is_refused || is_other || pair.failed() {
                    continue;
                }
                let Some(plain) = pair.plain(metric, rng) else { continue };
                let baseline = self.baseline.filter(|b| *b != subject.name);
                let relative = baseline.and_then(|baseline| pair.relative(baseline, metric, rng));
                all.push((Some(name.clone()), plain, relative));
            }
            if all.is_empty() {
                continue;
            }
            let plain = Drawn::mean(all.iter().map(|(_, plain, _)| plain));
            let relative = Drawn::mean(all.iter().filter_map(|(_, _, relative)| relative.as_ref()));
            all.extend(plain.map(|plain| (None, plain, relative)));
            for (workload, plain, relative) in &all {
                let line = self.line(subject, metric, workload, plain, relative.as_ref(), &noise);
                if subject.role == Role::Control {
                    let r = line.relative.unwrap_or(line.plain);
                    noise.push((workload.clone(), r.distance_from_1()));
                }
                to.lines.push(line);
            }
        }
    }

    fn line(
        &self,
        subject: &Subject,
        metric: Metric,
        workload: &Option<String>,
        plain: &Drawn,
        relative: Option<&Drawn>,
        noise: &[(Option<String>, f64)],
    ) -> Line {
        let drifts = metric != Metric::Memory || !self.same_machine;
        let judged = if drifts && relative.is_some() { Judged::Relative } else { Judged::Plain };
        // The control was compared with the baseline: that noise is the relative ratio's.
        let noise = noise.iter().find(|(w, _)| w == workload).map(|(_, noise)| *noise);
        let (plain, relative) = (plain.ratio(), relative.map(Drawn::ratio));
        let of_plain = Claim::of(&plain, None);
        let of_relative = relative.map(|r| Claim::of(&r, noise));
        let (change, other) = match (judged, of_relative) {
            (Judged::Relative, Some(of_relative)) => (of_relative, Some(of_plain)),
            (_, of_relative) => (of_plain, of_relative),
        };
        Line {
            workload: workload.clone(),
            allocator: subject.name.clone(),
            role: subject.role,
            metric,
            judged,
            plain,
            relative,
            change,
            other,
        }
    }
}
