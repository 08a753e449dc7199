//! The check of one process: its trace up to the copy, and the copy.

use std::collections::HashSet;

use trace::{Op, Trace};

use crate::blocks::{Block, Blocks};
use crate::copy::{self, Copy, Thread};
use crate::error::Error;
use crate::mark::mark;
use crate::ranges::Ranges;
use crate::report::Leaks;
use crate::roots::{Known, is_loader, is_malloc_s, roots};
use crate::suppress::Suppressions;
use crate::table;

/// Looks for the leaks of a process whose recorder left a copy, which ends.
/// Errors: there is no copy, or it or the trace cannot be read.
pub fn check(trace: &Trace, suppressions: &Suppressions) -> Result<Leaks, Error> {
    let about = trace.about();
    let (copy, mut memory) = Copy::of(about)?;
    if about.note("table_full").is_some() {
        return Err(Error::NoTable { process: about.pid });
    }
    let own = own(trace)?;
    let frames = trace.frames()?;
    let (mut blocks, had_block) = table::read(&mut memory, copy.table, &copy.mappings);
    let is_whole = u64::from(frames.len()) == copy.frames;
    if !is_whole {
        // Numbers of frames behind those that are missing are others'.
        blocks.iter_mut().for_each(|block| block.frame = 0);
    }
    let blocks = Blocks::new(blocks);
    // A coroutine's stack, or one for signal handlers, may be a block: that one is searched, and nothing behind it.
    let stack_of =
        |thread: &Thread| blocks.at(thread.stack).map(|place| blocks.all()[place].address);
    let stacks: HashSet<u64> = copy.threads.iter().filter_map(stack_of).collect();
    let outside = |thread: &Thread| match stack_of(thread) {
        Some(_) => Thread { stack: 0, ..*thread },
        None => *thread,
    };
    let threads: Vec<Thread> = copy.threads.iter().map(outside).collect();
    let roots = roots(&Known {
        mappings: &copy.mappings,
        had_block: &had_block,
        threads: &threads,
        own: &own,
        recorder: copy.recorder.clone(),
        malloc: &about.malloc.path,
    });
    let names = trace.names(&frames)?;
    // The loader keeps what it allocates for threads where nobody else looks: with the stacks of threads that have ended.
    let is_loader_s = |block: &Block| {
        let innermost = frames.stack(block.frame).next();
        // So does a malloc with a C++ library of its own inside.
        innermost
            .and_then(|ip| names.module(ip))
            .is_some_and(|(path, _)| is_loader(path) || is_malloc_s(path, &about.malloc.path))
    };
    let is_kept = |block: &Block| stacks.contains(&block.address) || is_loader_s(block);
    let fates = mark(&blocks, &roots, is_kept, &mut memory);
    copy.is_there(&mut memory)?;
    let mut leaks = Leaks::of(about, &blocks, &fates, (&frames, &names), suppressions);
    if copy.silent > 0 {
        leaks.notes.push(format!(
            "the stacks of {} could not be looked through: what only they point to seems lost",
            show::text::many(usize::try_from(copy.silent).unwrap_or(usize::MAX), "thread")
        ));
    }
    if !is_whole {
        leaks.notes.push("a part of the recording is missing, and with it all call stacks".into());
    }
    if about.missing.dropped > 0 {
        leaks.notes.push(
            "some calls were not seen: what only blocks of theirs point to seems lost".into(),
        );
    }
    if leaks.any() {
        leaks.notes.extend(names.troubles.iter().map(ToString::to_string));
    }
    Ok(leaks)
}

/// What the program itself had mapped when it was copied.
fn own(trace: &Trace) -> Result<Ranges, Error> {
    let about = trace.about();
    let unrecorded = || Error::Unrecorded { process: about.pid };
    let number = copy::number(about).ok_or_else(unrecorded)?;
    let mut own = Ranges::default();
    for step in trace.steps() {
        match step.map_err(|_| unrecorded())?.op {
            Op::Map { address, len } => own.add(address..address.saturating_add(len)),
            Op::Unmap { address, len } => own.remove(&(address..address.saturating_add(len))),
            Op::Fork { child } if child == number => return Ok(own),
            _ => {}
        }
    }
    Err(unrecorded())
}
