//! What a store has, in the order and form of the kernel's `/sys/block/zram0/mm_stat`.

use core::fmt;

/// Figures of a store; bytes, where nothing else is said.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Report {
    /// The pages as they were put in.
    pub original: usize,
    /// What they became: compressed ones their length, raw ones a page, same-filled ones nothing.
    pub compressed: usize,
    /// Pages that what they became lies in.
    pub used: usize,
    /// The most that `used` and `tables` may be together; 0: no limit.
    pub limit: usize,
    /// The most that `used` ever was.
    pub used_max: usize,
    /// Pages of which one word is kept.
    pub same: usize,
    /// Pages of memory that compacting gave back so far.
    pub compacted: usize,
    /// Pages that are kept as they are.
    pub huge: usize,
    /// Pages that were kept as they are, since the store was made.
    pub huge_since: usize,
    /// Tables of the store and of the heap under it; the kernel's line has no column for them.
    pub tables: usize,
}

impl Report {
    /// Bytes in use for each that was left by compressing; 0 when there are none.
    #[must_use]
    pub fn overhead(&self) -> f64 {
        if self.compressed == 0 { 0.0 } else { self.used as f64 / self.compressed as f64 }
    }
}

/// One line of nine numbers, at least 8 wide each: original, compressed, used, limit, used_max, same, compacted, huge and
/// huge_since.
impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { original, compressed, used, limit, used_max, same, .. } = self;
        let Self { compacted, huge, huge_since, .. } = self;
        write!(f, "{original:8} {compressed:8} {used:8} {limit:8} {used_max:8} ")?;
        write!(f, "{same:8} {compacted:8} {huge:8} {huge_since:8}")
    }
}
