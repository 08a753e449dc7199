//! How figures are written for people.

use std::borrow::Cow;

use bench::stats::Ratio;
pub(crate) use bench::words::shell;

/// Text as a terminal may get it: names out of files and arguments of programs could else move its cursor or set its title.
/// Lines and tabs stay.
pub(crate) fn visible(text: &str) -> Cow<'_, str> {
    let is_hidden = |c: char| c.is_control() && !matches!(c, '\n' | '\t');
    if !text.contains(is_hidden) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        if is_hidden(c) { shown.extend(c.escape_default()) } else { shown.push(c) }
    }
    Cow::Owned(shown)
}

/// Seconds, in the unit that leaves three digits.
pub(crate) fn seconds(value: f64) -> String {
    match value {
        v if v >= 100.0 => format!("{v:.0} s"),
        v if v >= 1.0 => format!("{} s", three_digits(v)),
        v if v >= 0.001 => format!("{} ms", three_digits(v * 1e3)),
        v => format!("{} µs", three_digits(v * 1e6)),
    }
}

/// Bytes, in binary units.
pub(crate) fn bytes(value: f64) -> String {
    let kib = value / 1024.0;
    if kib < 1024.0 {
        format!("{} KiB", three_digits(kib))
    } else if kib < 1024.0 * 1024.0 {
        format!("{} MiB", three_digits(kib / 1024.0))
    } else {
        format!("{} GiB", three_digits(kib / 1024.0 / 1024.0))
    }
}

fn three_digits(value: f64) -> String {
    if value >= 99.95 {
        format!("{value:.0}")
    } else if value >= 9.995 {
        format!("{value:.1}")
    } else {
        format!("{value:.2}")
    }
}

/// A count in three digits, with K, M, G or T for thousands of the one before.
pub(crate) fn short(value: f64) -> String {
    let (mut value, mut unit) = (value, 0);
    while value >= 999.5 && unit < 4 {
        (value, unit) = (value / 1000.0, unit + 1);
    }
    match unit {
        0 => format!("{value:.0}"),
        _ => format!("{} {}", three_digits(value), ["", "K", "M", "G", "T"][unit]),
    }
}

/// A count with separators.
pub(crate) fn count(value: f64) -> String {
    let digits = format!("{value:.0}");
    let mut out = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// A ratio with its margin; a third decimal where the margin would vanish. One pair has no margin.
pub(crate) fn ratio(ratio: &Ratio) -> String {
    let (estimate, margin) = (ratio.estimate, ratio.margin());
    if ratio.pairs < 2 {
        format!("{estimate:.2} ±?")
    } else if margin < 0.01 {
        format!("{estimate:.3} ±{margin:.3}")
    } else {
        format!("{estimate:.2} ±{margin:.2}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_digits_and_a_unit() {
        let times = [0.000_012_3, 0.001_5, 0.0999, 0.812, 0.9999, 1.234, 61.5, 120.4];
        let expected =
            ["12.3 µs", "1.50 ms", "99.9 ms", "812 ms", "1000 ms", "1.23 s", "61.5 s", "120 s"];
        assert_eq!(times.map(seconds), expected);
        let sizes = [1000.0, 1.5 * 1048576.0, 276.0 * 1048576.0, 3.2 * 1073741824.0];
        assert_eq!(sizes.map(bytes), ["0.98 KiB", "1.50 MiB", "276 MiB", "3.20 GiB"]);
        let short = [0.0, 999.0, 1000.0, 1234567.0, 99_960_000.0].map(short);
        assert_eq!(short, ["0", "999", "1.00 K", "1.23 M", "100 M"]);
        assert_eq!([0.0, 999.0, 1000.0, 1234567.0].map(count), ["0", "999", "1,000", "1,234,567"]);
    }

    #[test]
    fn what_a_terminal_obeys_is_shown() {
        assert_eq!(visible("a\x1b[31mb\u{9b}1m\r\n\tµ"), "a\\u{1b}[31mb\\u{9b}1m\\r\n\tµ");
        assert!(matches!(visible("larson:threads=8\n"), Cow::Borrowed(_)));
    }

    #[test]
    fn ratios_keep_a_margin_that_can_be_seen() {
        let of = |estimate, low, high| ratio(&Ratio { estimate, low, high, pairs: 9 });
        assert_eq!(of(0.41, 0.40, 0.43), "0.41 ±0.02");
        assert_eq!(of(1.0, 0.999, 1.002), "1.000 ±0.002");
        let one = Ratio { estimate: 0.51, low: 0.51, high: 0.51, pairs: 1 };
        assert_eq!(ratio(&one), "0.51 ±?");
    }
}
