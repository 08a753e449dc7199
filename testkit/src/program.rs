//! Programs of operations on numbered slots, as values and as text.
//!
//! A slot holds at most one block. Every sequence of operations is a valid program, so any part
//! of a failing one can be left out: an occupied slot is freed before it is filled again, and an
//! empty one stands for the null pointer.
//!
//! As text: one operation a line, or several parted by `;`; `#` starts a comment.
//!
//! ```
//! use heapwright_testkit::{Op, Program};
//!
//! let program: Program = "malloc 0 48; realloc 0 4096; free 0".parse().unwrap();
//! assert_eq!(program.ops[1], Op::Realloc { slot: 0, size: 4096 });
//! assert_eq!(program.to_string().parse(), Ok(program));
//! ```
use core::fmt;
use core::str::FromStr;

mod bytes;

/// Slots, threads: the highest number a text may name.
pub const MOST_SLOTS: u32 = 1 << 20;
/// Threads: the highest number a text may name.
pub const MOST_THREADS: u32 = 1 << 10;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Op {
    /// Fill `slot` by `malloc(size)`.
    Malloc { slot: u32, size: usize },
    /// Fill `slot` by `calloc(count, size)`.
    Calloc { slot: u32, count: usize, size: usize },
    /// Fill `slot` by `aligned_alloc(align, size)`.
    Aligned { slot: u32, align: usize, size: usize },
    /// Resize the block in `slot`; an empty slot is filled.
    Realloc { slot: u32, size: usize },
    /// Empty `slot` by `free`; an empty one frees null.
    Free { slot: u32 },
    /// Empty `slot` by `free_sized`, or by `free` when an alignment was asked for.
    FreeSized { slot: u32 },
    /// Hand the block in `slot` over to whoever receives next.
    Send { slot: u32 },
    /// Fill `slot` with a block handed over, if there is one.
    Receive { slot: u32 },
    /// What follows runs on this thread; 0 is the one that started the program.
    On { thread: u32 },
    /// This thread ends; if it is the current one, what follows runs on thread 0.
    Exit { thread: u32 },
    /// Give free memory back to the source.
    Purge,
    /// Walk the allocator's structure.
    Check,
    /// Verify the contents of every live block.
    Verify,
    /// Fork; the child verifies and frees this thread's blocks and allocates others, then ends.
    Fork,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct Program {
    pub ops: Vec<Op>,
}

impl Op {
    /// The operation on another slot, where it has one.
    pub fn at(self, new: u32) -> Op {
        match self {
            Op::Malloc { size, .. } => Op::Malloc { slot: new, size },
            Op::Calloc { count, size, .. } => Op::Calloc { slot: new, count, size },
            Op::Aligned { align, size, .. } => Op::Aligned { slot: new, align, size },
            Op::Realloc { size, .. } => Op::Realloc { slot: new, size },
            Op::Free { .. } => Op::Free { slot: new },
            Op::FreeSized { .. } => Op::FreeSized { slot: new },
            Op::Send { .. } => Op::Send { slot: new },
            Op::Receive { .. } => Op::Receive { slot: new },
            other => other,
        }
    }

    /// The slot it works on, where it has one.
    pub fn slot(self) -> Option<u32> {
        match self {
            Op::Malloc { slot, .. }
            | Op::Calloc { slot, .. }
            | Op::Aligned { slot, .. }
            | Op::Realloc { slot, .. }
            | Op::Free { slot }
            | Op::FreeSized { slot }
            | Op::Send { slot }
            | Op::Receive { slot } => Some(slot),
            _ => None,
        }
    }
}

impl Program {
    /// One more than the highest slot.
    pub fn slots(&self) -> usize {
        self.ops.iter().filter_map(|op| op.slot()).max().map_or(0, |slot| slot as usize + 1)
    }

    /// Whether it names threads of its own.
    pub fn has_threads(&self) -> bool {
        self.ops.iter().any(|op| matches!(op, Op::On { .. } | Op::Exit { .. }))
    }

    /// The program as Rust code for a regression test.
    pub fn to_rust(&self) -> String {
        let mut text = String::from("Program { ops: vec![\n");
        for op in &self.ops {
            text.push_str(&format!("    Op::{op:?},\n"));
        }
        text.push_str("] }");
        text
    }
}

impl fmt::Display for Op {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Op::Malloc { slot, size } => write!(f, "malloc {slot} {size}"),
            Op::Calloc { slot, count, size } => write!(f, "calloc {slot} {count} {size}"),
            Op::Aligned { slot, align, size } => write!(f, "aligned {slot} {align} {size}"),
            Op::Realloc { slot, size } => write!(f, "realloc {slot} {size}"),
            Op::Free { slot } => write!(f, "free {slot}"),
            Op::FreeSized { slot } => write!(f, "free_sized {slot}"),
            Op::Send { slot } => write!(f, "send {slot}"),
            Op::Receive { slot } => write!(f, "receive {slot}"),
            Op::On { thread } => write!(f, "on {thread}"),
            Op::Exit { thread } => write!(f, "exit {thread}"),
            Op::Purge => f.write_str("purge"),
            Op::Check => f.write_str("check"),
            Op::Verify => f.write_str("verify"),
            Op::Fork => f.write_str("fork"),
        }
    }
}

