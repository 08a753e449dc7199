//! `Wrong`: what an allocator did wrong; `Failure`: at which operation of a program.
use core::fmt;

use base::Broken;

use crate::pattern::Mismatch;
use crate::program::Op;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wrong {
    /// Null, though nothing was made to fail.
    Null { size: usize },
    /// A block for a size that no address space holds.
    NotNull { size: usize, address: usize },
    /// The address is not a multiple of the alignment.
    Misaligned { address: usize, align: usize },
    /// The new block runs past the end of the address space.
    Wraps { address: usize, usable: usize },
    /// Fewer usable bytes than asked for.
    Usable { address: usize, usable: usize, size: usize },
    /// The new block shares bytes with a live one.
    Overlap { address: usize, usable: usize, with: usize, with_usable: usize },
    /// `calloc` returned a byte that is not zero.
    NotZero { address: usize, size: usize, offset: usize, found: u8 },
    /// A live block's contents changed.
    Contents { address: usize, size: usize, mismatch: Mismatch },
    /// `realloc` did not keep the contents.
    NotKept { from: usize, old: usize, to: usize, new: usize, mismatch: Mismatch },
    /// `check` found a broken invariant.
    Broken(Broken),
    /// The child of a fork did not end well.
    Child { status: i32 },
    /// After one failed call of its source and after every block was freed, still null.
    NoRecovery { size: usize },
}

impl Wrong {
    /// One word for the sort of wrong; shrinking keeps it.
    pub fn kind(&self) -> &'static str {
        match self {
            Wrong::Null { .. } => "null",
            Wrong::NotNull { .. } => "not-null",
            Wrong::Misaligned { .. } => "misaligned",
            Wrong::Wraps { .. } => "wraps",
            Wrong::Usable { .. } => "usable",
            Wrong::Overlap { .. } => "overlap",
            Wrong::NotZero { .. } => "not-zero",
            Wrong::Contents { .. } => "contents",
            Wrong::NotKept { .. } => "not-kept",
            Wrong::Broken(_) => "broken",
            Wrong::Child { .. } => "child",
            Wrong::NoRecovery { .. } => "no-recovery",
        }
    }
}

impl fmt::Display for Wrong {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Wrong::Null { size } => {
                write!(f, "null: {size} bytes were refused though no source failed")
            }
            Wrong::NotNull { size, address } => {
                write!(f, "not-null: {size} bytes cannot exist, yet {address:#x} was returned")
            }
            Wrong::Misaligned { address, align } => {
                write!(f, "misaligned: {address:#x} is not a multiple of {align}")
            }
            Wrong::Wraps { address, usable } => {
                write!(f, "wraps: {address:#x} + {usable} passes the end of the address space")
            }
            Wrong::Usable { address, usable, size } => {
                write!(f, "usable: {address:#x} has {usable} usable bytes, {size} were asked for")
            }
            Wrong::Overlap { address, usable, with, with_usable } => write!(
                f,
                "overlap: new block {address:#x} + {usable} shares bytes with live block \
                 {with:#x} + {with_usable}"
            ),
            Wrong::NotZero { address, size, offset, found } => write!(
                f,
                "not-zero: calloc of {size} bytes at {address:#x}: offset {offset}: \
                 expected 0x00, found {found:#04x}"
            ),
            Wrong::Contents { address, size, mismatch } => {
                write!(f, "contents: live block {address:#x} of {size} bytes: {mismatch}")
            }
            Wrong::NotKept { from, old, to, new, mismatch } => write!(
                f,
                "not-kept: realloc of {from:#x} from {old} to {new} bytes gave {to:#x}: {mismatch}"
            ),
            Wrong::Broken(broken) => write!(f, "broken: {broken}"),
            Wrong::Child { status } if libc::WIFSIGNALED(status) => {
                let signal = libc::WTERMSIG(status);
                let hangs = if signal == libc::SIGALRM { " (it hangs)" } else { "" };
                write!(f, "child: the child of a fork was ended by signal {signal}{hangs}")
            }
            Wrong::Child { status } => {
                let found = crate::run::fork::meaning(libc::WEXITSTATUS(status));
                write!(f, "child: in the child of a fork, {found}")
            }
            Wrong::NoRecovery { size } => write!(
                f,
                "no-recovery: {size} bytes are refused although the source failed only once and \
                 every block was freed"
            ),
        }
    }
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Mismatch { offset, expected, found, wrong } = self;
        write!(
            f,
            "offset {offset}: expected {expected:#04x}, found {found:#04x} ({wrong} bytes wrong)"
        )
    }
}

/// A [`Wrong`] and the operation that showed it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Failure {
    /// The operation's index in its program; the program's length for the final drain.
    pub index: usize,
    /// The operation; none for the final drain.
    pub op: Option<Op>,
    pub wrong: Wrong,
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.op {
            Some(op) => write!(f, "operation {} ({op}): {}", self.index, self.wrong),
            None => write!(f, "drain after operation {}: {}", self.index, self.wrong),
        }
    }
}

impl core::error::Error for Failure {}
