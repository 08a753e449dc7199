//! What there is: figures, and a line for each area as in Linux's /proc/vmallocinfo.
use core::fmt;

use source::FrameSource;

use super::addresses::Kind;
use super::{Caller, Vmalloc};

/// Areas, addresses and memory. Bytes, unless it says otherwise.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct VmallocUsage {
    /// Live areas.
    pub areas: usize,
    /// What they were asked for.
    pub requested: usize,
    /// Their pages, without guards.
    pub mapped: usize,
    /// Addresses of areas that are free and not purged, with guards. They cost no memory.
    pub lazy: usize,
    /// Frames of areas, those of lazy ones too, which cost no memory.
    pub held: usize,
    /// Frames handed out.
    pub given: usize,
    /// Frames that nobody has.
    pub free: usize,
    /// Frames that were live at a fork and freed since: neither their memory nor their numbers come back.
    pub retired: usize,
    /// Mappings of the process, guards too. A number.
    pub mappings: usize,
    /// Passes over lazy areas. A number.
    pub purges: usize,
}

impl fmt::Display for Caller {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(number) => write!(f, "{number:#x}"),
            Self::Name(name) => f.write_str(name),
        }
    }
}

impl<S: FrameSource> Vmalloc<S> {
    /// What there is. O(1).
    pub fn usage(&self) -> VmallocUsage {
        let page = self.addresses.page;
        VmallocUsage {
            areas: self.areas,
            requested: self.requested,
            mapped: self.live * page,
            lazy: self.addresses.lazy * page,
            held: self.frames.held * page,
            given: self.frames.given * page,
            free: self.frames.free() * page,
            retired: self.frames.retired * page,
            mappings: self.mappings,
            purges: self.purges,
        }
    }

    /// Writes a line for each area in address order: `0xstart-0xend size caller pages=N vmalloc`, the end and the size with
    /// the guard page, the size in bytes; of an area that is not purged, `0xstart-0xend size unpurged vm_area`. O(areas).
    /// Errors: `out`'s.
    pub fn write_info(&self, out: &mut dyn fmt::Write) -> fmt::Result {
        let mut page = 0;
        while let Some(first) = self.addresses.next(page) {
            let area = self.addresses.areas.get(first);
            page = first + area.whole();
            let (start, end) = (self.addresses.address(first), self.addresses.address(page));
            write!(out, "{start:#018x}-{end:#018x} {:7} ", end - start)?;
            let (caller, pages) = (area.caller(), area.pages);
            match area.kind {
                Kind::Vmalloc => writeln!(out, "{caller} pages={pages} vmalloc")?,
                Kind::Vmap => writeln!(out, "{caller} pages={pages} vmap")?,
                Kind::Lazy => writeln!(out, "unpurged vm_area")?,
                Kind::Lost | Kind::None => writeln!(out, "lost")?,
            }
        }
        Ok(())
    }
}
