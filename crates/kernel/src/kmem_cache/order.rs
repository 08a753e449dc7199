//! The kernel's formulas: pages of a slab, objects in it, empty slabs that are kept, rounds of a magazine.
//!
//! ```text
//! object  8 … 256  40   512  1 K  2 K  4 K  8 K  5824      two processors, pages of 4 KiB
//! order      0      0     1    2    3    3    3     3
//! objects  512…16  102   16   16   16    8    4     5
//! ```
//!
//! A slab has 2^order pages. The order is the least that has room for some objects, more on a machine with many processors, and
//! wastes little behind the last one: a sixteenth of the slab, or else an eighth, a quarter, a half. Pure functions, O(1).
//! Linux 6.12, `mm/slub.c`, as its behaviour is described; magazines as of 7.0.

/// Larger slabs are taken only where one object needs them.
const COSTLY: u32 = 3;
/// The largest order there is: 4 MiB in pages of 4 KiB.
pub(crate) const LARGEST: u32 = 10;
/// The most objects of a slab.
pub(crate) const MOST_OBJECTS: usize = 32_767;

/// How many bits a number has: 1 + the position of its highest one, 0 for 0.
const fn bits(value: usize) -> usize {
    (usize::BITS - value.leading_zeros()) as usize
}

/// How many objects a slab should have at least on a machine with this many processors.
pub(crate) const fn min_objects(cpus: usize) -> usize {
    4 * (bits(if cpus == 0 { 1 } else { cpus }) + 1)
}

/// The order of the smallest block of pages with `size` bytes; `page` is a power of two.
pub(crate) const fn get_order(size: usize, page: usize) -> u32 {
    let pages = if size == 0 { 1 } else { size.div_ceil(page) };
    usize::BITS - (pages - 1).leading_zeros()
}

/// The order of a slab of objects that are `size` bytes apart. `None`: an object is larger than the largest block of pages.
pub(crate) const fn slab_order(size: usize, page: usize, cpus: usize) -> Option<u32> {
    let least = get_order(size, page);
    if size == 0 || size > page << LARGEST {
        return None;
    }
    if least > COSTLY {
        return Some(least);
    }
    let most = (page << COSTLY) / size;
    let wanted = min_objects(cpus);
    let first = get_order(size * if wanted < most { wanted } else { most }, page);
    let mut fraction = 16;
    while fraction > 1 {
        let mut order = first;
        while order <= COSTLY {
            let slab = page << order;
            if slab % size <= slab / fraction {
                return Some(order);
            }
            order += 1;
        }
        fraction /= 2;
    }
    Some(least)
}

/// Objects in a slab of this order.
pub(crate) const fn objects(size: usize, page: usize, order: u32) -> usize {
    let fit = (page << order) / size;
    if fit < MOST_OBJECTS { fit } else { MOST_OBJECTS }
}

/// How many slabs with free objects a cache has before empty ones go back.
pub(crate) const fn min_partial(size: usize) -> usize {
    match (bits(size) - 1) / 2 {
        0..5 => 5,
        few @ 5..10 => few,
        _ => 10,
    }
}

/// Rounds of a magazine: as many as make it, with a head of four words, fill a block of kmalloc.
pub(crate) const fn magazine_capacity(size: usize) -> usize {
    match size {
        4096.. => 4,
        1024.. => 12,
        256.. => 28,
        _ => 60,
    }
}

#[cfg(test)]
mod tests;
