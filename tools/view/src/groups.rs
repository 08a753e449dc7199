//! Threads in at most eight groups, as many as have a colour: each by itself, or those with the same name but for a number.

use trace::Thread;

use crate::class::CLASSES;

/// Which group each thread is in.
#[derive(Debug, Clone, Default)]
pub(crate) struct Groups {
    of: Vec<u8>,
    pub(crate) names: Vec<String>,
}

impl Groups {
    /// The groups of threads with these names, in the order of their numbers.
    pub(crate) fn new(threads: &[String]) -> Self {
        if threads.len() <= CLASSES {
            let name = |(number, name): (usize, &String)| match name.is_empty() {
                true => format!("thread {number}"),
                false => format!("{number} {name}"),
            };
            let of = (0..threads.len()).map(|group| group as u8).collect();
            return Self { of, names: threads.iter().enumerate().map(name).collect() };
        }
        let mut groups = Self::default();
        for (number, name) in threads.iter().enumerate() {
            // The first is the program itself, also where the others bear its name.
            let name = match (number, stem(name)) {
                (0, _) => "first thread".to_owned(),
                (_, "") => "without a name".to_owned(),
                (_, name) => format!("{name}…"),
            };
            let known = groups.names.iter().position(|other| *other == name);
            let group = known.unwrap_or_else(|| {
                groups.names.push(name);
                groups.names.len() - 1
            });
            groups.of.push(group.min(CLASSES - 1) as u8);
        }
        if groups.names.len() > CLASSES {
            groups.names.truncate(CLASSES - 1);
            groups.names.push("others".to_owned());
        }
        groups
    }

    /// A thread that nobody named belongs to the last group.
    pub(crate) fn of(&self, thread: Thread) -> u8 {
        let last = self.names.len().saturating_sub(1) as u8;
        self.of.get(thread as usize).copied().unwrap_or(last)
    }
}

/// A name without the number at its end.
fn stem(name: &str) -> &str {
    name.trim_end_matches(|c: char| c.is_ascii_digit() || matches!(c, '-' | '_' | '#' | ':' | ' '))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn groups(names: &[&str]) -> Groups {
        Groups::new(&names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>())
    }

    #[test]
    fn few_threads_have_a_colour_each() {
        let two = groups(&["redis", ""]);
        assert_eq!(two.names, ["0 redis", "thread 1"]);
        assert_eq!([0, 1, 77].map(|thread| two.of(thread)), [0, 1, 1]);
    }

    #[test]
    fn a_pool_is_one_group() {
        let mut names = vec!["server".to_owned()];
        names.extend((0..30).map(|i| format!("worker-{i}")));
        names.push("io".to_owned());
        let many = Groups::new(&names);
        assert_eq!(many.names, ["first thread", "worker…", "io…"]);
        assert_eq!([0, 1, 30, 31].map(|thread| many.of(thread)), [0, 1, 1, 2]);
    }

    #[test]
    fn what_has_no_colour_left_is_others() {
        let names: Vec<String> = (0..20).map(|i| format!("{}x", char::from(b'a' + i))).collect();
        let many = Groups::new(&names);
        assert_eq!((many.names.len(), many.names[7].as_str()), (8, "others"));
        assert_eq!((many.of(6), many.of(7), many.of(19)), (6, 7, 7));
        assert_eq!(Groups::new(&[]).of(3), 0);
    }
}
