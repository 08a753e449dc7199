//! The size classes: 16-byte steps to 256 bytes, 8 per doubling to 32 KiB, 4 to 64 KiB.
//!
//! ```text
//! class    1   2  …  16 │  17   18  …  24 │  25 …  32 │ …  65 …  72    │   73 …  76
//! bytes   16  32 … 256  │ 288  320 … 512  │ 576 … 1024│ … 18432 … 32768│ 40960 … 65536
//! step        16        │       32        │    64     │       2048     │      8192
//! ```
//!
//! Worst internal waste from 257 bytes to 32 KiB is 1/9, the mean over uniform sizes 4 %: half
//! of what 4 classes per doubling waste. Above, it is 1/5 of the block: what is asked for and a
//! quarter of it, as for the runs of granules that begin behind the last class. Every class is a
//! multiple of 16, and slabs start at granules, so a class that is a multiple of an alignment is
//! aligned to it.
//!
//! A slab is as few granules as hold at least 32 objects to 1 KiB, 16 to 4 KiB, 8 to 32 KiB and 4 above,
//! and waste at most 1/32 at the tail.
//! Class 0 is no class: its magazines are always empty and always full.
use core::mem::offset_of;

use base::bits::low8;
use base::live::{At, Number, Table};
use page::geometry::GRANULE;

/// Number of classes, class 0 included.
pub const CLASSES: usize = 77;
/// The largest size that has a class.
pub const MAX_SIZE: usize = 64 << 10;
/// Every block is aligned to this.
pub const QUANTUM: usize = 16;
/// Up to this size the class is the size divided by [`QUANTUM`], rounded up.
pub const MAX_LINEAR: usize = 256;

/// Object sizes multiply by this and shift by [`RECIPROCAL_SHIFT`] to divide.
const RECIPROCAL_SHIFT: u32 = 38;

/// What is fixed for a class.
#[derive(Debug, Clone, Copy)]
pub struct ClassInfo {
    /// Bytes of an object.
    pub size: u32,
    /// Objects in a slab.
    pub objects: u32,
    /// Granules of a slab.
    pub granules: u32,
    /// Most objects a magazine holds.
    pub capacity: u32,
    reciprocal: u64,
    /// The bits of the last word.
    last_word: u64,
}

impl ClassInfo {
    /// Which object begins at `offset` of a slab, if one does.
    #[inline(always)]
    pub const fn index_of(&self, offset: usize) -> Option<usize> {
        let index = self.object_at(offset);
        // For an offset beyond the slab the index is of no object, or is not that offset's.
        let begins = index < self.objects as usize && index * self.size as usize == offset;
        if begins { Some(index) } else { None }
    }

    /// Whether a word that is `bits` may have all that it can have; if `false` it has not.
    #[inline(always)]
    pub const fn may_complete(&self, bits: u64) -> bool {
        bits == u64::MAX || bits == self.last_word
    }

    /// Which object the byte at `offset` of a slab is in.
    #[inline(always)]
    pub const fn object_at(&self, offset: usize) -> usize {
        base::bits::index((offset as u64).wrapping_mul(self.reciprocal) >> RECIPROCAL_SHIFT)
    }

    /// Words of the bitmap.
    pub const fn words(&self) -> usize {
        (self.objects as usize).div_ceil(64)
    }

    /// The bits of a word that stand for objects.
    pub const fn word_mask(&self, word: usize) -> u64 {
        let left = self.objects as usize - word * 64;
        if left >= 64 { u64::MAX } else { (1 << left) - 1 }
    }
}

/// A magazine holds at most 64 KiB and at most 126 objects.
const CAPACITY_BYTES: usize = 64 << 10;
const CAPACITY: usize = 126;
/// Above [`MAX_FINE`], where a slab has few objects, and making one is most of a miss.
const CAPACITY_BYTES_COARSE: usize = 320 << 10;

/// Up to this size there are 8 classes per doubling, above it 4.
const MAX_FINE: usize = 32 << 10;
const LAST_FINE: usize = 72;

const fn class_size(class: usize) -> usize {
    if class <= 16 {
        return class * QUANTUM;
    }
    if class > LAST_FINE {
        return MAX_FINE + (class - LAST_FINE) * (MAX_FINE / 4);
    }
    let doubling = (class - 17) / 8;
    let step = 32 << doubling;
    (256 << doubling) + ((class - 17) % 8 + 1) * step
}

