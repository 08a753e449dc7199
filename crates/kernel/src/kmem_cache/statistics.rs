//! What a cache says of itself: its line of slabinfo.
use core::fmt;

use super::front::Front;
use super::settings::Name;

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
    /// Rounds of a magazine; 0: there are none.
    pub magazine: usize,
}

impl Info {
    pub(crate) fn of(front: &Front) -> Self {
        let (slabs, cached) = (&front.slabs, front.cached());
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
            table_bytes: front.table_bytes(),
            magazine: front.capacity(),
        }
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
