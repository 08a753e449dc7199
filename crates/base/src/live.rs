//! What a heap shows to those who read its process's memory from outside: where its counters and maps are.
//!
//! ```text
//! note in the file     "heapwright", FORMAT, distance to ─► Table    [ magic │ design │ places │ numbers ]
//!                                                                                         │
//!              the process's memory     counters, maps, descriptors, threads    ◄─────────┘
//! ```
//!
//! The process does nothing for it: nothing is copied, counted or written that was not before, and a reader needs neither
//! symbols nor the file. The note is in memory too, where the file's program headers say.
//!
//! - **live-L1** a place is an address of the process, or 0 where the malloc has no such thing; what stands there may change at
//!   any time.
//! - **live-L2** what a word of a map, a tag or a magazine's top means is fixed by [`FORMAT`], which rises when that changes; where
//!   something stands in a structure is a number of the table, as compilers choose it.
use core::ptr;

/// The version of the table, and of what stands where it points to.
pub const FORMAT: u32 = 1;
/// What the table begins with.
pub const MAGIC: u64 = u64::from_le_bytes(*b"hwright\x01");
/// The name of the note's owner, in the file with a zero behind it.
pub const NOTE: &str = "heapwright";

/// Bytes of a name.
const NAME: usize = 24;

/// Span entries with this bit are runs, the others descriptors in units of 64 bytes.
pub const RUN: u32 = 1 << 31;
/// Runs with this bit are free, and kept by a thread.
pub const KEPT: u32 = 1 << 30;

/// An address in the process.
#[derive(Debug, Clone, Copy)]
#[repr(transparent)]
pub struct Place(*const ());

// SAFETY: an address that is read by other processes only.
unsafe impl Sync for Place {}

impl Place {
    /// There is none.
    pub const NONE: Self = Self(ptr::null());

    /// Where something is that stays.
    #[must_use]
    pub const fn of<T: ?Sized>(what: &'static T) -> Self {
        Self(ptr::from_ref(what).cast())
    }
}

