//! The compiler's tables for unwinding, `.eh_frame`: which rule an instruction has.
//!
//! ```text
//! .eh_frame_hdr   [ … │ (function, its entry) (function, its entry) … ]      sorted: a binary search
//! .eh_frame       entry ─► what its kind begins with, and the instructions: `from here on CFA = rsp + 16, rbp is at CFA - 16`
//! ```
//!
//! The instructions are run up to the one that is asked for. Only rsp, rbp and the return address are followed.

use super::bytes::Bytes;
use super::object::Object;
use super::rule::{Cfa, Rule, Saved};

/// The numbers of registers in the tables.
const RBP: u64 = 6;
const RSP: u64 = 7;
const RETURN: u64 = 16;

/// Operations of expressions.
const RBP_AND: u8 = 0x70 + 6;
const DEREF: u8 = 0x06;

/// How deep rows are put aside at most.
const ASIDE: usize = 8;

/// The row of the table that an instruction is in.
#[derive(Clone, Copy)]
struct Row {
    /// What the CFA is told from, if it is a register; and how far above.
    base: Option<u64>,
    far: i64,
    /// The CFA, where it is told by an expression.
    told: Option<Cfa>,
    saved: Saved,
    /// Where the return address is, above the CFA; `None`: there is none.
    back: Option<i64>,
    is_known: bool,
}

impl Row {
    const FIRST: Self =
        Self { base: None, far: 0, told: None, saved: Saved::Same, back: Some(-8), is_known: true };

    fn rule(&self) -> Rule {
        let cfa = self.told.or_else(|| {
            let far = i32::try_from(self.far).ok()?;
            match self.base? {
                RSP => Some(Cfa::Stack(far)),
                RBP => Some(Cfa::Frame(far)),
                _ => None,
            }
        });
        match (self.back, cfa) {
            (None, _) => Rule::Outermost,
            (Some(-8), Some(cfa)) if self.is_known => Rule::Call(cfa, self.saved),
            _ => Rule::Unknown,
        }
    }
}

/// What the entries of one kind begin with.
struct Kind {
    step: u64,
    factor: i64,
    way: u8,
    has_more: bool,
    is_signal: bool,
    first: Bytes,
}

/// The rule of the instruction at an address. `None`: the tables do not tell of it.
pub(super) fn rule(object: &Object, address: usize) -> Option<Rule> {
    let mut entry = entry(object, address)?;
    let mut entry = part(&mut entry)?;
    let at = entry.address();
    let kind = entry.word()? as usize;
    let mut kind = Bytes::new(object.bytes(at.checked_sub(kind)?)?);
    let kind = read_kind(part(&mut kind)?)?;
    let begin = entry.pointer(kind.way)?;
    let len = entry.number(kind.way & 0xF)? as usize;
    if address.wrapping_sub(begin) >= len {
        return None;
    }
    if kind.has_more {
        let more = entry.unsigned()?;
        entry.take(more as usize)?;
    }
    if kind.is_signal {
        return Some(Rule::Signal);
    }
    let mut run = Run { row: Row::FIRST, first: Row::FIRST, aside: [Row::FIRST; ASIDE], depth: 0 };
    let mut place = begin;
    run.until(kind.first, &kind, &mut place, usize::MAX, address)?;
    run.first = run.row;
    place = begin;
    run.until(entry, &kind, &mut place, address, address)?;
    Some(run.row.rule())
}

/// An entry without its length.
fn part(bytes: &mut Bytes) -> Option<Bytes> {
    const LONG: u32 = u32::MAX;
    let len = match bytes.word()? {
        LONG => bytes.long()? as usize,
        len => len as usize,
    };
    bytes.part(len)
}

