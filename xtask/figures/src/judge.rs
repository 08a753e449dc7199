//! The one judge of "figure, bound, pass". Bounds are data, in `bench/bounds`; who measures hands over figures by name.
//!
//! ```text
//! figure              its name
//! says                what it is, in the table
//! at_most, at_least   the bound; beside_1: how far from 1 it may be; none of them: it is shown only
//! quick               the bound of a run with `--quick`, where that is another one
//! words               what is said instead of the bound's number
//! digits              behind the point [default: 3]
//! ```
//!
//! What was not measured is no pass, and neither is what cannot be told.

use std::collections::BTreeMap;

use comfy_table::Table;
use serde::Deserialize;

use crate::files;
use crate::peers::root;

#[derive(Debug, Deserialize)]
#[serde(transparent)]
pub(crate) struct Bounds(BTreeMap<String, Vec<Bound>>);

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Bound {
    pub(crate) figure: String,
    says: String,
    at_most: Option<f64>,
    at_least: Option<f64>,
    beside_1: Option<f64>,
    quick: Option<f64>,
    words: Option<String>,
    #[serde(default = "three")]
    digits: usize,
}

fn three() -> usize {
    3
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Verdict {
    Pass,
    Fail,
    Untold,
}

impl Verdict {
    pub(crate) fn of(holds: bool) -> Self {
        if holds { Self::Pass } else { Self::Fail }
    }

    fn words(self) -> &'static str {
        match self {
            Self::Pass => "pass",
            Self::Fail => "**FAIL**",
            Self::Untold => "cannot be told",
        }
    }
}

#[derive(Debug, Default)]
pub(crate) struct Figure {
    /// `None`: it was not.
    pub(crate) value: Option<f64>,
    pub(crate) shown: Option<String>,
    /// Whether it might as well be beyond the bound, or within it.
    pub(crate) is_untold: bool,
}

impl From<Option<f64>> for Figure {
    fn from(value: Option<f64>) -> Self {
        Self { value, ..Self::default() }
    }
}

#[derive(Debug)]
pub(crate) struct Line {
    pub(crate) says: String,
    pub(crate) figure: String,
    pub(crate) bound: String,
    pub(crate) verdict: Verdict,
}

impl Bounds {
    /// Those of `bench/bounds/NAME.toml`.
    pub(crate) fn read(name: &str) -> Result<Self, String> {
        let file = root().join("bench/bounds").join(name).with_extension("toml");
        toml::from_str(&files::read(&file)?).map_err(|e| format!("{}: {e}", file.display()))
    }

    /// Every bound of a part; a part that is not there has none.
    pub(crate) fn part(&self, part: &str) -> &[Bound] {
        self.0.get(part).map_or(&[], Vec::as_slice)
    }

    /// What a figure of a part may be at most.
    pub(crate) fn most(&self, part: &str, figure: &str) -> Option<f64> {
        self.part(part).iter().find(|bound| bound.figure == figure)?.at_most
    }

    /// The part's lines, from figures by their names.
    pub(crate) fn judge<F: Into<Figure>>(
        &self,
        part: &str,
        quick: bool,
        figure: impl Fn(&str) -> F,
    ) -> Vec<Line> {
        let line = |bound: &Bound| bound.judge(figure(&bound.figure), quick);
        self.part(part).iter().map(line).collect()
    }
}

impl Bound {
    pub(crate) fn judge(&self, figure: impl Into<Figure>, quick: bool) -> Line {
        let Figure { value, shown, is_untold } = figure.into();
        let of = |usual: f64| self.quick.filter(|_| quick).unwrap_or(usual);
        let (holds, words): (Box<dyn Fn(f64) -> bool>, String) = match self {
            Self { at_most: Some(most), .. } => {
                let most = of(*most);
                (Box::new(move |v| v <= most), format!("≤ {most}"))
            }
            Self { at_least: Some(least), .. } => {
                let least = of(*least);
                (Box::new(move |v| v >= least), format!("≥ {least}"))
            }
            Self { beside_1: Some(most), .. } => {
                let most = of(*most);
                (Box::new(move |v| (v - 1.0).abs() <= most), format!("1 ± {most}"))
            }
            _ => (Box::new(|_| true), "none".to_owned()),
        };
        let number = value.map(|v| format!("{v:.0$}", self.digits));
        Line {
            says: self.says.clone(),
            figure: number.map_or("not measured".to_owned(), |number| shown.unwrap_or(number)),
            bound: self.words.clone().unwrap_or(words),
            verdict: match value {
                Some(_) if is_untold => Verdict::Untold,
                value => Verdict::of(value.is_some_and(holds)),
            },
        }
    }
}

impl Line {
    /// The same, said of somebody.
    pub(crate) fn of(self, whom: &str) -> Self {
        Self { says: format!("{whom}: {}", self.says), ..self }
    }
}

pub(crate) fn table(lines: &[Line]) -> Table {
    let mut table = crate::figures::table(["", "figure", "bound", ""]);
    for Line { says, figure, bound, verdict } in lines {
        table.add_row([says, figure, bound, verdict.words()]);
    }
    table
}

/// Prints the table; whether every bound is kept.
pub(crate) fn print(lines: &[Line]) -> bool {
    println!("{}", table(lines));
    lines.iter().all(|line| line.verdict == Verdict::Pass)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn verdict(bound: &str, value: f64) -> Verdict {
        let text = format!("figure = 'a'\nsays = 'it'\n{bound}");
        toml::from_str::<Bound>(&text).unwrap().judge(Some(value), false).verdict
    }

    #[test]
    fn bounds_hold_at_their_ends() {
        use Verdict::{Fail, Pass};
        let both = |bound, inside, beyond| [verdict(bound, inside), verdict(bound, beyond)];
        assert_eq!(both("at_most = 1.0", 1.0, 1.001), [Pass, Fail]);
        assert_eq!(both("at_least = 1.3", 1.3, 1.29), [Pass, Fail]);
        assert_eq!(both("beside_1 = 0.05", 0.96, 1.06), [Pass, Fail]);
        assert_eq!(both("at_most = 1.0", 1.0, f64::NAN), [Pass, Fail]);
        assert_eq!(verdict("", 7.0), Pass);
    }

    #[test]
    fn what_was_not_measured_or_cannot_be_told_is_no_pass() {
        let bound: Bound = toml::from_str("figure='a'\nsays='it'\nat_least=10\nquick=1").unwrap();
        let missing = bound.judge(None, false);
        assert_eq!((missing.figure.as_str(), missing.verdict), ("not measured", Verdict::Fail));
        assert_eq!(bound.judge(Some(3.0), true).verdict, Verdict::Pass, "a quick run");
        let untold = Figure { value: Some(11.0), is_untold: true, ..Figure::default() };
        let line = bound.judge(untold, false).of("tlsf");
        assert_eq!((line.says.as_str(), line.verdict), ("tlsf: it", Verdict::Untold));
        assert!(!print(&[line]));
    }

    #[test]
    fn every_file_of_bounds_is_read() {
        for name in ["kernel", "classics", "record", "fidelity"] {
            let bounds = Bounds::read(name).unwrap();
            assert!(bounds.0.values().flatten().count() > 3, "{name}");
        }
    }
}
