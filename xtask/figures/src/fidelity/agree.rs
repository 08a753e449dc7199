//! How near the replays are: errors of the peaks, and whether the order of the allocators is the real one.

use super::Taken;

/// What differs by less is no order that could be predicted: the program's own runs differ by that.
const APART: f64 = 1.10;

#[derive(Debug, Clone)]
pub(crate) struct Compared {
    pub(crate) program: String,
    pub(crate) recorded: String,
    pub(crate) replayed: String,
    pub(crate) events: u64,
    /// By allocator: its name, what the program really took on it, and what a replay predicts.
    pub(crate) rows: Vec<(String, Option<Taken>, Option<Taken>)>,
}

impl Compared {
    /// By allocator: the replay's peak over the real one, less one; `None` where one of the two is missing.
    pub(crate) fn errors(&self) -> impl Iterator<Item = Option<f64>> {
        self.rows.iter().map(|(_, real, replayed)| {
            let (real, replayed) = ((*real)?, (*replayed)?);
            Some(replayed.memory / real.memory - 1.0)
        })
    }

    /// How many allocators could not be compared.
    pub(crate) fn missing(&self) -> usize {
        self.errors().filter(Option::is_none).count()
    }

    /// Of the pairs of allocators that really are apart: how many the replays have in the real order, and how many there are.
    pub(crate) fn order(&self, of: fn(&Taken) -> f64) -> (usize, usize) {
        let both = |row: &(String, Option<Taken>, Option<Taken>)| Some((of(&row.1?), of(&row.2?)));
        let figures: Vec<(f64, f64)> = self.rows.iter().filter_map(both).collect();
        let (mut right, mut told) = (0, 0);
        for (i, a) in figures.iter().enumerate() {
            for b in &figures[i + 1..] {
                let (less, more) = if a.0 < b.0 { (a, b) } else { (b, a) };
                if more.0 > APART * less.0 {
                    told += 1;
                    right += usize::from(less.1 < more.1);
                }
            }
        }
        (right, told)
    }
}

pub(crate) fn errors(all: &[Compared]) -> Vec<f64> {
    all.iter().flat_map(Compared::errors).flatten().map(f64::abs).collect()
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// Of four allocators, the last of which was not replayed.
    pub(crate) fn example() -> Compared {
        let taken = |memory: f64, time: f64| Some(Taken { memory, time });
        let row = |name: &str, real, replayed| (name.to_owned(), real, replayed);
        Compared {
            program: "p".to_owned(),
            recorded: "glibc".to_owned(),
            replayed: "2026-11-27T09:00:00Z".to_owned(),
            events: 1000,
            rows: vec![
                row("a", taken(100.0, 1.0), taken(110.0, 0.3)),
                row("b", taken(105.0, 1.2), taken(100.0, 0.2)),
                row("c", taken(150.0, 1.3), taken(120.0, 0.4)),
                row("d", taken(90.0, 1.0), None),
            ],
        }
    }

    #[test]
    fn errors_are_relative_to_the_real_runs() {
        let example = example();
        let errors: Vec<String> =
            example.errors().map(|e| e.map_or("none".to_owned(), |e| format!("{e:.3}"))).collect();
        assert_eq!(errors, ["0.100", "-0.048", "-0.200", "none"]);
        assert_eq!(example.missing(), 1);
        assert_eq!(super::errors(&[example]).len(), 3);
    }

    #[test]
    fn only_what_is_apart_has_an_order() {
        let example = example();
        // a and b are level in memory; c is above both.
        assert_eq!(example.order(|taken| taken.memory), (2, 2));
        // In time b and c are above a, but b is replayed below it; b and c are level.
        assert_eq!(example.order(|taken| taken.time), (1, 2));
    }
}
