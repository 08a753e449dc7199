//! How many pages of a large block the program touched: as recorded, or as of blocks of about its size.
//!
//! A recorder asks of some blocks only, and a block that lives to the end was never asked.

use std::collections::{BTreeMap, HashMap};

use ::plan::{ALL_PAGES, LARGE};

/// The kernel gives memory by such pages.
const PAGE: u64 = 4096;
/// Blocks of a size that must be known before they tell something of others.
const ENOUGH: u32 = 8;

/// Where the number of pages of a block stands in the plan.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Place {
    pub(crate) stream: u32,
    pub(crate) at: u64,
    /// The slot that stands in the same word.
    pub(crate) slot: u32,
    pub(crate) size: u64,
}

/// Of the sizes up to a power of two: blocks whose pages are known, theirs, and those that were touched.
#[derive(Debug, Clone, Copy, Default)]
struct Sizes {
    blocks: u32,
    pages: u64,
    touched: u64,
}

/// The large blocks that are live, and what is known of those that were.
#[derive(Debug, Default)]
pub(crate) struct Touched {
    live: HashMap<u32, Place>,
    /// By the size's logarithm.
    sizes: BTreeMap<u32, Sizes>,
}

impl Touched {
    /// A block takes this slot.
    pub(crate) fn allocated(&mut self, slot: u32, place: Place) {
        if place.size >= LARGE {
            self.live.insert(slot, place);
        }
    }

    /// The block of a slot ends. Where its pages stand, and how many; none if all of them stand there already.
    pub(crate) fn ended(&mut self, slot: u32, touched: Option<u32>) -> Option<(Place, u32)> {
        let place = self.live.remove(&slot)?;
        let pages = place.size.div_ceil(PAGE);
        if let Some(touched) = touched {
            let sizes = self.sizes.entry(place.size.ilog2()).or_default();
            sizes.blocks = sizes.blocks.saturating_add(1);
            sizes.pages += pages;
            sizes.touched += u64::from(touched).min(pages);
        }
        let touched = touched.or_else(|| self.guess(place.size));
        touched.filter(|touched| u64::from(*touched) < pages).map(|touched| (place, touched))
    }

    /// All that are live still.
    pub(crate) fn live(&self) -> Vec<u32> {
        self.live.keys().copied().collect()
    }

    /// As large a part as of those that are known.
    fn guess(&self, size: u64) -> Option<u32> {
        let sizes = self.sizes.get(&size.ilog2()).filter(|sizes| sizes.blocks >= ENOUGH)?;
        let pages = u128::from(size.div_ceil(PAGE)) * u128::from(sizes.touched);
        let pages = pages.div_ceil(u128::from(sizes.pages.max(1)));
        u32::try_from(pages).ok().filter(|pages| *pages != ALL_PAGES)
    }
}
