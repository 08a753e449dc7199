//! The call stacks of a trace with their names.

use std::collections::HashMap;

use symbols::{Names, SitePath};

use crate::blocks::NumberMap;
use crate::error::TraceError;
use crate::estimate::likely;
use crate::frames::Frames;
use crate::step::Frame;
use crate::trace::Trace;

/// The call stacks of a trace.
#[derive(Debug, Default)]
pub struct Stacks {
    pub frames: Frames,
    pub names: Names,
    /// The file of the recorded malloc.
    pub malloc: String,
    /// Mean bytes from one allocation with a stack to the next; 0: all have one.
    pub interval: u64,
}

impl Stacks {
    /// Those of a trace; none where none were recorded.
    /// Errors: they cannot be read.
    pub fn of(trace: &Trace) -> Result<Self, TraceError> {
        let frames = trace.frames()?;
        if frames.is_empty() {
            return Ok(Self::default());
        }
        let names = trace.names(&frames)?;
        let about = trace.about();
        let malloc = about.malloc.path.clone();
        Ok(Self { frames, names, malloc, interval: about.interval() })
    }

    pub fn is_empty(&self) -> bool {
        self.frames.is_empty()
    }

    /// The site of a frame and its callers.
    pub fn path(&self, frame: Frame) -> SitePath {
        SitePath::of(&self.names, self.frames.stack(frame), &self.malloc)
    }

    /// How likely it was that an allocation of this size has a stack.
    pub fn likely(&self, size: u64) -> f64 {
        likely(size, self.interval)
    }
}

/// With more paths only the sites themselves are told apart.
const MOST: usize = 1 << 16;

/// The paths that frames are called by, each with a number: 0, 1, 2, … in the order in which they come.
#[derive(Debug, Default)]
pub struct Paths {
    of_frame: NumberMap<Frame, usize>,
    numbers: HashMap<SitePath, usize>,
    /// By their numbers.
    pub all: Vec<SitePath>,
}

impl Paths {
    /// The number of a frame's path; of a new one it is the last. The stack is looked up once.
    pub fn number(&mut self, stacks: &Stacks, frame: Frame) -> usize {
        *self.of_frame.entry(frame).or_insert_with(|| {
            let path = stacks.path(frame);
            let path = if self.all.len() < MOST { path } else { path.cut(1) };
            *self.numbers.entry(path).or_insert_with(|| {
                self.all.push(path);
                self.all.len() - 1
            })
        })
    }

    /// The frames that were asked for, with the numbers of their paths.
    pub fn frames(&self) -> impl Iterator<Item = (Frame, usize)> {
        self.of_frame.iter().map(|(&frame, &number)| (frame, number))
    }
}
