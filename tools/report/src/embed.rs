//! The result inside the page, as JSON, made smaller where the page would be too large.

use bench::result::Report;
use serde_json::Value;
use show::thin;

/// How much of a result a page holds.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Detail {
    pub(crate) runs: bool,
    /// Points of a line at most; none: all.
    pub(crate) points: Option<usize>,
}

impl Detail {
    /// Points of a drawn line at most.
    pub(crate) fn drawn(self) -> usize {
        self.points.unwrap_or(320)
    }
}

/// From everything to little.
pub(crate) const DETAILS: [Detail; 7] = [
    Detail { runs: true, points: None },
    Detail { runs: false, points: None },
    Detail { runs: false, points: Some(240) },
    Detail { runs: false, points: Some(120) },
    Detail { runs: false, points: Some(60) },
    Detail { runs: false, points: Some(30) },
    Detail { runs: false, points: Some(12) },
];

/// What was left out, in words; nothing was: empty.
pub(crate) fn left_out(report: &Report, detail: Detail) -> String {
    if detail.runs {
        return String::new();
    }
    let without =
        format!("To keep it small, this page does not hold the {} single runs", report.runs.len());
    match detail.points {
        None => format!("{without}; result.json does."),
        Some(n) => format!("{without}, and of each line at most {n} points; result.json has all."),
    }
}

/// The JSON text, which no tag can end. A number that is not finite is `null`.
pub(crate) fn json(report: &Report, detail: Detail) -> String {
    let text = if detail.runs {
        serde_json::to_string(report)
    } else {
        serde_json::to_value(smaller(report, detail)).map(rounded).map(|value| value.to_string())
    };
    // The types of a report have string keys only, so that nothing can fail; an empty page still works.
    text.unwrap_or_else(|_| "{}".to_owned()).replace('<', "\\u003c")
}

fn smaller(report: &Report, detail: Detail) -> Report {
    let mut report = Report { runs: Vec::new(), ..report.clone() };
    let Some(most) = detail.points else { return report };
    let shorten = |points: &mut Vec<(f64, f64)>| {
        *points = thin(points, most);
    };
    for cell in report.workloads.iter_mut().flat_map(|w| &mut w.cells) {
        shorten(&mut cell.rss);
        shorten(&mut cell.live);
        cell.tails.iter_mut().for_each(|t| shorten(&mut t.curve));
        cell.series.iter_mut().for_each(|s| shorten(&mut s.points));
    }
    report
}

/// Every number that is no whole one, to five digits.
fn rounded(value: Value) -> Value {
    match value {
        Value::Number(n) => match n.as_f64().filter(|_| n.is_f64()) {
            Some(v) => format!("{v:.4e}").parse::<f64>().map_or(Value::Number(n), Value::from),
            None => Value::Number(n),
        },
        Value::Array(all) => all.into_iter().map(rounded).collect(),
        Value::Object(all) => {
            Value::Object(all.into_iter().map(|(key, v)| (key, rounded(v))).collect())
        }
        other => other,
    }
}
