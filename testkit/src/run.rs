//! The executor: runs a program on a subject under the shadow model.
//!
//! One [`Runner`] is one sequence of operations with its slots and its shadow. A program that
//! names threads hands the whole runner to the thread whose turn it is, so cross-thread frees and
//! thread exits happen in the program's order, the same in every run.
//!
//! A failure stops the run and leaves the live blocks alone: the heap may be damaged.
use std::collections::VecDeque;
use std::sync::Mutex;

use crate::pattern::Samples;
use crate::program::{Op, Program};
use crate::shadow::{Block, DEFAULT_ALIGN, Request, Shadow};
use crate::subject::Subject;
use crate::wrong::{Failure, Wrong};

pub(crate) mod fork;
mod threads;

/// Above this no address space holds a block, and null is the only right answer.
const MOST: usize = isize::MAX as usize;

/// When null is a right answer to a size that can exist.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Nulls {
    #[default]
    Wrong,
    /// From the source's n-th call on, which was made to fail.
    AfterFault(u64),
    /// At any time: memory is limited.
    Allowed,
}

#[derive(Debug, Clone, Copy)]
pub struct Options {
    /// `check` before the first, after every k-th and after the last operation; 0: only when the
    /// program says so.
    pub check_every: usize,
    /// Verify every live block after every k-th operation; 0: each at its end only.
    pub verify_every: usize,
    pub nulls: Nulls,
    /// The alignment of blocks of less than [`DEFAULT_ALIGN`] bytes.
    pub small_align: usize,
    /// Of large blocks.
    pub samples: Samples,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            check_every: 1,
            verify_every: 0,
            nulls: Nulls::Wrong,
            small_align: DEFAULT_ALIGN,
            samples: Samples::by_turns(0),
        }
    }
}

/// What a run that went well did.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Ran {
    pub blocks: usize,
    /// Times null was a right answer.
    pub nulls: usize,
    /// The most bytes live at once.
    pub peak: usize,
}

/// Blocks between a `send` and a `receive`.
#[derive(Debug, Default)]
pub struct Exchange {
    blocks: Mutex<VecDeque<Block>>,
}

impl Exchange {
    fn put(&self, block: Block) {
        self.blocks.lock().expect("no one panics with blocks in hand").push_back(block);
    }

    fn take(&self) -> Option<Block> {
        self.blocks.lock().expect("no one panics with blocks in hand").pop_front()
    }
}

/// Runs `program` on `subject`, then frees everything it left.
pub fn run(subject: &Subject<'_>, program: &Program, options: &Options) -> Result<Ran, Failure> {
    let exchange = Exchange::default();
    let runner = Runner::new(subject, program, options, &exchange);
    let mut runner = threads::run(runner, program)?;
    runner.drain(program.ops.len())?;
    Ok(runner.ran)
}

#[derive(Debug)]
pub struct Runner<'a> {
    subject: &'a Subject<'a>,
    options: Options,
    exchange: &'a Exchange,
    shadow: Shadow,
    slots: Vec<Option<usize>>,
    ran: Ran,
}

