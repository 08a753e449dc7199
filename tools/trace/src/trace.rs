//! A packed trace that is open: what is known of it, and its steps in the order of time.

use std::path::{Path, PathBuf};

use trace_format::varint;

use crate::about::{About, Missing};
use crate::error::TraceError;
use crate::frames::Frames;
use crate::names::{self, Names};
use crate::open;
use crate::packed::section::{Section, SectionFile, Unpacker};
use crate::packed::summary::{SUMMARY, Segment};
use crate::packed::{
    ABOUT, END, FIRST, FRAMES, INDEX, LONGEST_PART, MAGIC, NAMES, SEGMENT, SMALLEST_SEGMENT, STEPS,
    VERSION, columns,
};
use crate::step::Frame;
use crate::steps::Steps;

/// A packed trace. Its steps are read when they are asked for, a segment at a time.
#[derive(Debug)]
pub struct Trace {
    file: SectionFile,
    about: About,
    segments: Vec<Segment>,
    frames: Vec<Section>,
    names: Vec<Section>,
    others: Vec<PathBuf>,
}

impl Trace {
    /// Opens a packed trace; a recording that was not packed, which is packed beside it first; or a folder's largest process.
    /// Errors: it is none, or of a newer version, or not even its begin can be read.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, TraceError> {
        let found = open::find(path.as_ref())?;
        let mut trace = Self::open_packed(&found.packed)?;
        trace.others = found.others;
        Ok(trace)
    }

    pub(crate) fn open_packed(path: &Path) -> Result<Self, TraceError> {
        let file = SectionFile::open(path)?;
        let mut head = Vec::new();
        let foreign = || TraceError::Foreign { path: path.to_owned() };
        file.bytes(0, 16, &mut head).map_err(|_| foreign())?;
        let version = head.strip_prefix(&MAGIC).and_then(<[u8]>::first_chunk);
        let version = u32::from_le_bytes(*version.ok_or_else(foreign)?);
        if version > VERSION {
            let path = path.to_owned();
            return Err(TraceError::Newer { path, found: version, known: VERSION });
        }
        let mut trace = Self {
            file,
            about: About::default(),
            segments: Vec::new(),
            frames: Vec::new(),
            names: Vec::new(),
            others: Vec::new(),
        };
        if trace.read_tail().is_err() {
            trace.read_all()?;
        }
        Ok(trace)
    }

    /// From the end, where all is written down.
    fn read_tail(&mut self) -> Result<(), TraceError> {
        let mut end = Vec::new();
        let ends = self.file.len().saturating_sub(16);
        self.file.bytes(ends, 16, &mut end)?;
        let tail = end.strip_suffix(&END).and_then(|tail| tail.try_into().ok());
        let tail = tail.map(u64::from_le_bytes).filter(|&tail| tail >= FIRST);
        let mut at = tail.ok_or_else(|| self.file.damaged(ends, "the end is missing"))?;
        let mut unpacker = Unpacker::new(&self.file)?;
        let mut about = None;
        while at < ends {
            let section = self.file.section(at)?;
            self.take(&section, &mut unpacker, &mut about)?;
            at = section.end;
        }
        self.about = about.ok_or_else(|| self.file.damaged(ends, "what it is about is missing"))?;
        Ok(())
    }

    /// From the begin, section by section, as far as they go.
    fn read_all(&mut self) -> Result<(), TraceError> {
        self.segments.clear();
        self.frames.clear();
        self.names.clear();
        let mut unpacker = Unpacker::new(&self.file)?;
        let mut about = None;
        let mut at = FIRST;
        let mut missing = Missing::default();
        while at < self.file.len() {
            let section = match self.file.section(at) {
                Ok(section) => section,
                Err(error) => {
                    missing.damage(at, what(error));
                    break;
                }
            };
            if section.name != INDEX
                && let Err(error) = self.take(&section, &mut unpacker, &mut about)
            {
                missing.damage(at, what(error));
            }
            at = section.end;
        }
        let Some(known) = about else {
            return Err(self.file.damaged(FIRST, "what it is about is missing"));
        };
        self.about = known;
        self.about.missing.damaged += missing.damaged;
        self.about.missing.damages.extend(missing.damages);
        if let Some(last) = self.segments.last() {
            self.about.duration = last.end;
            self.about.events = last.first_step + last.steps;
            let threads = usize::try_from(last.threads.min(1 << 20)).unwrap_or_default();
            self.about.threads.resize_with(threads, Default::default);
        }
        Ok(())
    }

    fn take(
        &mut self,
        section: &Section,
        unpacker: &mut Unpacker,
        about: &mut Option<About>,
    ) -> Result<(), TraceError> {
        let mut bytes = Vec::new();
        match section.name {
            ABOUT => {
                unpacker.part(&self.file, section, 0, LONGEST_PART, &mut bytes)?;
                let read = serde_json::from_slice(&bytes);
                *about = Some(read.map_err(|e| self.file.damaged(section.begin, e))?);
            }
            SEGMENT => {
                unpacker.part(&self.file, section, 0, LONGEST_PART, &mut bytes)?;
                self.segment(section.begin, &bytes)?;
                if let Some(segment) = self.segments.last_mut() {
                    segment.offset = section.begin;
                }
            }
            INDEX => {
                unpacker.part(&self.file, section, 0, LONGEST_PART, &mut bytes)?;
                bytes.chunks(SUMMARY).try_for_each(|bytes| self.segment(section.begin, bytes))?;
            }
            FRAMES => self.frames.push(section.clone()),
            NAMES => self.names.push(section.clone()),
            // Written by a later heapwright that still has this version.
            _ => {}
        }
        Ok(())
    }

    fn segment(&mut self, at: u64, bytes: &[u8]) -> Result<(), TraceError> {
        let next = self.segments.last().map_or(0, |last| last.first_step + last.steps);
        let before = |segment: &Segment| segment.offset / SMALLEST_SEGMENT * STEPS as u64;
        let segment = Segment::from_bytes(bytes)
            .filter(|segment| (next..=before(segment)).contains(&segment.first_step))
            .filter(|segment| (1..=STEPS as u64).contains(&segment.steps))
            .filter(|segment| segment.first_block <= segment.first_step);
        let most = self.file.len() / SMALLEST_SEGMENT;
        let segment = segment.filter(|_| (self.segments.len() as u64) < most);
        let segment = segment.ok_or_else(|| self.file.damaged(at, "this summary is wrong"))?;
        self.segments.push(segment);
        Ok(())
    }

    pub fn about(&self) -> &About {
        &self.about
    }

    pub fn path(&self) -> &Path {
        self.file.path()
    }

    pub fn bytes(&self) -> u64 {
        self.file.len()
    }

    /// The other processes of the folder that was opened, largest first.
    pub fn others(&self) -> &[PathBuf] {
        &self.others
    }

    /// The trace's parts and what is known of each.
    pub fn segments(&self) -> &[Segment] {
        &self.segments
    }

    /// The most bytes that were live, and the first step behind which they were.
    pub fn peak(&self) -> (u64, u64) {
        let rising = self.segments.iter().rev();
        let highest = rising.max_by_key(|segment| segment.peak_bytes);
        highest.map_or((0, 0), |segment| (segment.peak_bytes, segment.peak_step))
    }

    /// All steps, in the order of time. A segment that cannot be read is one error, and the next segment's steps follow.
    pub fn steps(&self) -> Steps<'_> {
        self.steps_from(0)
    }

    /// The steps of a segment and of those behind it.
    pub fn steps_from(&self, segment: usize) -> Steps<'_> {
        let segments = self.segments.get(segment..).unwrap_or_default();
        Steps::new(&self.file, segments, self.about.threads.len() as u64)
    }

    /// How many bytes of the file each column of the steps takes, and their names.
    /// Errors: a segment cannot be read.
    pub fn columns(&self) -> Result<Vec<(&'static str, u64)>, TraceError> {
        let mut columns: Vec<_> = columns::NAMES.iter().map(|&(name, _)| (name, 0)).collect();
        for segment in &self.segments {
            let section = self.file.section(segment.offset)?;
            for (at, &(_, parts)) in columns::NAMES.iter().enumerate() {
                columns[at].1 += section.len(parts);
            }
        }
        Ok(columns)
    }

    /// The call stacks.
    /// Errors: they cannot be read.
    pub fn frames(&self) -> Result<Frames, TraceError> {
        let mut frames = Frames::default();
        let mut unpacker = Unpacker::new(&self.file)?;
        let mut bytes = Vec::new();
        for section in &self.frames {
            unpacker.part(&self.file, section, 0, LONGEST_PART, &mut bytes)?;
            let mut rest = &bytes[..];
            while !rest.is_empty() {
                let frame = frame(&mut rest).and_then(|(caller, ip)| frames.push(caller, ip));
                frame.ok_or_else(|| self.file.damaged(section.begin, "no frame is here"))?;
            }
        }
        Ok(frames)
    }

    /// Names for the frames' return addresses: those that are in the trace, and for the others those of the program's files, as far
    /// as they are still the recorded ones.
    /// Errors: those in the trace cannot be read.
    pub fn names(&self, frames: &Frames) -> Result<Names, TraceError> {
        let mut names = Names::default();
        let mut unpacker = Unpacker::new(&self.file)?;
        let mut bytes = Vec::new();
        for section in &self.names {
            unpacker.part(&self.file, section, 0, LONGEST_PART, &mut bytes)?;
            let read = names::read(&bytes, &mut names);
            read.ok_or_else(|| self.file.damaged(section.begin, "no names are here"))?;
        }
        names::add(&self.about, frames.list.iter().map(|&(_, ip)| ip), &mut names);
        Ok(names)
    }
}

fn frame(bytes: &mut &[u8]) -> Option<(Frame, u64)> {
    let (caller, len) = varint::read(bytes)?;
    let (ip, more) = varint::read(&bytes[len..])?;
    *bytes = &bytes[len + more..];
    Some((Frame::try_from(caller).ok()?, ip))
}

/// What is wrong, where the file and the place are said already.
fn what(error: TraceError) -> String {
    match error {
        TraceError::Damaged { what, .. } => what,
        other => other.to_string(),
    }
}
