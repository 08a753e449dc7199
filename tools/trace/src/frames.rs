//! The call stacks of a trace: a tree of frames, each of which knows its caller.
//!
//! ```text
//! 3 ─► 2 ─► 1 ─► 0        stack(3) is the return addresses of 3, 2 and 1
//! ```

use crate::step::Frame;

/// No program has so many; they take 256 MiB.
const MOST: Frame = 16 << 20;

/// The frames of a trace. [`Frame`] 0 is none.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Frames {
    /// The caller and the return address of frame 1, 2, …
    pub(crate) list: Vec<(Frame, u64)>,
}

impl Frames {
    /// How many frames there are: the largest has this number.
    pub fn len(&self) -> Frame {
        Frame::try_from(self.list.len()).unwrap_or(Frame::MAX)
    }

    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// The caller and the return address of a frame.
    pub fn get(&self, frame: Frame) -> Option<(Frame, u64)> {
        self.list.get((frame as usize).checked_sub(1)?).copied()
    }

    /// The return addresses of a frame, its caller's, and so on. A damaged tree may have a ring in it: a stack ends at 1,024.
    pub fn stack(&self, frame: Frame) -> impl Iterator<Item = u64> + '_ {
        let mut frame = frame;
        core::iter::from_fn(move || {
            let (caller, ip) = self.get(frame)?;
            frame = caller;
            Some(ip)
        })
        .take(1024)
    }

    /// A new frame; `None` if there are too many.
    pub(crate) fn push(&mut self, caller: Frame, ip: u64) -> Option<Frame> {
        let frame = Frame::try_from(self.list.len() + 1).ok().filter(|&frame| frame <= MOST)?;
        self.list.push((caller, ip));
        Some(frame)
    }
}
