//! What a program did wrong, in one line that names the pointer; the process ends.
use source::Report;

/// What was found at a pointer that is to be freed or asked about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Misuse {
    /// Nothing of ours is there.
    Foreign,
    /// It is inside of a block.
    Inside,
    /// It is free.
    Free,
    /// There is memory of ours, but no live block that begins there.
    NoBlock,
}

#[cold]
pub(crate) fn end<R: Report>(caller: &str, address: usize, what: Misuse) -> ! {
    let what = match what {
        Misuse::Foreign => "is not ours",
        Misuse::Inside => "points into a block, not at its start",
        Misuse::Free => "is free already (double free)",
        Misuse::NoBlock => "is not a live block (freed already, or inside one)",
    };
    R::fatal(format_args!("{caller}: {address:#x} {what}"))
}
