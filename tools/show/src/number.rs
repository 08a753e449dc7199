//! The one format of numbers: three digits and a unit, for the terminal, files and pages alike. Every function takes any
//! number; what is not finite becomes a dash.

pub const NONE: &str = "–";

/// Three significant digits.
pub fn number(v: f64) -> String {
    let size = v.abs();
    if !v.is_finite() {
        return NONE.to_owned();
    }
    match size {
        0.0 => "0".to_owned(),
        _ if !(1e-4..1e7).contains(&size) => format!("{v:.2e}"),
        _ if size >= 99.95 => count(v),
        _ if size >= 9.995 => format!("{v:.1}"),
        _ if size >= 0.9995 => format!("{v:.2}"),
        _ if size >= 0.09995 => format!("{v:.3}"),
        _ if size >= 0.009_995 => format!("{v:.4}"),
        _ => format!("{v:.5}"),
    }
}

/// The same without zeros that say nothing: for the ticks of an axis.
pub fn short(v: f64) -> String {
    if v.is_finite() && (1e7..1e15).contains(&v.abs()) {
        let (by, letter) = if v.abs() < 1e9 { (1e6, "M") } else { (1e9, "G") };
        return format!("{}{letter}", short(v / by));
    }
    let text = number(v);
    if !text.contains('.') || text.contains('e') {
        return text;
    }
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// A whole number with commas.
pub fn count(v: f64) -> String {
    if !v.is_finite() {
        return NONE.to_owned();
    }
    let digits = format!("{:.0}", v.abs());
    let mut text = if v <= -0.5 { "-".to_owned() } else { String::new() };
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Picks the largest unit that is not above `v`.
fn in_units(v: f64, units: &[(f64, &str)], show: fn(f64) -> String) -> String {
    if !v.is_finite() {
        return NONE.to_owned();
    }
    let least = units.first().copied().unwrap_or((1.0, ""));
    let (by, name) =
        units.iter().rev().copied().find(|(by, _)| v.abs() >= by * 0.9995).unwrap_or(least);
    format!("{} {name}", show(v / by))
}

const BYTES: &[(f64, &str)] =
    &[(1.0, "B"), (1024.0, "KiB"), (1_048_576.0, "MiB"), (1_073_741_824.0, "GiB")];
const NANOSECONDS: &[(f64, &str)] = &[(1.0, "ns"), (1e3, "µs"), (1e6, "ms"), (1e9, "s")];

/// `71.2 MiB`, `24 B`.
pub fn bytes(v: f64) -> String {
    if v.fract() == 0.0 && v.abs() < 1024.0 {
        return format!("{} B", count(v));
    }
    in_units(v, BYTES, number)
}

/// `310 ns`, `1.20 µs`.
pub fn nanoseconds(v: f64) -> String {
    in_units(v, NANOSECONDS, number)
}

/// `1.35 s`, `16.6 ms`.
pub fn seconds(v: f64) -> String {
    nanoseconds(v * 1e9)
}

/// A share as `1.2 %`.
pub fn percent(share: f64) -> String {
    if !share.is_finite() {
        return NONE.to_owned();
    }
    let v = share * 100.0;
    if v.abs() < 10.0 { format!("{v:.1} %") } else { format!("{v:.0} %") }
}

/// A ratio: `0.58`.
pub fn ratio(v: f64) -> String {
    match v {
        _ if !v.is_finite() => NONE.to_owned(),
        _ if v >= 99.5 => format!("{v:.0}"),
        _ if v >= 9.95 => format!("{v:.1}"),
        _ if v < 0.0995 => format!("{v:.3}"),
        _ => format!("{v:.2}"),
    }
}

/// A ratio with its margin, both to the same digit: `0.58 ±0.02`, `0.222 ±0.002`. Without a margin: `0.58 ±?`.
pub fn with_margin(estimate: f64, margin: Option<f64>) -> String {
    let Some(margin) = margin.filter(|m| m.is_finite() && estimate.is_finite()) else {
        return format!("{} ±?", ratio(estimate));
    };
    let digits = match estimate {
        e if e >= 99.5 => 0,
        e if e >= 9.95 => 1,
        e if e < 0.0995 || margin < 0.009_95 => 3,
        _ => 2,
    };
    format!("{estimate:.digits$} ±{margin:.digits$}")
}

pub fn in_unit(v: f64, unit: &str) -> String {
    match unit {
        "bytes" | "B" => bytes(v),
        "KiB" => bytes(v * 1024.0),
        "ns" => nanoseconds(v),
        "us" | "µs" => nanoseconds(v * 1e3),
        "ms" => nanoseconds(v * 1e6),
        "s" | "seconds" => seconds(v),
        "count" | "" | "-" if v.fract() == 0.0 => count(v),
        "count" | "" | "-" => number(v),
        other => format!("{} {other}", number(v)),
    }
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Unit {
    #[default]
    Number,
    Bytes,
    Seconds,
    Nanoseconds,
    /// How many times another figure.
    Ratio,
    Share,
}

impl Unit {
    pub fn tick(self, v: f64) -> String {
        match self {
            _ if v == 0.0 => "0".to_owned(),
            Self::Number | Self::Ratio => short(v),
            Self::Bytes => in_units(v, BYTES, short),
            Self::Seconds => in_units(v * 1e9, NANOSECONDS, short),
            Self::Nanoseconds => in_units(v, NANOSECONDS, short),
            Self::Share if v >= 0.0001 => format!("{} %", short(v * 100.0)),
            Self::Share if v > 1.1e-6 => format!("1 in {}k", short((1e-3 / v).round())),
            Self::Share => format!("1 in {}M", short((1e-6 / v).round())),
        }
    }

    /// Its name for the page's script.
    pub fn word(self) -> &'static str {
        match self {
            Self::Number | Self::Ratio => "number",
            Self::Bytes => "bytes",
            Self::Seconds => "seconds",
            Self::Nanoseconds => "nanoseconds",
            Self::Share => "share",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_digits_and_a_unit() {
        assert_eq!(number(0.0), "0");
        assert_eq!(number(8.9), "8.90");
        assert_eq!(number(1234.6), "1,235");
        assert_eq!(number(-123_456.0), "-123,456");
        assert_eq!(number(f64::NAN), NONE);
        assert_eq!(short(0.250), "0.25");
        assert_eq!(nanoseconds(999.9), "1.00 µs");
        let times = [0.000_012_3, 0.001_5, 0.0999, 0.812, 0.9999, 1.234, 61.5, 120.4];
        let expected =
            ["12.3 µs", "1.50 ms", "99.9 ms", "812 ms", "1.00 s", "1.23 s", "61.5 s", "120 s"];
        assert_eq!(times.map(seconds), expected);
        let sizes = [1000.0, 1.5 * 1048576.0, 74_658_611.2, 3.2 * 1073741824.0, f64::INFINITY];
        assert_eq!(sizes.map(bytes), ["1,000 B", "1.50 MiB", "71.2 MiB", "3.20 GiB", NONE]);
        assert_eq!([0.0, 999.0, 1000.0, 1234567.0].map(count), ["0", "999", "1,000", "1,234,567"]);
    }

    #[test]
    fn shares_have_words() {
        assert_eq!(Unit::Share.tick(0.001), "0.1 %");
        assert_eq!(Unit::Share.tick(1e-5), "1 in 100k");
        assert_eq!(Unit::Share.tick(1e-6), "1 in 1M");
        assert_eq!([0.0123, 0.123].map(percent), ["1.2 %", "12 %"]);
    }

    #[test]
    fn a_margin_has_the_digits_of_its_ratio() {
        let of = |estimate, margin| with_margin(estimate, Some(margin));
        assert_eq!(of(0.487, 0.010), "0.49 ±0.01");
        assert_eq!(of(0.222, 0.002), "0.222 ±0.002");
        assert_eq!(of(12.24, 2.2), "12.2 ±2.2");
        assert_eq!(with_margin(0.51, None), "0.51 ±?");
        assert_eq!(of(0.5, f64::NAN), "0.50 ±?");
    }

    #[test]
    fn units_have_names() {
        assert_eq!(in_unit(146.0, "us"), "146 µs");
        assert_eq!(in_unit(15.0, "count"), "15");
        assert_eq!(in_unit(3.5, "objects"), "3.50 objects");
        assert_eq!(in_unit(2048.0, "KiB"), "2.00 MiB");
    }
}
