//! From where a thread entered the recorder to the number of the frame that it came from.
//!
//! ```text
//! met before  main ─ run ─ load ─┬─ parse ─ malloc     each with the place of its return address
//! now         main ─ run ─ load ─└─ save ─ malloc      from the inside out, until a frame was met at this place, and so were all
//!                                                      further out that are there still: from there on the stack is known   [met]
//! ```

use super::memory::{Known, Memory};
use super::met::{self, DEEPEST, Met};
use super::rule::{Cfa, Rule, Saved};
use super::{frames, rules};

/// No code is below this address, and none from this one on.
const CODE: core::ops::Range<usize> = 0x1000..1 << 47;

/// What a thread remembers from one walk to the next. Zeros at first.
#[repr(C)]
pub(super) struct Walk {
    met: Met,
    /// The frames of this walk, from the innermost on.
    new: [New; DEEPEST],
}

/// A frame that was not met before, and what it has in rbp, if its caller is found by that; else 0.
#[derive(Clone, Copy)]
#[repr(C)]
struct New {
    place: met::Place,
    rbp: usize,
}

/// How a walk ended.
enum End {
    /// At the frame that has no caller.
    Outermost,
    /// At a frame whose caller cannot be told, or that is one too many.
    Unknown,
    /// At one that was met before.
    Known(usize),
}

/// Where a walk is.
#[derive(Clone, Copy)]
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
        self.met.forget();
    }

    /// The number of the frame that returns to what stands at `at`. 0: there is none. It is one that was met before, if so many callers
    /// are the same.
    #[inline(always)]
    pub(super) fn number(
        &mut self,
        session: u32,
        known: &Known,
        (at, rbp): (usize, usize),
        callers: usize,
    ) -> u32 {
        let mut memory = Memory::of(known, at);
        let Some(address) = memory.read(at) else { return 0 };
        if memory.is_own
            && let Some(node) = self.met.find(at, address, rbp, callers)
        {
            return self.met.number(node);
        }
        self.walked(session, known, memory, Place { at, address, rbp, is_return: true })
    }

    /// The same of a stack that was not met before.
    #[inline(never)]
    fn walked(&mut self, session: u32, known: &Known, memory: Memory, place: Place) -> u32 {
        let mut joins = memory.is_own;
        let (end, new, is_plain) = loop {
            let walked = self.walk(known, memory, place, joins);
            match walked {
                // Too many together: what is cut off does not depend on what was met before.
                (End::Known(node), new, _) if self.met.depth(node) + new > DEEPEST => joins = false,
                _ => break walked,
            }
        };
        let (mut outer, mut number) = match end {
            End::Known(node) => (node, self.met.number(node)),
            End::Outermost => (0, 0),
            End::Unknown => (0, frames::number(session, 0, 0).unwrap_or(0)),
        };
        let is_remembered = is_plain && self.met.has_room(new);
        for at in (0..new).rev() {
            let New { place, rbp } = self.new[at];
            let Some(next) = frames::number(session, number, place.address) else { break };
            number = next;
            if is_remembered {
                outer = self.met.add(outer, place, rbp, number);
            }
        }
        number
    }

    /// Goes from the innermost frame out, and `joins` a stack that was met before. How it ended, how many frames it met, and whether
    /// the next walk may build on them: they are of the thread's own stack, and all that there are.
    fn walk(
        &mut self,
        known: &Known,
        mut memory: Memory,
        mut place: Place,
        joins: bool,
    ) -> (End, usize, bool) {
        let mut is_plain = memory.is_own;
        let mut new = 0;
        loop {
            if joins
                && is_plain
                && let Some(node) = self.met.find(place.at, place.address, place.rbp, usize::MAX)
            {
                return (End::Known(node), new, true);
            }
            if new == DEEPEST {
                // A stack that is less deep has callers that this one does not know.
                return (End::Unknown, new, false);
            }
            let rule = rules::of(place.address - usize::from(place.is_return));
            let rbp = if rule.takes_frame_pointer() { place.rbp } else { 0 };
            let Place { at, address, .. } = place;
            self.new[new] = New { place: met::Place { at, address }, rbp };
            new += 1;
            let next = match rule {
                Rule::Call(cfa, saved) => place.caller(&mut memory, cfa, saved),
                Rule::Untold => place.by_frame_pointer(&mut memory),
                Rule::Signal => {
                    is_plain = false;
                    place.interrupted(known, &mut memory)
                }
                Rule::Outermost => return (End::Outermost, new, is_plain),
                Rule::Unknown => None,
            };
            match next {
                Some(next) if next.address == 0 => return (End::Outermost, new, is_plain),
                Some(next) if CODE.contains(&next.address) => place = next,
                _ => return (End::Unknown, new, is_plain),
            }
        }
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
