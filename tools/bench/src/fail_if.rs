//! `--fail-if RULE`: a bound on ratios, for use in CI.
//!
//! ```text
//! RULE = WHAT [.METRIC] [@ALLOCATOR] OP NUMBER        geomean > 1.02     max.memory@heapwright >= 1.1     larson.ns<0.9
//! WHAT = geomean | max | name of a workload           METRIC = time | memory | ns | cpu; time if nothing is said;
//!                                           of --counted: instructions | d1 | ll | faults | calls
//! OP   = > | >= | < | <=                              ALLOCATOR: heapwright if it takes part, else any
//! ```
//!
//! `geomean` is the mean over all workloads, `max` the greatest ratio of any. What the ratios are to is up to the command
//! that asks: `bench` has allocator ÷ baseline, `compare` has new ÷ old. A rule holds when the whole interval is beyond
//! the bound: of `>` the lower end decides, of `<` the upper one, so that noise alone does not fail a build.
//! [`Rule::strict`] makes the estimate decide. One round has no interval; there the estimate is all there is. A rule
//! that no figure answers, because the run failed, counts as failed: a broken build must not pass.

use core::fmt;

use serde::{Deserialize, Serialize};

use crate::closest::closest;
use crate::stats::Ratio;
use launch::allocator::HEAPWRIGHT;

/// What may stand behind the point of a rule.
const METRICS: &str =
    "time, memory, ns or cpu, or of --counted instructions, d1, ll, faults or calls";

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Metric {
    Time,
    Memory,
    Ns,
    Cpu,
    Instructions,
    /// Misses of the first cache for data.
    D1,
    Ll,
    Faults,
    Calls,
}

/// All of them in the order of tables, each as rules call it and as tables do.
const WORDS: [(Metric, &str, &str); 9] = [
    (Metric::Time, "time", "time"),
    (Metric::Memory, "memory", "peak memory"),
    (Metric::Ns, "ns", "time a call"),
    (Metric::Cpu, "cpu", "processor time"),
    (Metric::Instructions, "instructions", "instructions"),
    (Metric::D1, "d1", "D1 misses"),
    (Metric::Ll, "ll", "LL misses"),
    (Metric::Faults, "faults", "page faults"),
    (Metric::Calls, "calls", "system calls"),
];

impl Metric {
    pub fn all() -> impl Iterator<Item = Self> {
        WORDS.into_iter().map(|(metric, ..)| metric)
    }

    /// Those that are counted, and do not depend on a clock.
    pub const COUNTED: [Self; 5] =
        [Self::Instructions, Self::D1, Self::Ll, Self::Faults, Self::Calls];

    pub fn word(self) -> &'static str {
        WORDS[self as usize].1
    }

    fn named(word: &str) -> Option<Self> {
        Self::all().find(|m| m.word() == word)
    }
}

impl fmt::Display for Metric {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(WORDS[*self as usize].2)
    }
}

