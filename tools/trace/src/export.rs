//! A trace as tables, for engines that query many of them.
//!
//! ```text
//! FOLDER/traces/NAME.csv    one row: which program, on which malloc, how much was live
//! FOLDER/blocks/NAME.csv    a row for each block: size, threads, born, freed, address, frame
//! FOLDER/curves/NAME.csv    live and resident bytes over time
//! FOLDER/frames/NAME.csv    call stacks, with the module and the place in its file
//! ```
//!
//! Traces of a fleet go into one folder, each under its name. A block is written when it is freed, those that never were at the
//! end: only live blocks are remembered. docs/traces.md has queries.

mod csv;
mod jsonl;
mod parquet;
mod table;
mod tables;

use std::fs;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use crate::error::TraceError;
use crate::live::{Live, Lived};
use crate::part::Part;
use crate::step::Op;
use crate::trace::Trace;
use table::{Rows, Table};
use tables::Names;

pub use table::Form;

/// Points of a curve are at least this share of the recorded time from each other.
const POINTS: u64 = 2000;

/// Writes the tables of a trace into a folder; the files, blocks first.
///
/// `label` is what the rows of `traces` say besides, such as the release of the program.
///
/// `over`: a file that is there is written over.
/// Errors: the trace cannot be read, a file is there, or it cannot be written.
pub fn export(
    trace: &Trace,
    form: Form,
    folder: &Path,
    label: &str,
    over: bool,
) -> Result<Vec<PathBuf>, TraceError> {
    let names = Names::of(trace);
    let file = |table: &Table| {
        let folder = folder.join(table.name);
        let path = folder.join(format!("{}.{}", names.trace, form.ending()));
        if !over && path.exists() {
            return Err(TraceError::Exists { path });
        }
        fs::create_dir_all(&folder).map_err(TraceError::io(&folder))?;
        Ok((Part::of(&path).map_err(TraceError::io(&path))?, path))
    };
    let tables = [&tables::BLOCKS, &tables::CURVES, &tables::FRAMES, &tables::TRACES];
    let files = tables.into_iter().map(file).collect::<Result<Vec<_>, TraceError>>()?;
    let rows = |at: usize| {
        let (part, path) = &files[at];
        let file = part.file.try_clone().map_err(TraceError::io(path))?;
        form.rows(tables[at], Box::new(BufWriter::with_capacity(1 << 18, file)))
    };
    let (mut blocks, mut curves) = (rows(0)?, rows(1)?);
    steps(trace, &names, &mut *blocks, Some(&mut *curves))?;
    let (mut frames, mut traces) = (rows(2)?, rows(3)?);
    tables::frames(trace, &names, &mut *frames)?;
    tables::about(trace, &names, label, &mut *traces)?;
    for rows in [blocks, curves, frames, traces] {
        rows.finish()?;
    }
    let finish = |(part, path): (Part, PathBuf)| {
        part.finish().map_err(TraceError::io(&path))?;
        Ok(path)
    };
    files.into_iter().map(finish).collect()
}

/// Writes the blocks of a trace alone, to a pipe for example.
/// Errors: as for [`export`].
pub fn export_blocks(
    trace: &Trace,
    form: Form,
    out: Box<dyn Write + Send>,
) -> Result<(), TraceError> {
    let mut blocks = form.rows(&tables::BLOCKS, out)?;
    steps(trace, &Names::of(trace), &mut *blocks, None)?;
    blocks.finish()
}

fn steps(
    trace: &Trace,
    names: &Names,
    blocks: &mut dyn Rows,
    mut curves: Option<&mut (dyn Rows + 'static)>,
) -> Result<(), TraceError> {
    let mut live = Live::<Lived, 6>::default();
    let (mut resident, mut next) = (None, 0u64);
    let apart = (trace.about().duration / POINTS).max(1);
    for step in trace.steps() {
        // The segment behind one that cannot be read is read.
        let Ok(step) = step else { continue };
        if let Some((block, row)) =
            step.op.gone().and_then(|block| Some((block, live.remove(block)?)))
        {
            tables::block(names, block, &row, Some((step.time, step.thread)), blocks)?;
        }
        if let Some(new) = step.op.made() {
            live.insert(new.block, Lived::new(&new, &step));
        }
        if let Op::Memory { anon, file, shmem } = step.op {
            resident = Some(anon.saturating_add(file).saturating_add(shmem));
        }
        if let Some(curves) = &mut curves
            && step.time >= next
        {
            tables::point(names, step.time, &live, resident, *curves)?;
            next = step.time + apart;
        }
    }
    if let Some(curves) = curves {
        tables::point(names, trace.about().duration, &live, resident, curves)?;
    }
    live.iter().try_for_each(|(block, row)| tables::block(names, block, &row, None, blocks))
}

#[cfg(test)]
mod tests;
