//! What holds for every trace, however damaged its recording was.
//!
//! - blocks are numbered as they come, and gone only once
//! - threads are numbered as they come
//! - time never goes back
//! - what the summaries say is what the steps do

use std::collections::HashMap;

use crate::blocks::New;
use crate::step::Block;
use crate::trace::Trace;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Seen {
    pub steps: u64,
    /// Segments that could not be read.
    pub errors: u64,
}

/// Reads a trace that the [packer](crate::Packer) wrote, which may have been damaged since.
pub fn check(trace: &Trace) -> Seen {
    let mut seen = Seen { steps: 0, errors: 0 };
    let (mut time, mut next_block, mut threads, mut live_bytes) = (0, 0, 0, 0u64);
    let mut live: HashMap<Block, u64> = HashMap::new();
    let mut segments = trace.segments().iter().peekable();
    for step in trace.steps() {
        let Ok(step) = step else {
            seen.errors += 1;
            continue;
        };
        seen.steps += 1;
        assert!(step.time >= time, "time goes back from {time} to {}", step.time);
        time = step.time;
        assert!((step.thread as usize) < trace.about().threads.len(), "{step:?}");
        let is_whole = seen.errors == 0 && trace.about().missing.damaged == 0;
        if is_whole {
            assert!(step.thread <= threads, "{step:?}");
            threads = threads.max(step.thread + 1);
        }
        if let Some(block) = step.op.gone() {
            let size = live.remove(&block);
            assert!(size.is_some() || !is_whole, "{step:?}");
            live_bytes = live_bytes.saturating_sub(size.unwrap_or_default());
        }
        if let Some(New { block, size, .. }) = step.op.made() {
            assert!(block == next_block || !is_whole, "{step:?} instead of {next_block}");
            next_block = block + 1;
            live.insert(block, size);
            live_bytes = live_bytes.saturating_add(size);
        }
        let ended = segments.next_if(|segment| segment.first_step + segment.steps == seen.steps);
        if let Some(segment) = ended.filter(|_| is_whole) {
            let is = (segment.live_bytes, segment.live_blocks);
            assert_eq!(is, (live_bytes, live.len() as u64));
            // The steps' times are in units of up to 16 us.
            assert!((0..1 << 14).contains(&(segment.end - time)));
        }
    }
    seen
}