/// Objects that a slab has at least. More, and fewer slabs are made and ended by a program that takes and
/// frees batches; but what is free in slabs that are partly full is more.
const fn least_objects(size: usize) -> usize {
    match size {
        0..=1024 => 32,
        1025..=4096 => 16,
        4097..=MAX_FINE => 8,
        _ => 4,
    }
}

const fn class_info(class: usize) -> ClassInfo {
    let size = class_size(class);
    if size == 0 {
        return ClassInfo {
            size: 0,
            objects: 0,
            granules: 0,
            capacity: 0,
            reciprocal: 0,
            last_word: 0,
        };
    }
    let objects = least_objects(size);
    let mut granules = 1;
    while granules * GRANULE / size < objects || granules * GRANULE % size > granules * GRANULE / 32
    {
        granules += 1;
    }
    assert!(granules <= 16, "a slab is at most 256 KiB");
    let by_bytes = if size > MAX_FINE { CAPACITY_BYTES_COARSE } else { CAPACITY_BYTES } / size;
    let capacity = if by_bytes > CAPACITY { CAPACITY } else { by_bytes };
    assert!(capacity >= 2, "half a magazine is at least one object");
    let objects = granules * GRANULE / size;
    ClassInfo {
        size: base::bits::low32(size),
        objects: base::bits::low32(objects),
        granules: base::bits::low32(granules),
        capacity: base::bits::low32(capacity),
        last_word: u64::MAX >> ((64 - objects % 64) % 64),
        reciprocal: (1u64 << RECIPROCAL_SHIFT).div_ceil(size as u64),
    }
}

const _: () = assert!(class_size(LAST_FINE) == MAX_FINE && class_size(CLASSES - 1) == MAX_SIZE);

static INFO: [ClassInfo; CLASSES] = {
    let mut table = [class_info(0); CLASSES];
    let mut class = 1;
    while class < CLASSES {
        table[class] = class_info(class);
        class += 1;
    }
    table
};

/// Class by size in quanta, rounded up.
static CLASS_OF: [u8; MAX_SIZE / QUANTUM + 1] = {
    let mut table = [0; MAX_SIZE / QUANTUM + 1];
    let (mut quanta, mut class) = (0, 0);
    while quanta < table.len() {
        if quanta * QUANTUM > class_size(class) {
            class += 1;
        }
        table[quanta] = low8(class);
        quanta += 1;
    }
    table
};

/// Where the table of classes is, and its fields, for who reads the process from outside.
#[must_use]
pub const fn show(table: Table) -> Table {
    table
        .at(At::Classes, &INFO)
        .number(Number::Classes, CLASSES)
        .number(Number::Class, size_of::<ClassInfo>())
        .number(Number::ClassSize, offset_of!(ClassInfo, size))
        .number(Number::ClassObjects, offset_of!(ClassInfo, objects))
        .number(Number::ClassGranules, offset_of!(ClassInfo, granules))
}

/// What is fixed for `class`.
#[inline(always)]
pub fn info(class: usize) -> &'static ClassInfo {
    &INFO[class]
}

/// As [`class_of`] for sizes up to [`MAX_LINEAR`], without a table.
#[inline(always)]
pub const fn linear_class_of(size: usize) -> usize {
    (size + QUANTUM - 1) >> QUANTUM.trailing_zeros()
}

/// The smallest class that holds `size` bytes, which is at most [`MAX_SIZE`]; 0 for 0.
#[inline(always)]
pub fn class_of(size: usize) -> usize {
    usize::from(CLASS_OF[linear_class_of(size)])
}

/// The smallest class that holds `size` bytes at a multiple of `align`, a power of two.
///
/// That is the class of the next multiple of `align`: where classes are closer to each other than
/// that, each such multiple is the size of one, and else every class's size is such a multiple.
pub fn class_of_aligned(size: usize, align: usize) -> Option<usize> {
    if size > MAX_SIZE || align > GRANULE {
        return None;
    }
    let multiple = base::bits::align_up(size.max(1), align);
    (multiple <= MAX_SIZE).then(|| class_of(multiple))
}

#[cfg(test)]
mod tests;