/// One ratio that rules can be about.
#[derive(Debug, Clone, PartialEq)]
pub struct Named {
    /// The workload; `None`: the geometric mean over all.
    pub workload: Option<String>,
    pub allocator: String,
    pub metric: Metric,
    pub ratio: Ratio,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Rule {
    text: String,
    what: What,
    metric: Metric,
    allocator: Option<String>,
    op: Op,
    bound: f64,
    by_estimate: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum What {
    Geomean,
    Max,
    Workload(String),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Op {
    Above,
    AtLeast,
    Below,
    AtMost,
}

impl Op {
    // The longer first: ">=" begins with ">".
    const ALL: [(Self, &'static str); 4] =
        [(Self::AtLeast, ">="), (Self::AtMost, "<="), (Self::Above, ">"), (Self::Below, "<")];

    fn holds(self, value: f64, bound: f64) -> bool {
        match self {
            Self::Above => value > bound,
            Self::AtLeast => value >= bound,
            Self::Below => value < bound,
            Self::AtMost => value <= bound,
        }
    }

    /// The end of the interval that reaches the bound last.
    fn near_end(self, ratio: &Ratio) -> f64 {
        if matches!(self, Self::Above | Self::AtLeast) { ratio.low } else { ratio.high }
    }

    /// How near `value` is to holding; larger is nearer.
    fn nearness(self, value: f64) -> f64 {
        if matches!(self, Self::Above | Self::AtLeast) { value } else { -value }
    }
}

/// What is wrong with a rule.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    #[error("--fail-if '{rule}': at character {at}: expected {expected}, found {found}")]
    Form { rule: String, at: usize, expected: &'static str, found: String },
    /// It is about something that does not take part.
    #[error("--fail-if '{rule}': there is no {kind} {name}{}", nearest(.closest))]
    Unknown { rule: String, kind: &'static str, name: String, closest: Vec<String> },
}

fn nearest(closest: &[String]) -> String {
    match closest {
        [] => String::new(),
        names => format!("; close to it: {}", names.join(", ")),
    }
}

#[derive(Debug, Clone, PartialEq)]
pub enum Verdict {
    Passed(Named),
    Failed(Vec<Named>),
    NoFigure,
}

impl Verdict {
    pub fn is_failure(&self) -> bool {
        !matches!(self, Self::Passed(_))
    }
}

pub fn parse(text: &str) -> Result<Rule, Error> {
    let error = |at: usize, expected| Error::Form {
        rule: text.to_owned(),
        at: text[..at].chars().count() + 1,
        expected,
        found: match text[at..].trim() {
            "" => "the end".to_owned(),
            rest => format!("'{rest}'"),
        },
    };
    let skip = |from: usize| text.len() - text[from..].trim_start().len();

    // From the right: a workload may have parameters, as larson:threads=8, and an allocator settings.
    let sign_at = match text.rfind(['<', '>']) {
        Some(last) => text[..last].trim_end_matches(['<', '>', '=']).len(),
        None => text.find('=').unwrap_or(text.len()),
    };
    let start = skip(0);
    let end = text[..sign_at].rfind('@').unwrap_or(sign_at);
    let subject = text.get(start..end).unwrap_or_default().trim_end();
    let (what, metric) = match subject.rsplit_once('.') {
        Some((what, word)) => match Metric::named(word) {
            Some(metric) => (what, metric),
            None if matches!(what, "geomean" | "max") => {
                return Err(error(start + what.len() + 1, METRICS));
            }
            // A workload may have a point in its name.
            None => (subject, Metric::Time),
        },
        None => (subject, Metric::Time),
    };
    let what = match what {
        "" => return Err(error(start, "geomean, max or the name of a workload")),
        "geomean" => What::Geomean,
        "max" => What::Max,
        name => What::Workload(name.to_owned()),
    };

    let allocator = match text[end..sign_at].strip_prefix('@').map(str::trim) {
        Some("") => return Err(error(skip(end + 1), "the name of an allocator")),
        name => name.map(str::to_owned),
    };

    let Some((op, sign)) = Op::ALL.into_iter().find(|(_, sign)| text[sign_at..].starts_with(sign))
    else {
        return Err(error(sign_at, ">, >=, < or <="));
    };
    let number = skip(sign_at + sign.len());
    match text[number..].trim_end().parse::<f64>() {
        Ok(bound) if bound.is_finite() && bound > 0.0 => {
            let text = text.trim().to_owned();
            Ok(Rule { text, what, metric, allocator, op, bound, by_estimate: false })
        }
        _ => Err(error(number, "a ratio above 0, such as 1.02")),
    }
}

impl Rule {
    /// The same rule, decided by the estimate where `strict`.
    pub fn strict(&self, strict: bool) -> Self {
        Self { by_estimate: strict, ..self.clone() }
    }

    fn value(&self, ratio: &Ratio) -> f64 {
        if self.by_estimate { ratio.estimate } else { self.op.near_end(ratio) }
    }

    /// Sees that what the rule names takes part.
    /// Errors: it does not; the error has the closest names.
    pub fn known(&self, workloads: &[&str], allocators: &[&str]) -> Result<(), Error> {
        let unknown = |kind, name: &str, among: &[&str]| Error::Unknown {
            rule: self.text.clone(),
            kind,
            name: name.to_owned(),
            closest: closest(name, among.iter().copied()).into_iter().map(str::to_owned).collect(),
        };
        match (&self.what, &self.allocator) {
            (What::Workload(name), _) if !workloads.contains(&name.as_str()) => {
                Err(unknown("workload", name, workloads))
            }
            (_, Some(name)) if !allocators.contains(&name.as_str()) => {
                Err(unknown("allocator", name, allocators))
            }
            _ => Ok(()),
        }
    }

    /// Whether it holds for any of `ratios` that it is about.
    ///
    /// The caller leaves out what nobody wants judged: the control and the null allocator. `ours`: heapwright takes part,
    /// though it may have failed and have no ratio.
    pub fn check(&self, ratios: &[Named], ours: bool) -> Verdict {
        let mut about: Vec<&Named> = ratios.iter().filter(|r| self.is_about(r)).collect();
        if self.allocator.is_none() && ours {
            about.retain(|r| r.allocator == HEAPWRIGHT);
        }
        if self.what == What::Max {
            about = self.greatest(&about);
        }
        let failed: Vec<Named> = about
            .iter()
            .filter(|r| self.op.holds(self.value(&r.ratio), self.bound))
            .map(|&r| r.clone())
            .collect();
        let near = |r: &&&Named| self.op.nearness(self.value(&r.ratio));
        match about.iter().max_by(|a, b| near(a).total_cmp(&near(b))) {
            None => Verdict::NoFigure,
            Some(&nearest) if failed.is_empty() => Verdict::Passed(nearest.clone()),
            Some(_) => Verdict::Failed(failed),
        }
    }

    fn greatest<'a>(&self, ratios: &[&'a Named]) -> Vec<&'a Named> {
        let mut best: Vec<&Named> = Vec::new();
        for &ratio in ratios {
            match best.iter_mut().find(|b| b.allocator == ratio.allocator) {
                None => best.push(ratio),
                Some(b) if self.value(&b.ratio) < self.value(&ratio.ratio) => *b = ratio,
                Some(_) => {}
            }
        }
        best
    }

    fn is_about(&self, ratio: &Named) -> bool {
        ratio.metric == self.metric
            && self.allocator.as_ref().is_none_or(|name| *name == ratio.allocator)
            && match (&self.what, &ratio.workload) {
                (What::Geomean, None) | (What::Max, Some(_)) => true,
                (What::Workload(name), Some(workload)) => name == workload,
                _ => false,
            }
    }

    pub fn sentence(&self, verdict: &Verdict) -> String {
        let line = |named: &Named, judged: &str| {
            let Ratio { estimate, low, high, pairs } = named.ratio;
            let of = named.workload.as_deref().unwrap_or("geometric mean");
            let doubt = if self.by_estimate && low <= self.bound && self.bound <= high {
                "; the bound lies in the interval: another measurement may say otherwise"
            } else if !self.by_estimate
                && self.op.holds(estimate, self.bound)
                && !self.op.holds(self.value(&named.ratio), self.bound)
            {
                "; the estimate is beyond the bound, not the whole interval: --strict would fail"
            } else {
                ""
            };
            let (text, metric, allocator) = (&self.text, named.metric, &named.allocator);
            let interval = match pairs {
                0 | 1 => " (one round: no interval, noise alone may decide)".to_owned(),
                _ => format!(" [{low:.3}, {high:.3}]{doubt}"),
            };
            format!(
                "fail-if  {text}: {judged}: {of}, {metric} of {allocator}: {estimate:.3}{interval}"
            )
        };
        match verdict {
            Verdict::Passed(nearest) => line(nearest, "passed"),
            Verdict::Failed(all) => {
                all.iter().map(|r| line(r, "FAILED")).collect::<Vec<_>>().join("\n")
            }
            Verdict::NoFigure => {
                format!("fail-if  {}: FAILED: there is no figure to judge", self.text)
            }
        }
    }
}

#[cfg(test)]
mod tests;
