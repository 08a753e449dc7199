//! What a workload printed: the lines that `bench/workloads/src/results.rs` describes, read back.
//!
//! Unknown lines are skipped, so a user's own program may print what it likes, and these among it.

/// The figures a workload printed in one run.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Metrics {
    pub ops: Option<u64>,
    pub ns: Option<u64>,
    /// The most bytes that were live at one time.
    pub peak_live: Option<u64>,
    /// The most bytes of anonymous memory that it had above what it began with, where it looks at that itself: then the peak
    /// of its process, which has its own tables and files in it, does not count.
    pub peak_resident: Option<u64>,
    pub refused: u64,
    /// Other figures: name, number, unit.
    pub values: Vec<(String, f64, String)>,
    /// Points of curves: series, x, y.
    pub points: Vec<(String, f64, f64)>,
    /// Readings of the monotonic clock in nanoseconds, and bytes live then.
    pub live: Vec<(u64, u64)>,
    /// Histograms: call, nanoseconds at most, how many.
    pub histogram: Vec<(String, f64, u64)>,
    /// The same apart for each class of sizes: call, the least size of the class, nanoseconds at most, how many.
    pub sized: Vec<(String, u64, f64, u64)>,
    /// Time limits: of what, nanoseconds.
    pub limits: Vec<(String, f64)>,
    /// The slowest calls: of which function, their nanoseconds, about how many calls were before.
    pub slowest: Vec<(String, f64, u64)>,
}

impl Metrics {
    pub fn parse(text: &str) -> Self {
        let mut metrics = Self::default();
        for line in text.lines() {
            let words: Vec<&str> = line.split_whitespace().collect();
            // A line that is not complete was not for us.
            let _ = metrics.line(&words);
        }
        metrics
    }

    fn line(&mut self, words: &[&str]) -> Option<()> {
        match *words {
            ["ops", n] => self.ops = Some(n.parse().ok()?),
            ["ns", n] => self.ns = Some(n.parse().ok()?),
            ["peak_live", n] => self.peak_live = Some(n.parse().ok()?),
            ["peak_resident", n] => self.peak_resident = Some(n.parse().ok()?),
            ["refused", n] => self.refused = n.parse().ok()?,
            ["value", name, n, unit] => {
                self.values.push((name.to_owned(), finite(n)?, unit.to_owned()))
            }
            ["point", series, x, y] => {
                self.points.push((series.to_owned(), finite(x)?, finite(y)?))
            }
            ["live", at, bytes] => self.live.push((at.parse().ok()?, bytes.parse().ok()?)),
            ["hist", call, ns, n] => {
                self.histogram.push((call.to_owned(), finite(ns)?, n.parse().ok()?));
            }
            ["sized", call, size, ns, n] => {
                let (size, n) = (size.parse().ok()?, n.parse().ok()?);
                self.sized.push((call.to_owned(), size, finite(ns)?, n));
            }
            ["limit", call, ns] => self.limits.push((call.to_owned(), finite(ns)?)),
            ["slowest", call, ns, before] => {
                self.slowest.push((call.to_owned(), finite(ns)?, before.parse().ok()?));
            }
            _ => {}
        }
        Some(())
    }
}

fn finite(text: &str) -> Option<f64> {
    text.parse().ok().filter(|x: &f64| x.is_finite())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_read_and_others_skipped() {
        let metrics = Metrics::parse(
            "hello\nops 10\nns 250\npeak_live 4096\nrefused 2\nvalue missed 3 count\npoint a/b 64 7.5\n\
             live 1000 20\nhist malloc 2.5 9\nsized malloc 24 2.5 9\nlimit callback 5e6\npeak_resident 8192\nslowest malloc 900 17\nslowest free 5\nops x\npoint a nan 1\nvalue broken\n",
        );
        assert_eq!(
            (metrics.ops, metrics.ns, metrics.peak_live, metrics.refused),
            (Some(10), Some(250), Some(4096), 2)
        );
        assert_eq!(metrics.values, [("missed".to_owned(), 3.0, "count".to_owned())]);
        assert_eq!(metrics.points, [("a/b".to_owned(), 64.0, 7.5)]);
        assert_eq!((metrics.live, metrics.histogram.len()), (vec![(1000, 20)], 1));
        assert_eq!(metrics.sized, [("malloc".to_owned(), 24, 2.5, 9)]);
        assert_eq!(metrics.limits, [("callback".to_owned(), 5e6)]);
        assert_eq!(metrics.peak_resident, Some(8192));
        assert_eq!(metrics.slowest, [("malloc".to_owned(), 900.0, 17)]);
    }
}
