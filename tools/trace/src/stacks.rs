//! The call stacks of a trace with their names.

use symbols::{Names, SitePath};

use crate::error::TraceError;
use crate::estimate::likely;
use crate::frames::Frames;
use crate::step::Frame;
use crate::trace::Trace;

/// The call stacks of a trace.
#[derive(Debug, Default)]
pub struct Stacks {
    /// The frames.
    pub frames: Frames,
    /// What their addresses are called.
    pub names: Names,
    /// The file of the recorded malloc.
    pub malloc: String,
    /// Mean bytes from one allocation with a stack to the next; 0: all have one.
    pub interval: u64,
}

impl Stacks {
    /// Those of a trace; none where none were recorded.
    ///
    /// # Errors
    /// They cannot be read.
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

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.frames.is_empty()
    }

    /// The site of a frame and its callers.
    #[must_use]
    pub fn path(&self, frame: Frame) -> SitePath {
        SitePath::of(&self.names, self.frames.stack(frame), &self.malloc)
    }

    /// How likely it was that an allocation of this size has a stack.
    #[must_use]
    pub fn likely(&self, size: u64) -> f64 {
        likely(size, self.interval)
    }
}
