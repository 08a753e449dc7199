//! What is known of a recorded program, as figures. Sizes are in bytes and times in nanoseconds since the recording began,
//! unless a field says otherwise.

mod program;
mod sites;
mod threads;

use serde::Serialize;

pub use program::{HugePages, Program};
pub use sites::{Amount, Site, Sites, Uses};
pub use threads::{ByThread, Threads};

use crate::marks::ByMark;

/// Growth is followed over this number of windows of equal length.
pub const WINDOWS: usize = 16;

/// Everything that the rules may ask.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Facts {
    pub program: Program,
    /// What was live and resident over time, at most 512 points.
    pub over_time: Vec<Point>,
    /// When most was resident; live, where no resident memory was recorded.
    pub peak: Moment,
    /// When most was free and kept, for an eighth of the work or longer.
    pub worst: Moment,
    /// When the program had done its work, and only freed from there on; or the end.
    pub last: Moment,
    pub peak_live: u64,
    /// Which sizes grow, and what becomes of what they grow by.
    pub growth: Growth,
    /// How long blocks lived, by size; those that were freed.
    pub lifetimes: Vec<Lifetime>,
    /// What happens from each mark of the program to the next, in the order in which they were first made.
    pub marks: Vec<ByMark>,
    /// Who allocates and who frees.
    pub threads: Threads,
    /// What was never freed.
    pub end: End,
    /// The program's own mappings at the peak, of the length that most of their bytes are in.
    pub mappings: Mappings,
    /// Anonymous memory before the program's own blocks: its data, its stack, the allocator's own.
    pub base: u64,
    pub rises: Rises,
    pub sites: Sites,
}

impl Facts {
    /// When most was free and kept, if that is much more than at the peak.
    pub fn much_worse(&self) -> Option<&Moment> {
        let (worst, peak) = (self.worst.account.free(), self.peak.account.free());
        (worst * 4 > peak * 5 && worst * 50 > self.peak.resident).then_some(&self.worst)
    }
}

/// One point of the curves: the end of a stretch of time.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Point {
    pub time: u64,
    /// Bytes that live blocks asked for.
    pub live: u64,
    /// The most of them since the point before.
    pub most_live: u64,
    /// Live blocks.
    pub blocks: u64,
    /// Anonymous memory, where it was recorded.
    pub anon: Option<u64>,
    /// Memory that the program itself had mapped.
    pub own_maps: u64,
    /// Blocks allocated since the point before.
    pub allocations: u64,
    /// Blocks freed since the point before.
    pub frees: u64,
}

/// The heap at one moment.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Moment {
    pub time: u64,
    /// Resident memory of all kinds; 0 where it was not recorded.
    pub resident: u64,
    pub anon: u64,
    /// What live blocks had asked for.
    pub live: u64,
    /// How many there were.
    pub blocks: u64,
    /// The sum in which each resident byte stands once.
    pub account: Account,
    pub rounding_from: RoundingFrom,
    /// Pages of 4 KiB with a live block, by how full they are: up to a tenth, up to two tenths, …
    pub pages: [u64; 10],
    /// The same of each 64 KiB.
    pub units: [u64; 10],
    /// Free bytes in those pages.
    pub free_in_pages: u64,
    /// Free bytes in those 64 KiB, on pages that were in use before.
    pub free_in_units: u64,
    pub by_size: Vec<BySize>,
    pub by_age: Vec<ByAge>,
    /// The 64 KiB that are less than half full.
    pub sparse: Sparse,
    /// Free memory on pages without a block, by the thread that allocated there last; the largest first.
    pub free_by_thread: Vec<(u32, u64)>,
    /// Pages without a block on which one lay before: as much may have been kept.
    pub free_pages: u64,
}

/// Of what resident memory consists. The fields add up to `Moment::resident`; `untouched` is beside it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Account {
    /// Pages of files: the program's code and libraries.
    pub files: u64,
    /// Pages of files that the program has mapped itself.
    pub own_files: u64,
    pub shared: u64,
    /// The program's data and stacks, and what the allocator needs for itself.
    pub base: u64,
    /// Mapped by the program itself.
    pub own_maps: u64,
    /// What the program asked malloc for.
    pub asked: u64,
    /// What malloc added to each block.
    pub rounding: u64,
    /// Free, on a page with a live block: no allocator can give it back.
    pub pinned: u64,
    /// Free, in whole pages among 64 KiB with a live block.
    pub scattered: u64,
    /// Free, in whole pages of 64 KiB without a live block.
    pub kept: u64,
    /// On pages that no block was ever seen on: huge pages, stacks, mappings that were not recorded.
    pub elsewhere: u64,
    /// Asked for and not resident: the program has not touched it. In no sum.
    pub untouched: u64,
}

impl Account {
    /// All that is free and kept.
    pub fn free(&self) -> u64 {
        self.pinned + self.scattered + self.kept
    }

    /// All that is resident.
    pub fn sum(&self) -> u64 {
        self.files
            + self.base
            + self.mapped()
            + self.elsewhere
            + self.asked
            + self.rounding
            + self.free()
    }