impl fmt::Display for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.ops.iter().try_for_each(|op| writeln!(f, "{op}"))
    }
}

/// An operation that could not be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParseError {
    /// The line, counted from 1.
    pub line: usize,
    pub text: String,
    /// What is wrong with it and what it should be.
    pub reason: &'static str,
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: `{}`: {}", self.line, self.text, self.reason)
    }
}

impl core::error::Error for ParseError {}

impl FromStr for Op {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Op, &'static str> {
        let mut words = text.split_whitespace();
        let name = words.next().ok_or("expected an operation")?;
        let mut numbers = [0usize; 3];
        let mut given = 0;
        for word in words {
            let number = number(word).ok_or("expected whole numbers after the operation")?;
            *numbers.get_mut(given).ok_or("too many numbers")? = number;
            given += 1;
        }
        let [first, second, third] = numbers;
        let wanted = match name {
            "purge" | "check" | "verify" | "fork" => 0,
            "free" | "free_sized" | "send" | "receive" | "on" | "exit" => 1,
            "malloc" | "realloc" => 2,
            "calloc" | "aligned" => 3,
            _ => {
                return Err("unknown operation; known: malloc calloc aligned realloc free \
                            free_sized send receive on exit purge check verify fork");
            }
        };
        if given != wanted {
            return Err("wrong count of numbers; malloc SLOT SIZE, calloc SLOT COUNT SIZE, \
                        aligned SLOT ALIGN SIZE, realloc SLOT SIZE, free SLOT, on THREAD, …");
        }
        let slot = u32::try_from(first).ok().filter(|&slot| slot < MOST_SLOTS);
        let slot = slot.ok_or("the slot is too high; slots go to 1048575")?;
        Ok(match name {
            "malloc" => Op::Malloc { slot, size: second },
            "calloc" => Op::Calloc { slot, count: second, size: third },
            "aligned" if second.is_power_of_two() => {
                Op::Aligned { slot, align: second, size: third }
            }
            "aligned" => return Err("the alignment is not a power of two"),
            "realloc" => Op::Realloc { slot, size: second },
            "free" => Op::Free { slot },
            "free_sized" => Op::FreeSized { slot },
            "send" => Op::Send { slot },
            "receive" => Op::Receive { slot },
            "purge" => Op::Purge,
            "check" => Op::Check,
            "verify" => Op::Verify,
            "fork" => Op::Fork,
            _ if slot >= MOST_THREADS => return Err("the thread is too high; threads go to 1023"),
            "on" => Op::On { thread: slot },
            _ => Op::Exit { thread: slot },
        })
    }
}

impl FromStr for Program {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Program, ParseError> {
        let mut ops = Vec::new();
        for (i, line) in text.lines().enumerate() {
            let line = line.split('#').next().unwrap_or_default();
            for text in line.split(';').map(str::trim).filter(|text| !text.is_empty()) {
                let op = text.parse();
                ops.push(op.map_err(|reason| ParseError {
                    line: i + 1,
                    text: text.into(),
                    reason,
                })?);
            }
        }
        Ok(Program { ops })
    }
}

/// A decimal number, or a hexadecimal one after `0x`.
fn number(word: &str) -> Option<usize> {
    match word.strip_prefix("0x") {
        Some(digits) => usize::from_str_radix(digits, 16).ok(),
        None => word.parse().ok(),
    }
}

#[cfg(test)]
mod tests;
