//! From where a thread entered the recorder to the number of the frame that it came from.
//!
//! ```text
//! last time   main ─ run ─ load ─ parse ─ malloc       each with the place of its return address
//! now         main ─ run ─ load ─ save ─ malloc        from the inside out, until a place has the address that it had then, and so
//!                                                      have all further out: from there on the stack is the same
//! ```

use super::memory::{Known, Memory};
use super::rule::{Cfa, Rule, Saved};
use super::{frames, rules};

/// The most frames of a stack. What is further out is left away, and said by a frame without an address.
const DEEPEST: usize = 128;
/// No code is below this address, and none from this one on.
const CODE: core::ops::Range<usize> = 0x1000..1 << 47;

/// A frame of the last stack.
#[derive(Clone, Copy)]
#[repr(C)]
struct Frame {
    /// Where its return address stands.
    at: usize,
    address: usize,
    number: u32,
}

/// What a thread remembers from one walk to the next. Zeros at first.
#[repr(C)]
pub(super) struct Walk {
    /// How many frames the last stack had.
    len: usize,
    /// From the outermost on.
    last: [Frame; DEEPEST],
    /// Of this walk, from the innermost on: where a return address stands, and which.
    met: [(usize, usize); DEEPEST],
}

/// How a walk ended.
enum End {
    /// At the frame that has no caller.
    Outermost,
    /// At a frame whose caller cannot be told, or that is one too many.
    Unknown,
    /// The last stack's first so many frames are further out.
    Known(usize),
}

/// Where a walk is.
struct Place {
    /// Where the return address stands; of what a signal interrupted, eight bytes below its stack.
    at: usize,
    address: usize,
    rbp: usize,
    /// The address is one to return to, so the call is before it.
    is_return: bool,
}

impl Walk {
    /// Another process, or another recording: no frame has its number yet.
    pub(super) fn forget(&mut self) {
        self.len = 0;
    }

    /// The number of the frame that returns to what stands at `at`. 0: there is none.
    pub(super) fn number(&mut self, known: &Known, at: usize, rbp: usize, time: u64) -> u32 {
        let mut memory = Memory::of(known, at);
        let Some(address) = memory.read(at) else { return 0 };
        let mut last = if memory.is_own { self.len } else { 0 };
        let (end, met, is_plain) = loop {
            let place = Place { at, address, rbp, is_return: true };
            let walked = self.walk(known, &mut memory, place, last, time);
            match walked {
                // Too many together: what is cut off does not depend on what the last stack was.
                (End::Known(kept), met, _) if kept + met > DEEPEST => last = 0,
                _ => break walked,
            }
        };
        let (kept, mut number) = match end {
            End::Known(kept) => (kept, self.last[kept - 1].number),
            End::Outermost => (0, 0),
            End::Unknown => (0, frames::number(0, 0, time).unwrap_or(0)),
        };
        self.len = kept;
        for &(at, address) in self.met[..met].iter().rev() {
            let Some(new) = frames::number(number, address, time) else { break };
            number = new;
            self.last[self.len] = Frame { at, address, number };
            self.len += 1;
        }
        if !is_plain {
            self.len = 0;
        }
        number
    }

    /// Goes from the innermost frame out; `last` frames of the last stack may still be there. How it ended, how many frames
    /// it met, and whether the next walk may build on them: they are of the thread's own stack, and all that there are.
    fn walk(
        &mut self,
        known: &Known,
        memory: &mut Memory,
        mut place: Place,
        mut last: usize,
        time: u64,
    ) -> (End, usize, bool) {
        let mut is_plain = memory.is_own;
        let mut met = 0;
        loop {
            while last > 0 && self.last[last - 1].at < place.at {
                last -= 1;
            }
            if last > 0 && is_plain && self.last[last - 1].is(place.at, place.address) {
                match self.changed(memory, last) {
                    None => return (End::Known(last), met, true),
                    Some(changed) => last = changed,
                }
            }
            if met == DEEPEST {
                // A stack that is less deep has callers that this one does not know.
                return (End::Unknown, met, false);
            }
            self.met[met] = (place.at, place.address);
            met += 1;
            let rule = rules::of(place.address - usize::from(place.is_return), time);
            let next = match rule {
                Rule::Call(cfa, saved) => place.caller(memory, cfa, saved),
                Rule::Untold => place.by_frame_pointer(memory),
                Rule::Signal => {
                    is_plain = false;
                    place.interrupted(known, memory)
                }
                Rule::Outermost => return (End::Outermost, met, is_plain),
                Rule::Unknown => None,
            };
            match next {
                Some(next) if next.address == 0 => return (End::Outermost, met, is_plain),
                Some(next) if CODE.contains(&next.address) => place = next,
                _ => return (End::Unknown, met, is_plain),
            }
        }
    }

    /// The first of the last stack's first so many frames that is not there any more.
    fn changed(&self, memory: &mut Memory, frames: usize) -> Option<usize> {
        let is_there = |frame: &Frame| memory.read(frame.at) == Some(frame.address);
        self.last[..frames].iter().map(is_there).position(|is_there| !is_there)
    }
}

impl Frame {
    #[inline(always)]
    fn is(&self, at: usize, address: usize) -> bool {
        self.at == at && self.address == address
    }
}

impl Place {
    #[inline(always)]
    fn caller(&self, memory: &mut Memory, cfa: Cfa, saved: Saved) -> Option<Self> {
        let sp = self.at + 8;
        let cfa = match cfa {
            Cfa::Stack(far) => sp.wrapping_add_signed(far as isize),
            Cfa::Frame(far) => self.rbp.wrapping_add_signed(far as isize),
            Cfa::Stands(far) => memory.read(self.rbp.wrapping_add_signed(far as isize))?,
        };
        let rbp = match saved {
            Saved::Same => self.rbp,
            Saved::AtCfa(far) => memory.read(cfa.wrapping_add_signed(far.into()))?,
            Saved::AtFrame(far) => memory.read(self.rbp.wrapping_add_signed(far.into()))?,
            Saved::Lost => 0,
        };
        self.returns_to(memory, cfa.checked_sub(8)?, rbp)
    }

    fn by_frame_pointer(&self, memory: &mut Memory) -> Option<Self> {
        let rbp = memory.read(self.rbp)?;
        self.returns_to(memory, self.rbp + 8, rbp)
    }

    /// The caller whose return address stands there: further out.
    #[inline(always)]
    fn returns_to(&self, memory: &mut Memory, at: usize, rbp: usize) -> Option<Self> {
        if at <= self.at {
            return None;
        }
        Some(Self { at, address: memory.read(at)?, rbp, is_return: true })
    }

    /// What a signal interrupted, maybe on another stack: the kernel has put its registers below the frame of the handler.
    fn interrupted(&self, known: &Known, memory: &mut Memory) -> Option<Self> {
        const RBP: usize = 120;
        const RSP: usize = 160;
        const RIP: usize = 168;
        let registers = self.at + 8;
        let rbp = memory.read(registers + RBP)?;
        let sp = memory.read(registers + RSP)?;
        let address = memory.read(registers + RIP)?;
        *memory = Memory::of(known, sp);
        Some(Self { at: sp.checked_sub(8)?, address, rbp, is_return: false })
    }
}
