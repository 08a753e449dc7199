//! The tables and their rows.

use super::table::Kind::{Number, Text};
use super::table::{Rows, Table, Value};
use crate::about::Module;
use crate::error::TraceError;
use crate::live::{Live, Lived};
use crate::step::{Block, How, Thread};
use crate::trace::Trace;

pub(super) static TRACES: Table = Table {
    name: "traces",
    columns: &[
        ("trace", Text),
        ("label", Text),
        ("exe", Text),
        ("command", Text),
        ("malloc", Text),
        ("pid", Number),
        ("start", Number),
        ("duration", Number),
        ("threads", Number),
        ("events", Number),
        ("blocks", Number),
        ("peak_live", Number),
    ],
};

pub(super) static BLOCKS: Table = Table {
    name: "blocks",
    columns: &[
        ("trace", Text),
        ("block", Number),
        ("how", Text),
        ("size", Number),
        ("align", Number),
        ("allocated_by", Number),
        ("freed_by", Number),
        ("born", Number),
        ("freed", Number),
        ("address", Number),
        ("frame", Number),
    ],
};

pub(super) static CURVES: Table = Table {
    name: "curves",
    columns: &[
        ("trace", Text),
        ("time", Number),
        ("live", Number),
        ("blocks", Number),
        ("resident", Number),
    ],
};

pub(super) static FRAMES: Table = Table {
    name: "frames",
    columns: &[
        ("trace", Text),
        ("frame", Number),
        ("caller", Number),
        ("ip", Number),
        ("module", Text),
        ("build_id", Text),
        ("place", Number),
        ("function", Text),
        ("file", Text),
        ("line", Number),
        ("site", Text),
    ],
};

/// What many rows have in common.
#[derive(Debug)]
pub(super) struct Names {
    /// The file's name without its ending.
    pub(super) trace: String,
    has_addresses: bool,
}

impl Names {
    pub(super) fn of(trace: &Trace) -> Self {
        let name = trace.path().file_stem().unwrap_or_default();
        Self { trace: name.to_string_lossy().into_owned(), has_addresses: trace.about().addresses }
    }
}

fn word(how: How) -> &'static str {
    match how {
        How::Malloc => "malloc",
        How::Calloc => "calloc",
        How::Aligned => "aligned",
        How::Born => "born",
    }
}

/// A block, and when and by whom it was freed.
pub(super) fn block(
    names: &Names,
    block: Block,
    lived: &Lived,
    freed: Option<(u64, Thread)>,
    rows: &mut dyn Rows,
) -> Result<(), TraceError> {
    let some = |is: bool, value: u64| if is { Value::Number(value) } else { Value::None };
    rows.row(&[
        Value::Text(&names.trace),
        Value::Number(block),
        Value::Text(word(lived.how)),
        Value::Number(lived.size),
        some(lived.align > 0, lived.align),
        Value::Number(u64::from(lived.thread)),
        freed.map(|(_, thread)| u64::from(thread)).into(),
        Value::Number(lived.born),
        freed.map(|(time, _)| time).into(),
        some(names.has_addresses, lived.address),
        some(lived.frame > 0, u64::from(lived.frame)),
    ])
}

/// How much is live and resident at a time.
pub(super) fn point(
    names: &Names,
    time: u64,
    live: &Live<Lived, 6>,
    resident: Option<u64>,
    rows: &mut dyn Rows,
) -> Result<(), TraceError> {
    rows.row(&[
        Value::Text(&names.trace),
        Value::Number(time),
        Value::Number(live.bytes()),
        Value::Number(live.blocks()),
        resident.into(),
    ])
}

pub(super) fn frames(trace: &Trace, names: &Names, rows: &mut dyn Rows) -> Result<(), TraceError> {
    let frames = trace.frames()?;
    let known = trace.names(&frames)?;
    let malloc = &trace.about().malloc.path;
    let mut modules: Vec<&Module> = trace.about().modules.iter().collect();
    modules.sort_by_key(|module| module.start);
    for frame in 1..=frames.len() {
        let Some((caller, ip)) = frames.get(frame) else { continue };
        let before = modules.partition_point(|module| module.start <= ip);
        let module = before.checked_sub(1).map(|at| modules[at]).filter(|module| ip < module.end);
        let place = module.map(|module| ip - module.start + module.offset);
        let text = |of: fn(&Module) -> &str| match module.map(of) {
            None | Some("") => Value::None,
            Some(text) => Value::Text(text),
        };
        let symbol = known.at(ip).next().unwrap_or_default();
        let some = |text| if str::is_empty(text) { Value::None } else { Value::Text(text) };
        let site = known.site_name(known.site(frames.stack(frame), malloc));
        rows.row(&[
            Value::Text(&names.trace),
            Value::Number(u64::from(frame)),
            if caller == 0 { Value::None } else { Value::Number(u64::from(caller)) },
            Value::Number(ip),
            text(|module| &module.path),
            text(|module| &module.build_id),
            place.into(),
            some(symbol.function),
            some(symbol.file),
            if symbol.line == 0 { Value::None } else { Value::Number(u64::from(symbol.line)) },
            Value::Text(&site),
        ])?;
    }
    Ok(())
}

/// What the trace is of.
pub(super) fn about(
    trace: &Trace,
    names: &Names,
    label: &str,
    rows: &mut dyn Rows,
) -> Result<(), TraceError> {
    let about = trace.about();
    let text = |text| if str::is_empty(text) { Value::None } else { Value::Text(text) };
    rows.row(&[
        Value::Text(&names.trace),
        text(label),
        text(&about.exe),
        text(&about.command),
        text(&about.malloc.name),
        Value::Number(u64::from(about.pid)),
        Value::Number(about.start),
        Value::Number(about.duration),
        Value::Number(about.threads.len() as u64),
        Value::Number(about.events),
        Value::Number(about.blocks),
        Value::Number(trace.peak().0),
    ])
}
