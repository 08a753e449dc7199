//! Numbers as people read them, and text that is safe inside markup. Every function takes any number: what is not
//! finite becomes a dash.

use core::fmt::Write;

/// Shown where there is no number.
pub(crate) const NONE: &str = "–";

/// Three significant digits.
pub(crate) fn number(v: f64) -> String {
    let size = v.abs();
    if !v.is_finite() {
        return NONE.to_owned();
    }
    match size {
        0.0 => "0".to_owned(),
        _ if !(1e-4..1e7).contains(&size) => format!("{v:.2e}"),
        _ if size >= 99.95 => thousands(&format!("{v:.0}")),
        _ if size >= 9.995 => format!("{v:.1}"),
        _ if size >= 0.9995 => format!("{v:.2}"),
        _ if size >= 0.09995 => format!("{v:.3}"),
        _ if size >= 0.009_995 => format!("{v:.4}"),
        _ => format!("{v:.5}"),
    }
}

/// The same without zeros that say nothing: for the ticks of an axis.
pub(crate) fn short(v: f64) -> String {
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

fn thousands(digits: &str) -> String {
    let (sign, digits) = digits.strip_prefix('-').map_or(("", digits), |rest| ("-", rest));
    if digits.len() <= 4 {
        return format!("{sign}{digits}");
    }
    let mut text = sign.to_owned();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            // A narrow space that does not break.
            text.push('\u{202f}');
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

/// `71.2 MiB`.
pub(crate) fn bytes(v: f64) -> String {
    in_units(v, BYTES, number)
}

/// `310 ns`, `1.20 µs`.
pub(crate) fn nanoseconds(v: f64) -> String {
    in_units(v, NANOSECONDS, number)
}

/// `1.35 s`, `16.6 ms`.
pub(crate) fn seconds(v: f64) -> String {
    nanoseconds(v * 1e9)
}

/// A share as `1.2 %`.
pub(crate) fn percent(share: f64) -> String {
    if !share.is_finite() {
        return NONE.to_owned();
    }
    let v = share * 100.0;
    if v.abs() < 10.0 { format!("{v:.1}\u{a0}%") } else { format!("{v:.0}\u{a0}%") }
}

/// A ratio: `0.58`.
pub(crate) fn ratio(v: f64) -> String {
    match v {
        _ if !v.is_finite() => NONE.to_owned(),
        _ if v >= 99.5 => format!("{v:.0}"),
        _ if v >= 9.95 => format!("{v:.1}"),
        _ if v < 0.0995 => format!("{v:.3}"),
        _ => format!("{v:.2}"),
    }
}

/// What the ticks of an axis count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unit {
    Number,
    Bytes,
    Seconds,
    Nanoseconds,
    Ratio,
    Share,
}

impl Unit {
    /// A tick's label.
    pub(crate) fn tick(self, v: f64) -> String {
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
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Number | Self::Ratio => "number",
            Self::Bytes => "bytes",
            Self::Seconds => "seconds",
            Self::Nanoseconds => "nanoseconds",
            Self::Share => "share",
        }
    }
}

/// `text` inside an element or a quoted attribute; control characters, which XML refuses, become a sign for it.
pub(crate) fn escape(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\'' => safe.push_str("&#39;"),
            '\n' | '\t' => safe.push(' '),
            c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => safe.push('\u{fffd}'),
            c => safe.push(c),
        }
    }
    safe
}

/// At most `most` characters of `text`, the last one an ellipsis where something is left out.
pub(crate) fn cut(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_owned();
    }
    let mut cut: String = text.chars().take(most.saturating_sub(1)).collect();
    cut.push('…');
    cut
}

/// `a`, `a and b`, `a, b and c`.
pub(crate) fn list(names: &[String]) -> String {
    let mut text = String::new();
    for (i, name) in names.iter().enumerate() {
        let before = match i {
            0 => "",
            _ if i + 1 == names.len() => " and ",
            _ => ", ",
        };
        // Writing to a string does not fail.
        let _ = write!(text, "{before}{name}");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_three_digits() {
        assert_eq!(number(0.0), "0");
        assert_eq!(number(8.9), "8.90");
        assert_eq!(number(1234.6), "1235");
        assert_eq!(number(-123_456.0), "-123\u{202f}456");
        assert_eq!(number(f64::NAN), NONE);
        assert_eq!(short(0.250), "0.25");
        assert_eq!(bytes(74_658_611.2), "71.2 MiB");
        assert_eq!(bytes(f64::INFINITY), NONE);
        assert_eq!(nanoseconds(999.9), "1.00 µs");
        assert_eq!(Unit::Share.tick(0.001), "0.1 %");
        assert_eq!(Unit::Share.tick(1e-5), "1 in 100k");
        assert_eq!(Unit::Share.tick(1e-6), "1 in 1M");
    }

    #[test]
    fn text_is_safe() {
        assert_eq!(escape("<b>&\"x'\u{1}"), "&lt;b&gt;&amp;&quot;x&#39;\u{fffd}");
        assert_eq!(cut("abcdef", 4), "abc…");
        assert_eq!(list(&["a".into(), "b".into(), "c".into()]), "a, b and c");
    }
}
