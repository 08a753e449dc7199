//! An ELF file that is mapped: who it is, where its segments are, its debugging information.

use std::borrow::Cow;
use std::fs::File;
use std::io::{self, Read as _};
use std::path::Path;

use gimli::{DwarfSections, SectionId};
use memmap2::Mmap;
use object::{CompressionFormat, Object as _, ObjectSection as _, ObjectSegment as _};

/// A compressed section that claims to be larger is left out.
const LARGEST: u64 = 2 << 30;

/// Sections that are needed for names and lines.
const NEEDED: [SectionId; 10] = [
    SectionId::DebugAbbrev,
    SectionId::DebugAddr,
    SectionId::DebugAranges,
    SectionId::DebugInfo,
    SectionId::DebugLine,
    SectionId::DebugLineStr,
    SectionId::DebugRanges,
    SectionId::DebugRngLists,
    SectionId::DebugStr,
    SectionId::DebugStrOffsets,
];

#[derive(Debug)]
pub(crate) struct Elf {
    bytes: Mmap,
}

impl Elf {
    /// Fails where there is no regular file with bytes in it.
    pub(crate) fn open(path: &Path) -> io::Result<Self> {
        // To open a pipe waits for its other end.
        let meta = path.metadata()?;
        if !meta.is_file() || meta.len() == 0 {
            return Err(io::Error::new(
                io::ErrorKind::InvalidData,
                "it is no file with a program in it",
            ));
        }
        let file = File::open(path)?;
        // SAFETY: the mapping is private and read-only; a program file is not cut short while it is looked at.
        let bytes = unsafe { Mmap::map(&file) }?;
        Ok(Self { bytes })
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// `None` if it is no ELF file.
    pub(crate) fn file(&self) -> Option<object::File<'_>> {
        object::File::parse(&*self.bytes).ok()
    }
}

/// The build id of the file at this path, in hexadecimal digits.
pub fn build_id_of(path: &Path) -> Option<String> {
    build_id(&Elf::open(path).ok()?.file()?)
}

pub(crate) fn build_id(file: &object::File<'_>) -> Option<String> {
    file.build_id().ok().flatten().map(hexadecimal)
}

pub(crate) fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The address, by the file's own count, of a place in the file.
pub(crate) fn address_of(file: &object::File<'_>, place: u64) -> Option<u64> {
    file.segments().find_map(|segment| {
        let (offset, size) = segment.file_range();
        let within = place.checked_sub(offset).filter(|within| *within < size)?;
        segment.address().checked_add(within)
    })
}

pub(crate) fn has_debug_info(file: &object::File<'_>) -> bool {
    file.section_by_name(".debug_info").is_some_and(|section| section.size() > 0)
}

/// Its debugging information. Sections that cannot be read are empty.
pub(crate) fn sections<'data>(file: &object::File<'data>) -> DwarfSections<Cow<'data, [u8]>> {
    let section = |id: SectionId| -> Result<_, core::convert::Infallible> {
        let needed = NEEDED.contains(&id).then(|| file.section_by_name(id.name())).flatten();
        Ok(needed.and_then(|section| plain(&section)).unwrap_or_default())
    };
    let Ok(sections) = DwarfSections::load(section);
    sections
}

/// A section's bytes, as they were before they were compressed.
fn plain<'data>(section: &object::Section<'data, '_>) -> Option<Cow<'data, [u8]>> {
    let data = section.compressed_data().ok()?;
    let size = data.uncompressed_size;
    let read = |mut from: Box<dyn io::Read + '_>| {
        let mut bytes = Vec::new();
        from.by_ref().take(size).read_to_end(&mut bytes).ok()?;
        (bytes.len() as u64 == size).then_some(Cow::Owned(bytes))
    };
    match data.format {
        CompressionFormat::None => Some(Cow::Borrowed(data.data)),
        _ if size > LARGEST => None,
        CompressionFormat::Zlib => read(Box::new(flate2::read::ZlibDecoder::new(data.data))),
        CompressionFormat::Zstandard => {
            read(Box::new(zstd::stream::read::Decoder::with_buffer(data.data).ok()?))
        }
        _ => None,
    }
}
