//! The classes of sizes, and how many pages a zspage of each has.
//!
//! ```text
//! 255 sizes   32 · 48 · 64 … 4,080 · 4,096      each has a chain of 1 to `most` pages, of which the least is wasted
//! merged      classes with as many objects in as many pages are one: the largest of them
//! ```
use base::HandleError;
use base::bits::{low8, low16};

use crate::PAGE;

/// Sizes before merging.
pub(super) const CLASSES: usize = (PAGE - SMALLEST).div_ceil(STEP) + 1;
const SMALLEST: usize = 32;
const STEP: usize = 16;
pub(super) const HEAD: usize = 8;
pub(super) const LONGEST: usize = 16;

/// How the length of a class's chain is chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Rule {
    /// The shortest with the fewest bytes wasted at its end; one page for powers of two. Linux 6.2 and later.
    #[default]
    LeastWaste,
    /// The shortest with the largest whole percentage in use. Linux up to 6.1, and its documentation's tables.
    MostPercent,
}

impl Rule {
    const fn pages(self, size: usize, most: usize) -> usize {
        match self {
            Rule::LeastWaste => least_waste(size, most),
            Rule::MostPercent => most_percent(size, most),
        }
    }
}

const fn least_waste(size: usize, most: usize) -> usize {
    if size.is_power_of_two() {
        return 1;
    }
    let (mut best, mut pages) = (1, 2);
    while pages <= most {
        if pages * PAGE % size < best * PAGE % size {
            best = pages;
        }
        pages += 1;
    }
    best
}

const fn most_percent(size: usize, most: usize) -> usize {
    let (mut best, mut best_percent, mut pages) = (1, 0, 1);
    while pages <= most {
        let len = pages * PAGE;
        let percent = (len - len % size) * 100 / len;
        if percent > best_percent {
            (best, best_percent) = (pages, percent);
        }
        pages += 1;
    }
    best
}

/// One size of object.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Class {
    size: u16,
    objects: u16,
    pages: u8,
}

impl Class {
    const fn new(size: usize, rule: Rule, most: usize) -> Self {
        let pages = rule.pages(size, most);
        Self { size: low16(size), objects: low16(pages * PAGE / size), pages: low8(pages) }
    }

    /// Bytes of an object, with the 8 in front of it.
    #[must_use]
    pub const fn size(self) -> usize {
        self.size as usize
    }

    /// Pages of a zspage.
    #[must_use]
    pub const fn pages(self) -> usize {
        self.pages as usize
    }

    /// Objects of a zspage.
    #[must_use]
    pub const fn objects(self) -> usize {
        self.objects as usize
    }

    /// Whether an object is a page. It then has nothing in front of it.
    #[must_use]
    pub const fn is_huge(self) -> bool {
        self.pages == 1 && self.objects == 1
    }

    pub(super) const fn head(self) -> usize {
        if self.is_huge() { 0 } else { HEAD }
    }
}

/// All classes, of one rule and one longest chain.
#[derive(Debug, Clone)]
pub struct Classes {
    classes: [Class; CLASSES],
    /// The class that a size's was merged into: itself, or a larger one.
    merged: [u8; CLASSES],
}

impl Classes {
    /// Sizes before merging.
    pub const COUNT: usize = CLASSES;

    /// Pages of the longest chain that there can be.
    pub const LONGEST: usize = LONGEST;

    /// Chains of 1 to `most` pages; more than 16 are 16, and none is one.
    #[must_use]
    pub const fn new(rule: Rule, most: usize) -> Self {
        let most = if most == 0 { 1 } else { most };
        let most = if most > LONGEST { LONGEST } else { most };
        let mut classes = [Class { size: 0, objects: 0, pages: 0 }; CLASSES];
        let mut merged = [0; CLASSES];
        let mut index = CLASSES;
        while index > 0 {
            index -= 1;
            let class = Class::new(SMALLEST + STEP * index, rule, most);
            classes[index] = class;
            merged[index] = low8(index);
            if index + 1 < CLASSES {
                let above = merged[index + 1];
                let larger = classes[above as usize];
                if larger.pages == class.pages && larger.objects == class.objects {
                    merged[index] = above;
                }
            }
        }
        Self { classes, merged }
    }

    pub(super) const fn class(&self, index: u8) -> Class {
        self.classes[index as usize]
    }

    pub(super) const fn index_of(&self, len: usize) -> Result<u8, HandleError> {
        if len == 0 {
            return Err(HandleError::Empty);
        }
        if len > PAGE {
            return Err(HandleError::TooLarge { most: PAGE });
        }
        let index = (len + HEAD).saturating_sub(SMALLEST).div_ceil(STEP);
        Ok(self.merged[if index < CLASSES { index } else { CLASSES - 1 }])
    }

    /// The class for objects of `len` bytes.
    /// Errors: [`Empty`](HandleError::Empty), [`TooLarge`](HandleError::TooLarge).
    pub fn class_of(&self, len: usize) -> Result<Class, HandleError> {
        Ok(self.class(self.index_of(len)?))
    }

    /// The indices of classes that were not merged into others, the smallest first.
    pub(super) fn indices(&self) -> impl DoubleEndedIterator<Item = u8> + use<> {
        let merged = self.merged;
        (0..=low8(CLASSES - 1)).filter(move |&index| merged[index as usize] == index)
    }

    /// Classes that were not merged into others, the smallest first.
    pub fn iter(&self) -> impl Iterator<Item = Class> {
        self.indices().map(|index| self.class(index))
    }

    /// From how many bytes on an object takes a whole page: what is as long need not be compressed.
    #[must_use]
    pub fn huge_from(&self) -> usize {
        let last = self.iter().filter(|class| !class.is_huge()).last();
        last.map_or(1, |class| class.size() - HEAD + 1)
    }
}

impl Default for Classes {
    /// As Linux has them: [`Rule::LeastWaste`], chains of 8.
    fn default() -> Self {
        const LINUX: Classes = Classes::new(Rule::LeastWaste, 8);
        LINUX
    }
}
