//! The steps of a trace, one after another, with one segment in memory.

use crate::error::TraceError;
use crate::packed::columns::Decoder;
use crate::packed::section::SectionFile;
use crate::packed::summary::Segment;
use crate::step::Step;

/// The steps of a trace in the order of time.
#[derive(Debug)]
pub struct Steps<'a> {
    file: &'a SectionFile,
    /// Those that were not begun.
    segments: &'a [Segment],
    /// Where the one that is read begins.
    offset: u64,
    decoder: Option<Box<Decoder>>,
    /// How many threads the trace has: no step has another.
    threads: u64,
}

impl<'a> Steps<'a> {
    pub(crate) fn new(file: &'a SectionFile, segments: &'a [Segment], threads: u64) -> Self {
        Self { file, segments, offset: 0, decoder: None, threads }
    }

    /// Goes on to the next segment; `None` at the end.
    #[cold]
    fn load(&mut self) -> Option<Result<(), TraceError>> {
        let (segment, rest) = self.segments.split_first()?;
        self.segments = rest;
        self.offset = segment.offset;
        let decoder = match &mut self.decoder {
            Some(decoder) => decoder,
            None => match Decoder::new(self.file) {
                Ok(decoder) => self.decoder.insert(Box::new(decoder)),
                Err(error) => return Some(Err(error)),
            },
        };
        Some(decoder.load(self.file, segment, self.threads))
    }
}

impl Iterator for Steps<'_> {
    type Item = Result<Step, TraceError>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        loop {
            match self.decoder.as_mut().and_then(|decoder| decoder.next()) {
                Some(Ok(step)) => return Some(Ok(step)),
                Some(Err(())) => {
                    let what = "the steps of this segment end too early";
                    return Some(Err(self.file.damaged(self.offset, what)));
                }
                None => match self.load()? {
                    Ok(()) => {}
                    Err(error) => return Some(Err(error)),
                },
            }
        }
    }
}
