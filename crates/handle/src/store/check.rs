//! Walks the entries.

use base::check::ensure;
use base::{Broken, Check, HandleAllocator, PageAllocator};

use super::index::Held;
use super::{CompressedStore, Compressor};
use crate::PAGE;

impl<P: PageAllocator, A: HandleAllocator + Check, C: Compressor> Check
    for CompressedStore<P, A, C>
{
    fn check(&self) -> Result<(), Broken> {
        self.index.check()?;
        self.heap.check()?;
        let (mut same, mut huge, mut own, mut bytes, mut objects) = (0, 0, 0, 0, 0);
        for id in 0..self.index.entries() {
            match self.index.get(id) {
                None => (),
                Some((_, Held::Same(_))) => same += 1,
                Some((_, Held::Raw(_))) => (own, huge) = (own + 1, huge + 1),
                Some((_, Held::Packed(handle))) => {
                    let Ok(len) = self.heap.len_of(handle) else {
                        let (invariant, at) = ("store-C1: an entry names an object", id as usize);
                        return Err(Broken { invariant, at });
                    };
                    objects += 1;
                    bytes += len;
                    huge += usize::from(len == PAGE);
                }
            }
        }
        let (usage, counts) = (self.heap.usage(), &self.counts);
        ensure(objects == usage.objects, "store-C1: as many objects as entries", objects)?;
        ensure(bytes == usage.payload, "store-C1: an entry names an object, and none two", bytes)?;
        let compressed = bytes + own * PAGE;
        ensure(compressed == counts.compressed, "store-C2: bytes are counted", compressed)?;
        ensure(same == counts.same, "store-C2: same-filled pages are counted", same)?;
        ensure((huge, own) == (counts.huge, counts.own), "store-C2: raw pages are counted", huge)
    }
}
