//! What a cache says of itself: its line of slabinfo, and how close together its objects lie.
use core::fmt;

use super::front::Front;
use super::settings::Name;
use super::slabs::Slabs;

/// What the first two lines of `/proc/slabinfo` are.
pub const SLABINFO_HEADER: &str = "slabinfo - version: 2.1\n\
    # name            <active_objs> <num_objs> <objsize> <objperslab> <pagesperslab> \
    : tunables <limit> <batchcount> <sharedfactor> \
    : slabdata <active_slabs> <num_slabs> <sharedavail>";

/// What there is in a cache now. Displayed, it is its line of slabinfo 2.1, without an end of line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Info {
    /// The cache's name.
    pub name: Name,
    /// Objects that the user has.
    pub active: usize,
    /// Objects that are in magazines.
    pub cached: usize,
    /// Objects that slabinfo calls active: the user's, those in magazines, and the free ones of the slab that is being taken from.
    pub active_objs: usize,
    /// Objects of all slabs, free or not.
    pub objects: usize,
    /// Bytes asked for.
    pub object_size: usize,
    /// Bytes from an object to the next.
    pub stride: usize,
    /// What objects are aligned to.
    pub align: usize,
    /// Objects of a slab of the usual order.
    pub objects_per_slab: usize,
    /// Pages of such a slab.
    pub pages_per_slab: usize,
    /// Slabs.
    pub slabs: usize,
    /// Slabs of which some objects are free and none is being taken.
    pub partial: usize,
    /// Bytes of all slabs.
    pub slab_bytes: usize,
    /// Bytes of descriptors and magazines.
    pub table_bytes: usize,
    /// Slabs that were ever made.
    pub slabs_made: usize,
    /// Rounds of a magazine; 0: there are none.
    pub magazine: usize,
}

impl Info {
    pub(super) fn of(slabs: &Slabs, cached: usize, magazine: usize, table_bytes: usize) -> Self {
        let (counts, shape) = (&slabs.counts, &slabs.shape);
        let free_on_partial: usize =
            slabs.partial().iter().map(|slab| slab.objects() - slab.live()).sum();
        Self {
            name: slabs.settings.name,
            active: counts.live.saturating_sub(cached),
            cached,
            active_objs: counts.objects - free_on_partial,
            objects: counts.objects,
            object_size: shape.size,
            stride: shape.stride,
            align: shape.align,
            objects_per_slab: shape.objects,
            pages_per_slab: 1 << shape.order,
            slabs: counts.slabs,
            partial: slabs.partial().len(),
            slab_bytes: counts.bytes,
            table_bytes,
            slabs_made: counts.made,
            magazine,
        }
    }

    pub(crate) fn of_front(front: &Front) -> Self {
        Self::of(&front.slabs, front.cached(), front.capacity(), front.table_bytes())
    }
}

impl fmt::Display for Info {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{:<17} {:>6} {:>6} {:>6} {:>4} {:>4} : tunables {:>4} {:>4} {:>4} : slabdata {:>6} {:>6} {:>6}",
            self.name,
            self.active_objs,
            self.objects,
            self.stride,
            self.objects_per_slab,
            self.pages_per_slab,
            0,
            0,
            0,
            self.slabs,
            self.slabs,
            0
        )
    }
}

/// How close together objects in use lie; those in magazines count as in use.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Locality {
    /// Objects in use.
    pub objects: usize,
    /// Slabs with at least one of them.
    pub slabs: usize,
    /// Runs of them without a free object between; `objects / runs` is a run's mean length.
    pub runs: usize,
    /// Lines of 64 bytes that they touch.
    pub lines: usize,
    /// Pages that they touch.
    pub pages: usize,
}

impl Locality {
    /// O(objects of all slabs).
    pub(super) fn of(slabs: &Slabs) -> Self {
        const LINE: usize = 64;
        let mut sum = Self::default();
        for slab in slabs.iter().filter(|slab| slab.live() > 0) {
            sum.slabs += 1;
            let mut was_taken = false;
            let (mut line_end, mut page_end) = (0, 0);
            for (index, object) in (0..).zip(slabs.objects_of(slab)) {
                let is_taken = slab.is_taken(index);
                if is_taken {
                    let at = object.addr().get();
                    sum.objects += 1;
                    sum.runs += usize::from(!was_taken);
                    sum.lines += touched(at, slabs.shape.size, LINE, &mut line_end);
                    sum.pages += touched(at, slabs.shape.size, slabs.shape.page, &mut page_end);
                }
                was_taken = is_taken;
            }
        }
        sum
    }
}

/// How many units of `unit` bytes the object touches at or behind `end`, where it leaves off then.
fn touched(at: usize, size: usize, unit: usize, end: &mut usize) -> usize {
    let first = (at / unit).max(*end);
    let behind = (at + size).div_ceil(unit);
    *end = behind;
    behind.saturating_sub(first)
}
