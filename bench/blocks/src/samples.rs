//! Every value of every round.
use std::path::Path;

/// One value.
#[derive(Debug, Clone)]
struct Sample {
    round: usize,
    workload: &'static str,
    allocator: &'static str,
    key: String,
    value: f64,
}

/// What was measured.
#[derive(Debug, Default)]
pub(crate) struct Samples(Vec<Sample>);

impl Samples {
    /// Keeps a value.
    pub(crate) fn put(
        &mut self,
        round: usize,
        workload: &'static str,
        allocator: &'static str,
        key: impl Into<String>,
        value: f64,
    ) {
        self.0.push(Sample { round, workload, allocator, key: key.into(), value });
    }

    fn of<'a>(
        &'a self,
        workload: &'a str,
        allocator: &'a str,
        key: &'a str,
    ) -> impl Iterator<Item = &'a Sample> {
        self.0.iter().filter(move |sample| {
            sample.workload == workload && sample.allocator == allocator && sample.key == key
        })
    }

    /// The median over the rounds.
    pub(crate) fn median(&self, workload: &str, allocator: &str, key: &str) -> Option<f64> {
        median(self.of(workload, allocator, key).map(|sample| sample.value).collect())
    }

    /// The median of the rounds' ratios: this allocator's value to the least of `others`, each
    /// round by itself.
    pub(crate) fn ratio(
        &self,
        workload: &str,
        allocator: &str,
        others: &[&str],
        key: &str,
    ) -> Option<f64> {
        let mut ratios = Vec::new();
        for mine in self.of(workload, allocator, key) {
            let theirs = others.iter().flat_map(|other| {
                self.of(workload, other, key).filter(|sample| sample.round == mine.round)
            });
            if let Some(least) = theirs.map(|sample| sample.value).reduce(f64::min) {
                ratios.push(mine.value / least);
            }
        }
        median(ratios)
    }

    /// Writes them as CSV: round, workload, allocator, key, value.
    pub(crate) fn write(&self, file: &Path) -> Result<(), String> {
        let said = |e: &dyn core::fmt::Display| format!("{}: {e}", file.display());
        if let Some(folder) = file.parent() {
            std::fs::create_dir_all(folder).map_err(|e| said(&e))?;
        }
        let mut writer = csv::Writer::from_path(file).map_err(|e| said(&e))?;
        let header = ["round", "workload", "allocator", "key", "value"];
        writer.write_record(header).map_err(|e| said(&e))?;
        for Sample { round, workload, allocator, key, value } in &self.0 {
            let (round, value) = (round.to_string(), value.to_string());
            let row = [round.as_str(), workload, allocator, key, &value];
            writer.write_record(row).map_err(|e| said(&e))?;
        }
        writer.flush().map_err(|e| said(&e))
    }
}

fn median(mut values: Vec<f64>) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    let middle = values.len().checked_sub(1)? / 2;
    Some(if values.len() % 2 == 1 {
        values[middle]
    } else {
        (values[middle] + values[middle + 1]) / 2.0
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn medians_and_ratios_of_rounds() {
        let mut samples = Samples::default();
        for (round, mine, theirs) in [(0, 1.0, 2.0), (1, 3.0, 4.0), (2, 9.0, 3.0)] {
            samples.put(round, "w", "a", "k", mine);
            samples.put(round, "w", "b", "k", theirs);
            samples.put(round, "w", "c", "k", 100.0);
        }
        assert_eq!(samples.median("w", "a", "k"), Some(3.0));
        assert_eq!(samples.ratio("w", "a", &["b", "c"], "k"), Some(0.75));
        assert_eq!(samples.ratio("w", "a", &["d"], "k"), None);
        assert_eq!(median(vec![1.0, 2.0]), Some(1.5));
    }
}
