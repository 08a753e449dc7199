//! The lines of a file, plain or compressed, and where each begins.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read as _};
use std::path::Path;

use flate2::bufread::MultiGzDecoder;

/// A longer line is no line of a recording.
const LONGEST: u64 = 1 << 20;

/// What a compressed file begins with.
const ZSTD: [u8; 4] = [0x28, 0xB5, 0x2F, 0xFD];
const GZIP: [u8; 2] = [0x1F, 0x8B];

pub(super) struct Lines {
    input: Box<dyn BufRead>,
    line: Vec<u8>,
    next: u64,
    pub(super) is_packed: bool,
}

impl Lines {
    pub(super) fn open(path: &Path) -> io::Result<Self> {
        let mut file = BufReader::with_capacity(1 << 18, File::open(path)?);
        let head = file.fill_buf()?;
        let is_packed = head.starts_with(&ZSTD) || head.starts_with(&GZIP);
        let input: Box<dyn BufRead> = if head.starts_with(&ZSTD) {
            let decoder = zstd::stream::read::Decoder::with_buffer(file)?;
            Box::new(BufReader::with_capacity(1 << 18, decoder))
        } else if head.starts_with(&GZIP) {
            Box::new(BufReader::with_capacity(1 << 18, MultiGzDecoder::new(file)))
        } else {
            Box::new(file)
        };
        Ok(Self { input, line: Vec::new(), next: 0, is_packed })
    }

    /// The next line without its end, and at which byte of the unpacked text it begins. `None`: that was the last one.
    /// Errors: the file, or what it was compressed from, cannot be read on.
    pub(super) fn next(&mut self) -> io::Result<Option<(u64, &[u8])>> {
        self.line.clear();
        let begin = self.next;
        let read = (&mut self.input).take(LONGEST).read_until(b'\n', &mut self.line)?;
        self.next += read as u64;
        if read == 0 {
            return Ok(None);
        }
        if self.line.last() == Some(&b'\n') {
            self.line.pop();
        }
        Ok(Some((begin, &self.line)))
    }
}
