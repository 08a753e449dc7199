//! From steps to a packed file, whichever source they have: a recording, another tool's file, a test.

use std::fs::{self, File};
use std::io::{self, BufWriter};
use std::path::{Path, PathBuf};

use symbols::Symbol;

use crate::about::{About, ThreadAbout};
use crate::error::TraceError;
use crate::frames::Frames;
use crate::live::Live;
use crate::names;
use crate::packed::columns::Builder;
use crate::packed::section::SectionWriter;
use crate::packed::summary::{Memory, Segment};
use crate::packed::{ABOUT, END, FRAMES, INDEX, LIST, MAGIC, NAMES, VERSION, numbers};
use crate::part::Part;
use crate::step::{Block, Frame, Op, Step, Thread};

/// Writes a packed trace. It is there under its name once it is [finished](Self::finish), and not before.
#[derive(Debug)]
pub struct Packer {
    out: SectionWriter<BufWriter<File>>,
    part: Part,
    path: PathBuf,
    about: About,
    frames: Frames,
    names: names::Packing,
    builder: Builder,
    segments: Vec<Segment>,
    /// The one that is being filled, with what was true at its last step.
    segment: Segment,
    next_block: Block,
    /// Live blocks by number, for those who [push](Self::push).
    sizes: Live<[u64; 1], 1>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Packed {
    pub path: PathBuf,
    pub bytes: u64,
    pub about: About,
}

impl Packer {
    /// Begins a packed trace. Of `about`, what follows from the steps is filled in: duration, threads, events and blocks.
    /// With `about.addresses` the steps' addresses are kept.
    /// Errors: the file cannot be written.
    pub fn create(path: impl AsRef<Path>, about: &About) -> Result<Self, TraceError> {
        let path = path.as_ref();
        // The file takes its place by being renamed: /dev/null would be a file from then on.
        if fs::metadata(path).is_ok_and(|there| !there.is_file()) {
            let source = io::Error::new(io::ErrorKind::InvalidInput, "this is no regular file");
            return Err(TraceError::Io { path: path.to_owned(), source });
        }
        let part = Part::of(path).map_err(TraceError::io(path))?;
        let file = part.file.try_clone().map_err(TraceError::io(path))?;
        let out = SectionWriter::new(BufWriter::with_capacity(1 << 20, file));
        let mut packer = Self {
            out: out.map_err(TraceError::io(path))?,
            part,
            path: path.to_owned(),
            about: about.clone(),
            frames: Frames::default(),
            names: names::Packing::default(),
            builder: Builder::new(about.addresses),
            segments: Vec::new(),
            segment: Segment::default(),
            next_block: 0,
            sizes: Live::default(),
        };
        packer.about.threads.clear();
        let mut head = MAGIC.to_vec();
        head.extend(VERSION.to_le_bytes());
        head.extend([0; 4]);
        packer.out.raw(&head).map_err(TraceError::io(path))?;
        packer.write_about()?;
        Ok(packer)
    }

    /// What will be said of the trace, for what is only known later.
    pub fn about_mut(&mut self) -> &mut About {
        &mut self.about
    }

    /// A frame that `caller` called; steps may have it from now on.
    /// Errors: there are more than 2^24 of them.
    pub fn frame(&mut self, caller: Frame, ip: u64) -> Result<Frame, TraceError> {
        let step = self.segment.first_step + self.segment.steps;
        let frame = self.frames.push(caller, ip);
        frame.ok_or_else(|| TraceError::Step { step, what: "too many frames".into() })
    }

    /// What another tool knows of an address, the innermost function first.
    pub fn name<'a>(
        &mut self,
        ip: u64,
        module: &str,
        symbols: impl IntoIterator<Item = Symbol<'a>>,
    ) {
        self.names.add(ip, module, symbols);
    }

    pub(crate) fn set_frames(&mut self, frames: Frames) {
        self.frames = frames;
    }

    /// The number of the next block, and that of the next step.
    pub fn next(&self) -> (Block, u64) {
        (self.next_block, self.segment.first_step + self.segment.steps)
    }

    /// Adds a step. Blocks and threads are numbered in the order in which they appear; a time before that of the last step
    /// becomes that of the last step.
    /// Errors: a block or thread that cannot come now, or the file cannot be written.
    pub fn push(&mut self, step: &Step) -> Result<(), TraceError> {
        let gone = match step.op.gone().map(|block| (block, self.sizes.remove(block))) {
            None => 0,
            Some((_, Some([size]))) => size,
            Some((block, None)) => return Err(self.refuse(format!("block {block} is not live"))),
        };
        self.add(step, gone)?;
        if let Some(new) = step.op.made() {
            self.sizes.insert(new.block, [new.size]);
        }
        Ok(())
    }

