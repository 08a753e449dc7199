//! Compressors for a store: lz4, which is fast, and zstd, which makes pages shorter.

use heapwright_handle::store::{Compressor, Page};
use lz4_flex::block;

/// LZ4's block format, without a length in front.
pub(crate) struct Lz4 {
    /// The encoder wants room for the worst case.
    room: Vec<u8>,
}

impl Lz4 {
    pub(crate) fn new() -> Self {
        Self { room: vec![0; block::get_maximum_output_size(size_of::<Page>())] }
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

/// Zstandard of level 1, one frame for each page.
pub(crate) struct Zstd {
    shorter: zstd::bulk::Compressor<'static>,
    longer: zstd::bulk::Decompressor<'static>,
}

impl Zstd {
    pub(crate) fn new() -> std::io::Result<Self> {
        let mut shorter = zstd::bulk::Compressor::new(1)?;
        // The length is a page's.
        shorter.include_contentsize(false)?;
        shorter.include_checksum(false)?;
        Ok(Self { shorter, longer: zstd::bulk::Decompressor::new()? })
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