macro_rules! numbered {
    ($(#[$about:meta])* $name:ident { $($(#[$doc:meta])* $item:ident,)* }) => {
        $(#[$about])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum $name {
            $($(#[$doc])* $item,)*
        }

        impl $name {
            /// How many there are.
            pub const COUNT: usize = [$(Self::$item),*].len();
        }
    };
}

numbered! {
    /// Where something is.
    At {
        /// The region's lowest address: a word.
        Base,
        /// Granules whose maps are usable: a word.
        Granules,
        /// The first block behind the maps: 32 bits.
        FirstBlock,
        /// The first block that was never committed: 32 bits.
        Frontier,
        /// Blocks before it that were given up: 32 bits.
        GivenUp,
        /// The address of the span map, and its end.
        Spans,
        /// The address of the blocks' descriptors, and their end.
        Blocks,
        /// The address of slabs' and threads' descriptors, and their end.
        Descriptors,
        /// Granules handed out: a word.
        Live,
        /// Granules free that cost memory: a word.
        Dirty,
        /// Granules given back so far: 64 bits.
        GivenBack,
        /// Bytes inside slabs given back so far: 64 bits.
        HolesGivenBack,
        /// Bytes of holes now: a word.
        Holes,
        /// Bytes of descriptors in use: a word.
        Books,
        /// Bytes of blocks that are mappings of their own: a word.
        HugeBytes,
        /// How many they are: a word.
        HugeCount,
        /// The table of those mappings, its address and its length in entries of address and length: two words.
        Huge,
        /// The first thread's cache: a word.
        Threads,
        /// Threads with a cache: 32 bits.
        ThreadsNow,
        /// Threads that ever had one: 32 bits.
        ThreadsEver,
        /// Refills by threads that have ended: 64 bits.
        Refills,
        /// Flushes by them: 64 bits.
        Flushes,
        /// Operations without a cache: 32 bits.
        Uncached,
        /// Shards in use: 32 bits.
        Shards,
        /// The table of classes.
        Classes,
    }
}

numbered! {
    /// How large something is, or where it stands in a structure.
    Number {
        /// log2 of a granule.
        GranuleShift,
        /// log2 of a block.
        BlockShift,
        /// Classes, class 0 included.
        Classes,
        /// Slabs' descriptors are counted from so many bytes before the first.
        DescriptorsFrom,
        /// Bytes of an entry of the table of classes.
        Class,
        /// In it: the size, 32 bits.
        ClassSize,
        /// In it: objects of a slab, 32 bits.
        ClassObjects,
        /// In it: granules of a slab, 32 bits.
        ClassGranules,
        /// Bytes of a block's descriptor.
        Block,
        /// In it: a bit for each free granule.
        BlockFree,
        /// In it: a bit for each granule that may hold old contents.
        BlockDirty,
        /// In it: how many granules are ours, 8 bits.
        BlockOwned,
        /// In a slab's descriptor: state in 2 bits, class in 10, owner; 32 bits.
        SlabTag,
        /// In it: its first granule, 32 bits.
        SlabGranule,
        /// In it: a bit for each page that is a hole.
        SlabHoles,
        /// In it: the bitmap, a bit for each free object.
        SlabWords,
        /// Bytes of a thread's cache.
        Cache,
        /// In it: the next thread's, a word.
        CacheNext,
        /// In it: the address of the thread's slots, a word.
        CacheSlots,
        /// In it: refills, 64 bits.
        CacheRefills,
        /// In it: flushes, 64 bits.
        CacheFlushes,
        /// In it: capacities of magazines by class, 8 bits each.
        CacheCapacities,
        /// In it: places of the depot by class, 32 bits each.
        CacheDepotOf,
        /// In it: objects at each place of the depot, 8 bits each.
        CacheDepotCounts,
        /// Places of the depot.
        DepotPlaces,
        /// In it: granules of runs that are kept, a word.
        CacheRuns,
        /// The slot that holds the address of the cache; before it come the magazines' tops by class.
        SlotCache,
        /// Bytes of a magazine's cell, whose end is a multiple of it.
        Cell,
    }
}

/// What stands behind the note.
#[derive(Debug)]
#[repr(C)]
pub struct Table {
    magic: u64,
    format: u32,
    places: u32,
    numbers: u32,
    /// 0: the malloc shows nothing but its name.
    shows: u32,
    design: [u8; NAME],
    version: [u8; NAME],
    at: [Place; At::COUNT],
    number: [u32; Number::COUNT],
}

/// Bytes before the places.
pub const HEAD: usize = core::mem::offset_of!(Table, at);
/// Where the names stand, and how long each is.
pub const NAMES: (usize, usize) = (core::mem::offset_of!(Table, design), NAME);
/// Bytes of the whole table.
pub const BYTES: usize = size_of::<Table>();

impl Table {
    /// Of a malloc that shows nothing yet.
    #[must_use]
    pub const fn new(design: &str) -> Self {
        Self {
            magic: MAGIC,
            format: FORMAT,
            places: crate::bits::low32(At::COUNT),
            numbers: crate::bits::low32(Number::COUNT),
            shows: 0,
            design: name(design),
            version: name(env!("CARGO_PKG_VERSION")),
            at: [Place::NONE; At::COUNT],
            number: [0; Number::COUNT],
        }
    }

    /// With one place more.
    #[must_use]
    pub const fn at<T: ?Sized>(mut self, what: At, place: &'static T) -> Self {
        self.at[what as usize] = Place::of(place);
        self.shows = 1;
        self
    }

    /// With one number more.
    #[must_use]
    pub const fn number(mut self, what: Number, number: usize) -> Self {
        self.number[what as usize] = crate::bits::low32(number);
        self
    }
}

/// A text in a name's place, cut where it is longer.
const fn name(text: &str) -> [u8; NAME] {
    let (mut name, text) = ([0; NAME], text.as_bytes());
    let mut at = 0;
    while at < text.len() && at < NAME - 1 {
        name[at] = text[at];
        at += 1;
    }
    name
}

/// Puts the note that names a table into the file of which the surrounding function, `$in`, is a part. It must be one that is never inlined:
/// the note goes where that does, as the linker keeps any other note, and with it the whole malloc in a library of another design.
#[macro_export]
macro_rules! live_note {
    ($table:path, $in:path) => {
        // SAFETY: no instruction; a note of the file.
        unsafe {
            core::arch::asm!(
                ".pushsection .note.heapwright,\"ao\",@note,{of}",
                ".balign 4",
                ".long 22f - 21f",
                ".long 24f - 23f",
                ".long {format}",
                "21:",
                ".asciz \"heapwright\"",
                "22:",
                ".balign 4",
                "23:",
                ".quad {table} - .",
                "24:",
                ".balign 4",
                ".popsection",
                format = const $crate::live::FORMAT,
                table = sym $table,
                of = sym $in,
                options(nomem, nostack, preserves_flags),
            );
        }
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_says_what_it_has() {
        static WORD: u64 = 7;
        static TABLE: Table = Table::new("flagship-with-a-very-long-name")
            .at(At::Live, &WORD)
            .number(Number::Cell, 1024);
        assert_eq!((TABLE.magic, TABLE.format, TABLE.shows), (MAGIC, FORMAT, 1));
        assert_eq!(TABLE.design[..24], *b"flagship-with-a-very-lo\0");
        assert!(TABLE.at[At::Live as usize].0.addr() != 0);
        assert_eq!(TABLE.number[Number::Cell as usize], 1024);
        assert_eq!(HEAD % 8, 0);
        assert_eq!(At::Classes as usize + 1, At::COUNT);
    }
}