/// The entry of the last function that begins at an address or before it.
fn entry(object: &Object, address: usize) -> Option<Bytes> {
    const TABLE: u8 = 0x3B;
    let begin = object.unwind_table()?;
    let mut header = Bytes::new(object.bytes(begin)?);
    let [1, way, ways @ ..] = *header.take(4)?.first_chunk::<4>()? else { return None };
    let [count, TABLE] = ways else { return None };
    header.number(way)?;
    let count = header.number(count)? as usize;
    let table = header.take(count.checked_mul(8)?)?;
    let number = |at: usize| {
        let bytes =
            table.get(at..at + 4).and_then(<[u8]>::first_chunk).copied().unwrap_or_default();
        begin.wrapping_add_signed(i32::from_le_bytes(bytes) as isize)
    };
    let (mut low, mut high) = (0, count);
    while low < high {
        let middle = usize::midpoint(low, high);
        if number(middle * 8) <= address {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    object.bytes(number(low.checked_sub(1)? * 8 + 4)).map(Bytes::new)
}

fn read_kind(mut bytes: Bytes) -> Option<Kind> {
    if bytes.word()? != 0 {
        return None;
    }
    let version = bytes.byte()?;
    let letters = bytes.text()?;
    let (step, factor) = (bytes.unsigned()?, bytes.signed()?);
    let back = if version == 1 { bytes.byte()?.into() } else { bytes.unsigned()? };
    let mut kind = Kind { step, factor, way: 0, has_more: false, is_signal: false, first: bytes };
    if let Some((b'z', letters)) = letters.split_first() {
        let len = bytes.unsigned()?;
        let mut more = bytes.part(len as usize)?;
        kind.has_more = true;
        for letter in letters {
            match letter {
                b'R' => kind.way = more.byte()?,
                b'S' => kind.is_signal = true,
                b'L' => drop(more.byte()?),
                b'P' => {
                    let way = more.byte()?;
                    more.number(way)?;
                }
                _ => {}
            }
        }
        kind.first = bytes;
    }
    (back == RETURN).then_some(kind)
}

/// A table's instructions while they are run.
struct Run {
    row: Row,
    /// The row that the kind of entry begins with.
    first: Row,
    aside: [Row; ASIDE],
    depth: usize,
}

impl Run {
    /// Runs instructions from `place` on, until they tell of what is behind `until`. `None`: one of them is not known.
    fn until(
        &mut self,
        mut code: Bytes,
        kind: &Kind,
        place: &mut usize,
        until: usize,
        address: usize,
    ) -> Option<()> {
        while !code.is_empty() {
            let first = code.byte()?;
            let low = u64::from(first & 0x3F);
            let steps = match first {
                0x40..0x80 => low,
                0x02 => code.byte()?.into(),
                0x03 => code.half()?.into(),
                0x04 => code.word()?.into(),
                0x01 => {
                    *place = code.pointer(kind.way)?;
                    0
                }
                0x80..0xC0 => {
                    let far = code.unsigned()?.cast_signed().wrapping_mul(kind.factor);
                    self.offset(low, far);
                    continue;
                }
                0xC0.. => {
                    self.restore(low);
                    continue;
                }
                _ => {
                    self.instruction(first, &mut code, kind, address)?;
                    continue;
                }
            };
            *place = place.wrapping_add(steps.wrapping_mul(kind.step) as usize);
            if *place > until {
                break;
            }
        }
        Some(())
    }

    fn instruction(
        &mut self,
        number: u8,
        code: &mut Bytes,
        kind: &Kind,
        address: usize,
    ) -> Option<()> {
        let scaled = |number: i64| number.wrapping_mul(kind.factor);
        match number {
            0x00 => {}
            0x05 => {
                let register = code.unsigned()?;
                self.offset(register, scaled(code.unsigned()?.cast_signed()));
            }
            0x06 => {
                let register = code.unsigned()?;
                self.restore(register);
            }
            0x07 => match code.unsigned()? {
                RETURN => self.row.back = None,
                RBP => self.row.saved = Saved::Lost,
                _ => {}
            },
            0x08 => {
                if code.unsigned()? == RBP {
                    self.row.saved = Saved::Same;
                }
            }
            // A register in another one, or a number: nobody does that with those that are followed.
            0x09 | 0x14 => {
                let register = code.unsigned()?;
                code.unsigned()?;
                self.lose(register);
            }
            0x15 => {
                let register = code.unsigned()?;
                code.signed()?;
                self.lose(register);
            }
            0x0A => {
                *self.aside.get_mut(self.depth)? = self.row;
                self.depth += 1;
            }
            0x0B => {
                self.depth = self.depth.checked_sub(1)?;
                self.row = self.aside[self.depth];
            }
            0x0C => {
                let register = code.unsigned()?;
                self.cfa(Some(register), Some(code.unsigned()?.cast_signed()));
            }
            0x0D => {
                let register = code.unsigned()?;
                self.cfa(Some(register), None);
            }
            0x0E => {
                let far = code.unsigned()?.cast_signed();
                self.cfa(None, Some(far));
            }
            0x0F => {
                let len = code.unsigned()?;
                self.row.base = None;
                self.row.told = cfa_of(code.part(len as usize)?, address);
            }
            0x10 => {
                let register = code.unsigned()?;
                let len = code.unsigned()?;
                let told = saved_by(code.part(len as usize)?);
                match register {
                    RBP => self.row.saved = told,
                    register => self.lose(register),
                }
            }
            0x11 => {
                let register = code.unsigned()?;
                self.offset(register, scaled(code.signed()?));
            }
            0x12 => {
                let register = code.unsigned()?;
                self.cfa(Some(register), Some(scaled(code.signed()?)));
            }
            0x13 => {
                let far = scaled(code.signed()?);
                self.cfa(None, Some(far));
            }
            0x16 => {
                let register = code.unsigned()?;
                let len = code.unsigned()?;
                code.take(len as usize)?;
                self.lose(register);
            }
            // How many bytes of arguments there are.
            0x2E => drop(code.unsigned()?),
            _ => return None,
        }
        Some(())
    }

    fn cfa(&mut self, base: Option<u64>, far: Option<i64>) {
        self.row.told = None;
        self.row.base = base.or(self.row.base);
        self.row.far = far.unwrap_or(self.row.far);
    }

    fn offset(&mut self, register: u64, far: i64) {
        match register {
            RBP => self.row.saved = i16::try_from(far).map_or(Saved::Lost, Saved::AtCfa),
            RETURN => self.row.back = Some(far),
            _ => {}
        }
    }

    fn restore(&mut self, register: u64) {
        match register {
            RBP => self.row.saved = self.first.saved,
            RETURN => self.row.back = self.first.back,
            _ => {}
        }
    }

    fn lose(&mut self, register: u64) {
        match register {
            RBP => self.row.saved = Saved::Lost,
            RETURN => self.row.is_known = false,
            _ => {}
        }
    }
}

/// The CFA by an expression: what a function has that aligns its stack, or the jumps to other files' functions have, which push a
/// word at their eleventh byte.
fn cfa_of(mut code: Bytes, address: usize) -> Option<Cfa> {
    const JUMPS: [u8; 6] = [0x77, 8, 0x80, 0, 0x3F, 0x1A];
    const PUSHED: [u8; 4] = [0x2A, 0x33, 0x24, 0x22];
    let mut jumps = code;
    if jumps.take(JUMPS.len()) == Some(&JUMPS) {
        let from = jumps.byte()?.wrapping_sub(0x30);
        let has_pushed = address & 15 >= from.into();
        return (jumps.take(PUSHED.len())? == PUSHED && jumps.is_empty())
            .then_some(Cfa::Stack(8 + 8 * i32::from(has_pushed)));
    }
    let first = code.byte()?;
    let far = code.signed()?;
    let is_known = first == RBP_AND && code.byte()? == DEREF && code.is_empty();
    is_known.then(|| i32::try_from(far).ok().map(Cfa::Stands))?
}

/// Where rbp was saved, by an expression.
fn saved_by(mut code: Bytes) -> Saved {
    let mut at_frame = || {
        let first = code.byte()?;
        let far = i16::try_from(code.signed()?).ok()?;
        (first == RBP_AND && code.is_empty()).then_some(Saved::AtFrame(far))
    };
    at_frame().unwrap_or(Saved::Lost)
}
