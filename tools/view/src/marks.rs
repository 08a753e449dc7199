//! What the program said of itself, and when: of each name at most one mark in each of some hundred stretches of time, and how
//! often it was made.

/// Stretches of time: more ticks would not be told apart.
const STRETCHES: u128 = 300;
/// Names that are kept; further ones are others together.
const NAMES: usize = 40;
const OTHERS: &str = "others";

/// One name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Name {
    pub(crate) name: String,
    pub(crate) times: u64,
    /// The stretch of its last mark.
    last: Option<u128>,
}

/// Marks while they are gathered.
#[derive(Debug)]
pub(crate) struct Marks {
    duration: u64,
    names: Vec<Name>,
    ticks: Vec<(u64, usize)>,
}

/// All of them.
#[derive(Debug, Clone, Default)]
pub(crate) struct Finished {
    /// In the order in which they were first made.
    pub(crate) names: Vec<Name>,
    /// When, and which of the names; by rising time.
    pub(crate) ticks: Vec<(u64, usize)>,
}

impl Marks {
    pub(crate) fn new(duration: u64) -> Self {
        Self { duration, names: Vec::new(), ticks: Vec::new() }
    }

    pub(crate) fn add(&mut self, time: u64, name: &str) {
        let known = self.names.iter().position(|known| known.name == name);
        let at = known.unwrap_or_else(|| {
            if self.names.len() <= NAMES {
                let name = if self.names.len() < NAMES { name } else { OTHERS };
                self.names.push(Name { name: name.to_owned(), times: 0, last: None });
            }
            self.names.len() - 1
        });
        let stretch = u128::from(time) * STRETCHES / u128::from(self.duration.max(1));
        let name = &mut self.names[at];
        name.times += 1;
        if name.last != Some(stretch) {
            name.last = Some(stretch);
            self.ticks.push((time, at));
        }
    }

    pub(crate) fn finish(mut self) -> Finished {
        // Times may go back by the little that two processors' clocks differ by.
        self.ticks.sort_unstable();
        Finished { names: self.names, ticks: self.ticks }
    }
}

impl Finished {
    /// The last one until a time.
    pub(crate) fn before(&self, time: u64) -> Option<&str> {
        let (_, name) = self.ticks.iter().rev().find(|(at, _)| *at <= time)?;
        Some(&self.names[*name].name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_many_some_are_kept_and_all_are_counted() {
        let mut marks = Marks::new(1_000_000);
        (0..1_000_000).for_each(|time| marks.add(time, ["request", "reply"][time as usize % 2]));
        marks.add(999_999, "last");
        let marks = marks.finish();
        assert!(marks.ticks.len() <= 601 && marks.ticks.is_sorted(), "{}", marks.ticks.len());
        let times: Vec<_> = marks.names.iter().map(|n| (n.name.as_str(), n.times)).collect();
        assert_eq!(times, [("request", 500_000), ("reply", 500_000), ("last", 1)]);
        assert_eq!((marks.before(0), marks.before(u64::MAX)), (Some("request"), Some("last")));
        assert_eq!(Finished::default().before(7), None);
    }

    #[test]
    fn names_without_end_are_others() {
        let mut marks = Marks::new(10);
        (0..1000).for_each(|n| marks.add(n, &n.to_string()));
        let marks = marks.finish();
        assert_eq!(marks.names.len(), NAMES + 1);
        assert_eq!((marks.names[NAMES].name.as_str(), marks.names[NAMES].times), (OTHERS, 960));
    }
}
