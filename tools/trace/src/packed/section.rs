//! Sections of a packed file: a name, and parts that zstd has compressed and checks.

use core::fmt;
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt as _;
use std::path::{Path, PathBuf};

use zstd::bulk::{Compressor, Decompressor};
use zstd::zstd_safe::{CParameter, get_frame_content_size};

use crate::error::TraceError;

const LEVEL: i32 = 3;
/// The most parts of a section.
const PARTS: usize = 32;
const HEAD: usize = 8;

/// Writes sections one after another.
pub(crate) struct SectionWriter<W> {
    out: W,
    at: u64,
    compressor: Compressor<'static>,
}

impl<W> fmt::Debug for SectionWriter<W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SectionWriter").field("at", &self.at).finish_non_exhaustive()
    }
}

impl<W: io::Write> SectionWriter<W> {
    pub(crate) fn new(out: W) -> io::Result<Self> {
        let mut compressor = Compressor::new(LEVEL)?;
        compressor.set_parameter(CParameter::ChecksumFlag(true))?;
        Ok(Self { out, at: 0, compressor })
    }

    pub(crate) fn at(&self) -> u64 {
        self.at
    }

    /// Bytes that are in no section.
    pub(crate) fn raw(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.at += bytes.len() as u64;
        self.out.write_all(bytes)
    }

    /// A section of these parts; an empty part takes no bytes. Returns where it begins.
    pub(crate) fn section(&mut self, name: [u8; 4], parts: &[&[u8]]) -> io::Result<u64> {
        let begin = self.at;
        let mut head = name.to_vec();
        head.extend(u32::try_from(parts.len()).unwrap_or_default().to_le_bytes());
        let mut body = Vec::new();
        for part in parts {
            let packed =
                if part.is_empty() { Vec::new() } else { self.compressor.compress(part)? };
            let len = u32::try_from(packed.len()).map_err(io::Error::other)?;
            head.extend(len.to_le_bytes());
            body.extend(packed);
        }
        self.raw(&head)?;
        self.raw(&body)?;
        Ok(begin)
    }

    pub(crate) fn into_inner(mut self) -> io::Result<W> {
        self.out.flush()?;
        Ok(self.out)
    }
}

/// A packed file that is open.
#[derive(Debug)]
pub(crate) struct SectionFile {
    file: File,
    path: PathBuf,
    len: u64,
}

/// Where a section and its parts are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Section {
    pub(crate) name: [u8; 4],
    pub(crate) begin: u64,
    /// Where each part begins, and how long it is.
    parts: Vec<(u64, u32)>,
    pub(crate) end: u64,
}

impl Section {
    /// How many bytes these parts take.
    pub(crate) fn len(&self, parts: &[usize]) -> u64 {
        parts.iter().filter_map(|&part| self.parts.get(part)).map(|&(_, len)| u64::from(len)).sum()
    }
}

impl SectionFile {
    pub(crate) fn open(path: &Path) -> Result<Self, TraceError> {
        let file = File::open(path).map_err(TraceError::io(path))?;
        let len = file.metadata().map_err(TraceError::io(path))?.len();
        Ok(Self { file, path: path.to_owned(), len })
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    pub(crate) fn len(&self) -> u64 {
        self.len
    }

    pub(crate) fn damaged(&self, offset: u64, what: impl fmt::Display) -> TraceError {
        TraceError::damaged(&self.path, offset, what)
    }

    /// `len` bytes from `offset` on, if the file has them.
    pub(crate) fn bytes(
        &self,
        offset: u64,
        len: usize,
        into: &mut Vec<u8>,
    ) -> Result<(), TraceError> {
        let end = offset.checked_add(len as u64);
        if end.is_none_or(|end| end > self.len) {
            return Err(self.damaged(offset, "the file ends here"));
        }
        into.resize(len, 0);
        self.file.read_exact_at(into, offset).map_err(TraceError::io(&self.path))
    }

    /// The section that begins at `begin`.
    pub(crate) fn section(&self, begin: u64) -> Result<Section, TraceError> {
        let mut head = Vec::new();
        self.bytes(begin, HEAD, &mut head)?;
        let [n0, n1, n2, n3, c0, c1, c2, c3] = head[..] else {
            return Err(self.damaged(begin, "no section begins here"));
        };
        let count = u32::from_le_bytes([c0, c1, c2, c3]) as usize;
        let name = [n0, n1, n2, n3];
        if count > PARTS || !name.iter().all(u8::is_ascii_lowercase) {
            return Err(self.damaged(begin, "no section begins here"));
        }
        let lengths = begin + HEAD as u64;
        self.bytes(lengths, 4 * count, &mut head)?;
        let mut end = lengths + 4 * count as u64;
        let parts = head.chunks_exact(4).map(|len| {
            let len = u32::from_le_bytes(len.try_into().unwrap_or_default());
            let part = (end, len);
            end += u64::from(len);
            part
        });
        let parts = parts.collect();
        if end > self.len {
            return Err(self.damaged(begin, "the file ends within this section"));
        }
        Ok(Section { name, begin, parts, end })
    }
}

/// Undoes what zstd did, with memory that is used again and again.
pub(crate) struct Unpacker {
    decompressor: Decompressor<'static>,
    packed: Vec<u8>,
}

impl fmt::Debug for Unpacker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Unpacker").finish_non_exhaustive()
    }
}

impl Unpacker {
    pub(crate) fn new(file: &SectionFile) -> Result<Self, TraceError> {
        let decompressor = Decompressor::new().map_err(TraceError::io(file.path()))?;
        Ok(Self { decompressor, packed: Vec::new() })
    }

    /// Part `number` of a section, of at most `longest` bytes; a part that is empty or not there is no bytes.
    pub(crate) fn part(
        &mut self,
        file: &SectionFile,
        section: &Section,
        number: usize,
        longest: usize,
        into: &mut Vec<u8>,
    ) -> Result<(), TraceError> {
        into.clear();
        let Some(&(offset, len @ 1..)) = section.parts.get(number) else { return Ok(()) };
        file.bytes(offset, len as usize, &mut self.packed)?;
        let len = match get_frame_content_size(&self.packed) {
            Ok(Some(len)) if len <= longest as u64 => len,
            _ => return Err(file.damaged(offset, "no compressed part begins here")),
        };
        into.reserve(usize::try_from(len).unwrap_or_default());
        self.decompressor
            .decompress_to_buffer(&self.packed, into)
            .map_err(|e| file.damaged(offset, format_args!("this part cannot be unpacked: {e}")))?;
        Ok(())
    }
}