    /// What the program has mapped itself: anonymous, files and shared memory.
    pub fn mapped(&self) -> u64 {
        self.own_maps + self.own_files + self.shared
    }
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum RoundingFrom {
    /// The allocator's rule is known, and was applied.
    Rule,
    /// From how close neighbours lie to each other.
    Addresses,
    /// Assumed, as no neighbours were found.
    #[default]
    Estimate,
}

/// Live blocks of about one size.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct BySize {
    pub from: u64,
    pub to: u64,
    pub blocks: u64,
    /// What they asked for.
    pub bytes: u64,
    pub rounding: u64,
}

/// Live blocks of about one age.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct ByAge {
    /// They are younger than this.
    pub below: u64,
    pub blocks: u64,
    /// What they asked for.
    pub bytes: u64,
}

/// 64 KiB pieces that are less than half full.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Sparse {
    pub units: u64,
    /// Bytes that were live in them at the most.
    pub were: u64,
    /// Bytes that were ever allocated in them.
    pub ever: u64,
    /// All blocks in them together.
    pub all: Pin,
    /// The same by size, those that hold most first; at most 8.
    pub pins: Vec<Pin>,
}

/// Blocks of about one size that hold pieces of memory that are otherwise free.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Pin {
    pub from: u64,
    pub to: u64,
    pub blocks: u64,
    /// What they asked for.
    pub bytes: u64,
    /// Free bytes that they hold: each piece's are shared by its blocks.
    pub holds: u64,
    /// Half of them are older.
    pub age: u64,
    /// Half of the freed blocks that lay around there lived shorter.
    pub others_lived: u64,
}

/// What grows in the second half of the program's work.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Growth {
    /// Blocks allocated until the work was done.
    pub blocks: u64,
    /// When that was.
    pub until: u64,
    pub all: Growing,
    /// By size, what grows most first.
    pub by_size: Vec<Growing>,
    /// Bytes that live blocks of each thread grew by; the most first, at most 16.
    pub by_thread: Vec<(u32, i64)>,
    /// The largest block from 16 KiB that came in the second half right before a smaller one went, or was enlarged by `realloc`: a
    /// table that grew. 0: there is none.
    pub table: u64,
    /// The largest block of all, if it came in the last 32nd of the work: what a program makes of all that it has built. 0: there is none.
    pub result: u64,
    /// Growth of anonymous memory.
    pub resident: i64,
    /// Growth of mappings of the program's own.
    pub own_maps: i64,
}

/// What becomes of blocks of about one size.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Growing {
    pub from: u64,
    pub to: u64,
    /// Blocks allocated.
    pub blocks: u64,
    pub allocated: u64,
    /// The least live bytes in each window, of equal numbers of allocations.
    pub by_count: [u64; WINDOWS],
    /// The least live bytes in each window, of equal times in which the program calls malloc.
    pub by_time: [u64; WINDOWS],
    /// Bytes that were live when the work was done.
    pub live: u64,
    /// Blocks that lived at the end.
    pub live_blocks: u64,
    /// Bytes of them by the window in which they were allocated.
    pub born: [u64; WINDOWS],
    /// Bytes of them that `realloc` has enlarged.
    pub enlarged: u64,
    /// Bytes that were live and not young when half was allocated.
    pub old: u64,
    /// Bytes of those that were freed before the work was done.
    pub old_freed: u64,
    /// Those of them that were freed in the last quarter of the allocations.
    pub old_freed_late: u64,
    /// Bytes that were live when the work was done, and allocated in the second half of it but not in its last eighth.
    pub settled: u64,
    /// Bytes of those that were freed only then.
    pub settled_freed: u64,
    /// Bytes that were freed only after the work was done.
    pub freed_after: u64,
    pub never_freed: u64,
}

impl Growing {
    /// The least that was live in each quarter of the work, by number of allocations.
    pub fn quarters(windows: &[u64; WINDOWS]) -> [u64; 4] {
        let part = WINDOWS / 4;
        core::array::from_fn(|n| windows[n * part..][..part].iter().min().copied().unwrap_or(0))
    }

    /// Bytes by which the least that was live grew from the second quarter to the last, by time or by allocations, whichever is less.
    pub fn growth(&self) -> i64 {
        let of = |windows: &[u64; WINDOWS]| {
            let [_, second, _, last] = Self::quarters(windows);
            last.cast_signed() - second.cast_signed()
        };
        of(&self.by_count).min(of(&self.by_time))
    }

    /// Of what was old at half-time, what was still there for the last quarter.
    pub fn old_late(&self) -> u64 {
        self.old.saturating_sub(self.old_freed - self.old_freed_late)
    }
}

/// Blocks that lived about as long and are about as large.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Lifetime {
    /// Their sizes are below this, and not below half of it.
    pub size_below: u64,
    /// Their lifetimes are below this, and not below half of it.
    pub lived_below: u64,
    pub blocks: u64,
    /// What they asked for.
    pub bytes: u64,
}

/// What is left at the end of the recording.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct End {
    /// Blocks that were never freed.
    pub blocks: u64,
    /// What they asked for.
    pub bytes: u64,
    /// The same by the window in which they were allocated.
    pub born: [u64; WINDOWS],
}

/// Mappings of one length.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Mappings {
    pub each: u64,
    pub count: u64,
}

/// How resident memory rises between two looks at it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Rises {
    pub looks: u64,
    /// Rises of at least 2 MiB.
    pub large: u64,
    /// Those of them that are a multiple of 2 MiB, within 16 KiB.
    pub of_huge_pages: u64,
}