impl<'a> Runner<'a> {
    pub fn new(
        subject: &'a Subject<'a>,
        program: &Program,
        options: &Options,
        exchange: &'a Exchange,
    ) -> Runner<'a> {
        Runner {
            subject,
            options: *options,
            exchange,
            shadow: Shadow::new()
                .with_small_align(options.small_align.min(subject.small_align))
                .with_samples(options.samples),
            slots: vec![None; program.slots()],
            ran: Ran::default(),
        }
    }

    pub fn ran(&self) -> Ran {
        self.ran
    }

    /// Operation `index`, and the checks around it.
    pub fn step(&mut self, index: usize, op: Op) -> Result<(), Failure> {
        let failure = |wrong| Failure { index, op: Some(op), wrong };
        if index == 0 && self.options.check_every > 0 {
            self.check().map_err(failure)?;
        }
        self.apply(op).map_err(failure)?;
        self.ran.peak = self.ran.peak.max(self.shadow.bytes());
        if every(self.options.verify_every, index) {
            self.shadow.verify().map_err(failure)?;
        }
        if every(self.options.check_every, index) {
            self.check().map_err(failure)?;
        }
        Ok(())
    }

    /// Verifies and frees what is left, in the slots and in the exchange.
    pub fn drain(&mut self, index: usize) -> Result<(), Failure> {
        while let Some(block) = self.exchange.take() {
            self.shadow.put(block).map_err(|wrong| Failure { index, op: None, wrong })?;
        }
        self.finish(index)
    }

    /// Verifies and frees what is left in the slots.
    pub fn finish(&mut self, index: usize) -> Result<(), Failure> {
        let failure = |wrong| Failure { index, op: None, wrong };
        for address in self.shadow.by_age() {
            self.release(address, false).map_err(failure)?;
        }
        self.slots.fill(None);
        if self.options.check_every > 0 {
            self.check().map_err(failure)?;
        }
        Ok(())
    }

    fn apply(&mut self, op: Op) -> Result<(), Wrong> {
        let malloc = self.subject.malloc;
        match op {
            Op::Malloc { slot, size } => {
                self.empty(slot, false)?;
                self.fill(slot, malloc.malloc(size), size, DEFAULT_ALIGN, false)
            }
            Op::Calloc { slot, count, size } => {
                self.empty(slot, false)?;
                let bytes = count.saturating_mul(size);
                self.fill(slot, malloc.calloc(count, size), bytes, DEFAULT_ALIGN, true)
            }
            Op::Aligned { slot, align, size } => {
                self.empty(slot, false)?;
                self.fill(slot, malloc.aligned_alloc(align, size), size, align, false)
            }
            Op::Realloc { slot, size } => self.realloc(slot, size),
            Op::Free { slot } => self.empty(slot, false),
            Op::FreeSized { slot } => self.empty(slot, true),
            Op::Send { slot } => {
                if let Some(block) = self.slots[slot as usize].take() {
                    self.exchange.put(self.shadow.take(block).expect("slots hold live blocks"));
                }
                Ok(())
            }
            Op::Receive { slot } => {
                if let Some(block) = self.exchange.take() {
                    block.verify()?;
                    self.empty(slot, false)?;
                    self.slots[slot as usize] = Some(block.address());
                    self.shadow.put(block)?;
                }
                Ok(())
            }
            Op::Purge => {
                self.subject.purge.inspect(|purge| purge());
                Ok(())
            }
            Op::Check => self.check(),
            Op::Verify => self.shadow.verify(),
            Op::Fork => fork::fork(self.subject, &self.shadow),
            Op::On { .. } | Op::Exit { .. } => Ok(()),
        }
    }

    /// A new block, or null, for `slot`, which is empty.
    fn fill(
        &mut self,
        slot: u32,
        pointer: *mut u8,
        size: usize,
        align: usize,
        zeroed: bool,
    ) -> Result<(), Wrong> {
        if !self.accept(pointer, size)? {
            return Ok(());
        }
        // SAFETY: `pointer` was just returned and is not null.
        let usable = unsafe { self.subject.malloc.usable_size(pointer) };
        let request = Request { size, align, zeroed };
        // SAFETY: `pointer` was just returned for this request.
        unsafe { self.shadow.allocated(pointer, usable, request) }?;
        self.slots[slot as usize] = Some(pointer.addr());
        Ok(())
    }

    fn realloc(&mut self, slot: u32, size: usize) -> Result<(), Wrong> {
        let malloc = self.subject.malloc;
        let Some(address) = self.slots[slot as usize] else {
            // SAFETY: null is a valid argument.
            let pointer = unsafe { malloc.realloc(core::ptr::null_mut(), size) };
            return self.fill(slot, pointer, size, DEFAULT_ALIGN, false);
        };
        let old = self.shadow.take(address).expect("slots hold live blocks");
        old.verify()?;
        // SAFETY: the shadow's blocks are live; if null comes back, `old` still is.
        let pointer = unsafe { malloc.realloc(old.pointer(), size) };
        if !self.accept(pointer, size)? {
            old.verify()?;
            return self.shadow.put(old);
        }
        self.slots[slot as usize] = None;
        // SAFETY: `pointer` was just returned and is not null.
        let usable = unsafe { malloc.usable_size(pointer) };
        let request = Request { size, align: DEFAULT_ALIGN, zeroed: false };
        // SAFETY: `pointer` was just returned in exchange for `old`.
        unsafe { self.shadow.reallocated(&old, pointer, usable, request) }?;
        self.slots[slot as usize] = Some(pointer.addr());
        Ok(())
    }

    /// Whether a block was returned; null where it is right leaves every live block as it was.
    fn accept(&mut self, pointer: *mut u8, size: usize) -> Result<bool, Wrong> {
        if !pointer.is_null() {
            if size > MOST {
                return Err(Wrong::NotNull { size, address: pointer.addr() });
            }
            self.ran.blocks += 1;
            return Ok(true);
        }
        let calls = self.subject.faults.map_or(0, |faults| faults.calls());
        match self.options.nulls {
            _ if size > MOST => return Ok(false),
            Nulls::Allowed => {}
            Nulls::AfterFault(n) if n > 0 && calls >= n => {}
            _ => return Err(Wrong::Null { size }),
        }
        self.ran.nulls += 1;
        self.shadow.verify()?;
        self.check()?;
        Ok(false)
    }

    /// Empties `slot`; an empty one frees null.
    fn empty(&mut self, slot: u32, sized: bool) -> Result<(), Wrong> {
        match self.slots[slot as usize].take() {
            Some(address) => self.release(address, sized),
            None => {
                // SAFETY: null is a valid argument.
                unsafe { self.subject.malloc.free(core::ptr::null_mut()) };
                Ok(())
            }
        }
    }

    fn release(&mut self, address: usize, sized: bool) -> Result<(), Wrong> {
        let block = self.shadow.take(address).expect("slots hold live blocks");
        block.verify()?;
        if sized && block.align() == DEFAULT_ALIGN {
            // SAFETY: the block is live, and this is the size asked for.
            unsafe { self.subject.malloc.free_sized(block.pointer(), block.size()) };
        } else {
            // SAFETY: the block is live.
            unsafe { self.subject.malloc.free(block.pointer()) };
        }
        Ok(())
    }

    fn check(&self) -> Result<(), Wrong> {
        self.subject.check().map_err(Wrong::Broken)
    }
}

/// Whether operation `index` ends a group of `k`.
fn every(k: usize, index: usize) -> bool {
    k > 0 && (index + 1).is_multiple_of(k)
}

#[cfg(test)]
mod tests;
