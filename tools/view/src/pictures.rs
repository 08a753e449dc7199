//! All that is drawn: what one pass over a recording gathered.

use std::rc::Rc;

use crate::cells::{self, Shade};
use crate::class::By;
use crate::curve::Point;
use crate::groups::Groups;
use crate::lifetimes::Lifetimes;
use crate::marks;
use crate::moment::Moment;
use crate::pairs::Matrix;
use crate::sites::{Most, Sites};

/// What the program maps itself is not said where it is so small against what is live.
const SMALL_PART: u64 = 10;

/// A recorded heap as it was drawn up by [`Gather`](crate::Gather).
#[derive(Debug)]
pub struct Pictures {
    /// Which program, on which malloc.
    pub(crate) title: String,
    /// Which malloc, where others stand beside it.
    pub(crate) name: String,
    /// The same program on other allocators, at the same moments.
    pub(crate) beside: Vec<Pictures>,
    /// The most that the program had mapped itself.
    pub(crate) own_mapped: u64,
    /// What is missing in the recording, in sentences.
    pub(crate) missing: Vec<String>,
    /// Whether nothing is known of where blocks were.
    pub(crate) no_addresses: bool,
    pub(crate) duration: u64,
    /// Threads in groups.
    pub(crate) groups: Groups,
    /// Where in the program blocks are allocated; none if no call stacks were recorded.
    pub(crate) sites: Rc<Sites>,
    /// A cell is 2 to this many bytes.
    pub(crate) shift: u32,
    /// Every cell that was ever touched, by rising address, and when that was first.
    pub(crate) touched: Vec<(u64, u64)>,
    /// Moments, by rising time.
    pub(crate) frames: Vec<Frame>,
    /// Which of them are at the peak, at the end, and the one that was asked for.
    pub(crate) peak: usize,
    pub(crate) asked: usize,
    /// Over time.
    pub(crate) curve: Vec<Point>,
    /// What the program said of itself, and when.
    pub(crate) marks: marks::Finished,
    pub(crate) lifetimes: Lifetimes,
    pub(crate) pairs: Matrix,
    pub(crate) allocations: u64,
}

#[derive(Debug, Clone, Default)]
pub(crate) struct Frame {
    pub(crate) time: u64,
    /// Bytes and blocks that are live.
    pub(crate) live: u64,
    pub(crate) blocks: u64,
    /// Bytes of anonymous memory above the start that are malloc's, as far as they were looked at about then.
    pub(crate) resident: Option<u64>,
    /// Bytes of the cells that hold anything.
    pub(crate) held: u64,
    /// The sites that hold most.
    pub(crate) sites: Most,
    /// How large cells were when it was taken.
    pub(crate) shift: u32,
    /// What lives in each of those, by rising address.
    pub(crate) cells: Vec<(u64, Shade)>,
}

impl Frame {
    /// The same in cells of this size.
    pub(crate) fn in_cells_of(&self, shift: u32) -> Vec<(u64, Shade)> {
        cells::merged(&self.cells, shift.saturating_sub(self.shift))
    }
}

impl Pictures {
    pub fn has_sites(&self) -> bool {
        !self.sites.is_empty()
    }

    /// What cells can be coloured by.
    pub(crate) fn colours(&self) -> impl Iterator<Item = By> {
        let has_sites = self.has_sites();
        By::ALL.into_iter().filter(move |by| has_sites || *by != By::Site)
    }

    /// Puts those of the same program on other allocators beside these.
    pub fn with(mut self, beside: Vec<Self>) -> Self {
        // The same steps have the same moments; a heap of other ones would be shown at the wrong time.
        let is_same = |other: &Self| other.frames.len() == self.frames.len();
        self.beside = beside.into_iter().filter(is_same).collect();
        if !self.beside.is_empty() && self.own_mapped > self.peak_live() / SMALL_PART {
            self.missing.push(format!(
                "The program mapped up to {} itself, which is left out of what is resident as if it had touched all of it.",
                show::number::bytes(self.own_mapped as f64)
            ));
        }
        self
    }

    /// These and those beside them.
    pub(crate) fn sides(&self) -> impl Iterator<Item = &Self> {
        core::iter::once(self).chain(&self.beside)
    }

    /// How many moments there are to scrub through.
    pub fn moments(&self) -> usize {
        self.frames.len()
    }

    /// The moment's place among them.
    pub fn place(&self, moment: Moment) -> usize {
        let last = self.frames.len().saturating_sub(1);
        let time = match moment {
            Moment::Peak => return self.peak,
            Moment::End => return last,
            Moment::Time(time) => time,
            Moment::Share(share) => (share * self.duration as f64) as u64,
        };
        let after = self.frames.partition_point(|frame| frame.time <= time);
        after.saturating_sub(1).min(last)
    }

    /// What was live at the peak.
    pub fn peak_live(&self) -> u64 {
        self.frames.get(self.peak).map_or(0, |frame| frame.live)
    }
}
