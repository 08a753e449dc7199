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

/// What is known of a class.
#[derive(Debug, Clone, Copy)]
pub(super) struct Info {
    pub(super) size: u32,
    pub(super) pages: u32,
    pub(super) objects: u32,
    /// Objects that move at a time between a thread and the central list.
    pub(super) batch: u32,
    /// Batches that the central list keeps whole.
    pub(super) kept: u32,
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
    let batch = if fits < 2 {
        2
    } else if fits > 64 {
        64
    } else {
        fits
    };
    // At most an eighth of a span is of no use, and a batch takes few spans.
    let mut pages = 1;
    while (pages * PAGE) % size > pages * PAGE / 8 || pages * PAGE / size < batch / 4 {
        pages += 1;
    }
    let kept = 256 * 1024 / (batch * size);
    Info {
        size: low32(size),
        pages: low32(pages),
        objects: low32(pages * PAGE / size),
        batch: low32(batch),
        kept: if kept > 16 { 16 } else { low32(kept) },
    }
}

static INFO: [Info; CLASSES] = {
    let mut all = [Info { size: 0, pages: 0, objects: 0, batch: 0, kept: 0 }; CLASSES];
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
            let Info { size, pages, objects, batch, kept } = *info(class);
            let bytes = pages as usize * PAGE;
            assert!(bytes - (objects * size) as usize <= bytes / 8, "{size}");
            assert!(bytes <= 128 << 10 && objects >= 1, "{size}: {pages} pages");
            assert!((2..=64).contains(&batch) && kept >= 2, "{size}");
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
