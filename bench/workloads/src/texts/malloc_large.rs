//! `malloc-large`: a small table of blocks of 2 to 15 MiB, a random one replaced each step, every page written and read
//! (component OS report, `malloc_large`).

use core::{mem, ptr};

use crate::arguments::{Arguments, fixed, scaled};
use crate::heap;
use crate::list::Workload;
use crate::results::{Results, wrong};
use crate::rng::Rng;

pub(crate) const WORKLOAD: Workload = Workload {
    name: "malloc-large",
    parameters: &[
        fixed("slots", 10, "blocks of the table"),
        fixed("smallest", 2 << 20, "bytes of the smallest block"),
        fixed("largest", 15 << 20, "bytes of the largest block"),
        scaled("steps", 4000, "blocks that are replaced"),
    ],
    run,
};

/// The least that a processor's page has on any machine of ours.
const PAGE: usize = 4096;

fn run(arguments: &Arguments, results: &mut Results) {
    if heap::is_null() {
        wrong("the null allocator has no blocks of this size");
    }
    let get = |name| arguments.size(name);
    let (slots, smallest) = (get("slots").max(1), get("smallest").max(1));
    let largest = get("largest").max(smallest);
    let mut rng = Rng::new(arguments.seed);
    let mut table: Vec<Large> = (0..slots).map(|_| Large::NONE).collect();
    let (mut live, mut peak) = (0, 0);
    for step in 0..arguments.get("steps") {
        let at = rng.below(slots);
        live -= table[at].size;
        mem::replace(&mut table[at], Large::NONE).free();
        table[at] = Large::new(rng.between(smallest, largest), step);
        live += table[at].size;
        peak = peak.max(live);
    }
    table.into_iter().for_each(Large::free);
    results.peak_live(peak);
}

/// A block with a word in every page, or none, of size 0.
struct Large {
    at: *mut u8,
    size: usize,
    key: u64,
}

impl Large {
    const NONE: Self = Self { at: ptr::null_mut(), size: 0, key: 0 };

    fn new(size: usize, key: u64) -> Self {
        let at = heap::malloc(size);
        if at.is_null() {
            return Self::NONE;
        }
        let block = Self { at, size, key };
        for offset in block.words() {
            // SAFETY: eight bytes from there are in the block.
            let word = unsafe { at.add(offset) };
            // SAFETY: ours to write to.
            unsafe { word.cast::<u64>().write_unaligned(key ^ offset as u64) };
        }
        block
    }

    fn words(&self) -> impl Iterator<Item = usize> + use<> {
        (0..self.size.saturating_sub(7)).step_by(PAGE)
    }

    fn free(self) {
        for offset in self.words() {
            // SAFETY: eight bytes from there are in the block.
            let word = unsafe { self.at.add(offset) };
            // SAFETY: `new` wrote it.
            let word = unsafe { word.cast::<u64>().read_unaligned() };
            if word != self.key ^ offset as u64 && !heap::is_null() {
                wrong(format_args!("a block of {} bytes was changed at {offset}", self.size));
            }
        }
        // SAFETY: a live block of ours, or null.
        unsafe { heap::free(self.at, self.size, heap::ALIGN) };
    }
}
