//! `replay --pool`: how large a pool firmware would need for these calls, by allocator.

use core::ops::ControlFlow;
use core::sync::atomic::{AtomicBool, Ordering};
use std::path::Path;
use std::process::ExitCode;

use anyhow::bail;
use bench::closest::closest;
use replay::pool::{self, Demand, LARGEST, Need, Pool, Pools};
use show::number::{bytes, count, ratio};
use show::{Table, text};
use trace::Trace;

use crate::exit::{self, Usage};
use crate::flags::subject::AllocatorArg;
use crate::out;

/// Tries pools until they are known, and prints them.
pub(super) fn all(
    (path, trace): (&Path, &Trace),
    asked: &[AllocatorArg],
    came: &AtomicBool,
) -> anyhow::Result<ExitCode> {
    let names = named(asked)?;
    let name = path.display();
    let (demand, cut) = pool::demand(trace);
    if demand.blocks == 0 {
        let why = cut.map_or(String::new(), |error| format!(": {error}"));
        bail!(Usage(format!("{name} has no blocks that would need a pool{why}")));
    }
    if demand.bytes as u64 > LARGEST {
        bail!(Usage(format!(
            "{name} has {} live at its peak; pools are tried for at most {}",
            size(demand.bytes),
            bytes(LARGEST as f64)
        )));
    }
    let mut go_on = || match came.load(Ordering::Relaxed) {
        true => ControlFlow::Break(()),
        false => ControlFlow::Continue(()),
    };
    let Some(pools) = pool::pools(trace, (demand, cut), &names, &mut go_on) else {
        return Ok(ExitCode::from(exit::INTERRUPTED));
    };
    if let Some(error) = &pools.cut {
        exit::warn(&format!("only what is before this counts: {error}"));
    }
    out::print(&shown(&pools))?;
    let has_none = pools.needs.iter().any(|need| need.pool.is_none());
    Ok(ExitCode::from(if has_none { exit::SOME_FAILED } else { 0 }))
}

/// The block allocators that are asked for; without a word all of them.
fn named(asked: &[AllocatorArg]) -> anyhow::Result<Vec<&'static str>> {
    if asked.is_empty() {
        return Ok(pool::names().collect());
    }
    let of = |arg: &AllocatorArg| {
        let found = pool::names().find(|name| arg.plain() == Some(name));
        found.ok_or_else(|| {
            let all: Vec<&str> = pool::names().collect();
            let near = closest(&arg.word, all.iter().copied());
            let hint = match near.is_empty() {
                true => format!("there are {}", all.join(", ")),
                false => format!("did you mean {}?", near.join(" or ")),
            };
            Usage(format!(
                "-a {}: no block allocator, which is what --pool tries; {hint}",
                arg.word
            ))
        })
    };
    Ok(asked.iter().map(of).collect::<Result<_, _>>()?)
}

fn shown(pools: &Pools) -> String {
    let Demand { calls, bytes: peak, blocks, sizes } = pools.demand;
    let mut table =
        Table::new(["allocator", "take", "least", "÷ asked for", "in blocks", "scattered"]);
    for Need { name, pool } in &pools.needs {
        table.row(match pool {
            Some(Pool { least, take, used, scattered }) => [
                (*name).to_owned(),
                take.to_string(),
                size(*least),
                ratio(*least as f64 / peak.max(1) as f64),
                size(*used),
                size(*scattered),
            ],
            None => [name, "none", "–", "–", "–", "–"].map(str::to_owned),
        });
    }
    let width = text::width();
    let said = format!(
        "{} calls, at most {} in {} blocks at once, of {} to {} bytes",
        count(calls as f64),
        size(peak),
        count(blocks as f64),
        count(sizes.0 as f64),
        count(sizes.1 as f64)
    );
    let notes = "take: bytes of an array in which all calls were granted, the heap's own records included: an eighth more than \
                 the least pool that was. in blocks: the most bytes in use, headers and rounding included; scattered: free bytes \
                 beside the largest free block, at the worst moment. For 64-bit words and these calls in this order; with 32-bit \
                 words headers and pointers take half. What suffices whatever the order: docs/blocks.md, Worst-case memory";
    format!(
        "{}\n\n{}\n{}\n",
        text::wrapped(&said, 0, width),
        table.text(width),
        text::wrapped(notes, 0, width)
    )
}

fn size(value: usize) -> String {
    bytes(value as f64)
}