    /// Adds a step that ends the life of `gone` bytes.
    pub(crate) fn add(&mut self, step: &Step, gone: u64) -> Result<(), TraceError> {
        let threads = self.about.threads.len();
        if step.thread as usize > threads {
            return Err(self.refuse(format!("thread {} comes before {threads}", step.thread)));
        }
        let time = step.time.max(self.segment.end);
        if self.builder.len() == 0 {
            self.begin_segment(time);
        }
        let segment = &mut self.segment;
        match step.op {
            Op::Allocate { block, size, .. } | Op::Reallocate { block, size, .. } => {
                if block != self.next_block {
                    let next = self.next_block;
                    return Err(self.refuse(format!("block {block} comes instead of {next}")));
                }
                self.next_block += 1;
                segment.live_blocks += u64::from(matches!(step.op, Op::Allocate { .. }));
                segment.live_bytes = segment.live_bytes.saturating_sub(gone).saturating_add(size);
            }
            Op::Free { .. } => {
                segment.live_blocks = segment.live_blocks.saturating_sub(1);
                segment.live_bytes = segment.live_bytes.saturating_sub(gone);
            }
            Op::Memory { anon, file, shmem } => {
                segment.memory = Some(Memory { anon, file, shmem });
            }
            _ => {}
        }
        if segment.live_bytes > segment.peak_bytes || segment.steps == 0 {
            segment.peak_bytes = segment.live_bytes;
            segment.peak_step = segment.first_step + segment.steps;
        }
        segment.end = time;
        segment.steps += 1;
        self.of_thread(step.thread, time, &step.op);
        if time == step.time {
            self.builder.add(step);
        } else {
            self.builder.add(&Step { time, ..step.clone() });
        }
        if self.builder.is_full() { self.end_segment() } else { Ok(()) }
    }

    fn refuse(&self, what: String) -> TraceError {
        TraceError::Step { step: self.next().1, what }
    }

    fn of_thread(&mut self, thread: Thread, time: u64, op: &Op) {
        let thread = thread as usize;
        if thread == self.about.threads.len() {
            self.about.threads.push(ThreadAbout { first: time, ..ThreadAbout::default() });
        }
        let about = &mut self.about.threads[thread];
        about.last = time;
        about.steps += 1;
        match op {
            Op::ThreadName(name) => about.name.clone_from(name),
            Op::ThreadEnd => about.ended = true,
            _ => {}
        }
    }

    fn begin_segment(&mut self, begin: u64) {
        let segment = &mut self.segment;
        segment.first_step += core::mem::take(&mut segment.steps);
        segment.first_block = self.next_block;
        segment.begin = begin;
    }

    fn end_segment(&mut self) -> Result<(), TraceError> {
        self.segment.threads = self.about.threads.len() as u64;
        self.builder
            .write(&mut self.segment, self.next_block, &mut self.out)
            .map_err(TraceError::io(&self.path))?;
        self.segments.push(self.segment.clone());
        Ok(())
    }

    fn write_about(&mut self) -> Result<(), TraceError> {
        let about = serde_json::to_vec(&self.about).unwrap_or_default();
        self.section(ABOUT, &about)
    }

    fn section(&mut self, name: [u8; 4], part: &[u8]) -> Result<(), TraceError> {
        self.out.section(name, &[part]).map(drop).map_err(TraceError::io(&self.path))
    }

    /// Ends the trace, which is under its name from now on.
    /// Errors: the file cannot be written.
    pub fn finish(mut self) -> Result<Packed, TraceError> {
        if self.builder.len() > 0 {
            self.end_segment()?;
        }
        let tail = self.out.at();
        let frames = core::mem::take(&mut self.frames).list;
        for frames in frames.chunks(LIST) {
            let mut bytes = Vec::new();
            for &(caller, ip) in frames {
                numbers::put(&mut bytes, u64::from(caller));
                numbers::put(&mut bytes, ip);
            }
            self.section(FRAMES, &bytes)?;
        }
        for names in core::mem::take(&mut self.names).parts() {
            self.section(NAMES, &names)?;
        }
        let segments = core::mem::take(&mut self.segments);
        for segments in segments.chunks(LIST) {
            let bytes: Vec<u8> = segments.iter().flat_map(Segment::to_bytes).collect();
            self.section(INDEX, &bytes)?;
        }
        self.about.duration = self.segment.end;
        self.about.events = self.next().1;
        self.about.blocks = self.next_block;
        self.write_about()?;
        let mut end = tail.to_le_bytes().to_vec();
        end.extend(END);
        let Self { mut out, part, path, about, .. } = self;
        out.raw(&end).map_err(TraceError::io(&path))?;
        let bytes = out.at();
        let out = out.into_inner().map_err(TraceError::io(&path))?;
        out.into_inner().map_err(|e| TraceError::io(&path)(e.into_error()))?;
        part.finish().map_err(TraceError::io(&path))?;
        Ok(Packed { path, bytes, about })
    }
}
