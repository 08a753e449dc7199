//! What is in each class, in the form of the kernel's `debugfs/zsmalloc/POOL/classes`.

use core::fmt;

use base::PageAllocator;

use super::lists::GROUPS;
use super::{Class, ZsMalloc};

/// A line of the table of classes.
#[derive(Debug, Clone, Copy)]
pub struct ClassLine {
    /// Its number before merging.
    pub index: usize,
    /// What its objects and zspages are.
    pub class: Class,
    /// Zspages of which at most 10, 20 … 90, 99 and 100 percent are live; before them those that are empty.
    pub zspages: [usize; GROUPS],
    /// Objects that its zspages have room for.
    pub objects: usize,
    /// Live objects.
    pub used: usize,
    /// Pages that compacting would free.
    pub freeable: usize,
}

impl ClassLine {
    /// Pages of its zspages.
    #[must_use]
    pub fn pages(&self) -> usize {
        self.zspages.iter().sum::<usize>() * self.class.pages()
    }
}

impl fmt::Display for ClassLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:6} {:5}", self.index, self.class.size())?;
        for count in &self.zspages[1..] {
            write!(f, " {count:8}")?;
        }
        let (pages, chain) = (self.pages(), self.class.pages());
        let Self { objects, used, freeable, .. } = self;
        write!(f, " {objects:13} {used:10} {pages:10} {chain:16} {freeable:8}")
    }
}

impl<P: PageAllocator> ZsMalloc<P> {
    /// A line for each class that was not merged into another, the smallest first.
    pub fn class_lines(&self) -> impl Iterator<Item = ClassLine> {
        self.classes.indices().map(|index| {
            let (class, lists) = (self.classes.class(index), &self.lists[index as usize]);
            let zspages: [usize; GROUPS] = core::array::from_fn(|group| lists.count(group));
            ClassLine {
                index: index as usize,
                class,
                zspages,
                objects: zspages.iter().sum::<usize>() * class.objects(),
                used: lists.used as usize,
                freeable: self.spare(index) * class.pages(),
            }
        })
    }

    /// The table of classes, with a line for all of them. O(classes).
    /// Errors: what `out` fails with.
    pub fn write_classes(&self, out: &mut dyn fmt::Write) -> fmt::Result {
        write!(out, " {:>5} {:>5}", "class", "size")?;
        for percent in (10..=90).step_by(10).chain([99, 100]) {
            write!(out, " {percent:7}%")?;
        }
        let columns = ["obj_allocated", "obj_used", "pages_used", "pages_per_zspage", "freeable"];
        let [allocated, used, pages, chain, freeable] = columns;
        writeln!(out, " {allocated:>13} {used:>10} {pages:>10} {chain:>16} {freeable:>8}")?;
        let mut total = [0; GROUPS + 4];
        for line in self.class_lines() {
            writeln!(out, "{line}")?;
            let rest = [line.objects, line.used, line.pages(), line.freeable];
            let numbers = line.zspages.into_iter().chain(rest);
            total.iter_mut().zip(numbers).for_each(|(sum, number)| *sum += number);
        }
        write!(out, "\n {:>5} {:>5}", "Total", "")?;
        for count in &total[1..GROUPS] {
            write!(out, " {count:8}")?;
        }
        let [objects, used, pages, freeable] = [0, 1, 2, 3].map(|at| total[GROUPS + at]);
        writeln!(out, " {objects:13} {used:10} {pages:10} {:16} {freeable:8}", "")
    }
}
