//! Size classes: 161 up to 32 KiB, no two further apart than an eighth of their size or 256 bytes.
//!
//! ```text
//! bytes   8 │ 16, 32 … 256 │ 288 … 512 │ 576 … 1024 │ 1152 … 2048 │ 2304 … 32768
//! step      │      16      │    32     │     64     │     128     │     256
//! ```
//!
//! From 16 on all are multiples of 16, so that a block is aligned as C asks; one of 8 bytes can hold nothing that needs more
//! than 8. What is aligned beyond takes a class that is a multiple of it.
use base::bits::{low8, low32};

use super::pages::PAGE;

/// How many there are; 0 is none, for blocks that are spans of their own.
pub(super) const CLASSES: usize = 162;
pub(super) const MAX_SIZE: usize = 32 << 10;
/// What a central list keeps as batches: in bytes, in any case and of objects above 8 KiB at most, and in batches. An object that is
/// kept keeps its span: of small ones more would cost many times their bytes.
const KEPT_BYTES: usize = 256 << 10;
const MOST_KEPT_BYTES: usize = 2 << 20;
pub(super) const MOST_KEPT: usize = 16;
/// The fewest objects of a batch: with two of 32 KiB a program that comes and goes by a hundred of them took the lock for each second.
const LEAST_BATCH: usize = 8;

/// What is known of a class.
#[derive(Debug, Clone, Copy)]
pub(super) struct Info {
    pub(super) size: u32,
    /// Pages of a span, and of one that is made of pages of 8 KiB.
    pages: [u32; 2],
    /// Objects that move at a time between a thread and the central list.
    pub(super) batch: u32,
    /// Batches that the central list keeps whole in any case, and at most while all lists together keep little.
    pub(super) kept: u32,
    pub(super) most_kept: u32,
}

impl Info {
    /// Pages of a span that is made of rows of `unit` pages.
    pub(super) fn pages(&self, unit: usize) -> usize {
        self.pages[usize::from(unit > 1)] as usize
    }
}

const fn next_size(size: usize) -> usize {
    let step = match size {
        8 => 8,
        16..256 => 16,
        256..512 => 32,
        512..1024 => 64,
        1024..2048 => 128,
        _ => 256,
    };
    size + step
}

const fn info_of(size: usize) -> Info {
    let fits = 64 * 1024 / size;
    let batch = if fits < LEAST_BATCH {
        LEAST_BATCH
    } else if fits > 64 {
        64
    } else {
        fits
    };
    Info {
        size: low32(size),
        pages: [pages_of(size, batch, 1), pages_of(size, batch, 2)],
        batch: low32(batch),
        kept: batches_of(KEPT_BYTES, batch * size),
        most_kept: batches_of(
            if size > 8 << 10 { MOST_KEPT_BYTES } else { KEPT_BYTES },
            batch * size,
        ),
    }
}

/// Batches of so many bytes, one at least.
const fn batches_of(bytes: usize, batch: usize) -> u32 {
    let count = bytes / batch;
    low32(if count > MOST_KEPT {
        MOST_KEPT
    } else if count == 0 {
        1
    } else {
        count
    })
}

/// The fewest pages, in rows of `unit`, of which an eighth at most is of no use, and so many that a batch takes few spans. The
/// smallest objects have 8 KiB: a descriptor and a word of the map for each 4 KiB were 1.8 % of them.
const fn pages_of(size: usize, batch: usize, unit: usize) -> u32 {
    let mut pages = if size < 64 && unit < 2 { 2 } else { unit };
    while (pages * PAGE) % size > pages * PAGE / 8 || pages * PAGE / size < batch / 4 {
        pages += unit;
    }
    low32(pages)
}

static INFO: [Info; CLASSES] = {
    let mut all = [Info { size: 0, pages: [0; 2], batch: 0, kept: 0, most_kept: 0 }; CLASSES];
    let (mut class, mut size) = (1, 8);
    while class < CLASSES {
        all[class] = info_of(size);
        size = next_size(size);
        class += 1;
    }
    assert!(all[CLASSES - 1].size as usize == MAX_SIZE, "the classes end there");
    all
};

/// The class of each size, in steps of 8 bytes to 1 KiB and of 128 beyond.
static CLASS_OF: [u8; index_of(MAX_SIZE) + 1] = {
    let mut of = [0; index_of(MAX_SIZE) + 1];
    let (mut index, mut class) = (0, 1);
    while index < of.len() {
        let largest = if index <= 128 { index * 8 } else { 1024 + (index - 128) * 128 };
        if largest > INFO[class].size as usize {
            class += 1;
        }
        of[index] = low8(class);
        index += 1;
    }
    of
};

const fn index_of(size: usize) -> usize {
    if size <= 1024 { size.div_ceil(8) } else { 128 + (size - 1024).div_ceil(128) }
}

/// The class whose objects hold `size` bytes, at most [`MAX_SIZE`].
#[inline(always)]
pub(super) fn class_of(size: usize) -> usize {
    usize::from(CLASS_OF[index_of(size)])
}

/// The class for `size` bytes at a multiple of `align`. `None`: it is a span of its own.
pub(super) fn class_of_aligned(size: usize, align: usize) -> Option<usize> {
    if size > MAX_SIZE || align > PAGE {
        return None;
    }
    (class_of(size)..CLASSES).find(|&class| (INFO[class].size as usize).is_multiple_of(align))
}

/// What is known of a class below [`CLASSES`].
#[inline(always)]
pub(super) fn info(class: usize) -> &'static Info {
    &INFO[class]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_size_has_the_smallest_class_that_holds_it() {
        for size in 0..=MAX_SIZE {
            let class = class_of(size);
            assert!(info(class).size as usize >= size, "{size}");
            assert!(class == 1 || (info(class - 1).size as usize) < size, "{size}");
        }
    }

    #[test]
    fn spans_waste_little_and_are_small() {
        for class in 1..CLASSES {
            let Info { size, batch, kept, most_kept, .. } = *info(class);
            for unit in [1, 2] {
                let bytes = info(class).pages(unit) * PAGE;
                assert!(bytes % size as usize <= bytes / 8, "{size}");
                assert!(bytes <= 128 << 10 && bytes >= size as usize, "{size}: {bytes} bytes");
                assert!(bytes.is_multiple_of(unit * PAGE), "{size}: {bytes} bytes");
            }
            assert!((8..=64).contains(&batch), "{size}");
            assert!(1 <= kept && kept <= most_kept && most_kept <= 16, "{size}");
        }
    }

    #[test]
    fn aligned_sizes_have_classes_that_are_multiples() {
        for align in [8, 16, 64, 256, 4096] {
            for size in [1, 8, 24, 100, 1000, 5000, 32000] {
                let size = size.max(align);
                let class = class_of_aligned(size, align).expect("small enough");
                assert!((info(class).size as usize).is_multiple_of(align), "{size} at {align}");
                assert!(info(class).size as usize >= size, "{size} at {align}");
            }
        }
        assert_eq!(class_of_aligned(100, 2 * PAGE), None);
    }
}
