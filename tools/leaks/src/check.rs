//! The check of one process: its trace up to the copy, and the copy.

use trace::{Live, Lived, Op, Trace};

use crate::blocks::{Block, Blocks};
use crate::copy::{self, Copy, Mapping};
use crate::error::Error;
use crate::mark::mark;
use crate::ranges::Ranges;
use crate::report::Leaks;
use crate::roots::{Known, is_loader, roots};
use crate::suppress::Suppressions;

/// Looks for the leaks of a process whose recorder left a copy, which ends.
/// Errors: there is no copy, or it or the trace cannot be read.
pub fn check(trace: &Trace, suppressions: &Suppressions) -> Result<Leaks, Error> {
    let about = trace.about();
    let (copy, mut memory) = Copy::of(about)?;
    let known = recorded(trace, &copy.mappings)?;
    let roots = roots(&Known {
        mappings: &copy.mappings,
        had_block: &known.had_block,
        threads: &copy.threads,
        own: &known.own,
        recorder: copy.recorder.clone(),
        malloc: &about.malloc.path,
    });
    let frames = trace.frames()?;
    let names = trace.names(&frames)?;
    // The loader keeps what it allocates for threads where nobody else looks: with the stacks of threads that have ended.
    let is_loader_s = |block: &Block| {
        let innermost = frames.stack(block.frame).next();
        innermost.and_then(|ip| names.module(ip)).is_some_and(|(path, _)| is_loader(path))
    };
    let fates = mark(&known.blocks, &roots, is_loader_s, &mut memory);
    copy.is_there(&mut memory)?;
    let mut leaks = Leaks::of(about, &known.blocks, &fates, (&frames, &names), suppressions);
    if copy.silent > 0 {
        leaks.notes.push(format!(
            "the stacks of {} could not be looked through: what only they point to seems lost",
            show::text::many(usize::try_from(copy.silent).unwrap_or(usize::MAX), "thread")
        ));
    }
    if about.missing.dropped > 0 {
        leaks
            .notes
            .push("some events are missing: a block whose free was not seen seems lost".into());
    }
    if leaks.any() {
        leaks.notes.extend(names.troubles.iter().map(ToString::to_string));
    }
    Ok(leaks)
}

/// What the trace says of the moment of the copy.
struct Recorded {
    blocks: Blocks,
    had_block: Vec<bool>,
    own: Ranges,
}

fn recorded(trace: &Trace, mappings: &[Mapping]) -> Result<Recorded, Error> {
    let about = trace.about();
    let unrecorded = || Error::Unrecorded { process: about.pid };
    let number = copy::number(about).ok_or_else(unrecorded)?;
    let mut live = Live::<Lived, 6>::default();
    let mut had_block = vec![false; mappings.len()];
    let mut own = Ranges::default();
    for step in trace.steps() {
        let step = step.map_err(|_| unrecorded())?;
        match step.op {
            Op::Map { address, len } => own.add(address..address.saturating_add(len)),
            Op::Unmap { address, len } => own.remove(&(address..address.saturating_add(len))),
            Op::Fork { child } if child == number => {
                let block = |lived: Lived| Block {
                    address: lived.address,
                    size: lived.size,
                    frame: lived.frame,
                };
                let all = live.iter().map(|(_, lived)| block(lived)).collect();
                return Ok(Recorded { blocks: Blocks::new(all), had_block, own });
            }
            _ => {}
        }
        step.op.gone().map(|block| live.remove(block));
        if let Some(new) = step.op.made() {
            let place = mappings.partition_point(|mapping| mapping.range.end <= new.address);
            let is_in =
                mappings.get(place).is_some_and(|mapping| mapping.range.contains(&new.address));
            if is_in {
                had_block[place] = true;
            }
            live.insert(new.block, Lived::new(&new, &step));
        }
    }
    Err(unrecorded())
}
