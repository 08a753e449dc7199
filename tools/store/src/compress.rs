//! Compressors for a store: lz4, which is fast, and zstd, which makes pages shorter.

use handle::store::{Compressor, Page};
use lz4_flex::block;
use std::fmt;

/// LZ4's block format, without a length in front.
#[derive(Debug)]
pub struct Lz4 {
    /// The encoder wants room for the worst case.
    room: Vec<u8>,
}

impl Lz4 {
    /// A compressor with room of its own.
    #[must_use]
    pub fn new() -> Self {
        Self { room: vec![0; block::get_maximum_output_size(size_of::<Page>())] }
    }
}

impl Default for Lz4 {
    fn default() -> Self {
        Self::new()
    }
}

impl Compressor for Lz4 {
    fn compress(&mut self, page: &Page, out: &mut [u8]) -> Option<usize> {
        let len = block::compress_into(page, &mut self.room).ok()?;
        out.get_mut(..len)?.copy_from_slice(&self.room[..len]);
        Some(len)
    }

    fn decompress(&mut self, bytes: &[u8], page: &mut Page) -> Option<()> {
        let len = block::decompress_into(bytes, page).ok()?;
        (len == page.len()).then_some(())
    }
}

/// Zstandard, one frame for each page.
pub struct Zstd {
    shorter: zstd::bulk::Compressor<'static>,
    longer: zstd::bulk::Decompressor<'static>,
}

impl Zstd {
    /// Of a level, 1 to 22: the higher the slower.
    ///
    /// # Errors
    ///
    /// There is no memory, or no such level.
    pub fn new(level: i32) -> std::io::Result<Self> {
        let mut shorter = zstd::bulk::Compressor::new(level)?;
        // The length is a page's.
        shorter.include_contentsize(false)?;
        shorter.include_checksum(false)?;
        Ok(Self { shorter, longer: zstd::bulk::Decompressor::new()? })
    }
}

impl fmt::Debug for Zstd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Zstd")
    }
}

impl Compressor for Zstd {
    fn compress(&mut self, page: &Page, out: &mut [u8]) -> Option<usize> {
        self.shorter.compress_to_buffer(page, out).ok()
    }

    fn decompress(&mut self, bytes: &[u8], page: &mut Page) -> Option<()> {
        let len = self.longer.decompress_to_buffer(bytes, &mut page[..]).ok()?;
        (len == page.len()).then_some(())
    }
}

/// One of the two.
#[derive(Debug)]
pub enum Either {
    /// The fast one.
    Lz4(Lz4),
    /// The thorough one.
    Zstd(Zstd),
}

impl Compressor for Either {
    #[inline]
    fn compress(&mut self, page: &Page, out: &mut [u8]) -> Option<usize> {
        match self {
            Either::Lz4(lz4) => lz4.compress(page, out),
            Either::Zstd(zstd) => zstd.compress(page, out),
        }
    }

    #[inline]
    fn decompress(&mut self, bytes: &[u8], page: &mut Page) -> Option<()> {
        match self {
            Either::Lz4(lz4) => lz4.decompress(bytes, page),
            Either::Zstd(zstd) => zstd.decompress(bytes, page),
        }
    }
}

#[cfg(test)]
mod tests;
