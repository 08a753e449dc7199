//! The marks of one name, which say where periods begin: an audio callback, a frame, a request.
//!
//! ```text
//! thread     ♪ malloc free … ♪ malloc …  ♪          ♪ a mark of the name that was asked for
//! plan       m malloc free … m malloc …  m          m a word: what the calls since the last one took is one period's
//! recorded   │── period ────│── period ──│          the middle one's length is how long a period may take, unless that is said
//! ```

use std::collections::{BTreeSet, HashMap};

use trace::{Step, Thread};

/// Other names that are kept, to be said where there is none of this one.
const OTHERS: usize = 8;

/// What was heard of marks so far.
#[derive(Debug, Default)]
pub(crate) struct Marks {
    /// None: nobody asked.
    name: Option<String>,
    /// When a thread had its last one.
    last: HashMap<Thread, u64>,
    /// How far two of a thread are apart, in nanoseconds.
    apart: Vec<u64>,
    others: BTreeSet<String>,
}

impl Marks {
    pub(crate) fn of(name: &str) -> Self {
        Self { name: Some(name.to_owned()), ..Self::default() }
    }

    /// Whether this mark of a step begins a period.
    pub(crate) fn hear(&mut self, step: &Step, name: &str) -> bool {
        let Some(wanted) = &self.name else { return false };
        if wanted != name {
            if self.others.len() < OTHERS {
                self.others.insert(name.to_owned());
            }
            return false;
        }
        if let Some(last) = self.last.insert(step.thread, step.time) {
            self.apart.push(step.time.saturating_sub(last));
        }
        true
    }

    /// How long a period took when it was recorded: the middle one. None: there was none.
    pub(crate) fn period(&mut self) -> Option<u64> {
        self.apart.sort_unstable();
        self.apart.get(self.apart.len() / 2).copied()
    }

    pub(crate) fn into_others(self) -> Vec<String> {
        self.others.into_iter().collect()
    }
}

#[cfg(test)]
mod tests {
    use trace::Op;

    use super::*;

    #[test]
    fn periods_are_each_threads_own_and_the_middle_one_counts() {
        let mut marks = Marks::of("audio");
        let mut heard = 0;
        for (thread, time, name) in [
            (0, 0, "audio"),
            (1, 3, "audio"),
            (0, 10, "audio"),
            (1, 15, "load"),
            (0, 21, "audio"),
            (1, 103, "audio"),
        ] {
            let step = Step { time, thread, op: Op::Mark(name.to_owned()) };
            heard += u32::from(marks.hear(&step, name));
        }
        assert_eq!(
            (heard, marks.period(), marks.into_others()),
            (5, Some(11), vec!["load".to_owned()])
        );
        let step = Step { time: 0, thread: 0, op: Op::Mark("audio".to_owned()) };
        assert!(!Marks::default().hear(&step, "audio"));
        assert_eq!(Marks::of("audio").period(), None);
    }
}
